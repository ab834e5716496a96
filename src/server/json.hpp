#pragma once
// JSON from a browser, which may send anything: depth and size are bounded, what is not JSON is nothing.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class Json {
public:
    enum class Kind { null, boolean, number, text, list, object };
    Kind kind = Kind::null;
    double number_value = 0;  ///< also of booleans
    std::string text_value;
    std::vector<Json> items;
    struct Field;
    std::vector<Field> fields;  ///< in order; a name may appear once only

    const Json* find(std::string_view name) const;
    // Nothing when the field is missing or holds something else; numbers are finite.
    std::optional<double> number(std::string_view name) const;
    std::optional<int> integer(std::string_view name, int low, int high) const;
    std::optional<bool> flag(std::string_view name) const;
    std::optional<std::string> text(std::string_view name) const;
    std::optional<Vec3> vec3(std::string_view name) const;
};

struct Json::Field {
    std::string name;
    Json value;
};

std::optional<Json> parse_json(std::string_view text);

/// A text as JSON, with its quotes.
std::string json_text(std::string_view text);

}  // namespace pliant
