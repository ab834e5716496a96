// The basic functions of scenes. Those of Lua that walk tables or print addresses are replaced: pairs goes through a
// table in the order of its keys, so that a scene is the same in every run, and nothing shows where an object lies.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pliant/core/text.hpp"
#include "pliant/script/sandbox.hpp"

namespace pliant::script {

namespace {

int timed(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

/// Pushes what tostring shows: addresses are left out.
void push_text_of(lua_State* lua, int index) {
    index = lua_absindex(lua, index);
    const int type = lua_type(lua, index);
    const bool plain = type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TTHREAD || type == LUA_TLIGHTUSERDATA;
    if (plain && luaL_getmetafield(lua, index, "__tostring") == LUA_TNIL) {
        lua_pushstring(lua, luaL_typename(lua, index));
        return;
    }
    if (plain) lua_pop(lua, 1);
    luaL_tolstring(lua, index, nullptr);
}

int base_tostring(lua_State* lua) {
    luaL_checkany(lua, 1);
    push_text_of(lua, 1);
    return 1;
}

int base_print(lua_State* lua) {
    std::string line;
    for (int i = 1, n = lua_gettop(lua); i <= n; ++i) {
        push_text_of(lua, i);
        std::size_t size = 0;
        const char* text = lua_tolstring(lua, -1, &size);
        if (i > 1) line += '\t';
        line.append(text, size);
        lua_pop(lua, 1);
        if (line.size() > max_text_bytes) throw UserError("print got more than 1 MiB", {}, "Print less at once");
    }
    Sandbox::of(lua).print(line);
    return 0;
}

/// Returns everything below the top as values, after `true`; or false and the error's text.
int finish_pcall(lua_State* lua, int status) {
    Sandbox& box = Sandbox::of(lua);
    box.check_time();  // an error for lateness goes on upwards, whoever catches
    if (status == LUA_OK) return lua_gettop(lua);
    // Error values that are tables come back as they are; all others as text.
    if (!lua_istable(lua, -1)) {
        const std::string text = box.error_text();
        lua_pushlstring(lua, text.data(), text.size());
    }
    lua_pushboolean(lua, false);
    lua_insert(lua, -2);
    return 2;
}

int base_pcall(lua_State* lua) {
    luaL_checkany(lua, 1);
    lua_pushboolean(lua, true);
    lua_insert(lua, 1);
    return finish_pcall(lua, lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0));
}

/// The handler runs after the call has ended: within it, Lua would run it where the hook does not.
int base_xpcall(lua_State* lua) {
    luaL_checktype(lua, 2, LUA_TFUNCTION);
    lua_pushvalue(lua, 2);
    lua_insert(lua, 1);  // handler, f, handler, …
    lua_remove(lua, 3);  // handler, f, …
    lua_pushboolean(lua, true);
    lua_insert(lua, 2);  // handler, true, f, …
    const int status = lua_pcall(lua, lua_gettop(lua) - 3, LUA_MULTRET, 0);
    const int count = finish_pcall(lua, status);
    if (status == LUA_OK) return count - 1;
    lua_pushvalue(lua, 1);
    lua_insert(lua, -2);
    lua_call(lua, 1, 1);
    return 2;
}

// Keys in the order false, true, numbers, texts. Other keys have no order that lasts from run to run.
int order_of(lua_State* lua, int index) {
    switch (lua_type(lua, index)) {
        case LUA_TBOOLEAN: return 0;
        case LUA_TNUMBER: return 1;
        case LUA_TSTRING: return 2;
        default:
            throw UserError(
                std::string("pairs cannot go through a table whose keys are ") + luaL_typename(lua, index) + "s", {},
                "Use numbers or texts as keys: only they have an order that is the same in every run");
    }
}

struct SortKey {
    int order;
    double number;
    lua_Integer integer;
    std::string_view text;
    bool operator<(const SortKey& b) const {
        if (order != b.order) return order < b.order;
        if (number != b.number) return number < b.number;
        if (integer != b.integer) return integer < b.integer;
        return text < b.text;
    }
};

SortKey sort_key(lua_State* lua, int index) {
    SortKey key{order_of(lua, index), 0, 0, {}};
    if (key.order == 0) key.number = lua_toboolean(lua, index);
    if (key.order == 1) {
        key.number = lua_tonumber(lua, index);
        key.integer = lua_tointeger(lua, index);
    }
    if (key.order == 2) {
        std::size_t size = 0;
        const char* text = lua_tolstring(lua, index, &size);
        key.text = {text, size};
    }
    return key;
}

/// Iterator: upvalues are the table, the list of its keys when the loop began, and how many have been seen.
int pairs_step(lua_State* lua) {
    for (;;) {
        const lua_Integer i = lua_tointeger(lua, lua_upvalueindex(3)) + 1;
        lua_pushinteger(lua, i);
        lua_replace(lua, lua_upvalueindex(3));
        if (lua_rawgeti(lua, lua_upvalueindex(2), i) == LUA_TNIL) return 1;
        lua_pushvalue(lua, -1);
        if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL) return 2;
        lua_pop(lua, 2);  // set to nil since the loop began
    }
}

int base_pairs(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 1);
    lua_newtable(lua);
    struct Entry {
        SortKey key;
        lua_Integer at;
    };
    std::vector<Entry> entries;
    lua_Integer count = 0;
    for (lua_pushnil(lua); lua_next(lua, 1); lua_pop(lua, 1)) {
        // The texts stay alive in the unsorted list while they are compared.
        entries.push_back({sort_key(lua, -2), ++count});
        lua_pushvalue(lua, -2);
        lua_rawseti(lua, 2, count);
        if (count % 65536 == 0) Sandbox::of(lua).check_time();
    }
    std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) { return a.key < b.key; });
    lua_createtable(lua, static_cast<int>(count), 0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        lua_rawgeti(lua, 2, entries[i].at);
        lua_rawseti(lua, 3, static_cast<lua_Integer>(i) + 1);
    }
    lua_remove(lua, 2);
    lua_pushinteger(lua, 0);
    lua_pushcclosure(lua, guarded<pairs_step>, 3);
    return 1;
}

