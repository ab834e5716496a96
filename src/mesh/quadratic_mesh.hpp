#pragma once
// Ten-node tetrahedra: displacement is quadratic over an element, so that thin walls bend without locking.

#include <array>

#include "pliant/geometry/tet_edges.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

/// Corners 0…3, then the middles of edges 01, 02, 03, 12, 13, 23. Middles may lie off the straight edge (curved walls).
using Tet10 = std::array<int, 10>;

struct QuadraticMesh {
    std::vector<Vec3> rest;  ///< m
    std::vector<Tet10> tets;
    std::vector<int> region;  ///< per tet; empty when there are none

    int node_count() const { return static_cast<int>(rest.size()); }
};

/// Straight-edged: the given nodes keep their numbers, middles follow.
QuadraticMesh quadratic_mesh(const TetMesh& mesh);

/// The same nodes joined by eight linear tets per element: what surfaces, embeddings and pictures use.
TetMesh linear_pieces(const QuadraticMesh& mesh);

}  // namespace pliant
