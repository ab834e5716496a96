#include "pliant/script/lua_value.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "pliant/core/text.hpp"
#include "pliant/script/prelude.hpp"

namespace pliant::script {

namespace {

constexpr std::size_t max_charge = 2'000'000;  // some hundred bytes each
constexpr int max_table_depth = 32;
constexpr const char* object_table = "pliant.object.";  // + type: the metatable's name in the registry

using Native = std::function<Value(std::span<const Value>)>;

/// What a C function of ours carries as its upvalue.
struct Bound {
    LuaBridge* bridge;
    Native function;
    Method method;
};

template <class T>
int destroy(lua_State* lua) {
    static_cast<T*>(lua_touserdata(lua, 1))->~T();
    return 0;
}

template <class T>
void push_userdata(lua_State* lua, T object, const char* metatable) {
    void* memory = lua_newuserdatauv(lua, sizeof(T), 0);
    new (memory) T(std::move(object));
    if (luaL_newmetatable(lua, metatable)) {
        lua_pushcfunction(lua, destroy<T>);
        lua_setfield(lua, -2, "__gc");
    }
    lua_setmetatable(lua, -2);
}

/// The object at an index, or nullptr.
Value* object_at(lua_State* lua, int index) {
    if (lua_type(lua, index) != LUA_TUSERDATA || !lua_getmetatable(lua, index)) return nullptr;
    lua_pushliteral(lua, "pliant object");
    const bool ours = lua_rawget(lua, -2) == LUA_TBOOLEAN;
    lua_pop(lua, 2);
    return ours ? static_cast<Value*>(lua_touserdata(lua, index)) : nullptr;
}

int call_native(lua_State* lua) {
    const Bound& bound = *static_cast<Bound*>(lua_touserdata(lua, lua_upvalueindex(1)));
    LuaBridge& bridge = *bound.bridge;
    const Where here = bridge.sandbox().here();
    bridge.charge(16);
    std::vector<Value> arguments;
    const int count = lua_gettop(lua);
    for (int i = 1; i <= count; ++i) arguments.push_back(bridge.value_at(i, here));
    Value result;
    if (bound.method) {
        if (arguments.empty() || !object_at(lua, 1))
            throw UserError("a method was called without its object", here, "Write object:method(…) with a colon");
        result = bound.method(arguments[0], std::span(arguments).subspan(1));
    } else {
        result = bound.function(arguments);
    }
    lua_settop(lua, 0);
    if (result.nil()) return 0;
    bridge.push(result);
    return 1;
}

int object_text(lua_State* lua) {
    const Value* object = object_at(lua, 1);
    lua_pushstring(lua, object ? object->handle().type.c_str() : "object");
    return 1;
}

/// __index of objects: upvalue 1 is the table of methods, 2 the type.
int object_index(lua_State* lua) {
    lua_pushvalue(lua, 2);
    if (lua_rawget(lua, lua_upvalueindex(1)) != LUA_TNIL) return 1;
    const std::string type = lua_tostring(lua, lua_upvalueindex(2));
    const std::string name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : luaL_typename(lua, 2);
    std::vector<std::string> known;
    for (lua_pushnil(lua); lua_next(lua, lua_upvalueindex(1)); lua_pop(lua, 1))
        known.emplace_back(lua_tostring(lua, -2));
    std::ranges::sort(known);
    std::string remedy = did_you_mean(name, known);
    if (remedy.empty()) {
        for (const std::string& k : known) remedy += (remedy.empty() ? "It has: " : ", ") + k;
        if (known.empty()) remedy = "It has none: it is only handed to verbs";
    }
    throw UserError("a " + type + " has no method '" + name + "'", {}, remedy);
}

/// Pushes the metatable of a type of object, made on first use.
void push_object_table(lua_State* lua, const std::string& type) {
    const std::string name = object_table + type;
    if (!luaL_newmetatable(lua, name.c_str())) return;
    lua_pushboolean(lua, true);
    lua_setfield(lua, -2, "pliant object");
    lua_pushcfunction(lua, destroy<Value>);
    lua_setfield(lua, -2, "__gc");
    lua_pushcfunction(lua, guarded<object_text>);
    lua_setfield(lua, -2, "__tostring");
    lua_newtable(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "methods");
    lua_pushlstring(lua, type.data(), type.size());
    lua_pushcclosure(lua, guarded<object_index>, 2);
    lua_setfield(lua, -2, "__index");
    lua_pushlstring(lua, type.data(), type.size());
    lua_setfield(lua, -2, "__name");
}

/// A Lua function kept in the registry for as long as somebody may call it.
class KeptFunction {
public:
    KeptFunction(std::weak_ptr<LuaBridge> bridge, int index, Where where)
        : bridge_(std::move(bridge)), where_(std::move(where)) {
        lua_State* lua = bridge_.lock()->sandbox().state();
        lua_pushvalue(lua, index);
        reference_ = luaL_ref(lua, LUA_REGISTRYINDEX);
    }
    ~KeptFunction() {
        if (const auto bridge = bridge_.lock()) luaL_unref(bridge->sandbox().state(), LUA_REGISTRYINDEX, reference_);
    }
    KeptFunction(const KeptFunction&) = delete;
    KeptFunction& operator=(const KeptFunction&) = delete;

