#pragma once
// Scenes that mean harm. Each must end, within its time, either in a UserError or in nothing worse than a scene; none
// may reach a file, a program, or memory beyond the cap.

#include <string>
#include <vector>

namespace pliant::test {

struct Attack {
    const char* name;
    std::string text;
};

/// Must not get past loading: what they ask for does not exist, or they run out of time or memory.
inline std::vector<Attack> refused_attacks() {
    std::vector<Attack> list{
        // Files and programs.
        {"io.open", "io.open('/etc/passwd')"},
        {"io.popen", "io.popen('id')"},
        {"io.lines", "for l in io.lines('/etc/passwd') do print(l) end"},
        {"io.write", "io.write('x')"},
        {"os.execute", "os.execute('touch /tmp/pliant_owned')"},
        {"os.remove", "os.remove('/tmp/x')"},
        {"os.getenv", "print(os.getenv('HOME'))"},
        {"os.exit", "os.exit(0)"},
        {"os.time", "print(os.time())"},
        {"os.clock", "print(os.clock())"},
        {"require", "require 'os'"},
        {"package", "package.loadlib('libc.so.6', 'system')"},
        {"package.cpath", "package.cpath = '/tmp/?.so'"},
        {"package.loaded", "package.loaded.os.execute('id')"},
        {"dofile", "dofile '/etc/passwd'"},
        {"loadfile", "loadfile '/etc/passwd'"},
        {"loadstring", "loadstring 'return 1'"},
        {"load of a function", "load(function() return nil end)"},
        {"load of bytecode", "load('\\27Lua')"},
        {"load absolute", "load '/etc/passwd'"},
        {"load parent", "load '../secret.obj'"},
        {"load parent inside", "load 'a/../../secret.obj'"},
        {"load with NUL", "load 'cow.obj\\0.png'"},
        {"load empty", "load ''"},
        {"load folder", "load '.'"},
        {"load dotdot", "load '..'"},
        {"load device", "load '/dev/zero'"},
        {"load newline", "load 'a\\nb.obj'"},
        {"load huge name", "load(string.rep('a/', 400000))"},
        {"load tilde", "load '~/.ssh/id_rsa'"},
        {"tets absolute", "tets '/etc/passwd'"},
        {"tets parent", "tets '../x.msh'"},
        {"load by table", "load { file = '/etc/passwd' }"},
        {"load by concatenation", "load('.' .. '.' .. '/secret.obj')"},
        {"load of a number", "load(1)"},
        {"load of a url", "load 'http://example.com/x.obj'"},
        // Ways out of the environment.
        {"debug.getregistry", "debug.getregistry()"},
        {"debug.sethook", "debug.sethook()"},
        {"debug.getupvalue", "debug.getupvalue(pcall, 1)"},
        {"debug.setmetatable", "debug.setmetatable('', {})"},
        {"getmetatable of text", "getmetatable('').__index = function() end"},
        {"setmetatable", "setmetatable({}, { __index = io })"},
        {"setmetatable gc", "setmetatable({}, { __gc = function() while true do end end })"},
        {"setmetatable close", "local x <close> = setmetatable({}, { __close = print })"},
        {"setmetatable mode", "setmetatable({}, { __mode = 'k' })"},
        {"close of a table", "local x <close> = {}"},
        {"rawset", "rawset(math, 'sin', nil)"},
        {"rawget", "rawget({}, 1)"},
        {"rawequal", "rawequal(1, 1)"},
        {"_G", "_G.io = {}"},
        {"_ENV", "_ENV = {}"},
        {"local _ENV", "local _ENV = {}"},
        {"const _ENV", "local _ENV <const> = {}"},
        {"_ENV parameter", "local function f(_ENV) return x end"},
        {"_ENV in a string call", "local s = ('x'):rep(3); return _ENV"},
        {"__place", "__place(1, {})"},
        {"local __place", "local __place = 1"},
        {"getfenv", "getfenv(1)"},
        {"setfenv", "setfenv(1, {})"},
        {"module", "module('x')"},
        {"newproxy", "newproxy(true)"},
        {"collectgarbage", "collectgarbage('generational')"},
        {"collectgarbage stop", "collectgarbage('stop')"},
        {"coroutine", "coroutine.wrap(function() while true do end end)()"},
        {"coroutine tree", "local function f(n) for i = 1, 100 do coroutine.wrap(f)(n - 1) end end f(50)"},
        {"coroutine.close", "coroutine.close(coroutine.create(print))"},
        {"warn", "warn('@on')"},
        {"string.dump", "string.dump(function() end)"},
        {"string.dump method", "('').dump(print)"},
        {"string.__index", "local x = ('').__index"},
        {"string.pack", "string.pack('i8', 1)"},
        {"string.unpack", "string.unpack('i8', 'aaaaaaaa')"},
        {"format %p", "string.format('%p', {})"},
        {"format %10p", "string.format('%10p', print)"},
        {"math.randomseed", "math.randomseed(1)"},
        {"utf8.charpattern call", "utf8.charpattern()"},
        {"replace a verb", "fem_body = nil"},
        {"replace state", "state = {}"},
        {"replace math", "math = {}"},
        {"assign args", "args.x = 1"},
        {"pairs of args", "for k in pairs(args) do end"},
        {"pairs with table keys", "for k in pairs({ [{}] = 1 }) do end"},
        {"next with function keys", "next({ [print] = 1 })"},
        {"body metatable", "local b = sphere{radius=1}; b.at = 1"},
        {"shape gc", "sphere{radius=1}.__gc()"},
        {"shape __index", "sphere{radius=1}.__index = 1"},
        {"foreign self", "local s = sphere{radius=1}; local f = s.at; f({}, 1, 2, 3)"},
        {"foreign self number", "local f = sphere{radius=1}.at; f(1)"},
        {"foreign self none", "local f = sphere{radius=1}.at; f()"},
        {"self of another type", "local f = sphere{radius=1}.at; f(lattice{cell=1}, 1, 2, 3)"},
        {"vector bad index", "local v = vec(1,2,3); v.w = 1"},
        {"vector missing method", "vec(1,2,3):explode()"},
        {"vector bad numbers", "vec('a', 2, 3)"},
        {"vec tampered", "local v = vec(1,2,3); v.x = nil; v = v + v"},
        // Time.
        {"endless loop", "while true do end"},
        {"endless goto", "::a:: goto a"},
        {"endless repeat", "repeat until false"},
        {"endless for", "for i = 1, math.huge do end"},
        {"endless float for", "for i = 1.0, math.huge do end"},
        {"endless tail call", "local function f() return f() end f()"},
        {"endless mutual tail call", "local g; local function f() return g() end; g = function() return f() end; f()"},
        {"loop in pcall", "pcall(function() while true do end end)"},
        {"pcall in loop", "while true do pcall(function() while true do end end) end"},
        {"nested pcalls", "local function f() pcall(f) while true do end end f()"},
        {"pcall of pcall", "while true do pcall(pcall, pcall, error) end"},
        {"xpcall handler", "xpcall(function() while true do end end, function() while true do end end)"},
        {"xpcall error handler", "xpcall(error, function() while true do end end)"},
        {"xpcall in handler", "xpcall(error, function() xpcall(error, function() while true do end end) end)"},
        {"xpcall recursion", "local function h() xpcall(error, h) end while true do h() end"},
        {"pcall loop in loop", "for i = 1, 1e9 do pcall(function() for j = 1, 1e9 do end end) end"},
        {"error in loop", "while true do pcall(error, {}) end"},
        {"assert loop", "while true do pcall(assert, false) end"},
        {"sort endless comparison",
         "local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function() while true do end end)"},
        {"sort forever", "while true do local t = {} for i = 1, 1000 do t[i] = -i end table.sort(t) end"},
        {"sort large",
         "local t = {} for i = 1, 1000000 do t[i] = -i end for i = 1, 100 do table.sort(t, function(a, b) return a > b "
         "end) end"},
        {"gsub endless callback", "('aaaa'):gsub('a', function() while true do end end)"},
        {"gsub nested", "local function f(s) return (s:gsub('.', f)) end while true do f('aaa') end"},
        {"pattern backtracking", "(('a'):rep(100000)):find(('a-'):rep(30) .. 'b')"},
        {"pattern backtracking star", "(('a'):rep(100000)):find(('a*'):rep(30) .. 'b')"},
        {"pattern optional", "(('a'):rep(10000)):match(('a?'):rep(90) .. ('a'):rep(90) .. 'b', 1)"},
        {"pattern dot star", "(('x'):rep(1000000)):find('.-.-.-.-.-.-.-y')"},
        {"pattern gmatch",
         "for w in (('a'):rep(500000)):gmatch('.-b') do end for w in (('a'):rep(500000)):gmatch('.-.-b') do end"},
        {"pattern gsub", "(('a'):rep(500000)):gsub('.-.-.-b', '')"},
        {"pattern balanced", "for i = 1, 1e9 do (('('):rep(1000000)):find('%b()') end"},
        {"pattern backreference", "for i = 1, 1e9 do (('a'):rep(200000)):find('(.-)%1b') end"},
        {"pattern set", "for i = 1, 1e9 do (('a'):rep(100000)):find('[' .. ('b'):rep(100000) .. ']') end"},
        {"find plain",
         "local a = ('a'):rep(1000000) local b = ('a'):rep(500000) .. 'b' while true do a:find(b, 1, true) end"},
        {"compare zeros", "local z = ('\\0'):rep(1000000) local y = z .. 'a' while true do local b = z < y end"},
        {"compare equal",
         "local z = ('a'):rep(1000000) local y = ('a'):rep(999999) .. 'b' while true do local b = z == y end"},
        {"concat", "local s = ('a'):rep(500000) while true do local x = s .. 'b' end"},
        {"rep loop", "while true do local x = ('a'):rep(1000000) end"},
        {"upper loop", "local s = ('a'):rep(1000000) while true do s:upper() end"},
        {"reverse loop", "local s = ('a'):rep(1000000) while true do s:reverse() end"},
        {"tonumber loop", "local s = ('1'):rep(1000000) while true do tonumber(s) end"},
        {"format loop", "local s = ('1'):rep(1000000) while true do local x = ('%s'):format(s) end"},
        {"format q loop", "local s = ('\\0'):rep(100000) while true do local x = ('%q'):format(s) end"},
        {"table.move endless", "table.move({}, 1, math.maxinteger - 1, 1)"},
        {"table.move large", "while true do table.move({}, 1, 1000000, 2) end"},
        {"table.insert front", "local t = {} while true do table.insert(t, 1, 0) end"},
        {"table.remove front",
         "local t = {} for i = 1, 1000000 do t[i] = i end while true do table.remove(t, 1) t[#t + 1] = 1 end"},
        {"table.concat loop", "local t = {} for i = 1, 100000 do t[i] = 'x' end while true do table.concat(t) end"},
        {"table.unpack large",
         "local t = {} for i = 1, 900000 do t[i] = i end while true do select('#', table.unpack(t)) end"},
        {"unpack range", "table.unpack({}, 1, 1e8)"},
        {"unpack range max", "table.unpack({}, 0, math.maxinteger)"},
        {"next scanning", "local t = {} for i = 1, 1000000 do t[i] = i end while true do next(t) end"},
        {"pairs large",
         "local t = {} for i = 1, 1000000 do t['k' .. i] = i end while true do for k in pairs(t) do break end end"},
        {"length of sparse",
         "local t = {} for i = 1, 1000000 do t[i] = i end for i = 2, 999999 do t[i] = nil end while true do local n = "
         "#t end"},
        {"select loop", "while true do select(-1, 1, 2, 3) end"},
        {"utf8 loop", "local s = ('é'):rep(400000) while true do utf8.len(s) end"},
        {"utf8 codes", "local s = ('é'):rep(400000) while true do for p, c in utf8.codes(s) do end end"},
        {"byte loop", "local s = ('a'):rep(900000) while true do local n = select('#', s:byte(1, -1)) end"},
        {"print loop", "while true do print('x') end"},
        {"random loop", "while true do math.random() end"},
        {"verbs loop", "while true do sphere { radius = 1 } end"},
        {"bodies loop", "while true do fem_body { surface = sphere { radius = 1 } } end"},
        {"measures loop", "local i = 0 while true do i = i + 1 measure('m' .. i, print) end"},
        {"method loop", "local s = sphere { radius = 1 } while true do s = s:at { 0, 1, 0 } end"},
        {"ipairs endless", "local t = {} t[1] = 1 for i in ipairs(t) do t[i + 1] = i end"},
        {"pcall memory",
         "local t = {} while true do pcall(function() while true do t[#t + 1] = ('x'):rep(1000) .. #t end end) end"},
        {"stack of arguments", "local function f(...) return f(1, ...) end f()"},
        // Deep recursion, in Lua, in C, and in the compiler.
        {"deep recursion", "local function f(n) return 1 + f(n + 1) end f(1)"},
        {"deep pcall recursion",
         "local function f() return pcall(f) end local function g() local ok, e = pcall(f) return 1 + g() end g()"},
        {"deep gsub recursion", "local function f() return ('a'):gsub('a', f) end f()"},
        {"deep sort recursion", "local function f() table.sort({ 1, 2, 3 }, f) end f()"},
        {"deep xpcall recursion", "local function f() xpcall(f, f) error('x') end f() error('x')"},
        {"deep tostring", "local function f() return tostring(f()) end f()"},
        {"deep error", "local function f() error(f()) end f()"},
        {"deep pattern", "(('a'):rep(1000)):find(('(a'):rep(40))"},
        {"captures", "(('a'):rep(1000)):find(('(a)'):rep(40))"},
        {"deep optional pattern", "(('a'):rep(10000)):find(('a?'):rep(10000))"},
        // Numbers that are none.
        {"NaN radius", "sphere { radius = 0/0 }"},
        {"infinite radius", "sphere { radius = math.huge }"},
        {"NaN vector", "box { size = { 0/0, 1, 1 } }"},
        {"infinite at", "sphere { radius = 1, at = { math.huge, 0, 0 } }"},
        {"huge frames", "world { duration = 1e300 }"},
        {"tiny dt", "world { dt = 1e-300 }"},
        {"huge tets", "lattice { tets = 1e300 }"},
        {"NaN seed", "world { seed = 0/0 }"},
        {"huge iterations", "implicit_euler { iterations = 1e12 }"},
        {"negative triangles", "fem_body { surface = sphere{radius=1}, triangles = -5 }"},
        {"zero axis", "sphere{radius=1}:rotated({0,0,0}, 90)"},
        {"zero scale", "sphere{radius=1}:scaled(0)"},
        {"NaN scale", "sphere{radius=1}:scaled(0/0)"},
        // Names.
        {"path as name", "fem_body { name = '../../etc/x', surface = sphere{radius=1} }"},
        {"control characters in name", "fem_body { name = 'a\\nb', surface = sphere{radius=1} }"},
        {"long name", "fem_body { name = ('x'):rep(1000), surface = sphere{radius=1} }"},
        {"error with control characters", "error('\\27[31m\\n\\n\\nroot:', 0)"},
        {"error with a long text", "error(('x'):rep(100000))"},
        {"error with a table", "error({})"},
        {"error with nil", "error()"},
        {"error with a function", "error(print)"},
        {"error with a shape", "error(sphere{radius=1})"},
        {"error with a number", "error(42)"},
        // Text that is not Lua.
        {"bytecode", std::string("\x1bLua\x54\x00\x19\x93\r\n\x1a\n", 12)},
        {"bytecode short", "\x1bLua"},
        {"NUL in text", std::string("print(1)\0print(2)", 17)},
        {"unfinished", "fem_body {"},
        {"unfinished string", "print('abc"},
        {"unfinished comment", "--[[ abc"},
        {"unfinished long string", "local s = [==[ abc"},
        {"wrong closers", "}}}}]]))end end"},
        {"only brackets", "{{{{(((([[[["},
        {"goto nowhere", "goto nowhere"},
        {"break outside", "break"},
        {"too many locals",
         [] {
             std::string s;
             for (int i = 0; i < 300; ++i) s += "local a" + std::to_string(i) + " = 1\n";
             return s;
         }()},
        {"nested brackets", "local x = " + std::string(100000, '(') + "1" + std::string(100000, ')')},
        {"nested tables", "local x = " + std::string(100000, '{') + std::string(100000, '}')},
        {"nested functions",
         [] {
             std::string s;
             for (int i = 0; i < 1000; ++i) s += "local function f() ";
             for (int i = 0; i < 1000; ++i) s += "end ";
             return s;
         }()},
        {"nested do",
         [] {
             std::string s;
             for (int i = 0; i < 10000; ++i) s += "do ";
             for (int i = 0; i < 10000; ++i) s += "end ";
             return s;
         }()},
        {"nested if",
         [] {
             std::string s;
             for (int i = 0; i < 10000; ++i) s += "if true then ";
             for (int i = 0; i < 10000; ++i) s += "end ";
             return s;
         }()},
        {"long concatenation",
         [] {
             std::string s = "local x = 'a'";
             for (int i = 0; i < 100000; ++i) s += "..'a'";
             return s;
         }()},
        {"long not", "local x = " +
                         [] {
                             std::string s;
                             for (int i = 0; i < 100000; ++i) s += "not ";
                             return s;
                         }() +
                         "1"},
        {"long minus", "local x = " +
                           [] {
                               std::string s;
                               for (int i = 0; i < 100000; ++i) s += "- ";
                               return s;
                           }() +
                           "1"},
        {"long power", "local x = 2" +
                           [] {
                               std::string s;
                               for (int i = 0; i < 100000; ++i) s += "^2";
                               return s;
                           }()},
        {"large text", std::string(5 << 20, ' ')},
        {"slow to compile",
         [] {
             // Nested functions full of locals make every global name slow to resolve.
             std::string s, locals;
             for (int i = 0; i < 180; ++i) locals += (i ? ",a" : "local a") + std::to_string(i);
             for (int i = 0; i < 150; ++i) s += locals + "\nlocal function f() ";
             for (int i = 0; i < 200000; ++i) s += "x=y ";
             for (int i = 0; i < 150; ++i) s += "end ";
             return s;
         }()},
    };
    return list;
}

/// Must run into the memory cap, or a bound that keeps memory in check, rather than into the time limit.
inline std::vector<Attack> memory_attacks() {
    return {
        {"rep bomb", "('x'):rep(1e10)"},
        {"rep bomb max", "('x'):rep(math.maxinteger)"},
        {"rep bomb separator", "(''):rep(1e9, 'abc')"},
        {"doubling", "local s = 'x' while true do s = s .. s end"},
        {"table growth", "local t = {} while true do t[#t + 1] = {} end"},
        {"string table growth", "local t = {} local i = 0 while true do i = i + 1 t[i] = 'string number ' .. i end"},
        {"closure growth", "local t = {} while true do t[#t + 1] = function() return t end end"},
        {"key growth", "local t = {} local i = 0 while true do i = i + 1 t['k' .. i] = true end"},
        {"global growth", "local i = 0 while true do i = i + 1 state['k' .. i] = ('x'):rep(1000) end"},
        {"concat bomb", "local t = {} for i = 1, 1000 do t[i] = ('x'):rep(1000000) end table.concat(t)"},
        {"gsub bomb", "(('a'):rep(1000000)):gsub('a', ('b'):rep(1000000))"},
        {"gsub capture bomb", "(('a'):rep(1000000)):gsub('(.*)', '%1%1%1%1')"},
        {"format bomb",
         "('%s%s%s%s'):format(('a'):rep(900000), ('a'):rep(900000), ('a'):rep(900000), ('a'):rep(900000))"},
        {"format width", "('%1000000d'):format(1)"},
        {"print bomb", "local s = ('a'):rep(1000000) print(s, s, s)"},
        {"nested values", "local t = {} for i = 1, 40 do t = { t, t } end union(t)"},
        {"table of itself", "local t = {} t.material = t t.surface = sphere{radius=1} fem_body(t)"},
        {"list of itself", "local t = {} t[1] = t union(t)"},
        {"wide values",
         "local a = {} for i = 1, 1000 do a[i] = 1 end local b = {} for i = 1, 1000 do b[i] = a end local c = {} for i "
         "= 1, 1000 do c[i] = b end sweep { points = c, radius = 1 }"},
        {"shape doubling", "local s = sphere{radius=1} for i = 1, 60 do s = union{s, s} end"},
        {"shape nesting", "local s = sphere{radius=1} for i = 1, 100000 do s = union{s} end"},
        {"shell nesting", "local s = sphere{radius=1} for i = 1, 100000 do s = shell{s, wall=0.1} end"},
        {"transform between", "local s = sphere{radius=1} for i = 1, 100000 do s = union{s:at{0,1,0}} end"},
        {"text bomb", "text { text = ('A'):rep(100000) }"},
    };
}

/// Odd, but harmless: they must load, and leave nothing behind.
inline std::vector<Attack> harmless_scenes() {
    return {
        {"tampering with a library", "math.sin = function() return 42 end string.rep = nil table.insert = 1"},
        {"hostile comparison", "table.sort({ 3, 1, 2, 5, 4, 9, 8, 7 }, function() return true end)"},
        {"random comparison", "table.sort({ 3, 1, 2, 5, 4, 9, 8, 7 }, function() return math.random() > 0.5 end)"},
        {"pcall of errors", "for i = 1, 100 do assert(pcall(error, 'x') == false) end"},
        {"pcall of a stack overflow",
         "local function f() return 1 + f() end assert(pcall(f) == false) assert(pcall(f) == false)"},
        {"pcall of a C stack overflow", "local function f() return ('a'):gsub('a', f) end assert(pcall(f) == false)"},
        {"pcall of a missing name", "assert(pcall(function() return io end) == false)"},
        {"pcall of memory", "assert(pcall(string.rep, 'x', 1e9) == false)"},
        {"clearing while walking",
         "local t = {} for i = 1, 100 do t[i] = i end for k in pairs(t) do t[k] = nil end assert(next(t) == nil)"},
        {"growing while walking", "local t = { a = 1 } for k in pairs(t) do t[k .. 'x'] = 1 end"},
        {"no addresses",
         "assert(tostring({}) == 'table' and tostring(print) == 'function') assert(('%s'):format({}) == 'table')"},
        {"a body that nobody sees", "fem_body { surface = sphere { radius = 1 } }"},
        {"chain of placements",
         "local s = sphere { radius = 1 } for i = 1, 5000 do s = s:at { 0, 0.1, 0 } end "
         "assert(math.abs(s:bounds().min.y - 499) < 1e-6)"},
        {"callback that never ends", "measure('m', function() while true do end end)"},
        {"carriage returns", "world { dt = 0.01 }\r\nground { }\r\n"},
        {"byte order mark", "\xef\xbb\xbfworld { dt = 0.01 }"},
        {"first line for the shell", "#!/usr/bin/env pliant\nworld { }"},
        {"empty", ""},
        {"only a comment", "-- nothing"},
        {"close of nothing", "local x <close> = nil"},
    };
}

}  // namespace pliant::test
