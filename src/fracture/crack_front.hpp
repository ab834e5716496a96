#pragma once
// The border of a crack at a node: where the crack goes on when the node opens.
//
// A crack ends at an edge where the elements round the edge make a full turn at rest and yet have two free faces. Such
// an edge belongs to the crack's front. Behind it the material is parted already, by the crack's two faces; ahead of it
// lies what a plane through the node has still to open. A plane that opened the node in every direction would run
// beside the old crack, too, wherever it does not lie exactly in it (O'Brien & Hodgins 1999, figure 12b). So nothing
// has to be remembered from step to step: the mesh says where a tip was heading.

#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// Where the neighbours of a node lie when a plane through it goes on from cracks that end there.
struct CrackFront {
    struct Neighbour {
        int node;
        /// From what parts the node: 0 on the front, else as far as that is known from the crack, whose upper side,
        /// where the plane's normal points, is positive, m.
        double distance;
    };
    /// Nodes on the front, on the crack's faces and behind them, ascending. All others lie ahead, where the plane
    /// decides.
    std::vector<Neighbour> known;
    bool any() const { return !known.empty(); }
};

/// `star`: the elements round the node; `x`: present positions. Cracks from which the plane would turn by more than
/// `turn`, rad, are left out: it crosses them.
CrackFront crack_front(std::span<const Vec3> rest, std::span<const Vec3> x, std::span<const Tet> star, int node,
                       const Vec3& normal, double turn);

/// True where a crack ends at the node.
bool is_crack_tip(std::span<const Vec3> rest, std::span<const Tet> star, int node);

}  // namespace pliant
