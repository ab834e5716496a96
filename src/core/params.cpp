#include "pliant/core/params.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"

namespace pliant {

LiteralText::LiteralText() = default;
LiteralText::LiteralText(const char* text) : std::string(text) {}
LiteralText::LiteralText(std::string text) : std::string(std::move(text)) {}
LiteralText::LiteralText(const LiteralText&) = default;
LiteralText::LiteralText(LiteralText&&) noexcept = default;
LiteralText& LiteralText::operator=(const LiteralText&) = default;
LiteralText& LiteralText::operator=(LiteralText&&) noexcept = default;
LiteralText::~LiteralText() = default;

Value::Value() = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;
Value::Value(bool b, Where w) : kind_(Kind::boolean), number_(b), where_(std::move(w)) {}
Value::Value(double n, Where w) : kind_(Kind::number), number_(n), where_(std::move(w)) {}
Value::Value(int n, Where w) : Value(static_cast<double>(n), std::move(w)) {}
Value::Value(std::string s, Where w) : kind_(Kind::text), text_(std::move(s)), where_(std::move(w)) {}
Value::Value(const char* s, Where w) : Value(std::string(s), std::move(w)) {}
Value::Value(Table t, Where w)
    : kind_(Kind::table), table_(std::make_shared<const Table>(std::move(t))), where_(std::move(w)) {}
Value::Value(Callable f, Where w)
    : kind_(Kind::function), function_(std::make_shared<const Callable>(std::move(f))), where_(std::move(w)) {}
Value::Value(Handle h, Where w)
    : kind_(Kind::handle), handle_(std::make_shared<const Handle>(std::move(h))), where_(std::move(w)) {}
Value::Value(const Vec3& v, Where w)
    : kind_(Kind::table),
      table_(std::make_shared<const Table>(Table{{}, {Value(v.x(), w), Value(v.y(), w), Value(v.z(), w)}})),
      where_(std::move(w)) {}

std::string Value::kind_text() const {
    switch (kind_) {
        case Kind::nil: return "nothing";
        case Kind::boolean: return number_ != 0 ? "true" : "false";
        case Kind::number: return "the number " + number_text(number_);
        case Kind::text: return "the text '" + text_ + "'";
        case Kind::table:
            if (!table_->entries.empty()) return "a table";
            return table_->items.empty() ? "an empty table" : "a list of " + std::to_string(table_->items.size());
        case Kind::function: return "a function";
        case Kind::handle: return "a " + handle_->type;
    }
    return "something";
}

void Value::wrong(const char* wanted) const {
    throw UserError(std::string("expected ") + wanted + ", got " + kind_text(), where_);
}

bool Value::boolean() const {
    if (kind_ != Kind::boolean) wrong("true or false");
    return number_ != 0;
}
double Value::number() const {
    if (kind_ != Kind::number) wrong("a number");
    return number_;
}
const std::string& Value::text() const {
    if (kind_ != Kind::text) wrong("a text");
    return text_;
}
const Table& Value::table() const {
    if (kind_ != Kind::table) wrong("a table");
    return *table_;
}
const Callable& Value::function() const {
    if (kind_ != Kind::function) wrong("a function");
    return *function_;
}
const Handle& Value::handle() const {
    if (kind_ != Kind::handle) wrong("an object");
    return *handle_;
}
Vec3 Value::vec3() const {
    if (kind_ != Kind::table || table_->items.size() != 3 || !table_->entries.empty()) wrong("a vector {x, y, z}");
    Vec3 v;
    for (int i = 0; i < 3; ++i) v[i] = table_->items[static_cast<std::size_t>(i)].number();
    if (!v.allFinite()) throw UserError("a vector must be finite", where_);
    return v;
}

namespace {

/// "shape|mesh" → "shape", "mesh"
std::vector<std::string> types_of(const std::string& type) {
    std::vector<std::string> types;
    for (std::size_t begin = 0; begin <= type.size();) {
        const std::size_t end = std::min(type.find('|', begin), type.size());
        types.push_back(type.substr(begin, end - begin));
        begin = end + 1;
    }
    return types;
}

bool holds(const Value& value, Holds wanted, const std::string& type) {
    switch (value.kind()) {
        case Value::Kind::nil: return false;
        case Value::Kind::boolean: return wanted & Holds::boolean;
        case Value::Kind::number: return wanted & Holds::number;
        case Value::Kind::text: return wanted & Holds::text;
        case Value::Kind::function: return wanted & Holds::function;
        case Value::Kind::handle:
            return (wanted & Holds::handle) &&
                   (type.empty() || std::ranges::count(types_of(type), value.handle().type) > 0);
        case Value::Kind::table: {
            const Table& table = value.table();
            if (table.entries.empty() && (wanted & Holds::list)) return true;
            if ((table.items.empty() || !table.entries.empty()) && (wanted & Holds::table)) return true;
            return (wanted & Holds::vec3) && table.entries.empty() && table.items.size() == 3;
        }
    }
    return false;
}

std::string wanted_text(const Key& key) {
    std::vector<std::string> words;
    if (key.holds & Holds::boolean) words.push_back("true or false");
    if (key.holds & Holds::number)
        words.push_back(key.unit.empty() || key.unit == "1" ? "a number" : "a number in " + key.unit);
    if (key.holds & Holds::text) words.push_back("a text");
    if (key.holds & Holds::vec3) words.push_back("a vector {x, y, z}");
    if (key.holds & Holds::list) words.push_back("a list");
    if (key.holds & Holds::table) words.push_back("a table");
    if (key.holds & Holds::function) words.push_back("a function");
    if (key.holds & Holds::handle) {
        if (key.type.empty())
            words.push_back("an object");
        else
            for (const std::string& type : types_of(key.type))
                words.push_back((std::string("aeiou").find(type[0]) != std::string::npos ? "an " : "a ") + type);
    }
    std::string text = words.empty() ? "nothing" : words[0];
    for (std::size_t i = 1; i < words.size(); ++i) text += (i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

std::string range_text(const Key& key) {
    const std::string unit = key.unit.empty() || key.unit == "1" ? "" : " " + key.unit;
    const bool low = std::isfinite(key.min), high = std::isfinite(key.max);
    if (low && high)
        return (key.open_min ? "above " : "at least ") + number_text(key.min) +
               (key.open_max ? " and below " : " and at most ") + number_text(key.max) + unit;
    if (low) return (key.open_min ? "above " : "at least ") + number_text(key.min) + unit;
    return (key.open_max ? "below " : "at most ") + number_text(key.max) + unit;
}

void check_value(const std::string& verb, const Key& key, const Value& value) {
    const std::string name = verb + ": " + key.name;
    if (!holds(value, key.holds, key.type))
        throw UserError(name + " must be " + wanted_text(key) + ", not " + value.kind_text(), value.where(),
                        key.remedy);
    if (value.kind() == Value::Kind::table && !(key.holds & Holds::list) && !(key.holds & Holds::table)) value.vec3();
    if (value.kind() == Value::Kind::number) {
        const double n = value.number();
        const bool below = key.open_min ? !(n > key.min) : !(n >= key.min);
        const bool above = key.open_max ? !(n < key.max) : !(n <= key.max);
        if (!std::isfinite(n) && !(std::isinf(n) && std::isinf(key.max)))
            throw UserError(name + " must be finite", value.where());
        if (below || above)
            throw UserError(name + " = " + number_text(n) + " is out of range: it must be " + range_text(key),
                            value.where(), key.remedy.empty() ? key.doc : key.remedy);
        if (key.integer && n != std::floor(n))
            throw UserError(name + " must be a whole number, not " + number_text(n), value.where());
    }
    if (value.kind() == Value::Kind::text && !key.choices.empty()) {
        for (const std::string& choice : key.choices)
            if (choice == value.text()) return;
        std::string all;
        for (const std::string& choice : key.choices) all += (all.empty() ? "" : ", ") + choice;
        const std::string guess = did_you_mean(value.text(), key.choices);
        throw UserError(name + " = '" + value.text() + "' is not known", value.where(),
                        (guess.empty() ? "" : guess + " ") + "It can be: " + all);
    }
}

}  // namespace

const Key* Schema::find(std::string_view key) const {
    for (const Key& k : keys)
        if (k.name == key) return &k;
    return nullptr;
}

Params Schema::check(const Value& table) const { return check(table, {}); }

Params Schema::check(const Value& value, std::span<const Schema* const> also) const {
    if (value.kind() != Value::Kind::table)
        throw UserError(name + " takes a table { key = value, … }, not " + value.kind_text(), value.where());
    const Table& table = value.table();
    std::vector<const Schema*> schemas{this};
    schemas.insert(schemas.end(), also.begin(), also.end());

    if (!table.items.empty())
        throw UserError(name + " has an entry without a name (" + table.items[0].kind_text() + ")",
                        table.items[0].where(),
                        "Write key = value" + (keys.empty() ? std::string() : ", such as " + keys[0].name + " = …"));
    Params params;
    params.schema_ = name;
    params.where_ = value.where();
    for (const auto& [key_name, entry] : table.entries) {
        const Key* key = nullptr;
        std::vector<std::string> known;
        for (const Schema* schema : schemas) {
            if (!key) key = schema->find(key_name);
            for (const Key& k : schema->keys) known.push_back(k.name);
        }
        if (!key) {
            const std::string guess = did_you_mean(key_name, known);
            std::string all;
            for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
            throw UserError(name + " has no key '" + key_name + "'", entry.where(),
                            guess.empty() ? "It knows: " + all : guess);
        }
        check_value(name, *key, entry);
        params.values_.emplace(key_name, entry);
    }
    for (const Schema* schema : schemas)
        for (const Key& key : schema->keys) {
            if (params.values_.contains(key.name)) continue;
            if (key.required)
                throw UserError(name + " needs '" + key.name + "' (" + wanted_text(key) + ")", value.where(), key.doc);
            params.values_.emplace(key.name, key.fallback);
        }
    return params;
}

const Value& Params::at(std::string_view key) const {
    const auto found = values_.find(key);
    CHECK(found != values_.end(), schema_, key);
    return found->second;
}

const Where& Params::where(std::string_view key) const {
    const Value& value = at(key);
    return value.where().known() ? value.where() : where_;
}

}  // namespace pliant
