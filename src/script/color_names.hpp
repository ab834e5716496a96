#pragma once
// Colours as people write them: "red", "#ff8800". Both mean what screens show (sRGB); the engine calculates with light
// (linear RGB), which is also what three numbers in a scene are.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant::script {

struct NamedColor {
    const char* name;
    std::uint32_t rgb;  ///< 0xRRGGBB, sRGB
};

inline constexpr std::array named_colors{
    NamedColor{"black", 0x101010},   NamedColor{"white", 0xf4f4f4},  NamedColor{"gray", 0x808080},
    NamedColor{"grey", 0x808080},    NamedColor{"silver", 0xc0c0c0}, NamedColor{"red", 0xd62f26},
    NamedColor{"orange", 0xf08a24},  NamedColor{"yellow", 0xf2cf2d}, NamedColor{"lime", 0x9bd133},
    NamedColor{"green", 0x3a9d43},   NamedColor{"teal", 0x16877f},   NamedColor{"cyan", 0x3fc4d8},
    NamedColor{"blue", 0x2d63c8},    NamedColor{"navy", 0x1f2f66},   NamedColor{"purple", 0x7a3fa6},
    NamedColor{"magenta", 0xc83a97}, NamedColor{"pink", 0xf29bb4},   NamedColor{"brown", 0x7b4a2b},
    NamedColor{"beige", 0xe3d3b0},   NamedColor{"gold", 0xd4a72c},   NamedColor{"olive", 0x7d7f2e},
};

inline std::vector<std::string> color_names() {
    std::vector<std::string> names;
    for (const NamedColor& color : named_colors) names.emplace_back(color.name);
    return names;
}

/// Linear RGB of an sRGB colour (IEC 61966-2-1).
inline Vec3 linear_color(std::uint32_t rgb) {
    Vec3 color;
    for (int k = 0; k < 3; ++k) {
        const double c = static_cast<double>(rgb >> (16 - 8 * k) & 255) / 255;
        color[k] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    return color;
}

/// Nothing for a text that is neither a name nor #rgb nor #rrggbb.
inline std::optional<Vec3> color_of_text(std::string_view text) {
    for (const NamedColor& color : named_colors)
        if (text == color.name) return linear_color(color.rgb);
    if (text.size() != 4 && text.size() != 7) return std::nullopt;
    if (text[0] != '#') return std::nullopt;
    std::uint32_t rgb = 0;
    for (char c : text.substr(1)) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return std::nullopt;
        rgb = rgb << 4 | static_cast<std::uint32_t>(digit);
        if (text.size() == 4) rgb = rgb << 4 | static_cast<std::uint32_t>(digit);  // #f80 is #ff8800
    }
    return linear_color(rgb);
}

}  // namespace pliant::script
