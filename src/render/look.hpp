#pragma once
// Which colour every body has: its own, a palette's, its pieces', its cracks', or a field's.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pliant/render/field.hpp"
#include "pliant/render/scene.hpp"

namespace pliant {

/// What the eye takes a body for; what is left out stays as it is by default.
struct Appearance {
    std::optional<double> gloss;
    double translucency = 0;  ///< how deep the sun gets, as a share of half the body's size
    Texture texture;
};

struct ColorBy {
    std::string field;                ///< "" for bodies' own colours
    std::optional<FieldRange> range;  ///< left out: from the frame
    bool pieces = false;
    const std::map<std::string, Appearance>* appearance = nullptr;  ///< by name of the body
    double radius = 1;                                              ///< of picture space, m
    BroughtPictures* pictures = nullptr;                            ///< null: textures that were brought are not shown
};

struct Coloring {
    std::vector<BodyLook> looks;  ///< one per body
    FieldRange range;             ///< what the field's colours stand for
    std::string unit;             ///< of the field
};

/// Throws UserError when a field is asked for that no body has.
Coloring color_bodies(const Frame& frame, const ColorBy& by);

}  // namespace pliant
