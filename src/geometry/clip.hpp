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
    Kind kind : 2;
    unsigned char index : 3, face : 2;
};

struct ClipPolygon {
    signed char size;                  ///< 0: they do not meet; −1: contradictory sides (a tet of no volume)
    std::array<ClipVertex, 8> vertex;  ///< turns like the triangle
    /// What the polygon's edge from vertex i to i+1 lies on: 0…2 an edge of the triangle, 3…6 tet face 0…3.
    std::array<unsigned char, 8> along;
    /// Side of the triangle's plane on which each tet node lies; set where tet edges go through the triangle.
    std::array<signed char, 4> node_side;
};

/// A positively oriented tet, to clip many triangles to.
struct ClipTet {
    std::array<RankedPoint, 4> node;
    std::array<RankedPlane, 4> face;  ///< face i is opposite to node i; outward

    explicit ClipTet(const std::array<RankedPoint, 4>& nodes);
    /// Beyond which faces a point lies: bit i for face i.
    unsigned beyond(const RankedPoint& point) const {
        unsigned faces = 0;
        for (unsigned f = 0; f < 4; ++f) faces |= (face[f].side_of(point) > 0 ? 1u : 0u) << f;
        return faces;
    }
};

/// `beyond`: what tet.beyond() says of the triangle's corners. Where they are all beyond one face, the two do not meet.
ClipPolygon clip(const std::array<RankedPoint, 3>& triangle, const std::array<unsigned, 3>& beyond, const ClipTet& tet);
inline ClipPolygon clip(const std::array<RankedPoint, 3>& triangle, const ClipTet& tet) {
    return clip(triangle, {tet.beyond(triangle[0]), tet.beyond(triangle[1]), tet.beyond(triangle[2])}, tet);
}

}  // namespace pliant
