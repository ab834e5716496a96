#pragma once
// What an artist's surface was brought with, on the skin of a body that has broken.

#include <memory>

#include "pliant/mesh/surface_attributes.hpp"
#include "pliant/surface/skin.hpp"

namespace pliant {

/// The attributes of skin.given_surface() for the triangles of skin.surface(): parts of a triangle have what it has at
/// their corners, polygons that no crack touches stay whole and others become triangles. Crack faces have a slot of
/// their own after the brought ones (named "inside") where slots were brought, white for a colour, flat normals, and
/// texture coordinates seen along the axis they face most, the body's longest side for one unit. Null where nothing was
/// brought.
std::shared_ptr<const SurfaceAttributes> skin_attributes(const Skin& skin);

/// The name of that slot.
inline constexpr const char* inside_material = "inside";

}  // namespace pliant
