#pragma once
// Keeps a closed surface that flows in good triangles: long edges are split, short ones collapse, edges between flat
// neighbours turn (Wojtan & Turk 2008, section 4). The volume stays, and the surface never goes through itself where it
// did not before.

#include <vector>

#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// The surface after upkeep.
struct KeptSurface {
    TriMesh surface;                  ///< without attributes
    std::vector<int> vertices_after;  ///< per vertex of before: its number now, −1 where it is gone
    std::vector<int> source;          ///< per triangle: the one of before that it is a part of, or took the place of
    int splits = 0, collapses = 0, flips = 0;
};

/// Edges longer than 1.6 times `edge` (m) are halved: nothing moves. Edges shorter than 0.4 times it collapse, with the
/// volume kept (Lindstrom & Turk 1999). In between, and where an operation would do harm, triangles stay as they are:
/// vertices that no operation touches stay where they are to the bit.
KeptSurface keep_surface(const TriMesh& surface, double edge);

}  // namespace pliant
