#pragma once
// Keeps a surface that is edited from going through itself: whether a triangle at some place would.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/geometry/crossing.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// Triangles by the cells of a grid that their boxes meet, hashed. Triangles that moved or went stay in it: whoever
/// asks looks at where they are.
class TriangleGrid {
public:
    TriangleGrid(double cell, std::size_t triangles) : cell_(cell) {
        while (buckets_.size() < 2 * triangles) buckets_.resize(std::max<std::size_t>(64, 2 * buckets_.size()));
    }
    void add(int triangle, const Box& box) {
        each_bucket(box, [&](std::vector<int>& bucket) {
            if (bucket.empty() || bucket.back() != triangle) bucket.push_back(triangle);
        });
    }
    /// True if test(triangle) is for some triangle near the box.
    template <class Test>
    bool any(const Box& box, Test&& test) {
        bool found = false;
        each_bucket(box, [&](std::vector<int>& bucket) {
            for (std::size_t i = 0; i < bucket.size() && !found; ++i) found = test(bucket[i]);
        });
        return found;
    }

private:
    template <class F>
    void each_bucket(const Box& box, F&& f) {
        std::array<std::int64_t, 3> from, to, at;
        for (int k = 0; k < 3; ++k) {
            from[k] = static_cast<std::int64_t>(std::floor(box.min[k] / cell_));
            to[k] = static_cast<std::int64_t>(std::floor(box.max[k] / cell_));
        }
        for (at[2] = from[2]; at[2] <= to[2]; ++at[2])
            for (at[1] = from[1]; at[1] <= to[1]; ++at[1])
                for (at[0] = from[0]; at[0] <= to[0]; ++at[0]) {
                    std::uint64_t hash = 0;
                    for (std::int64_t c : at) hash = (hash ^ static_cast<std::uint64_t>(c)) * 0x9e3779b97f4a7c15ULL;
                    f(buckets_[(hash >> 20) & (buckets_.size() - 1)]);
                }
    }

    double cell_;
    std::vector<std::vector<int>> buckets_;
};

inline bool triangles_meet(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
    for (int k = 0; k < 3; ++k)
        if (classify_crossing(a[k], a[(k + 1) % 3], b).kind != Crossing::miss ||
            classify_crossing(b[k], b[(k + 1) % 3], a).kind != Crossing::miss)
            return true;
    return false;
}

class CrossingGuard {
public:
    /// Of a surface that is edited in place: triangles that are gone have indices −1. `cell`: about two edges, m.
    CrossingGuard(const std::vector<Vec3>& points, const std::vector<Tri>& triangles, double cell)
        : x_(points), tri_(triangles), grid_(cell, triangles.size()) {}

    /// A triangle that is new, or has moved.
    void add(int t) {
        if (tri_[t][0] >= 0) grid_.add(t, box_of(corners(tri_[t])));
    }

    /// A triangle with these corners, at these places, would go through one that has none of them, nor `too`.
    bool crosses(const Tri& at, const std::array<Vec3, 3>& places, int too = -1) {
        const Box box = box_of(places);
        return grid_.any(box, [&](int t) {
            const Tri& other = tri_[t];
            if (other[0] < 0) return false;
            for (int v : other)
                if (v == too || std::find(at.begin(), at.end(), v) != at.end()) return false;
            const std::array<Vec3, 3> there = corners(other);
            return box_of(there).overlaps(box) && triangles_meet(places, there);
        });
    }

    /// Calls f(triangle) for those near the box, some more than once, until it returns true.
    template <class F>
    bool any_near(const Box& box, F&& f) {
        return grid_.any(box, [&](int t) { return tri_[t][0] >= 0 && f(t); });
    }

private:
    std::array<Vec3, 3> corners(const Tri& t) const { return {x_[t[0]], x_[t[1]], x_[t[2]]}; }
    static Box box_of(const std::array<Vec3, 3>& corners) {
        Box box;
        for (const Vec3& p : corners) box.add(p);
        return box;
    }

    const std::vector<Vec3>& x_;
    const std::vector<Tri>& tri_;
    TriangleGrid grid_;
};

}  // namespace pliant
