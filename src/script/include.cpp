// include "parts/wheel.lua": scenes share text. No verb like the others, because what a file returns may be functions.

#include <algorithm>
#include <fstream>

#include "pliant/core/hash.hpp"
#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path, const Where& where) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw UserError("'" + path.string() + "' cannot be read", where, "Look at its permissions");
    std::string text((std::size_t{1} << 20) + 1, ' ');  // one more than is allowed, so that too much is noticed
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

/// A path as messages should show it: beside the scene's, as the user wrote that.
std::string shown(const Loader& loader, const std::string& name, const fs::path& path) {
    const fs::path beside = fs::path(loader.desc.file).parent_path() / name;
    std::error_code failed;
    return fs::equivalent(beside, path, failed) && !failed ? beside.string() : path.string();
}

/// Leaves on the stack what the file returned when it ran before; otherwise the function to call, and its argument.
bool ran_before(Loader& loader, lua_State* lua) {
    const Where here = loader.here();
    const std::string usage = "Write include \"parts/wheel.lua\"";
    if (!loader.bridge.loading)
        throw UserError("include cannot be used in a callback", here,
                        "Use it while the scene loads: the world is complete when the run begins");
    if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING)
        throw UserError("include takes the name of a file", here, usage);
    const std::string name = lua_tostring(lua, 1);
    if (!name.ends_with(".lua")) throw UserError("include runs .lua files, and '" + name + "' is none", here, usage);
    const fs::path path = find_file(name, loader.folders, here);
    if (std::ranges::find(loader.including, path.string()) != loader.including.end())
        throw UserError("'" + name + "' includes itself" + (loader.including.back() == path ? "" : " through others"),
                        here, "Put what both files need into a third");
    lua_settop(lua, 0);
    if (const auto found = loader.included.find(path.string()); found != loader.included.end()) {
        lua_rawgeti(lua, LUA_REGISTRYINDEX, found->second);
        return true;
    }
    std::error_code no_file;  // a scene may be a mere text
    if (fs::equivalent(path, loader.desc.file, no_file))
        throw UserError("'" + name + "' includes itself", here, "Leave it out");
    const std::string text = text_of(path, here);
    loader.bridge.sandbox().push_text(text, shown(loader, name, path));
    loader.desc.files.push_back({path.string(), hash_of(text)});
    loader.including.push_back(path.string());
    return false;
}

int include(lua_State* lua) {
    Loader& loader = *static_cast<Loader*>(lua_touserdata(lua, lua_upvalueindex(1)));
    if (ran_before(loader, lua)) return 1;
    struct Leave {  // also when the file fails
        Loader& loader;
        ~Leave() { loader.including.pop_back(); }
    } leave{loader};
    lua_call(lua, 1, 1);
    lua_pushvalue(lua, -1);
    loader.included[loader.including.back()] = luaL_ref(lua, LUA_REGISTRYINDEX);
    return 1;
}

}  // namespace

void define_include(Loader& loader) {
    lua_State* lua = loader.bridge.sandbox().state();
    lua_pushlightuserdata(lua, &loader);
    lua_pushcclosure(lua, guarded<include>, 1);
    loader.bridge.sandbox().define("include");
}

}  // namespace pliant::script
