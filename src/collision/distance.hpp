#pragma once
// The nearest points of a vertex and a face, and of two edges, as coefficients of the four points.

#include <array>

#include "pliant/core/types.hpp"

namespace pliant {

/// Which two features face each other. vertex_face: points are the vertex, then the face's three.
/// edge_edge: points are the ends of one edge, then those of the other.
enum class PairKind : unsigned char { vertex_face, edge_edge };

using FourPoints = std::array<Vec3, 4>;

/// difference = Σ coefficient · point leads from the nearest point of the second feature to that of the first.
/// Coefficients of the first feature are positive and sum to 1, those of the second are negative and sum to −1.
/// A coefficient is exactly 0 where its point has no part, so that the zeros name the vertex, edge or face that is
/// near.
struct ClosestPair {
    std::array<double, 4> coefficient;
    Vec3 difference;   ///< m
    double distance2;  ///< m²
};

/// Never fails: a face without area is treated as its edges, parallel edges as their ends, an edge without length as
/// a point.
ClosestPair closest_vertex_face(const FourPoints& x);
ClosestPair closest_edge_edge(const FourPoints& x);
ClosestPair closest(PairKind kind, const FourPoints& x);

}  // namespace pliant
