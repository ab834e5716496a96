#include "pliant/script/state.hpp"

#include <algorithm>
#include <set>

#include "pliant/core/text.hpp"

namespace pliant::script {

namespace {

enum class Tag : std::uint8_t { boolean, integer, number, text, table };

constexpr int max_state_depth = 64;

struct SortedKey {
    Tag tag;
    lua_Integer integer = 0;
    double number = 0;
    std::string text;
    bool operator<(const SortedKey& b) const {
        if (tag != b.tag) return tag < b.tag;
        if (integer != b.integer) return integer < b.integer;
        if (number != b.number) return number < b.number;
        return text < b.text;
    }
};

/// True when the value at the top could be written as a plain one.
bool key_at(lua_State* lua, int index, SortedKey& key) {
    switch (lua_type(lua, index)) {
        case LUA_TBOOLEAN: key = {Tag::boolean, lua_toboolean(lua, index), 0, {}}; return true;
        case LUA_TNUMBER:
            if (lua_isinteger(lua, index))
                key = {Tag::integer, lua_tointeger(lua, index), 0, {}};
            else
                key = {Tag::number, 0, lua_tonumber(lua, index), {}};
            return true;
        case LUA_TSTRING: {
            std::size_t size = 0;
            const char* text = lua_tolstring(lua, index, &size);
            key = {Tag::text, 0, 0, std::string(text, size)};
            return true;
        }
        default: return false;
    }
}

std::string step_text(const SortedKey& key) {
    if (key.tag == Tag::text) return "." + key.text;
    if (key.tag == Tag::boolean) return key.integer ? "[true]" : "[false]";
    return "[" + (key.tag == Tag::integer ? std::to_string(key.integer) : number_text(key.number)) + "]";
}

void write_plain(const SortedKey& value, ByteWriter& out) {
    out.value(value.tag);
    if (value.tag == Tag::boolean) out.value(static_cast<std::uint8_t>(value.integer));
    if (value.tag == Tag::integer) out.value(static_cast<std::int64_t>(value.integer));
    if (value.tag == Tag::number) out.value(value.number);
    if (value.tag == Tag::text) out.text(value.text);
}

void push_plain(lua_State* lua, const SortedKey& key) {
    if (key.tag == Tag::boolean) lua_pushboolean(lua, static_cast<int>(key.integer));
    if (key.tag == Tag::integer) lua_pushinteger(lua, key.integer);
    if (key.tag == Tag::number) lua_pushnumber(lua, key.number);
    if (key.tag == Tag::text) lua_pushlstring(lua, key.text.data(), key.text.size());
}

class Saver {
public:
    Saver(Sandbox& sandbox, ByteWriter& out) : sandbox_(sandbox), lua_(sandbox.state()), out_(out) {}

    /// The table at the top of the stack.
    void table(const std::string& path, int depth) {
        if (!seen_.insert(lua_topointer(lua_, -1)).second)
            fail(path + " is a table that state holds already", "Each table can be in state once");
        if (depth > max_state_depth) fail(path + " is nested more than 64 levels deep", "Use fewer levels");
        luaL_checkstack(lua_, 8, "state nested too deeply");
        const int here = lua_gettop(lua_);
        std::vector<SortedKey> keys;
        for (lua_pushnil(lua_); lua_next(lua_, here); lua_pop(lua_, 1)) {
            SortedKey key;
            if (!key_at(lua_, -2, key))
                fail(path + " has a key that is a " + luaL_typename(lua_, -2), "Use names or numbers as keys");
            keys.push_back(std::move(key));
        }
        std::ranges::sort(keys, [](const SortedKey& a, const SortedKey& b) { return a < b; });
        out_.value(Tag::table);
        out_.value(static_cast<std::uint64_t>(keys.size()));
        for (const SortedKey& key : keys) {
            write_plain(key, out_);
            push_plain(lua_, key);
            lua_rawget(lua_, here);
            SortedKey value;
            if (lua_istable(lua_, -1))
                table(path + step_text(key), depth + 1);
            else if (key_at(lua_, -1, value))
                write_plain(value, out_);
            else
                fail(
                    path + step_text(key) + " is a " + luaL_typename(lua_, -1) + " and cannot be saved in a checkpoint",
                    "Keep numbers, texts, true, false and tables of them in state");
            lua_pop(lua_, 1);
        }
    }

private:
    [[noreturn]] void fail(const std::string& message, const std::string& remedy) {
        throw UserError(message, {sandbox_.file(), 0}, remedy);
    }

