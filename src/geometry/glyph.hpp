#pragma once
// The built-in face: a rounded sans-serif of strokes of one width, drawn for this project. A letter is a set of
// line pieces; its outline is everything within half a stroke width of them.

#include <string>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

struct GlyphSegment {
    Eigen::Vector2d a, b;  ///< a == b: a dot
};

struct GlyphLine {
    std::vector<GlyphSegment> segments;  ///< for capitals 1 high from outline to outline, standing on y = 0
    double width = 0;                    ///< from the left end of the outline at x = 0 to the right end
};

/// Half the stroke width of the face, in capital heights.
constexpr double glyph_stroke_radius = 0.075;

/// Sets text (ASCII letters, digits, common punctuation, newlines) with kerning. Throws UserError for characters the
/// face does not have, or when there is nothing to see.
GlyphLine set_text(const std::string& text);

}  // namespace pliant