    Value operator()(std::span<const Value> arguments) const {
        const auto bridge = bridge_.lock();
        CHECK(bridge != nullptr, where_.text());
        Sandbox& sandbox = bridge->sandbox();
        lua_State* lua = sandbox.state();
        const int base = lua_gettop(lua);
        luaL_checkstack(lua, static_cast<int>(arguments.size()) + 8, nullptr);
        lua_rawgeti(lua, LUA_REGISTRYINDEX, reference_);
        for (const Value& argument : arguments) bridge->push(argument);
        const int count = sandbox.call(static_cast<int>(arguments.size()), bridge->call_seconds, "the function");
        struct Restore {
            lua_State* lua;
            int top;
            ~Restore() { lua_settop(lua, top); }
        } restore{lua, base};
        if (count == 0) return Value();
        if (count == 1) return bridge->value_at(base + 1, where_);
        Table list;
        for (int i = 1; i <= count; ++i) list.items.push_back(bridge->value_at(base + i, where_));
        return Value(std::move(list), where_);
    }

private:
    std::weak_ptr<LuaBridge> bridge_;
    Where where_;
    int reference_ = LUA_NOREF;
};

}  // namespace

void LuaBridge::charge(std::size_t values) {
    charged_ += values;
    if (charged_ / 4096 != (charged_ - values) / 4096) sandbox_->check_time();
    if (loading && charged_ > max_charge)
        throw UserError("the scene describes too much: its tables and verbs add up to more than 2 million values",
                        sandbox_->here(), "Use fewer objects, or a mesh file");
}

Value LuaBridge::value_at(int index, const Where& where) {
    return convert(lua_absindex(sandbox_->state(), index), where, 0);
}

Value LuaBridge::convert(int index, const Where& where, int depth) {
    lua_State* lua = sandbox_->state();
    switch (lua_type(lua, index)) {
        case LUA_TBOOLEAN: return Value(lua_toboolean(lua, index) != 0, where);
        case LUA_TNUMBER: return Value(lua_tonumber(lua, index), where);
        case LUA_TSTRING: {
            std::size_t size = 0;
            const char* text = lua_tolstring(lua, index, &size);
            return Value(std::string(text, size), where);
        }
        case LUA_TTABLE: return convert_table(index, where, depth);
        case LUA_TFUNCTION: return convert_function(index, where);
        case LUA_TUSERDATA:
            if (const Value* object = object_at(lua, index)) return Value(object->handle(), where);
            throw UserError("this object cannot be used here", where);
        default: return Value();
    }
}

Value LuaBridge::convert_table(int index, const Where& where, int depth) {
    lua_State* lua = sandbox_->state();
    if (depth >= max_table_depth)
        throw UserError("a table is nested more than 32 levels deep", where, "Does it contain itself?");
    luaL_checkstack(lua, 8, "table nested too deeply");
    const auto [notes, file] = sandbox_->constructor_of(index);
    const Where own{notes                ? *file
                    : where.file.empty() ? sandbox_->file()
                                         : where.file,
                    notes ? notes->line : where.line};
    struct Item {
        lua_Integer at;
        Value value;
    };
    std::vector<Item> items;
    Table table;
    for (lua_pushnil(lua); lua_next(lua, index); lua_pop(lua, 1)) {
        charge(1);
        Where place = own;
        const int entry = lua_gettop(lua);
        if (lua_type(lua, -2) == LUA_TSTRING) {
            std::size_t size = 0;
            const char* text = lua_tolstring(lua, -2, &size);
            std::string key(text, size);
            if (notes)
                if (const auto found = notes->keys.find(key); found != notes->keys.end()) place.line = found->second;
            table.entries.emplace(std::move(key), convert(entry, place, depth + 1));
        } else if (lua_isinteger(lua, -2)) {
            const lua_Integer i = lua_tointeger(lua, -2);
            if (notes && i >= 1 && static_cast<std::size_t>(i) <= notes->items.size())
                place.line = notes->items[static_cast<std::size_t>(i) - 1];
            items.push_back({i, convert(entry, place, depth + 1)});
        } else {
            throw UserError(std::string("a table has a key that is a ") + luaL_typename(lua, -2), own,
                            "Use names as keys");
        }
    }
    std::ranges::sort(items, {}, &Item::at);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].at != static_cast<lua_Integer>(i) + 1)
            throw UserError("entry " + std::to_string(i + 1) + " of a list is missing", own,
                            "Is a name there misspelt, or without a value?");
        table.items.push_back(std::move(items[i].value));
    }
    return Value(std::move(table), own);
}

