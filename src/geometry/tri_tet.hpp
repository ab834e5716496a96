#pragma once
// Does a triangle touch a tetrahedron? Both closed: touching in a point counts.

#include "pliant/core/types.hpp"

namespace pliant {

/// Separating axes: the faces' normals and the cross products of the edges. Conservative: true whenever they
/// touch, and perhaps when they miss each other by less than about 1e-12 of their size. Flat tetrahedra and
/// degenerate triangles are allowed.
bool triangle_touches_tet(const Vec3& a, const Vec3& b, const Vec3& c, const std::array<Vec3, 4>& tet);

}  // namespace pliant