/// The smallest key above the one given, in the order of pairs.
int base_next(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    const bool first = lua_isnil(lua, 2);
    const SortKey after = first ? SortKey{} : sort_key(lua, 2);
    lua_pushnil(lua);  // 3: best key so far
    bool found = false;
    SortKey best{};
    for (lua_pushnil(lua); lua_next(lua, 1); lua_pop(lua, 1)) {
        const SortKey key = sort_key(lua, -2);
        if ((!first && !(after < key)) || (found && !(key < best))) continue;
        found = true;
        lua_pushvalue(lua, -2);
        lua_replace(lua, 3);
        best = key;
    }
    if (!found) {
        lua_pushnil(lua);
        return 1;
    }
    lua_settop(lua, 3);
    lua_pushvalue(lua, 3);
    lua_rawget(lua, 1);
    return 2;
}

int math_random(lua_State* lua) {
    Rng& rng = Sandbox::of(lua).random();
    const int n = lua_gettop(lua);
    if (n == 0) {
        lua_pushnumber(lua, rng.uniform());
        return 1;
    }
    const lua_Integer low = n >= 2 ? luaL_checkinteger(lua, 1) : 1;
    const lua_Integer high = luaL_checkinteger(lua, n >= 2 ? 2 : 1);
    luaL_argcheck(lua, low <= high, n >= 2 ? 2 : 1, "interval is empty");
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;  // 0: all of them
    const std::uint64_t drawn = span == 0 ? rng.next() : rng.below(span);
    lua_pushinteger(lua, static_cast<lua_Integer>(static_cast<std::uint64_t>(low) + drawn));
    return 1;
}

/// As in Lua, for at most a million entries: the count may be any number while both tables are empty.
int table_move(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    const lua_Integer from = luaL_checkinteger(lua, 2), end = luaL_checkinteger(lua, 3), to = luaL_checkinteger(lua, 4);
    const int target = lua_isnoneornil(lua, 5) ? 1 : 5;
    luaL_checktype(lua, target, LUA_TTABLE);
    if (end >= from) {
        const std::uint64_t count = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(from) + 1;
        luaL_argcheck(lua, count != 0 && count <= 1000000, 3, "too many elements to move");
        luaL_argcheck(lua, to <= LUA_MAXINTEGER - static_cast<lua_Integer>(count), 4, "destination wrap around");
        const bool backwards = target == 1 && to > from && to <= end;
        for (lua_Integer k = 0, n = static_cast<lua_Integer>(count); k < n; ++k) {
            const lua_Integer i = backwards ? n - 1 - k : k;
            lua_geti(lua, 1, from + i);
            lua_seti(lua, target, to + i);
        }
    }
    lua_pushvalue(lua, target);
    return 1;
}

