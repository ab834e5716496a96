#pragma once
// Which colour every body has: its own, a palette's, its pieces', its cracks', or a field's.

#include <optional>
#include <string>
#include <vector>

#include "pliant/render/field.hpp"
#include "pliant/render/scene.hpp"

namespace pliant {

struct ColorBy {
    std::string field;                ///< "" for bodies' own colours
    std::optional<FieldRange> range;  ///< left out: from the frame
    bool pieces = false;
};

struct Coloring {
    std::vector<BodyLook> looks;  ///< one per body
    FieldRange range;             ///< what the field's colours stand for
    std::string unit;             ///< of the field
};

/// Throws UserError when a field is asked for that no body has.
Coloring color_bodies(const Frame& frame, const ColorBy& by);

}  // namespace pliant
