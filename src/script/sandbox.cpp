#include "pliant/script/sandbox.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "pliant/core/text.hpp"
#include "pliant/script/prelude.hpp"

namespace pliant::script {

namespace {

constexpr int hook_every = 200;                         // instructions between two looks at the clock
constexpr std::size_t look_at_clock_bytes = 64 * 1024;  // allocations above this look, too
constexpr std::string_view chunk_name = "=scene";       // "=scene1" and so on for texts after the first
constexpr std::size_t most_texts = 100;
// Only their addresses count: they are names in Lua's registry.
constexpr char place_key = 'p', builtins_key = 'b', env_key = 'e';

/// __place(number, table): ties a table to its constructor's notes and hands it back.
int place(lua_State* lua) {
    luaL_checkinteger(lua, 1);
    luaL_checktype(lua, 2, LUA_TTABLE);
    lua_settop(lua, 2);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &place_key);
    lua_pushvalue(lua, 2);
    lua_pushvalue(lua, 1);
    lua_rawset(lua, 3);
    lua_settop(lua, 2);
    return 1;
}

/// What a user most likely reaches for, and what to do instead.
std::string remedy_for_missing(const std::string& name) {
    struct Note {
        const char* name;
        const char* remedy;
    };
    static constexpr Note notes[] = {
        {"io", "Scenes cannot read or write files: load \"file.obj\" reads meshes, measure writes numbers"},
        {"os", "Scenes cannot reach the machine: callbacks get the time t of the world"},
        {"debug", "Scenes run without the debug library"},
        {"package", "Use include \"parts/wheel.lua\": it runs a file below the scene's folder"},
        {"require", "Use include \"parts/wheel.lua\": it runs a file below the scene's folder"},
        {"dofile", "Use include \"parts/wheel.lua\": it runs a file below the scene's folder"},
        {"loadfile", "Use include \"parts/wheel.lua\": it runs a file below the scene's folder"},
        {"loadstring", "Use include \"parts/wheel.lua\": it runs a file below the scene's folder"},
        {"coroutine", "A coroutine could not be saved in a checkpoint: keep progress in the table state"},
        {"setmetatable", "Scenes have no metatables: use plain tables and functions"},
        {"getmetatable", "Scenes have no metatables: use plain tables and functions"},
        {"rawset", "Scenes have no metatables: write t[k] = v"},
        {"rawget", "Scenes have no metatables: write t[k]"},
        {"collectgarbage", "Memory is looked after: leave the call out"},
        {"_G", "Write the name alone"},
        {"warn", "Use print"},
    };
    for (const Note& note : notes)
        if (name == note.name) return note.remedy;
    return {};
}

int unknown_name(lua_State* lua) {
    Sandbox& sandbox = Sandbox::of(lua);
    const std::string name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "?";
    std::string remedy = remedy_for_missing(name);
    if (remedy.empty()) remedy = did_you_mean(name, sandbox.known_names());
    if (remedy.empty()) {
        // A local that is spelt otherwise, or is not yet, or no longer, in sight.
        std::vector<std::string> names = sandbox.names_in_text();
        if (std::erase(names, name) > 0)
            remedy = "It has no value in this place: define it above, or outside of the block it is in";
        else
            remedy = did_you_mean(name, names);
    }
    if (remedy.empty()) remedy = "Give it a value first, or write it in quotes if it is meant as a text";
    throw UserError("there is no '" + name + "'", sandbox.here(), remedy);
}

int assign_global(lua_State* lua) {
    Sandbox& sandbox = Sandbox::of(lua);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &builtins_key);
    lua_pushvalue(lua, 2);
    lua_rawget(lua, -2);
    if (!lua_isnil(lua, -1)) {
        const std::string name = lua_tostring(lua, 2);
        const bool table = lua_istable(lua, 3), callable = lua_isfunction(lua, -1);
        if (name == "state")
            throw UserError("the table state cannot be replaced", sandbox.here(), "Fill it: state.name = value");
        throw UserError(
            "'" + name + "' is a word of scenes and cannot be given a value", sandbox.here(),
            table && callable ? "Leave out the '=': " + name + " { … }" : "Use another name, such as my_" + name);
    }
    lua_settop(lua, 3);
    lua_rawset(lua, 1);
    return 0;
}

}  // namespace

