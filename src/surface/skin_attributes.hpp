#pragma once
// What an artist's surface was brought with, on the skin of a body that has broken.

#include <memory>

#include "pliant/mesh/surface_attributes.hpp"
#include "pliant/surface/skin.hpp"

namespace pliant {

/// The attributes of skin.given_surface() for the triangles of skin.surface(), as transferred_attributes() has them:
/// parts of a triangle have what it has at their corners, polygons that no crack touches stay whole and others become
/// triangles. Null where nothing was brought.
std::shared_ptr<const SurfaceAttributes> skin_attributes(const Skin& skin);

}  // namespace pliant
