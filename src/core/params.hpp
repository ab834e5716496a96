#pragma once
// What a user wrote, as plain data: every value remembers its file and line. A Schema says which keys a table
// may have, with unit, default, range and meaning; it checks tables, fills in defaults, and is what the scene
// reference is generated from, so the two cannot disagree.

#include <any>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/core/error.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

class Value;
using Callable = std::function<Value(std::span<const Value>)>;

/// An opaque object that a scene passes around, such as a shape or a body.
struct Handle {
    std::string type;  ///< what it is called in messages: "shape", "body"
    std::any object;
};

/// A Lua table: named entries in the order of their names, and list items 1, 2, 3 …
struct Table {
    std::map<std::string, Value, std::less<>> entries;
    std::vector<Value> items;
};

class Value {
public:
    enum class Kind { nil, boolean, number, text, table, function, handle };

    // Scenes have many values and schemas many keys: what makes and ends them is compiled once, not wherever one is.
    Value();
    Value(const Value&);
    Value(Value&&) noexcept;
    Value& operator=(const Value&);
    Value& operator=(Value&&) noexcept;
    ~Value();
    Value(bool b, Where w = {});
    Value(double n, Where w = {});
    Value(int n, Where w = {});
    Value(std::string s, Where w = {});
    Value(const char* s, Where w = {});
    Value(Table t, Where w = {});
    Value(Callable f, Where w = {});
    Value(Handle h, Where w = {});
    Value(const Vec3& v, Where w = {});

    Kind kind() const { return kind_; }
    const Where& where() const { return where_; }
    bool nil() const { return kind_ == Kind::nil; }
    /// "a number", "a list", "a shape": for messages.
    std::string kind_text() const;

    // Each throws a UserError at where() when the value is of another kind.
    bool boolean() const;
    double number() const;
    const std::string& text() const;
    const Table& table() const;
    Vec3 vec3() const;
    const Callable& function() const;
    const Handle& handle() const;

private:
    [[noreturn]] void wrong(const char* wanted) const;

    Kind kind_ = Kind::nil;
    double number_ = 0;
    std::string text_;
    std::shared_ptr<const Table> table_;
    std::shared_ptr<const Callable> function_;
    std::shared_ptr<const Handle> handle_;
    Where where_;
};

/// What a key may hold. Several may be allowed: `number | function`.
enum class Holds : unsigned {
    boolean = 1,
    number = 2,
    text = 4,
    vec3 = 8,    ///< {x, y, z}, finite
    list = 16,   ///< {a, b, c}
    table = 32,  ///< { key = value }
    function = 64,
    handle = 128,
};
constexpr Holds operator|(Holds a, Holds b) { return Holds(unsigned(a) | unsigned(b)); }
constexpr bool operator&(Holds a, Holds b) { return (unsigned(a) & unsigned(b)) != 0; }

/// A text that stands in the source. Schemas have thousands, and a std::string is made in place wherever one is
/// written: much code, run once. This one calls a function instead.
struct LiteralText : std::string {
    LiteralText();
    LiteralText(const char* text);
    LiteralText(std::string text);
    LiteralText(const LiteralText&);
    LiteralText(LiteralText&&) noexcept;
    LiteralText& operator=(const LiteralText&);
    LiteralText& operator=(LiteralText&&) noexcept;
    ~LiteralText();
};

/// One key of a schema. Fill in what applies; names beat positions here, so use designated initialisers.
struct Key {
    LiteralText name;
    Holds holds = Holds::number;
    LiteralText unit = {};  ///< "Pa", "m", "s", "1" for a ratio; empty where units make no sense
    Value fallback = {};    ///< default; nil: none
    bool required = false;
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool open_min = false, open_max = false;  ///< the bound itself is not allowed
    bool integer = false;
    std::vector<std::string> choices = {};  ///< for text: the only words allowed
    LiteralText type = {};                  ///< for handles: the type wanted ("shape", or "shape|mesh" for either)
    LiteralText doc = {};                   ///< meaning, and what happens when it is too large or too small
    LiteralText remedy = {};                ///< what to write instead of a value out of range; empty: the doc is shown
};

class Params;

/// The keys a table may have. `name` is the verb as the user writes it.
struct Schema {
    LiteralText name;
    LiteralText doc;
    std::vector<Key> keys;

    const Key* find(std::string_view key) const;
    /// Checks names, kinds, ranges and required keys, fills in defaults. Throws UserError at the offending line.
    Params check(const Value& table) const;
    /// The same with extra places for keys, such as a material law's own keys beside the common ones.
    Params check(const Value& table, std::span<const Schema* const> also) const;
};

/// A checked table. Asking for a key that no schema declared is a mistake of ours (CHECK).
class Params {
public:
    bool has(std::string_view key) const { return !at(key).nil(); }
    bool flag(std::string_view key) const { return at(key).boolean(); }
    double number(std::string_view key) const { return at(key).number(); }
    int integer(std::string_view key) const { return static_cast<int>(at(key).number()); }
    const std::string& text(std::string_view key) const { return at(key).text(); }
    Vec3 vec3(std::string_view key) const { return at(key).vec3(); }
    const Table& table(std::string_view key) const { return at(key).table(); }
    const Callable& function(std::string_view key) const { return at(key).function(); }
    template <class T>
    const T& object(std::string_view key) const {
        const T* found = std::any_cast<T>(&at(key).handle().object);
        CHECK(found != nullptr, key);
        return *found;
    }
    const Value& at(std::string_view key) const;
    const Where& where(std::string_view key) const;  ///< of the key, or of the table where the key was left out
    const Where& where() const { return where_; }
    const std::string& schema() const { return schema_; }  ///< the verb's name

private:
    friend struct Schema;
    std::map<std::string, Value, std::less<>> values_;
    std::string schema_;
    Where where_;
};

}  // namespace pliant