int strict_field(lua_State* lua) {
    const std::string what = lua_tostring(lua, lua_upvalueindex(1));
    const std::string name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : luaL_typename(lua, 2);
    if (what == "string" && lua_type(lua, 1) == LUA_TSTRING && lua_type(lua, 2) != LUA_TSTRING)
        throw UserError("a text has no entries", {}, "Use text:sub(i, i) for a letter");
    std::vector<std::string> known;
    lua_pushvalue(lua, lua_upvalueindex(2));
    for (lua_pushnil(lua); lua_next(lua, -2); lua_pop(lua, 1))
        if (lua_type(lua, -2) == LUA_TSTRING) known.emplace_back(lua_tostring(lua, -2));
    std::ranges::sort(known);
    std::string remedy = did_you_mean(name, known);
    if (what == "math" && name == "randomseed") remedy = "Give world { seed = … }";
    if (remedy.empty()) {
        remedy = "It has: ";
        for (const std::string& k : known) remedy += (k == known.front() ? "" : ", ") + k;
    }
    throw UserError(what + " has no '" + name + "'", {}, remedy);
}

}  // namespace

void take_functions(lua_State* lua, const char* library, int to, std::initializer_list<const char*> names,
                    bool with_clock) {
    to = lua_absindex(lua, to);
    lua_getfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(lua, -1, library);
    for (const char* name : names) {
        lua_getfield(lua, -1, name);
        if (with_clock) lua_pushcclosure(lua, guarded<timed>, 1);
        lua_setfield(lua, to, name);
    }
    lua_pop(lua, 2);
}

void make_strict(lua_State* lua, const char* what) {
    lua_newtable(lua);
    lua_pushstring(lua, what);
    lua_pushvalue(lua, -3);
    lua_pushcclosure(lua, guarded<strict_field>, 2);
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
}

void open_base(Sandbox& sandbox) {
    lua_State* lua = sandbox.state();
    const auto own = [&](const char* name, lua_CFunction function) {
        lua_pushcfunction(lua, function);
        sandbox.define(name);
    };
    lua_newtable(lua);
    take_functions(lua, "_G", -1, {"assert", "error", "ipairs", "select", "tonumber", "type"}, false);
    for (const char* name : {"assert", "error", "ipairs", "select", "tonumber", "type"}) {
        lua_getfield(lua, -1, name);
        sandbox.define(name);
    }
    lua_pop(lua, 1);
    own("tostring", guarded<base_tostring>);
    own("print", guarded<base_print>);
    own("pcall", guarded<base_pcall>);
    own("xpcall", guarded<base_xpcall>);
    own("pairs", guarded<base_pairs>);
    own("next", guarded<base_next>);
}

void push_math(lua_State* lua) {
    lua_newtable(lua);
    take_functions(lua, "math", -1,
                   {"abs",       "acos", "asin", "atan", "ceil", "cos",        "deg",       "exp",  "floor",
                    "fmod",      "log",  "max",  "min",  "modf", "rad",        "sin",       "sqrt", "tan",
                    "tointeger", "type", "ult",  "pi",   "huge", "maxinteger", "mininteger"},
                   false);
    lua_pushcfunction(lua, guarded<math_random>);
    lua_setfield(lua, -2, "random");
}

void push_table(lua_State* lua) {
    lua_newtable(lua);
    take_functions(lua, "table", -1, {"concat", "insert", "pack", "remove", "unpack"}, true);
    lua_pushcfunction(lua, guarded<table_move>);
    lua_setfield(lua, -2, "move");
}

void push_utf8(lua_State* lua) {
    lua_newtable(lua);
    take_functions(lua, "utf8", -1, {"char", "codepoint", "codes", "len", "offset"}, true);
    take_functions(lua, "utf8", -1, {"charpattern"}, false);
}

}  // namespace pliant::script
