#pragma once
// The part of a triangle within a tetrahedron, as a polygon whose vertices say what they are. Decided by side() alone,
// so the polygons of one triangle in neighbouring tets, and of neighbouring triangles in one tet, always fit together.

#include <array>

#include "pliant/geometry/predicates.hpp"
#include "pliant/geometry/tet_edges.hpp"

namespace pliant {

struct ClipVertex {
    enum Kind : unsigned char {
        corner,     ///< of the triangle: `index` 0…2
        edge_face,  ///< triangle edge `index` (from corner index to index+1) through tet face `face`
        tet_edge    ///< tet edge `index` (of tet_edges) through the triangle
    };
    Kind kind = corner;
    unsigned char index = 0, face = 0;
};

struct ClipPolygon {
    int size = 0;                        ///< 0: they do not meet; −1: contradictory sides (a tet of no volume)
    std::array<ClipVertex, 8> vertex{};  ///< turns like the triangle
    /// What the polygon's edge from vertex i to i+1 lies on: 0…2 an edge of the triangle, 3…6 tet face 0…3.
    std::array<unsigned char, 8> along{};
    std::array<signed char, 4> node_side{};  ///< side of the triangle's plane on which each tet node lies
};

/// A positively oriented tet, to clip many triangles to.
struct ClipTet {
    std::array<RankedPoint, 4> node;
    std::array<RankedPlane, 4> face;  ///< face i is opposite to node i; outward

    explicit ClipTet(const std::array<RankedPoint, 4>& nodes);
};

ClipPolygon clip(const std::array<RankedPoint, 3>& triangle, const ClipTet& tet);

}  // namespace pliant
