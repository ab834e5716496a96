#pragma once
// The elements of a shell and what they read off its shape at rest. Stretch is measured at edges, from the two
// triangles there; bending in triangles, from the slopes of the surface across their three edges. Both are the same on
// a mesh of any shape: nothing is assumed of its valences or angles.

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

using Vec2 = Eigen::Vector2d;

/// An edge and its one or two triangles, unfolded into the plane with the edge along the first axis.
struct ShellEdge {
    std::array<int, 4> node;  ///< its ends a and b, the third corner of triangle[0], that of triangle[1] or −1
    std::array<int, 2> triangle{-1, -1};
    double length = 0;                            ///< m
    std::array<double, 2> share{1, 0};            ///< of each triangle in the area that the edge stands for
    double area = 0;                              ///< that area: a third of its triangles, m²
    std::array<std::array<Vec2, 3>, 2> gradient;  ///< per triangle: of the shape functions of a, b and its third corner
    int corners() const { return node[3] < 0 ? 3 : 4; }
    int sides() const { return node[3] < 0 ? 1 : 2; }
};

/// A triangle with the nodes that its curvature depends on: those of its neighbours and of their neighbours.
struct ShellBend {
    static constexpr int most_nodes = 12, most_ripple_nodes = 8;
    int count = 0;
    std::array<int, most_nodes> node;  ///< the corners of the triangle first
    double area = 0;                   ///< m²
    /// The surface turns by slope[i] per metre across edge i, seen from this triangle: t3 · Σ_j weight[i][j] x_j, 1/m².
    std::array<std::array<double, most_nodes>, 3> weight{};
    /// Of an edge at the rim that is clamped: the direction across it that the surface keeps there, times length over
    /// area; zero for others.
    std::array<Vec3, 3> kept{Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    /// Moment per slope without the bending stiffness: m_i : D : m_k for a unit modulus, Schur-complemented over free
    /// edges at the rim, where no moment acts.
    Eigen::Matrix3d coupling;
};

/// Edges in the order of their first appearance. At most two triangles share one: who makes a shell has checked it.
std::vector<ShellEdge> shell_edges(std::span<const Vec3> rest, std::span<const Tri> triangles);

/// One per triangle, then one per edge of two triangles: what the patch of an edge has beside its best quadratic
/// surface
/// (`slope` is then the part of each such shape, 1/m, `coupling` its stiffness). poisson: per triangle. clamped: per
/// edge, those at the rim across which the surface keeps its direction; empty: none.
std::vector<ShellBend> shell_bends(std::span<const Vec3> rest, std::span<const Tri> triangles,
                                   std::span<const ShellEdge> edges, std::span<const double> poisson,
                                   std::span<const char> clamped = {});

}  // namespace pliant
