#pragma once
// The point of a triangle or a segment nearest to a given point, with weights and the feature it lies on.

#include "pliant/core/types.hpp"

namespace pliant {

/// Where on a triangle (a, b, c) a point lies. edge_ab joins vertices a and b, and so on.
enum class TriangleFeature : unsigned char { face, edge_ab, edge_bc, edge_ca, vertex_a, vertex_b, vertex_c };

struct ClosestOnTriangle {
    Vec3 point;
    Vec3 weight;  ///< barycentric, each within [0, 1], sum 1: point = weight · (a, b, c)
    double distance2;
    TriangleFeature feature;
};

/// Never fails: a triangle that is a line or a point (or so thin that its plane is lost in rounding) is treated
/// as its edges. On a tie between features a vertex goes before an edge, an edge before the face.
ClosestOnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// The squared distance alone.
inline double distance2_to_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    return closest_on_triangle(p, a, b, c).distance2;
}

struct ClosestOnSegment {
    Vec3 point;
    double t;  ///< 0 at a, 1 at b
    double distance2;
};

/// A segment of length zero is its first end.
ClosestOnSegment closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b);

}  // namespace pliant
