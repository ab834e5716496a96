#include "pliant/script/prelude.hpp"

#include <string_view>

#include "pliant/script/sandbox.hpp"

namespace pliant::script {

namespace {

constexpr char vector_key = 'v';  // its address names the vectors' metatable in Lua's registry

constexpr std::string_view prelude_source = R"lua(
local setmetatable = ...

-- Stable merge sort: what equal items do is part of the result, and the same in every run.
local function sort(list, before)
  if type(list) ~= "table" then error("table.sort wants a list, not a " .. type(list), 2) end
  before = before or function(a, b) return a < b end
  local n, from, to = #list, list, {}
  local width = 1
  while width < n do
    for low = 1, n, 2 * width do
      local i, middle = low, math.min(low + width, n + 1)
      local j, high = middle, math.min(low + 2 * width, n + 1)
      for k = low, high - 1 do
        if i < middle and (j >= high or not before(from[j], from[i])) then
          to[k] = from[i]; i = i + 1
        else
          to[k] = from[j]; j = j + 1
        end
      end
    end
    from, to = to, (from == list) and {} or from
    width = 2 * width
  end
  if from ~= list then
    for k = 1, n do list[k] = from[k] end
  end
end

local vector = {}
local letters = { x = 1, y = 2, z = 3 }
local methods = {}
local function vec(x, y, z) return setmetatable({ x, y, z }, vector) end
local function numbers(v, what)
  if type(v) ~= "table" or type(v[1]) ~= "number" or type(v[2]) ~= "number" or type(v[3]) ~= "number" then
    error("a vector {x, y, z} cannot be " .. what .. " with " .. (type(v) == "number" and "a number" or "this"), 3)
  end
  return v[1], v[2], v[3]
end
function methods.length(v) return math.sqrt(v[1] * v[1] + v[2] * v[2] + v[3] * v[3]) end
function methods.dot(v, w)
  local a, b, c = numbers(w, "multiplied")
  return v[1] * a + v[2] * b + v[3] * c
end
function methods.cross(v, w)
  local a, b, c = numbers(w, "multiplied")
  return vec(v[2] * c - v[3] * b, v[3] * a - v[1] * c, v[1] * b - v[2] * a)
end
function methods.normalized(v)
  local l = methods.length(v)
  if l == 0 then error("a vector of no length has no direction", 2) end
  return vec(v[1] / l, v[2] / l, v[3] / l)
end
function vector.__index(v, key)
  local i = letters[key]
  if i then return v[i] end
  if type(key) == "number" then return nil end
  return methods[key] or error("a vector has no '" .. tostring(key) .. "'. It has x, y, z, length, dot, cross, normalized", 2)
end
function vector.__newindex(v, key, value)
  if not letters[key] then error("a vector has only x, y and z", 2) end
  v[letters[key]] = value
end
function vector.__add(v, w)
  local a, b, c = numbers(v, "added")
  local d, e, f = numbers(w, "added")
  return vec(a + d, b + e, c + f)
end
function vector.__sub(v, w)
  local a, b, c = numbers(v, "subtracted")
  local d, e, f = numbers(w, "subtracted")
  return vec(a - d, b - e, c - f)
end
function vector.__mul(v, s)
  if type(v) == "number" then v, s = s, v end
  if type(s) ~= "number" then error("a vector is multiplied with a number; use a:dot(b) or a:cross(b) for two vectors", 2) end
  return vec(v[1] * s, v[2] * s, v[3] * s)
end
function vector.__div(v, s)
  if type(s) ~= "number" then error("a vector is divided by a number", 2) end
  return vec(v[1] / s, v[2] / s, v[3] / s)
end
function vector.__unm(v) return vec(-v[1], -v[2], -v[3]) end
function vector.__tostring(v) return "{" .. tostring(v[1]) .. ", " .. tostring(v[2]) .. ", " .. tostring(v[3]) .. "}" end

return sort, vec, vector
)lua";

/// vec(x, y, z), or vec { x, y, z }, checked.
int checked_vec(lua_State* lua) {
    if (lua_istable(lua, 1) && lua_gettop(lua) == 1)
        for (int i = 1; i <= 3; ++i) lua_rawgeti(lua, 1, i);
    const int first = lua_gettop(lua) - 2;
    if (first < 1) throw UserError("vec wants three numbers", {}, "Write vec(x, y, z)");
    for (int i = 0; i < 3; ++i)
        if (lua_type(lua, first + i) != LUA_TNUMBER)
            throw UserError("vec wants three numbers", {}, "Write vec(x, y, z)");
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, first);
    lua_call(lua, 3, 1);
    return 1;
}

}  // namespace

void run_prelude(Sandbox& sandbox) {
    lua_State* lua = sandbox.state();
    const int status = luaL_loadbufferx(lua, prelude_source.data(), prelude_source.size(), "=prelude", "t");
    CHECK(status == LUA_OK, lua_tostring(lua, -1));
    // It sees only the few names it needs, whatever the scene does with its own.
    lua_newtable(lua);
    take_functions(lua, "_G", -1, {"type", "error", "tostring"}, false);
    lua_getfield(lua, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_getfield(lua, -1, "math");
    lua_setfield(lua, -3, "math");
    lua_pop(lua, 1);
    lua_setupvalue(lua, -2, 1);
    lua_newtable(lua);
    take_functions(lua, "_G", -1, {"setmetatable"}, false);
    lua_getfield(lua, -1, "setmetatable");
    lua_remove(lua, -2);
    lua_call(lua, 1, 3);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &vector_key);
    lua_pushcclosure(lua, guarded<checked_vec>, 1);
    sandbox.define("vec");
    // table.sort is the last result still on the stack.
    sandbox.push_known("table");
    lua_insert(lua, -2);
    lua_setfield(lua, -2, "sort");
    lua_pop(lua, 1);
}

void make_vector(Sandbox& sandbox) {
    lua_rawgetp(sandbox.state(), LUA_REGISTRYINDEX, &vector_key);
    lua_setmetatable(sandbox.state(), -2);
}

}  // namespace pliant::script
