#include "pliant/script/colors.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant::script {

namespace {

/// The names of CSS that people write most.
constexpr std::pair<std::string_view, unsigned> color_names[] = {
    {"black", 0x000000},     {"white", 0xFFFFFF},     {"gray", 0x808080},        {"grey", 0x808080},
    {"silver", 0xC0C0C0},    {"red", 0xFF0000},       {"maroon", 0x800000},      {"crimson", 0xDC143C},
    {"tomato", 0xFF6347},    {"coral", 0xFF7F50},     {"salmon", 0xFA8072},      {"orange", 0xFFA500},
    {"gold", 0xFFD700},      {"yellow", 0xFFFF00},    {"khaki", 0xF0E68C},       {"wheat", 0xF5DEB3},
    {"beige", 0xF5F5DC},     {"ivory", 0xFFFFF0},     {"tan", 0xD2B48C},         {"peru", 0xCD853F},
    {"chocolate", 0xD2691E}, {"sienna", 0xA0522D},    {"brown", 0xA52A2A},       {"olive", 0x808000},
    {"lime", 0x00FF00},      {"green", 0x008000},     {"forestgreen", 0x228B22}, {"seagreen", 0x2E8B57},
    {"teal", 0x008080},      {"turquoise", 0x40E0D0}, {"cyan", 0x00FFFF},        {"skyblue", 0x87CEEB},
    {"steelblue", 0x4682B4}, {"royalblue", 0x4169E1}, {"blue", 0x0000FF},        {"navy", 0x000080},
    {"indigo", 0x4B0082},    {"slateblue", 0x6A5ACD}, {"purple", 0x800080},      {"violet", 0xEE82EE},
    {"orchid", 0xDA70D6},    {"plum", 0xDDA0DD},      {"magenta", 0xFF00FF},     {"pink", 0xFFC0CB},
    {"lavender", 0xE6E6FA},  {"slategray", 0x708090},
};

/// IEC 61966-2-1.
double linear_light(unsigned byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

Vec3 linear_rgb(unsigned rgb) {
    return Vec3(linear_light(rgb >> 16 & 255), linear_light(rgb >> 8 & 255), linear_light(rgb & 255));
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::optional<Vec3> color_by_name(std::string_view text) {
    if (!text.empty() && text[0] == '#') {
        if (text.size() != 4 && text.size() != 7) return {};
        unsigned rgb = 0;
        for (char c : text.substr(1)) {
            const int digit = hex_digit(c);
            if (digit < 0) return {};
            rgb = rgb << 4 | static_cast<unsigned>(digit);
            if (text.size() == 4) rgb = rgb << 4 | static_cast<unsigned>(digit);
        }
        return linear_rgb(rgb);
    }
    for (const auto& [name, rgb] : color_names)
        if (name == text) return linear_rgb(rgb);
    return {};
}

Vec3 color_from(const Value& value) {
    if (value.kind() == Value::Kind::text) {
        if (const auto color = color_by_name(value.text())) return *color;
        std::vector<std::string> known;
        std::string all;
        for (const auto& entry : color_names) {
            known.emplace_back(entry.first);
            all += (all.empty() ? "" : ", ") + known.back();
        }
        const std::string guess = did_you_mean(value.text(), known);
        throw UserError("there is no color \"" + value.text() + "\"", value.where(),
                        guess.empty() ? "Write \"#ff8800\", {1, 0.3, 0} or one of " + all : guess);
    }
    const Vec3 color = value.vec3();
    if (color.minCoeff() < 0 || color.maxCoeff() > 1)
        throw UserError("a color has three numbers from 0 to 1", value.where(), "Divide by 255 if yours go to 255");
    return color;
}

}  // namespace pliant::script
