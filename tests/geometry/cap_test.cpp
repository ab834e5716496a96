#include "pliant/geometry/cap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

double area(const std::vector<CapVertex>& v, const Cap& cap, double* absolute = nullptr) {
    double sum = 0, size = 0;
    const auto p = [&](int i) { return i < static_cast<int>(v.size()) ? v[i].p : cap.extra[i - v.size()]; };
    for (const Tri& t : cap.triangles) {
        const Vec2 a = p(t[1]) - p(t[0]), b = p(t[2]) - p(t[0]);
        sum += 0.5 * (a[0] * b[1] - a[1] * b[0]), size += 0.5 * std::abs(a[0] * b[1] - a[1] * b[0]);
    }
    if (absolute) *absolute = size;
    return sum;
}

/// The edges of the triangles, less those used in both directions, are exactly the loops; none is used twice.
void expect_boundary(const Cap& cap, const std::vector<int>& loops, const std::vector<int>& ends) {
    std::map<std::pair<int, int>, int> uses;
    for (const Tri& t : cap.triangles)
        for (int k = 0; k < 3; ++k) ASSERT_EQ(++uses[std::make_pair(t[k], t[(k + 1) % 3])], 1);
    for (std::size_t i = 0, begin = 0; i < ends.size(); begin = ends[i++])
        for (std::size_t j = begin, n = ends[i]; j < n; ++j) {
            const auto edge = std::make_pair(loops[j], loops[j + 1 < n ? j + 1 : begin]);
            ASSERT_EQ(uses[edge], 1);
            ASSERT_EQ(uses.count({edge.second, edge.first}), 0u);
            uses.erase(edge);
        }
    for (const auto& [edge, count] : uses) ASSERT_EQ(uses.count({edge.second, edge.first}), 1u);
}

struct Drawing {
    std::vector<CapVertex> vertices;
    std::vector<int> loops, ends;

    void ring(const Vec2& centre, double radius, int n, bool hole, Rng* rough = nullptr) {
        for (int i = 0; i < n; ++i) {
            const double angle = (hole ? -1 : 1) * 2 * M_PI * i / n,
                         r = radius * (rough ? rough->uniform(0.3, 1) : 1.0);
            loops.push_back(static_cast<int>(vertices.size()));
            vertices.push_back({centre + r * Vec2(std::cos(angle), std::sin(angle)), {-1, -1}});
        }
        ends.push_back(static_cast<int>(loops.size()));
    }
    static double ring_area(double r, int n) { return 0.5 * n * r * r * std::sin(2 * M_PI / n); }
};

TEST(Cap, RegionsWithHolesAndIslands) {
    Drawing d;
    d.ring({0, 0}, 10, 40, false);
    d.ring({4, 0}, 2, 12, true);
    d.ring({-4, 1}, 3, 7, true);
    d.ring({-4, 1}, 1, 9, false);  // an island in a hole
    d.ring({0, -7}, 1, 5, true);
    d.ring({30, 0}, 2, 8, false);
    const Cap cap = fill_loops(d.vertices, d.loops, d.ends);
    double absolute;
    const double expected = Drawing::ring_area(10, 40) - Drawing::ring_area(2, 12) - Drawing::ring_area(3, 7) +
                            Drawing::ring_area(1, 9) - Drawing::ring_area(1, 5) + Drawing::ring_area(2, 8);
    EXPECT_NEAR(area(d.vertices, cap, &absolute), expected, 1e-12 * expected);
    EXPECT_NEAR(absolute, expected, 1e-12 * expected);  // nothing overlaps
    EXPECT_TRUE(cap.extra.empty());
    expect_boundary(cap, d.loops, d.ends);
}

TEST(Cap, JaggedRingsStayCovered) {
    Rng rng(8);
    for (int i = 0; i < 200; ++i) {
        Drawing d;
        d.ring({0, 0}, 10, 30, false, &rng);
        d.ring({0, 0}, 2, 10, true, &rng);
        const Cap cap = fill_loops(d.vertices, d.loops, d.ends);
        expect_boundary(cap, d.loops, d.ends);
        double absolute;
        const double signed_area = area(d.vertices, cap, &absolute);
        EXPECT_NEAR(absolute, signed_area, 1e-9 * absolute);
    }
}

TEST(Cap, AnyCoordinatesGiveTheRightBoundary) {
    // Crossing, repeated and collinear points; every vertex on some line or none.
    Rng rng(9);
    for (int i = 0; i < 3000; ++i) {
        Drawing d;
        const int rings = 1 + static_cast<int>(rng.below(4));
        for (int r = 0; r < rings; ++r) d.ring({0, 0}, 1, 3 + static_cast<int>(rng.below(7)), rng.below(2) == 0);
        const int grid = 1 + static_cast<int>(rng.below(5));
        for (CapVertex& v : d.vertices) {
            v.p = Vec2(static_cast<double>(rng.below(grid)), static_cast<double>(rng.below(grid)));
            v.line[0] = static_cast<int>(rng.below(4)) - 1;
        }
        // Neighbours on a loop may share a line; edges across it may not.
        const Cap cap = fill_loops(d.vertices, d.loops, d.ends);
        expect_boundary(cap, d.loops, d.ends);
        for (const CapVertex& v : d.vertices) ASSERT_TRUE(v.p.allFinite());
    }
}

TEST(Cap, NoEdgeAlongALine) {
    // A triangle with three more points on each side: nothing may be drawn along the sides.
    Drawing d;
    const Vec2 corner[3] = {{0, 0}, {4, 0}, {0, 4}};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 4; ++j) {
            d.loops.push_back(static_cast<int>(d.vertices.size()));
            d.vertices.push_back(
                {corner[k] + (corner[(k + 1) % 3] - corner[k]) * (j / 4.0), {k, j == 0 ? (k + 2) % 3 : -1}});
        }
    d.ends.push_back(12);
    const Cap cap = fill_loops(d.vertices, d.loops, d.ends);
    EXPECT_EQ(cap.triangles.size(), 10u);
    EXPECT_NEAR(area(d.vertices, cap), 8, 1e-14);
    expect_boundary(cap, d.loops, d.ends);
    for (const Tri& t : cap.triangles) {
        const Vec2 a = d.vertices[t[1]].p - d.vertices[t[0]].p, b = d.vertices[t[2]].p - d.vertices[t[0]].p;
        EXPECT_GT(a[0] * b[1] - a[1] * b[0], 0.1);
    }
}

}  // namespace
}  // namespace pliant
