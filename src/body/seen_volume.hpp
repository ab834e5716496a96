#pragma once
// What is seen of a body: whether it encloses a volume, how large it is and how fine.

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

/// Mean length of the sides of its triangles, m; 0 where there are none.
inline double mean_edge(const TriMesh& surface) {
    double sum = 0;
    for (const Tri& t : surface.triangles)
        for (int i = 0; i < 3; ++i) sum += (surface.points[t[i]] - surface.points[t[(i + 1) % 3]]).norm();
    return surface.triangles.empty() ? 0.0 : sum / static_cast<double>(3 * surface.triangles.size());
}

}  // namespace pliant