    Sandbox& sandbox_;
    lua_State* lua_;
    ByteWriter& out_;
    std::set<const void*> seen_;  // asked only whether it contains something: its order reaches nothing
};

SortedKey read_plain(Tag tag, ByteReader& in) {
    SortedKey key{tag, 0, 0, {}};
    switch (tag) {
        case Tag::boolean: key.integer = in.value<std::uint8_t>() != 0; break;
        case Tag::integer: key.integer = in.value<std::int64_t>(); break;
        case Tag::number: key.number = in.value<double>(); break;
        case Tag::text: key.text = in.text(); break;
        default: in.damaged("has an unknown kind of value");
    }
    return key;
}

/// Into the table at the top of the stack.
void read_table(lua_State* lua, ByteReader& in, int depth) {
    if (depth > max_state_depth) in.damaged("is nested too deeply");
    luaL_checkstack(lua, 8, "state nested too deeply");
    const int here = lua_gettop(lua);
    const std::size_t count = in.count(3);
    // What is not in the saved table goes; tables that are stay themselves.
    std::vector<SortedKey> wanted;
    for (std::size_t i = 0; i < count; ++i) {
        SortedKey key = read_plain(in.value<Tag>(), in);
        if (key.tag == Tag::number && key.number != key.number) in.damaged("has a key that is not a number");
        push_plain(lua, key);
        const Tag tag = in.value<Tag>();
        if (tag == Tag::table) {
            lua_pushvalue(lua, -1);
            if (lua_rawget(lua, here) != LUA_TTABLE) {
                lua_pop(lua, 1);
                lua_newtable(lua);
            }
            read_table(lua, in, depth + 1);
        } else {
            push_plain(lua, read_plain(tag, in));
        }
        lua_rawset(lua, here);
        wanted.push_back(std::move(key));
    }
    std::ranges::sort(wanted, [](const SortedKey& a, const SortedKey& b) { return a < b; });
    for (lua_pushnil(lua); lua_next(lua, here);) {
        lua_pop(lua, 1);
        SortedKey key;
        const bool keep =
            key_at(lua, -1, key) && std::binary_search(wanted.begin(), wanted.end(), key,
                                                       [](const SortedKey& a, const SortedKey& b) { return a < b; });
        if (keep) continue;
        lua_pushvalue(lua, -1);
        lua_pushnil(lua);
        lua_rawset(lua, here);  // clearing an entry while going through a table is allowed
    }
}

/// Runs a function with the Lua stack restored, whatever happens.
template <class F>
void with_table(Sandbox& sandbox, const std::string& name, F&& function) {
    lua_State* lua = sandbox.state();
    struct Restore {
        lua_State* lua;
        int top;
        ~Restore() { lua_settop(lua, top); }
    } restore{lua, lua_gettop(lua)};
    sandbox.push_known(name);
    CHECK(lua_istable(lua, -1), name);
    function(lua);
}

}  // namespace

void save_table(Sandbox& sandbox, const std::string& name, ByteWriter& out) {
    with_table(sandbox, name, [&](lua_State*) { Saver(sandbox, out).table(name, 0); });
}

void restore_table(Sandbox& sandbox, const std::string& name, ByteReader& in) {
    with_table(sandbox, name, [&](lua_State* lua) {
        if (in.value<Tag>() != Tag::table) in.damaged("does not begin with a table");
        read_table(lua, in, 0);
    });
}

}  // namespace pliant::script