void* Sandbox::allocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
    auto& box = *static_cast<Sandbox*>(self);
    const std::size_t held = block ? old_size : 0;  // without a block, old_size says what kind of object it will be
    if (new_size == 0) {
        box.memory_used_ -= held;
        std::free(block);
        return nullptr;
    }
    if (new_size > held) {
        Refusal refusal = Refusal::none;
        if (!block && old_size == LUA_TSTRING && new_size > max_text_bytes + 64) refusal = Refusal::text;
        if (new_size > max_block_bytes) refusal = Refusal::block;
        if (box.memory_used_ - held + new_size > box.memory_cap_) refusal = Refusal::memory;
        const bool refused = refusal != Refusal::none || (new_size > look_at_clock_bytes && box.late());
        if (refused) {
            box.refusal_ = refusal;
            if (box.lua_) box.refusal_where_ = box.here();
            return nullptr;
        }
    }
    void* moved = std::realloc(block, new_size);
    if (!moved) return new_size <= held ? block : nullptr;
    box.memory_used_ = box.memory_used_ - held + new_size;
    return moved;
}

Sandbox::Sandbox(std::string file, std::size_t memory_cap, std::function<void(const std::string&)> print)
    : file_(std::move(file)), print_(std::move(print)), memory_cap_(memory_cap) {
    lua_State* lua = lua_newstate(&Sandbox::allocate, this);
    if (!lua) throw UserError("the memory limit for scenes is too small to start Lua", {}, "Give it at least 1 MB");
    lua_ = lua;
    *static_cast<Sandbox**>(lua_getextraspace(lua)) = this;
    // Outside of protected calls only small things are pushed, so nothing but memory can fail there.
    lua_atpanic(lua, [](lua_State* failed) -> int {
        throw UserError("the scene's script ran out of memory", {of(failed).file_, 0},
                        "Look for a table or text that grows without end");
    });

    // The standard libraries stay behind the registry; scenes get tables of chosen functions.
    luaL_requiref(lua, "_G", luaopen_base, 0);
    luaL_requiref(lua, "string", luaopen_string, 0);
    luaL_requiref(lua, "table", luaopen_table, 0);
    luaL_requiref(lua, "math", luaopen_math, 0);
    luaL_requiref(lua, "utf8", luaopen_utf8, 0);
    lua_settop(lua, 0);

    // Tables → constructors, by weak keys, so that a table does not live longer for being known here.
    lua_newtable(lua);
    lua_newtable(lua);
    lua_pushliteral(lua, "k");
    lua_setfield(lua, -2, "__mode");
    lua_setmetatable(lua, -2);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &place_key);

    // What scenes know lies in one table; what they define in another that falls back to it.
    lua_newtable(lua);
    lua_newtable(lua);
    lua_pushcfunction(lua, guarded<unknown_name>);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &builtins_key);
    lua_newtable(lua);
    lua_newtable(lua);
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &builtins_key);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, guarded<assign_global>);
    lua_setfield(lua, -2, "__newindex");
    lua_setmetatable(lua, -2);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &env_key);

    open_base(*this);
    push_math(lua);
    make_strict(lua, "math");
    define("math");
    push_table(lua);
    make_strict(lua, "table");
    define("table");
    push_utf8(lua);
    make_strict(lua, "utf8");
    define("utf8");
    push_string(lua);
    make_strict(lua, "string");
    lua_pushliteral(lua, "");  // ("text"):upper() finds our functions, not the standard ones
    lua_getmetatable(lua, -1);
    lua_pushvalue(lua, -3);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 2);
    define("string");
    run_prelude(*this);

    lua_sethook(lua, &Sandbox::on_count, LUA_MASKCOUNT, hook_every);
}

Sandbox::~Sandbox() {
    lua_sethook(lua_, nullptr, 0, 0);
    lua_State* lua = std::exchange(lua_, nullptr);
    lua_close(lua);
}

void Sandbox::define(const std::string& name) {
    lua_rawgetp(lua_, LUA_REGISTRYINDEX, &builtins_key);
    lua_insert(lua_, -2);
    lua_pushlstring(lua_, name.data(), name.size());
    lua_insert(lua_, -2);
    lua_rawset(lua_, -3);
    lua_pop(lua_, 1);
}

void Sandbox::push_known(const std::string& name) {
    lua_rawgetp(lua_, LUA_REGISTRYINDEX, &builtins_key);
    lua_pushlstring(lua_, name.data(), name.size());
    lua_rawget(lua_, -2);
    lua_remove(lua_, -2);
}

std::vector<std::string> Sandbox::known_names() const {
    std::vector<std::string> names;
    for (const char* key : {&builtins_key, &env_key}) {
        lua_rawgetp(lua_, LUA_REGISTRYINDEX, key);
        for (lua_pushnil(lua_); lua_next(lua_, -2); lua_pop(lua_, 1))
            if (lua_type(lua_, -2) == LUA_TSTRING) names.emplace_back(lua_tostring(lua_, -2));
        lua_pop(lua_, 1);
    }
    std::ranges::sort(names);
    return names;
}

