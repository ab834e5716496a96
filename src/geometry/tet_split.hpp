#pragma once
// A tet divided at points on its edges, so that neighbours which divide the edges they share in the same way fit
// together face by face, whatever else is divided in each. With it a plane through a mesh cuts it into two halves of
// whole tets, and the elements beside the cut follow without nodes of their own (O'Brien & Hodgins 1999, section 4.3).
//
// Edges are bisected one after the other, in an order that all tets share. Two tets see the same edges of their common
// face in the same order, so they divide it alike: nobody has to agree on diagonals. Everything is decided by signs and
// by numbers of nodes; positions are used for volumes alone.

#include <array>
#include <span>

#include "pliant/core/types.hpp"
#include "pliant/geometry/tet_edges.hpp"

namespace pliant {

/// Corners are numbered 0…3 for the tet's own, 4 + e for the point on edge e of tet_edges.
using SplitTet = std::array<signed char, 4>;

struct TetSplit {
    int count = 0;
    std::array<SplitTet, 8> tet;  ///< turn like the whole; [0, count)
    /// Side of the plane on which each lies, −1 or +1; 0 where there was no plane.
    std::array<signed char, 8> side;
};

/// Divides a tet at points on some of its edges: bit e of `edges` for edge e. `number`: the nodes' numbers in the mesh,
/// by which the order of edges is decided: by their lower ends first, then their higher ones.
TetSplit split_tet(const Tet& number, unsigned edges);

/// The same in an order of the caller's own: any in which all tets that share a face see the divided edges of it.
TetSplit split_tet(std::span<const int> edges_in_order);

/// Divides a tet by a plane. `distance`: of its nodes, signed, in any unit. Nodes at exactly 0 are on the plane and
/// belong to both sides; the caller snaps near ones by setting it so. Every tet of the split lies on one side, a tet
/// which the plane does not divide is its own split (side 0 only if all four nodes are on the plane). One to six tets.
TetSplit split_tet(const Tet& number, const std::array<double, 4>& distance);

/// The edges that the plane divides: those whose ends lie strictly on either side.
unsigned divided_edges(const std::array<double, 4>& distance);

/// Where the plane meets edge e, from its first node (0) to its second (1).
inline double edge_parameter(const std::array<double, 4>& distance, int e) {
    const double a = distance[tet_edges[e][0]], b = distance[tet_edges[e][1]];
    return a / (a - b);
}

/// Volume and centroid of what a plane leaves of a tet on one side.
struct TetPart {
    double volume = 0;           ///< as a share of the whole, 0…1
    Vec4 center = Vec4::Zero();  ///< barycentric; zero where there is no volume
};

/// `side` −1: where distances are negative, +1: where they are positive. The shares of both sides add up to one.
TetPart part_of_tet(const std::array<double, 4>& distance, int side);

/// The polygon in which the plane meets a tet: three or four corners, nodes or edge points, counter-clockwise seen from
/// the positive side where the tet is positively oriented. Fewer than three corners, or a face of the tet: count 0.
struct TetSection {
    int count = 0;
    std::array<signed char, 4> corner;
};
TetSection section_of_tet(const std::array<double, 4>& distance);

}  // namespace pliant
