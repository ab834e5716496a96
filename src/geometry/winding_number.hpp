#pragma once
// The generalised winding number of a triangle set: 1 inside a closed surface, 0 outside, and a smooth value in
// between where the surface has holes (Jacobson et al. 2013). Needs no connectivity, so soups, duplicated points
// and intersecting triangles are all the same to it. Far clusters of triangles are seen through their moments
// (Barill et al. 2018, "Fast winding numbers for soups and clouds").

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// The winding number of one triangle: its signed solid angle seen from p over 4π, within [-1/2, 1/2]; positive
/// when p is behind the triangle (it is seen clockwise). Zero for a flat triangle, and for p on its corners.
double triangle_winding(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

class WindingNumber {
public:
    WindingNumber() = default;
    WindingNumber(std::span<const Vec3> points, std::span<const Tri> triangles);

    bool empty() const { return nodes_.empty(); }

    /// Within about 0.005 of the exact sum for ordinary surfaces; exact where triangles are near.
    double operator()(const Vec3& p) const;

    /// The value at a ball's centre, and how far values inside the ball can lie from it (a bound, up to the error
    /// of the far field). Lets callers decide whole regions with one look.
    struct Range {
        double value = 0;
        double variation = 0;
    };
    Range over_ball(const Vec3& center, double radius) const;

    /// values[i] at points[i], all of which lie in the given ball: one walk through the tree for all.
    void evaluate(const Vec3& center, double radius, std::span<const Vec3> points, std::span<double> values) const;

private:
    struct Corners {
        Vec3 a, b, c;
    };
    struct Node {
        Vec3 center;                // area-weighted
        double radius;              // every triangle of the node lies in this ball
        double area;                // of all triangles, whatever their orientation
        Vec3 normal;                // Σ area · n
        Mat3 moment;                // Σ area · (centroid - center) · nᵀ
        Vec3 trace;                 // 2 Σ area · M n + Σ area · tr(M) n, M = mean of (x - center)(x - center)ᵀ
        double cubic[10];           // Σ area · (rᵀ M r)(n · r) as a polynomial in r
        std::int32_t first, count;  // triangles; a contiguous range for inner nodes too
        std::int32_t right;         // inner: second child, the first is the next node; leaf: -1
    };

    std::int32_t build(std::int32_t begin, std::int32_t end);
    static double far_value(const Node& node, const Vec3& p);
    template <class Far, class Near>
    void walk(const Vec3& center, double radius, Far&& far, Near&& near) const;

    std::vector<Node> nodes_;
    std::vector<Corners> triangles_;
};

}  // namespace pliant
