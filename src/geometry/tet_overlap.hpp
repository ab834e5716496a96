#pragma once
// What two tets have in common: a convex solid, its volume and its centroid. Its boundary is the faces of each clipped
// to the other, which fit together exactly because clip() decides everything by the same predicate. Coincident faces,
// shared edges, touching corners and flat tets need no special care.

#include <array>

#include "pliant/geometry/clip.hpp"

namespace pliant {

struct TetOverlap {
    double volume = 0;             ///< m³
    Vec3 centroid = Vec3::Zero();  ///< m; zero where there is no volume

    /// The solid itself: eight faces meet in at most twelve corners. None where the tets do not meet.
    struct Face {
        int count = 0;
        std::array<unsigned char, 8> corner;  ///< counter-clockwise seen from outside
    };
    int corners = 0;
    std::array<Vec3, 12> point;
    std::array<Face, 8> face;  ///< in faces 0…3 of the first tet, then of the second; count 0 where there is none
};

/// Four nodes as a tet that turns the right way: where they turn the other way, two are swapped, and a flat tet turns
/// as the infinitesimal moves of side() say.
ClipTet oriented_tet(std::array<RankedPoint, 4> nodes);

/// The volume is right to some 1e-15 of the larger of the two boxes the tets fill: points of the solid are known to
/// rounding of the tets' coordinates. Ranks of all eight nodes must differ; whoever sums overlaps over a mesh ranks by
/// the mesh's node numbers, so that nothing is counted twice or left out where nodes and faces coincide. Tets are as
/// oriented_tet() makes them.
TetOverlap overlap(const ClipTet& a, const ClipTet& b);

/// The volume alone, as a share of a tet's own, of what a second tet has in common with it: `corner` are the second
/// one's corners in barycentric coordinates of the first. In plain arithmetic, right to some 1e-15 of the larger one's
/// volume, and several times as fast: for weights, where nothing has to fit together.
double overlap_share(const std::array<Vec4, 4>& corner);

/// The same for two tets by themselves.
TetOverlap overlap(const std::array<Vec3, 4>& a, const std::array<Vec3, 4>& b);

}  // namespace pliant
