#pragma once
// The six edges of a tet, in the one order that every file uses.

#include <array>

namespace pliant {

inline constexpr std::array<std::array<int, 2>, 6> tet_edges{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// The edge between two corners.
inline constexpr int edge_between[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};

}  // namespace pliant
