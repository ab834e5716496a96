#pragma once
// Whether what is seen of a body encloses a volume, and how large it is.

#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// A watertight surface whose triangles all face outward.
inline bool surface_closed(const SurfaceFacts& facts) { return facts.closed() && facts.oriented(); }

/// Of the surface where it is closed, otherwise of the tets, m³.
inline double seen_volume(bool closed, const std::vector<Vec3>& points, const std::vector<Tri>& triangles,
                          const std::vector<Vec3>& x, const std::vector<Tet>& tets) {
    return closed ? enclosed_volume(points, triangles) : total_volume(x, tets);
}

}  // namespace pliant
