#pragma once
// A material point of a body. Whatever hangs on nodes is one: seen vertices, hands, joints, contacts, sound.

#include <array>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

struct Point {
    /// Up to four: those of a tet, a triangle, an edge, or one alone. Entries that are not needed have no weight.
    std::array<int, 4> node{};
    Vec4 weight = Vec4::Zero();  ///< sums to 1; below 0 for points just outside
    /// The element that the point belongs to: it goes with that one when nodes are split or the mesh changes. −1: it
    /// belongs to its nodes alone.
    int element = -1;

    /// Σ weight · value at the nodes: the point's position, velocity or temperature.
    template <class T>
    T of(std::span<const T> nodal) const {
        return weight[0] * nodal[node[0]] + weight[1] * nodal[node[1]] + weight[2] * nodal[node[2]] +
               weight[3] * nodal[node[3]];
    }
    Vec3 of(const std::vector<Vec3>& nodal) const { return of(std::span<const Vec3>(nodal)); }
};

inline Point point_at_node(int node) { return {{node, node, node, node}, {1, 0, 0, 0}, -1}; }

}  // namespace pliant