bool Sandbox::late() {
    if (!armed_) return false;
    if (!over_ && Clock::now() > deadline_) {
        over_ = true;
        late_where_ = here();
    }
    return over_;
}

void Sandbox::throw_late() const {
    throw UserError(what_ + " ran longer than " + number_text(seconds_) + " s", late_where_,
                    "Look for a loop that never ends, or do less work there");
}

void Sandbox::check_time() {
    if (late()) throw_late();
}

void Sandbox::on_count(lua_State* lua, lua_Debug*) {
    Sandbox& box = of(lua);
    if (!box.late()) return;
    try {
        box.throw_late();
    } catch (const UserError&) {
        box.push_current_exception();
    }
    lua_error(lua);
}

Where Sandbox::here() const {
    lua_Debug frame;
    for (int level = 0; level < 200 && lua_getstack(lua_, level, &frame); ++level) {
        lua_getinfo(lua_, "Sl", &frame);
        if (frame.currentline <= 0) continue;
        if (const Source* source = source_of(frame.source)) return {source->file, frame.currentline};
    }
    return {file_, 0};
}

const Sandbox::Source* Sandbox::source_of(std::string_view chunk) const {
    if (!chunk.starts_with(chunk_name)) return nullptr;
    chunk.remove_prefix(chunk_name.size());
    std::size_t number = 0;
    std::from_chars(chunk.data(), chunk.data() + chunk.size(), number);
    return number < sources_.size() ? &sources_[number] : nullptr;
}

const std::string& Sandbox::file_of(std::string_view chunk) const {
    const Source* source = source_of(chunk);
    return source ? source->file : file_;
}

std::set<std::string> Sandbox::args_in_text() const {
    std::set<std::string> names;
    for (const Source& source : sources_) names.insert(source.map.args_read.begin(), source.map.args_read.end());
    return names;
}

std::vector<std::string> Sandbox::names_in_text() const {
    std::set<std::string> names;
    for (const Source& source : sources_)
        for (std::string& name : defined_names(source.map.text)) names.insert(std::move(name));
    return {names.begin(), names.end()};
}

Sandbox::Notes Sandbox::constructor_of(int index) const {
    index = lua_absindex(lua_, index);
    lua_rawgetp(lua_, LUA_REGISTRYINDEX, &place_key);
    lua_pushvalue(lua_, index);
    lua_rawget(lua_, -2);
    Notes found;
    if (lua_isinteger(lua_, -1)) {
        const auto number = static_cast<std::uint64_t>(lua_tointeger(lua_, -1));
        for (const Source& source : sources_)
            if (number >= source.first && number - source.first < source.map.constructors.size())
                found = {&source.map.constructors[number - source.first], &source.file};
    }
    lua_pop(lua_, 2);
    return found;
}

void Sandbox::push_current_exception() {
    kept_ = std::current_exception();
    lua_pushlightuserdata(lua_, this);
}

std::string Sandbox::error_text() {
    if (lua_type(lua_, -1) == LUA_TLIGHTUSERDATA && kept_) {
        try {
            std::rethrow_exception(std::exchange(kept_, nullptr));
        } catch (const std::exception& error) {
            return error.what();
        }
    }
    if (lua_type(lua_, -1) == LUA_TSTRING || lua_type(lua_, -1) == LUA_TNUMBER) {
        lua_pushvalue(lua_, -1);  // a number is turned into a text in place, which must not be the caller's
        std::size_t size = 0;
        const char* text = lua_tolstring(lua_, -1, &size);
        std::string copy(text, size);
        lua_pop(lua_, 1);
        return copy;
    }
    return std::string("an error that is ") +
           (lua_isnil(lua_, -1) ? "nil" : std::string("a ") + luaL_typename(lua_, -1));
}

int Sandbox::on_error(lua_State* lua) {
    of(lua).error_where_ = of(lua).here();
    return 1;
}

