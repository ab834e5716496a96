#pragma once
// Dividing the triangles of a surface along a line on it, so that what is on one side of the line can be told from what
// is on the other.

#include <functional>

#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// Divides the triangles in which `distance` (m, a signed distance) changes its sign along the line where it is zero,
/// as it is when linear along the edges. A point nearer to the line than a tenth of its shortest edge counts as on it,
/// which leaves no slivers. Points are added after those there are, the surface stays where it is, and a closed one
/// stays closed. It must have no attributes.
void split_where(TriMesh& surface, const std::function<double(const Vec3&)>& distance);

}  // namespace pliant
