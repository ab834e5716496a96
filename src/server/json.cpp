#include "pliant/server/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>

namespace pliant {

namespace {

constexpr int max_depth = 8;

struct Reader {
    std::string_view rest;

    void blanks() {
        while (!rest.empty() && std::string_view(" \t\r\n").find(rest[0]) != std::string_view::npos)
            rest.remove_prefix(1);
    }
    bool take(std::string_view word) {
        blanks();
        if (rest.substr(0, word.size()) != word) return false;
        rest.remove_prefix(word.size());
        return true;
    }
    std::optional<std::uint32_t> hex4() {
        std::uint32_t value = 0;
        if (rest.size() < 4) return std::nullopt;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + 4, value, 16);
        if (error != std::errc() || end != rest.data() + 4) return std::nullopt;
        rest.remove_prefix(4);
        return value;
    }
    bool escape(std::string& out) {
        if (rest.empty()) return false;
        const char c = rest[0];
        rest.remove_prefix(1);
        constexpr std::string_view plain = "\"\\/bfnrt", means = "\"\\/\b\f\n\r\t";
        if (const auto i = plain.find(c); i != std::string_view::npos) return out += means[i], true;
        if (c != 'u') return false;
        auto point = hex4();
        if (!point) return false;
        if (*point >= 0xd800 && *point < 0xdc00) {
            if (rest.substr(0, 2) != "\\u") return false;
            rest.remove_prefix(2);
            const auto low = hex4();
            if (!low || *low < 0xdc00 || *low >= 0xe000) return false;
            point = 0x10000 + ((*point - 0xd800) << 10) + (*low - 0xdc00);
        } else if (*point >= 0xdc00 && *point < 0xe000) {
            return false;
        }
        const std::uint32_t p = *point;
        if (p < 0x80) {
            out += static_cast<char>(p);
        } else if (p < 0x800) {
            out += static_cast<char>(0xc0 | p >> 6), out += static_cast<char>(0x80 | (p & 63));
        } else if (p < 0x10000) {
            out += static_cast<char>(0xe0 | p >> 12), out += static_cast<char>(0x80 | (p >> 6 & 63));
            out += static_cast<char>(0x80 | (p & 63));
        } else {
            out += static_cast<char>(0xf0 | p >> 18), out += static_cast<char>(0x80 | (p >> 12 & 63));
            out += static_cast<char>(0x80 | (p >> 6 & 63)), out += static_cast<char>(0x80 | (p & 63));
        }
        return true;
    }
    bool text(std::string& out) {  // after the opening quote
        while (!rest.empty()) {
            const char c = rest[0];
            rest.remove_prefix(1);
            if (c == '"') return true;
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c != '\\')
                out += c;
            else if (!escape(out))
                return false;
        }
        return false;
    }
    bool number(double& out) {
        // from_chars also takes "inf", "nan" and "0x": a number here starts like one.
        std::string_view look = rest;
        if (!look.empty() && look[0] == '-') look.remove_prefix(1);
        if (look.empty() || look[0] < '0' || look[0] > '9') return false;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out);
        if (error != std::errc() || !std::isfinite(out)) return false;
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return true;
    }
    bool object(Json& out, int depth) {
        if (take("}")) return true;
        do {
            std::string name;
            if (!take("\"") || !text(name) || out.find(name) || !take(":")) return false;
            out.fields.push_back({std::move(name), Json{}});
            if (!value(out.fields.back().value, depth + 1)) return false;
        } while (take(","));
        return take("}");
    }
    bool list(Json& out, int depth) {
        if (take("]")) return true;
        do {
            out.items.emplace_back();
            if (!value(out.items.back(), depth + 1)) return false;
        } while (take(","));
        return take("]");
    }
    bool value(Json& out, int depth) {
        if (depth > max_depth) return false;
        if (take("{")) return out.kind = Json::Kind::object, object(out, depth);
        if (take("[")) return out.kind = Json::Kind::list, list(out, depth);
        if (take("\"")) return out.kind = Json::Kind::text, text(out.text_value);
        if (take("true")) return out.kind = Json::Kind::boolean, out.number_value = 1, true;
        if (take("false")) return out.kind = Json::Kind::boolean, true;
        if (take("null")) return true;
        return out.kind = Json::Kind::number, number(out.number_value);
    }
};

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
    Reader reader{text};
    Json json;
    if (!reader.value(json, 0)) return std::nullopt;
    reader.blanks();
    if (!reader.rest.empty()) return std::nullopt;
    return json;
}

const Json* Json::find(std::string_view name) const {
    for (const auto& [key, value] : fields)
        if (key == name) return &value;
    return nullptr;
}

std::optional<double> Json::number(std::string_view name) const {
    const Json* j = find(name);
    return j && j->kind == Kind::number ? std::optional(j->number_value) : std::nullopt;
}

std::optional<int> Json::integer(std::string_view name, int low, int high) const {
    const auto n = number(name);
    if (!n || *n != std::floor(*n) || *n < low || *n > high) return std::nullopt;
    return static_cast<int>(*n);
}

std::optional<bool> Json::flag(std::string_view name) const {
    const Json* j = find(name);
    return j && j->kind == Kind::boolean ? std::optional(j->number_value != 0) : std::nullopt;
}

std::optional<std::string> Json::text(std::string_view name) const {
    const Json* j = find(name);
    return j && j->kind == Kind::text ? std::optional(j->text_value) : std::nullopt;
}

std::optional<Vec3> Json::vec3(std::string_view name) const {
    const Json* j = find(name);
    if (!j || j->kind != Kind::list || j->items.size() != 3) return std::nullopt;
    Vec3 v;
    for (int k = 0; k < 3; ++k) {
        if (j->items[k].kind != Kind::number) return std::nullopt;
        v[k] = j->items[k].number_value;
    }
    return v;
}

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\', out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr char digits[] = "0123456789abcdef";
            out += "\\u00", out += digits[c >> 4 & 15], out += digits[c & 15];
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace pliant
