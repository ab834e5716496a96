#pragma once
// The closed room a scene runs in: a Lua state with a memory cap, a time limit that nothing in the script can
// swallow, and only such library functions as touch neither files nor programs nor the machine's clock.
//
// How the time limit holds: a count hook looks at the clock every few hundred instructions and raises; pcall and
// xpcall are our own and raise again once the time is over; library functions look at the clock on entry and do a
// bounded amount of work (texts are at most 1 MiB, pattern matching counts its steps); large allocations fail when
// the time is over. Metatables, finalisers and coroutines are not offered: a coroutine could not be saved in a
// checkpoint, and each of the three is a way to run code where the hook does not.

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lua.hpp>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/script/source_map.hpp"

namespace pliant::script {

inline constexpr std::size_t max_text_bytes = std::size_t{1} << 20;    ///< one Lua string
inline constexpr std::size_t max_block_bytes = std::size_t{32} << 20;  ///< one allocation: a table of 2 million entries

class Sandbox {
public:
    Sandbox(std::string file, std::size_t memory_cap, std::function<void(const std::string&)> print);
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    lua_State* state() const { return lua_; }
    const std::string& file() const { return file_; }

    /// Makes `name` known to the scene; the value is on top of the stack and is taken off.
    void define(const std::string& name);
    /// Pushes what define() put under this name.
    void push_known(const std::string& name);
    /// The names a scene can use, for suggestions.
    std::vector<std::string> known_names() const;

    /// Compiles and runs the text. Throws UserError.
    void run(const std::string& text, double seconds);
    /// Compiles one more text, in the scene's own environment: what it defines, the scene sees. A function and its
    /// argument are left on the stack, to be called. Throws UserError.
    void push_text(const std::string& text, const std::string& file);
    /// Every `args.name` in the texts, run or not.
    std::set<std::string> args_in_text() const;
    /// The names that the texts give values to; for suggestions.
    std::vector<std::string> names_in_text() const;

    /// Calls the function below its `arguments` on the stack; the results are left there, and counted. `what` is named
    /// when it takes longer than `seconds`: "the scene", "measure 'tip'". Throws UserError; the stack is then as
    /// before.
    int call(int arguments, double seconds, const std::string& what);

    /// Throws when the time is over. Cheap enough for every library call.
    void check_time();
    bool late();

    /// Where the script is now, as far as its own lines are concerned.
    Where here() const;
    /// File that a piece of Lua comes from, by the name that Lua knows it by; the scene's own when it is not known.
    const std::string& file_of(std::string_view chunk) const;
    /// Lines of a table's constructor and the file it is in; null when it is not known.
    struct Notes {
        const Constructor* constructor = nullptr;
        const std::string* file = nullptr;
    };
    Notes constructor_of(int index) const;

    Rng& random() { return random_; }
    void print(const std::string& line) {
        if (print_) print_(line);
    }

    /// Keeps the exception being handled and leaves what stands for it on the Lua stack, to be raised by lua_error.
    void push_current_exception();
    /// Text of the error value at the top, for pcall.
    std::string error_text();

    static Sandbox& of(lua_State* lua) { return **static_cast<Sandbox**>(lua_getextraspace(lua)); }

private:
    using Clock = std::chrono::steady_clock;

    static void* allocate(void* self, void* block, std::size_t old_size, std::size_t new_size);
    static void on_count(lua_State* lua, lua_Debug*);
    static int on_error(lua_State* lua);
    [[noreturn]] void throw_error(int status);
    [[noreturn]] void throw_late() const;
    void compile(const std::string& text, const std::string& chunk, const std::string& file);

    struct Source {
        std::string file;
        SourceMap map;
        std::size_t first;  ///< number of its first constructor
    };
    const Source* source_of(std::string_view chunk) const;

    std::string file_;
    std::function<void(const std::string&)> print_;
    lua_State* lua_ = nullptr;
    Rng random_{1};
    std::deque<Source> sources_;  ///< the scene's own text, then the others in the order they came

    std::size_t memory_cap_, memory_used_ = 0;
    enum class Refusal { none, memory, text, block };
    Refusal refusal_ = Refusal::none;  ///< why the last allocation failed

    Clock::time_point deadline_{};
    bool armed_ = false;  ///< a call is under way
    bool over_ = false;   ///< its time is over
    double seconds_ = 0;  ///< it was given
    std::string what_;
    Where late_where_;

    std::exception_ptr kept_;  ///< thrown by a C++ function below Lua
    Where error_where_;
    Where refusal_where_;
};

/// Makes a lua_CFunction of a C++ function that may throw: exceptions become Lua errors and exceptions again above.
template <int (*function)(lua_State*)>
int guarded(lua_State* lua) {
    try {
        Sandbox::of(lua).check_time();
        return function(lua);
    } catch (const std::exception&) {  // Lua's own throws are not std::exceptions and pass
        Sandbox::of(lua).push_current_exception();
    }
    return lua_error(lua);
}

// Libraries, each a table left on the stack.
void open_base(Sandbox& sandbox);  ///< defines type, pairs, pcall … one by one
void push_math(lua_State* lua);
void push_string(lua_State* lua);
void push_table(lua_State* lua);
void push_utf8(lua_State* lua);
/// Reading a name that `table` (at the top) does not have is an error that suggests one; `what`: "math".
void make_strict(lua_State* lua, const char* what);
/// Copies functions of a standard library into the table at `to`. Timed ones look at the clock first.
void take_functions(lua_State* lua, const char* library, int to, std::initializer_list<const char*> names, bool timed);

/// Turns the text of a Lua error into one of our sentences.
UserError explain(const std::string& lua_text, const Where& where);

}  // namespace pliant::script
