// The string library of scenes: patterns by our own matcher, sizes bounded, no addresses, no bytecode.

#include <cstring>
#include <string>

#include "pliant/script/pattern.hpp"
#include "pliant/script/sandbox.hpp"

namespace pliant::script {

namespace {

std::string_view text_argument(lua_State* lua, int index) {
    std::size_t size = 0;
    const char* text = luaL_checklstring(lua, index, &size);
    return {text, size};
}

Pattern pattern_for(lua_State* lua, std::string_view subject, std::string_view pattern) {
    return Pattern(subject, pattern, [&box = Sandbox::of(lua)] { box.check_time(); });
}

/// Pushes capture i; the whole match when there are none.
void push_capture(lua_State* lua, const Pattern& match, int i, std::size_t begin, std::size_t end) {
    if (i >= match.captures()) {
        if (i != 0) throw UserError("the pattern has no capture %" + std::to_string(i + 1));
        lua_pushlstring(lua, match.subject().data() + begin, end - begin);
        return;
    }
    const Capture& c = match.capture(i);
    if (c.size == Pattern::open_capture) throw UserError("malformed pattern: ')' is missing");
    if (c.size == Pattern::position_capture)
        lua_pushinteger(lua, static_cast<lua_Integer>(c.begin) + 1);
    else
        lua_pushlstring(lua, match.subject().data() + c.begin, static_cast<std::size_t>(c.size));
}

int push_captures(lua_State* lua, const Pattern& match, std::size_t begin, std::size_t end, bool whole) {
    const int count = match.captures() == 0 && whole ? 1 : match.captures();
    luaL_checkstack(lua, count, "too many captures");
    for (int i = 0; i < count; ++i) push_capture(lua, match, i, begin, end);
    return count;
}

/// 1-based, negative from the end, as Lua counts; turned into an offset that may lie behind the end.
std::size_t start_offset(lua_State* lua, int index, std::size_t size) {
    const lua_Integer i = luaL_optinteger(lua, index, 1);
    if (i > 0) return static_cast<std::size_t>(i) - 1;
    if (i == 0 || i < -static_cast<lua_Integer>(size)) return 0;
    return size - static_cast<std::size_t>(-i);
}

int find_or_match(lua_State* lua, bool find) {
    const std::string_view subject = text_argument(lua, 1), wanted = text_argument(lua, 2);
    const std::size_t start = start_offset(lua, 3, subject.size());
    if (start > subject.size()) {
        lua_pushnil(lua);
        return 1;
    }
    const bool plain = find && (lua_toboolean(lua, 4) || wanted.find_first_of("^$*+?.([%-") == std::string_view::npos);
    if (plain) {
        // memmem is linear in the worst case, std::string_view::find is not.
        const std::string_view rest = subject.substr(start);
        const void* hit = wanted.empty() ? rest.data() : memmem(rest.data(), rest.size(), wanted.data(), wanted.size());
        if (!hit) {
            lua_pushnil(lua);
            return 1;
        }
        const auto at = static_cast<lua_Integer>(static_cast<const char*>(hit) - subject.data());
        lua_pushinteger(lua, at + 1);
        lua_pushinteger(lua, at + static_cast<lua_Integer>(wanted.size()));
        return 2;
    }
    Pattern pattern = pattern_for(lua, subject, wanted);
    for (std::size_t s = start; s <= subject.size(); ++s) {
        if (const auto end = pattern.match_at(s)) {
            if (!find) return push_captures(lua, pattern, s, *end, true);
            lua_pushinteger(lua, static_cast<lua_Integer>(s) + 1);
            lua_pushinteger(lua, static_cast<lua_Integer>(*end));
            return 2 + push_captures(lua, pattern, s, *end, false);
        }
        if (pattern.anchored()) break;
    }
    lua_pushnil(lua);
    return 1;
}

int string_find(lua_State* lua) { return find_or_match(lua, true); }
int string_match(lua_State* lua) { return find_or_match(lua, false); }

/// Iterator: upvalues are subject, pattern, next offset, and the end of the last match (so that an empty one is not
/// found again at the same place).
int gmatch_step(lua_State* lua) {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, lua_upvalueindex(1), &size);
    const std::string_view subject(text, size);
    text = lua_tolstring(lua, lua_upvalueindex(2), &size);
    Pattern pattern = pattern_for(lua, subject, {text, size});
    const lua_Integer last = lua_tointeger(lua, lua_upvalueindex(4));
    for (auto s = static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(3))); s <= subject.size(); ++s) {
        const auto end = pattern.match_at(s);
        if (!end || static_cast<lua_Integer>(*end) == last) continue;
        for (const int upvalue : {3, 4}) {
            lua_pushinteger(lua, static_cast<lua_Integer>(*end));
            lua_replace(lua, lua_upvalueindex(upvalue));
        }
        return push_captures(lua, pattern, s, *end, true);
    }
    lua_pushinteger(lua, static_cast<lua_Integer>(subject.size()) + 1);
    lua_replace(lua, lua_upvalueindex(3));
    lua_pushnil(lua);
    return 1;
}

int string_gmatch(lua_State* lua) {
    const std::string_view pattern = text_argument(lua, 2);
    text_argument(lua, 1);
    if (pattern.starts_with('^')) throw UserError("gmatch does not take a pattern that starts with '^'");
    lua_settop(lua, 2);
    lua_pushinteger(lua, 0);
    lua_pushinteger(lua, -1);
    lua_pushcclosure(lua, guarded<gmatch_step>, 4);
    return 1;
}

void append(std::string& out, std::string_view piece) {
    if (out.size() + piece.size() > max_text_bytes)
        throw UserError("a text grew beyond 1 MiB", {}, "Keep texts short; lists hold many values");
    out += piece;
}

