#include "pliant/script/scene.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>

#include "pliant/core/hash.hpp"
#include "pliant/core/text.hpp"
#include "pliant/script/compat_everts.hpp"
#include "pliant/script/state.hpp"
#include "pliant/script/verbs.hpp"

namespace pliant {

using script::LuaBridge;
using script::Sandbox;

namespace {

/// A value given by --set: numbers and booleans are recognised.
void push_setting(lua_State* lua, const std::string& text) {
    if (text == "true" || text == "false") {
        lua_pushboolean(lua, text == "true");
        return;
    }
    const char *begin = text.data(), *end = begin + text.size();
    long long integer = 0;
    if (const auto read = std::from_chars(begin, end, integer);
        read.ec == std::errc() && read.ptr == end && !text.empty()) {
        lua_pushinteger(lua, integer);
        return;
    }
    double number = 0;
    if (const auto read = std::from_chars(begin, end, number);
        read.ec == std::errc() && read.ptr == end && std::isfinite(number)) {
        lua_pushnumber(lua, number);
        return;
    }
    lua_pushlstring(lua, text.data(), text.size());
}

}  // namespace

struct Scene::Parts {
    SceneOptions options;
    SceneDesc desc;
    std::shared_ptr<Sandbox> sandbox;
    std::shared_ptr<LuaBridge> bridge;
    std::unique_ptr<script::Loader> loader;  // methods of objects use it during the run, too
    std::set<std::string> args_read;

    ~Parts() {
        // Callbacks first, while the Lua state they refer to exists.
        desc = {};
    }
    void define_args();
    void check_args() const;
};

namespace {

// args is an object: reading it notes the name, so that a misspelt --set is found.
struct ArgsAccess {
    std::set<std::string>* read;
};

int args_index(lua_State* lua) {
    const auto* access = static_cast<ArgsAccess*>(lua_touserdata(lua, lua_upvalueindex(1)));
    if (lua_type(lua, 2) == LUA_TSTRING) access->read->insert(lua_tostring(lua, 2));
    lua_pushvalue(lua, 2);
    lua_rawget(lua, lua_upvalueindex(2));
    return 1;
}

int args_assign(lua_State* lua) {
    throw UserError("args cannot be changed: it holds what --set gave", Sandbox::of(lua).here(),
                    "Write local cell = args.cell or 0.1");
}

int args_text(lua_State* lua) {
    lua_pushliteral(lua, "args");
    return 1;
}

}  // namespace

void Scene::Parts::define_args() {
    lua_State* lua = sandbox->state();
    lua_newuserdatauv(lua, 0, 0);
    lua_newtable(lua);
    auto* access = static_cast<ArgsAccess*>(lua_newuserdatauv(lua, sizeof(ArgsAccess), 0));
    access->read = &args_read;
    lua_newtable(lua);
    for (const auto& [key, text] : options.args) {
        push_setting(lua, text);
        lua_setfield(lua, -2, key.c_str());
    }
    lua_pushcclosure(lua, script::guarded<args_index>, 2);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, script::guarded<args_assign>);
    lua_setfield(lua, -2, "__newindex");
    lua_pushcfunction(lua, script::guarded<args_text>);
    lua_setfield(lua, -2, "__tostring");
    lua_setmetatable(lua, -2);
    sandbox->define("args");
}

void Scene::Parts::check_args() const {
    // Names read only in callbacks have not been read yet, but stand in the text.
    std::set<std::string> known = args_read;
    known.merge(sandbox->args_in_text());
    for (const auto& [key, text] : options.args) {
        if (known.contains(key)) continue;
        const std::vector<std::string> names(known.begin(), known.end());
        std::string remedy = did_you_mean(key, names);
        if (remedy.empty()) {
            for (const std::string& name : names) remedy += (remedy.empty() ? "It reads: " : ", ") + name;
            if (names.empty()) remedy = "It reads none: leave --set out, or use args." + key + " in the scene";
        }
        throw UserError(
            "the scene does not read args." + key + ", which --set " + key + "=" + text.substr(0, 60) + " gives",
            {desc.file, 0}, remedy);
    }
}

Scene::Scene(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

Scene Scene::load(const std::filesystem::path& file, const SceneOptions& options) {
    std::error_code failed;
    if (std::filesystem::is_directory(file, failed))
        throw UserError("'" + file.string() + "' is a folder", {},
                        "Name a scene in it, such as " + (file / "scene.lua").string());
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw UserError("the scene '" + file.string() + "' cannot be read", {},
                        "Check the name; 'pliant scenes' lists those that come along");
    std::string text;
    constexpr std::streamsize most = (1 << 20) + 1;
    text.resize(static_cast<std::size_t>(most));
    in.read(text.data(), most);
    text.resize(static_cast<std::size_t>(in.gcount()));
    const std::filesystem::path folder = file.parent_path();
    return load_text(text, file.string(), options, folder.empty() ? "." : folder);
}

Scene Scene::load_text(const std::string& text, const std::string& name, const SceneOptions& options,
                       const std::filesystem::path& folder) {
    auto parts = std::make_unique<Parts>();
    parts->options = options;
    parts->desc.file = name;
    parts->desc.files.push_back({name, hash_of(text)});
    parts->sandbox = std::make_shared<Sandbox>(name, options.memory, options.print);
    parts->bridge = std::make_shared<LuaBridge>(parts->sandbox);
    parts->bridge->call_seconds = options.call_seconds;
    parts->loader = std::make_unique<script::Loader>(
        script::Loader{parts->desc, parts->options, *parts->bridge, {}, {}, {}, {}, false, {}});
    if (!folder.empty()) parts->loader->folders.push_back(folder);
    parts->loader->folders.insert(parts->loader->folders.end(), options.model_paths.begin(), options.model_paths.end());
    script::define_verbs(*parts->loader);
    script::define_include(*parts->loader);
    parts->define_args();
    lua_newtable(parts->sandbox->state());
    parts->sandbox->define("state");

    parts->sandbox->run(script::everts_scene(text).value_or(text), options.load_seconds);
    parts->bridge->loading = false;
    parts->loader->surfaces.clear();
    parts->loader->tets.clear();
    parts->check_args();
    check_expectations(parts->desc);
    return Scene(std::move(parts));
}

const SceneDesc& Scene::desc() const { return parts_->desc; }

void Scene::connect(int body, const BodyQuery* query) {
    CHECK(body >= 0 && static_cast<std::size_t>(body) < parts_->loader->bodies.size(), body);
    parts_->loader->bodies[static_cast<std::size_t>(body)]->query = query;
    parts_->loader->bodies[static_cast<std::size_t>(body)]->tracked.clear();
}

void Scene::save_memory(ByteWriter& out) const {
    out.value(parts_->sandbox->random().state);
    script::save_table(*parts_->sandbox, "state", out);
}

void Scene::restore_memory(ByteReader& in) {
    parts_->sandbox->random().state = in.value<std::uint64_t>();
    script::restore_table(*parts_->sandbox, "state", in);
}

}  // namespace pliant
