#pragma once
// Fields brought to the seen surface, and ranges of values for the colour bar.

#include <optional>
#include <string>
#include <vector>

#include "pliant/render/colormap.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

/// Values at the two ends of the colour bar, in the field's own unit.
struct FieldRange {
    double low = 0, high = 1;
};

/// One number per vertex or per triangle of a body's surface; vectors and tensors by their length.
struct SurfaceValues {
    bool per_vertex = true;
    std::string unit;
    std::vector<float> values;
};

/// The body's field of this name, if it has one that fits its surface. A field of the surface itself is preferred;
/// one of the tet mesh is interpolated at the vertices from the tet that holds or is nearest to each.
std::optional<SurfaceValues> surface_values(const BodyFrame& body, const std::string& name);

/// Names of the fields of a frame's bodies, in alphabetical order.
std::vector<std::string> field_names(const Frame& frame);

/// Where nearly all values of the frame lie (99.6 % of them: one bad element must not turn a picture to one colour);
/// nothing when no body has the field.
std::optional<FieldRange> field_range(const Frame& frame, const std::string& name);

/// The range to show: starts at zero where that costs little, symmetric about zero for signed values, never empty.
FieldRange tidy(FieldRange range);

/// around_zero when tidy() made the range symmetric.
Colormap colormap_for(const FieldRange& range);

}  // namespace pliant