void Sandbox::throw_error(int status) {
    if (over_) throw_late();
    if (status == LUA_ERRMEM) {
        const Where where = refusal_where_.known() ? refusal_where_ : Where{file_, 0};
        if (refusal_ == Refusal::text)
            throw UserError("a text grew beyond 1 MiB", where, "Keep texts short; lists hold many values");
        if (refusal_ == Refusal::block)
            throw UserError("a table grew beyond 2 million entries", where, "Make it smaller");
        throw UserError("the scene's script needs more than " + std::to_string(memory_cap_ >> 20) + " MB of memory",
                        where, "Look for a table or text that grows without end");
    }
    if (lua_type(lua_, -1) == LUA_TLIGHTUSERDATA && kept_) {
        try {
            std::rethrow_exception(std::exchange(kept_, nullptr));
        } catch (const UserError& error) {
            if (error.where().known() && error.where().line > 0) throw;
            throw UserError(error.message(), error_where_, error.remedy());
        }
    }
    throw explain(error_text(), error_where_);
}

int Sandbox::call(int arguments, double seconds, const std::string& what) {
    const int base = lua_gettop(lua_) - arguments - 1;
    // A call within a call shares the time of the outer one.
    const bool outermost = !armed_;
    if (outermost) {
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        over_ = false;
        seconds_ = seconds;
        what_ = what;
        refusal_ = Refusal::none;
        refusal_where_ = {};
        kept_ = nullptr;
        error_where_ = {file_, 0};
        armed_ = true;
    }
    lua_pushcfunction(lua_, &Sandbox::on_error);
    lua_insert(lua_, base + 1);
    const int status = lua_pcall(lua_, arguments, LUA_MULTRET, base + 1);
    if (outermost) armed_ = false;
    if (status == LUA_OK && !over_) {
        lua_remove(lua_, base + 1);
        return lua_gettop(lua_) - base;
    }
    struct Restore {
        lua_State* lua;
        int top;
        ~Restore() { lua_settop(lua, top); }
    } restore{lua_, base};
    throw_error(status);
}

void Sandbox::compile(const std::string& text, const std::string& chunk, const std::string& file) {
    // Handed over in small pieces, so that a text made to be slow to compile runs into the time limit as well.
    struct Reader {
        Sandbox& box;
        const std::string& text;
        std::size_t done = 0;
    } reader{*this, text, 0};
    const lua_Reader read = [](lua_State*, void* data, std::size_t* size) -> const char* {
        auto& r = *static_cast<Reader*>(data);
        if (r.box.late()) return nullptr;
        *size = std::min<std::size_t>(1024, r.text.size() - r.done);
        const char* piece = r.text.data() + r.done;
        r.done += *size;
        return *size > 0 ? piece : nullptr;
    };
    const int status = lua_load(lua_, read, &reader, chunk.c_str(), "t");
    if (over_) throw_late();
    if (status != LUA_OK) {
        if (status == LUA_ERRMEM) throw_error(status);
        const std::string message = error_text();
        lua_pop(lua_, 1);
        throw explain(message, {file, 0});
    }
}

void Sandbox::push_text(const std::string& text, const std::string& file) {
    const bool own = sources_.empty();
    const std::string what = own ? "the scene" : "the included file";
    if (text.size() > (std::size_t{1} << 20))
        throw UserError(what + (own ? "'s text" : "") + " is larger than 1 MiB", {file, 0},
                        "Load data from mesh files instead");
    if (text.find('\0') != std::string::npos || text.starts_with(LUA_SIGNATURE))
        throw UserError(what + " is not a text file", {file, 0}, "Scenes are written as Lua text");
    if (sources_.size() >= most_texts)
        throw UserError("a scene is made of more than " + std::to_string(most_texts) + " files", {file, 0},
                        "Put some of them together");
    const std::string chunk = std::string(chunk_name) + (own ? "" : std::to_string(sources_.size()));
    const std::size_t first = own ? 0 : sources_.back().first + sources_.back().map.constructors.size();
    sources_.push_back({file, map_source(text, file, first), first});
    const std::string& mapped = sources_.back().map.text;
    try {
        compile(mapped, chunk, file);
    } catch (const UserError&) {
        // The words of a syntax error come from the text as the user wrote it.
        if (over_) throw;
        compile(text, chunk, file);
        throw;
    }
    lua_rawgetp(lua_, LUA_REGISTRYINDEX, &env_key);
    lua_setupvalue(lua_, -2, 1);
    lua_pushcfunction(lua_, place);
}

void Sandbox::run(const std::string& text, double seconds) {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    over_ = false;
    seconds_ = seconds;
    what_ = "the scene";
    late_where_ = {file_, 0};
    {
        struct Disarm {
            bool& armed;
            ~Disarm() { armed = false; }
        } disarm{armed_ = true};
        push_text(text, file_);
    }
    call(1, seconds, "the scene");
    lua_settop(lua_, 0);
}

}  // namespace pliant::script
