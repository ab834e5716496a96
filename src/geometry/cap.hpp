#pragma once
// Triangles that fill closed loops in a plane: regions with holes, several islands, and whatever rounding makes of
// them. Whatever the coordinates, the boundary of the triangles is exactly the given loops, so that what was closed up
// to these loops is closed afterwards; sound coordinates only decide how good the triangles look.

#include <array>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

using Vec2 = Eigen::Vector2d;

struct CapVertex {
    Vec2 p;
    /// Lines the vertex is known to lie on (any number ≥ 0 that names a line; −1 none). No edge is ever drawn between
    /// two vertices of one line: a neighbour's triangles may have drawn it already.
    std::array<int, 2> line{-1, -1};
};

struct Cap {
    std::vector<Tri> triangles;  ///< indices of vertices; vertices.size() + i is extra[i]
    std::vector<Vec2> extra;     ///< vertices added where no drawing without them was found
};

/// `loops` lists vertex indices loop by loop; loop i ends before loop_end[i]. Each vertex is in one loop, once.
/// Counter-clockwise loops are filled, clockwise ones are holes.
Cap fill_loops(std::span<const CapVertex> vertices, std::span<const int> loops, std::span<const int> loop_end);

}  // namespace pliant
