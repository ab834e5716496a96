#pragma once
// Words in a picture: a small stroke font of our own, anti-aliased at any size. Letters, digits and the signs that
// units need; a character it does not know is drawn as a small box.

#include <string_view>

#include "pliant/render/float3.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

struct TextStyle {
    float size = 14;                       ///< height of capital letters, pixels
    float weight = 0.115f;                 ///< thickness of strokes, in heights of capitals
    Vec3f color = Vec3f::Constant(0.16f);  ///< sRGB, 0 … 1
};

/// Width in pixels of a line of UTF-8 text.
float text_width(std::string_view text, const TextStyle& style);

/// x: left edge, y: baseline, both in pixels from the top left.
void draw_text(Image& image, float x, float y, std::string_view text, const TextStyle& style);

/// A filled rectangle with round corners, blended over the picture with this opacity.
void draw_panel(Image& image, float x, float y, float width, float height, float radius, const Vec3f& srgb,
                float opacity);

}  // namespace pliant