void append_template(lua_State* lua, std::string& out, std::string_view form, const Pattern& match, std::size_t begin,
                     std::size_t end) {
    for (std::size_t i = 0; i < form.size(); ++i) {
        if (form[i] != '%') {
            append(out, form.substr(i, 1));
            continue;
        }
        const char c = ++i < form.size() ? form[i] : '\0';
        if (c == '%') {
            append(out, "%");
        } else if (c == '0') {
            append(out, match.subject().substr(begin, end - begin));
        } else if (c >= '1' && c <= '9') {
            push_capture(lua, match, c - '1', begin, end);
            append(out, text_argument(lua, -1));
            lua_pop(lua, 1);
        } else {
            throw UserError("in a replacement, '%' is followed by a digit or another '%'");
        }
    }
}

int string_gsub(lua_State* lua) {
    const std::string_view subject = text_argument(lua, 1), wanted = text_argument(lua, 2);
    const int kind = lua_type(lua, 3);
    luaL_argexpected(lua, kind == LUA_TNUMBER || kind == LUA_TSTRING || kind == LUA_TFUNCTION || kind == LUA_TTABLE, 3,
                     "string/function/table");
    const lua_Integer limit = luaL_optinteger(lua, 4, static_cast<lua_Integer>(subject.size()) + 1);
    Pattern pattern = pattern_for(lua, subject, wanted);
    std::string out;
    lua_Integer count = 0;
    std::size_t s = 0;
    std::size_t last = std::string_view::npos;
    while (count < limit) {
        const auto end = pattern.match_at(s);
        if (end && *end != last) {
            ++count;
            if (kind == LUA_TNUMBER || kind == LUA_TSTRING) {
                append_template(lua, out, text_argument(lua, 3), pattern, s, *end);
            } else {
                if (kind == LUA_TFUNCTION) {
                    lua_pushvalue(lua, 3);
                    lua_call(lua, push_captures(lua, pattern, s, *end, true), 1);
                } else {
                    push_capture(lua, pattern, 0, s, *end);
                    lua_gettable(lua, 3);
                }
                if (!lua_toboolean(lua, -1))
                    append(out, subject.substr(s, *end - s));
                else if (lua_isstring(lua, -1))
                    append(out, text_argument(lua, -1));
                else
                    throw UserError(std::string("gsub cannot put a ") + luaL_typename(lua, -1) + " into a text");
                lua_pop(lua, 1);
            }
            s = last = *end;
        } else if (s < subject.size()) {
            append(out, subject.substr(s++, 1));
        } else {
            break;
        }
        if (pattern.anchored()) break;
    }
    if (s < subject.size()) append(out, subject.substr(s));
    lua_pushlstring(lua, out.data(), out.size());
    lua_pushinteger(lua, count);
    return 2;
}

int string_rep(lua_State* lua) {
    const std::string_view text = text_argument(lua, 1);
    const lua_Integer n = luaL_checkinteger(lua, 2);
    const std::string_view between = lua_isnoneornil(lua, 3) ? std::string_view{} : text_argument(lua, 3);
    const std::size_t each = text.size() + between.size();
    if (n > 0 && each > 0 && static_cast<std::uint64_t>(n) > max_text_bytes / each)
        throw UserError("string.rep would make a text beyond 1 MiB", {}, "Keep texts short; lists hold many values");
    std::string out;
    if (n > 0 && each > 0) {
        // The result repeats itself every `each` bytes, so its beginning can be copied to double it.
        const std::size_t total = each * static_cast<std::size_t>(n) - between.size();
        out.reserve(2 * total);
        (out += text) += between;
        while (out.size() < total) out.append(out, 0, total - out.size());
        out.resize(total);
    }
    lua_pushlstring(lua, out.data(), out.size());
    return 1;
}

/// Lua's own format, for arguments whose texts hold no addresses.
int string_format(lua_State* lua) {
    const std::string_view form = text_argument(lua, 1);
    for (std::size_t i = 0; i + 1 < form.size(); ++i) {
        if (form[i] != '%') continue;
        std::size_t j = i + 1;
        while (j < form.size() && std::strchr("-+ #0123456789.", form[j]) && form[j] != '\0') ++j;
        if (j < form.size() && form[j] == 'p') throw UserError("string.format has no %p in scenes", {}, "Use %s");
        i = j;
    }
    const int count = lua_gettop(lua);
    for (int i = 2; i <= count; ++i) {
        const int type = lua_type(lua, i);
        if (type != LUA_TTABLE && type != LUA_TFUNCTION) continue;
        if (luaL_getmetafield(lua, i, "__tostring") != LUA_TNIL) {
            lua_pop(lua, 1);
            continue;
        }
        lua_pushstring(lua, luaL_typename(lua, i));
        lua_replace(lua, i);
    }
    return lua_tocfunction(lua, lua_upvalueindex(1))(lua);
}

}  // namespace

void push_string(lua_State* lua) {
    lua_newtable(lua);
    take_functions(lua, "string", -1, {"byte", "char", "len", "lower", "reverse", "sub", "upper"}, true);
    const auto own = [&](const char* name, lua_CFunction function) {
        lua_pushcfunction(lua, function);
        lua_setfield(lua, -2, name);
    };
    own("find", guarded<string_find>);
    own("match", guarded<string_match>);
    own("gmatch", guarded<string_gmatch>);
    own("gsub", guarded<string_gsub>);
    own("rep", guarded<string_rep>);
    lua_getfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(lua, -1, "string");
    lua_getfield(lua, -1, "format");
    lua_pushcclosure(lua, guarded<string_format>, 1);
    lua_setfield(lua, -4, "format");
    lua_pop(lua, 2);
}

}  // namespace pliant::script
