#pragma once
// An exact count of triangle pairs that cross: the judge of contact, which shares nothing with what it judges.
//
// Two triangles cross when their interiors meet and neither lies in the plane of the other. Touching is none: a common
// vertex or edge, a vertex on a face, faces that lie on each other. All signs are exact (geometry/predicates.hpp), so a
// surface needs no list of neighbours: those share points, and what they share is touching. A triangle without area
// crosses nothing.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

struct CheckedSurface {
    std::span<const Vec3> points;  ///< m
    std::span<const Tri> triangles;
    bool with_itself = true;  ///< false: pairs of its own triangles do not count
};

struct CrossingPair {
    int surface_a, triangle_a, surface_b, triangle_b;  ///< surface_a ≤ surface_b; within one, triangle_a < triangle_b

    auto operator<=>(const CrossingPair&) const = default;
};

struct Crossings {
    std::int64_t count = 0;
    std::vector<CrossingPair> pairs;  ///< ascending; at most as many as were asked for
    /// m: how far the most entangled pair would have to be moved apart, along the normal of one of its triangles;
    /// above 0 whenever anything crosses. A measure of pairs of triangles, not of bodies.
    double depth = 0;
};

/// True when the interiors of (a, b, c) and (p, q, r) cross.
bool triangles_cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p, const Vec3& q, const Vec3& r);

/// excluded(i, j), i ≤ j: pairs of surfaces that do not count; empty: all count. max_listed bounds the memory of
/// `pairs`; all crossings are counted.
Crossings count_crossings(std::span<const CheckedSurface> surfaces, Threads& threads,
                          const std::function<bool(int, int)>& excluded = {}, std::size_t max_listed = 100'000);

}  // namespace pliant