Value LuaBridge::convert_function(int index, const Where& where) {
    lua_State* lua = sandbox_->state();
    lua_Debug info;
    lua_pushvalue(lua, index);
    lua_getinfo(lua, ">S", &info);
    const Where place{sandbox_->file_of(info.source), info.linedefined > 0 ? info.linedefined : where.line};
    auto kept = std::make_shared<const KeptFunction>(weak_from_this(), index, place);
    return Value(Callable([kept](std::span<const Value> arguments) { return (*kept)(arguments); }), where);
}

void LuaBridge::push(const Value& value) {
    lua_State* lua = sandbox_->state();
    switch (value.kind()) {
        case Value::Kind::nil: lua_pushnil(lua); return;
        case Value::Kind::boolean: lua_pushboolean(lua, value.boolean()); return;
        case Value::Kind::number: lua_pushnumber(lua, value.number()); return;
        case Value::Kind::text: lua_pushlstring(lua, value.text().data(), value.text().size()); return;
        case Value::Kind::handle: push_object(value); return;
        case Value::Kind::function: lua_pushnil(lua); return;  // nothing hands functions to scenes
        case Value::Kind::table: {
            const Table& table = value.table();
            lua_createtable(lua, static_cast<int>(table.items.size()), static_cast<int>(table.entries.size()));
            bool vector = table.items.size() == 3 && table.entries.empty();
            for (std::size_t i = 0; i < table.items.size(); ++i) {
                push(table.items[i]);
                lua_rawseti(lua, -2, static_cast<lua_Integer>(i) + 1);
                vector = vector && table.items[i].kind() == Value::Kind::number;
            }
            for (const auto& [key, entry] : table.entries) {
                lua_pushlstring(lua, key.data(), key.size());
                push(entry);
                lua_rawset(lua, -3);
            }
            if (vector) make_vector(*sandbox_);
            return;
        }
    }
}

void LuaBridge::push_object(const Value& value) {
    lua_State* lua = sandbox_->state();
    void* memory = lua_newuserdatauv(lua, sizeof(Value), 0);
    new (memory) Value(value);
    push_object_table(lua, value.handle().type);
    lua_setmetatable(lua, -2);
}

void LuaBridge::define_function(const std::string& name, Native function) {
    lua_State* lua = sandbox_->state();
    push_userdata(lua, Bound{this, std::move(function), {}}, "pliant.bound");
    lua_pushcclosure(lua, guarded<call_native>, 1);
    sandbox_->define(name);
}

void LuaBridge::define_method(const std::string& type, const std::string& name, Method method) {
    lua_State* lua = sandbox_->state();
    push_object_table(lua, type);
    lua_getfield(lua, -1, "methods");
    push_userdata(lua, Bound{this, {}, std::move(method)}, "pliant.bound");
    lua_pushcclosure(lua, guarded<call_native>, 1);
    lua_setfield(lua, -2, name.c_str());
    lua_pop(lua, 2);
}

}  // namespace pliant::script
