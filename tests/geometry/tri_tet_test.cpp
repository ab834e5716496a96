#include "pliant/geometry/tri_tet.hpp"

#include <gtest/gtest.h>

#include "geometry/random_point.hpp"
#include "pliant/geometry/closest_point.hpp"

namespace pliant {
namespace {

const std::array<Vec3, 4> unit_tet{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};

bool in_tet(const Vec3& p, const std::array<Vec3, 4>& tet, double slack) {
    Mat3 D;
    for (int k = 0; k < 3; ++k) D.col(k) = tet[k + 1] - tet[0];
    const Vec3 w = D.inverse() * (p - tet[0]);
    return w.minCoeff() >= -slack && w.sum() <= 1 + slack;
}

// Smallest distance from samples of the triangle to the tet: zero when a sample is inside.
double sampled_distance(const Vec3& a, const Vec3& b, const Vec3& c, const std::array<Vec3, 4>& tet) {
    constexpr int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    double best = 1e300;
    constexpr int steps = 40;
    for (int i = 0; i <= steps; ++i)
        for (int j = 0; i + j <= steps; ++j) {
            const Vec3 p = a + (b - a) * i / steps + (c - a) * j / steps;
            if (in_tet(p, tet, 0)) return 0;
            for (const auto& f : faces)
                best = std::min(best, distance2_to_triangle(p, tet[f[0]], tet[f[1]], tet[f[2]]));
        }
    return std::sqrt(best);
}

TEST(TriTet, AgreesWithSampling) {
    Rng rng(11);
    int touching = 0, apart = 0;
    for (int n = 0; n < 400; ++n) {
        const std::array<Vec3, 4> tet{random_point(rng), random_point(rng), random_point(rng), random_point(rng)};
        const Vec3 shift = 0.5 * random_point(rng);
        const Vec3 a = random_point(rng) + shift, b = random_point(rng) + shift, c = random_point(rng) + shift;
        const bool touches = triangle_touches_tet(a, b, c, tet);
        const double distance = sampled_distance(a, b, c, tet);
        if (distance == 0) {
            EXPECT_TRUE(touches);
        }
        // Samples lie within 1/40 of an edge of one another: a gap well above that is a gap.
        if (distance > 0.1) {
            EXPECT_FALSE(touches);
        }
        (touches ? touching : apart) += 1;
    }
    EXPECT_GT(touching, 50);
    EXPECT_GT(apart, 50);
}

TEST(TriTet, TouchingCounts) {
    const auto touches = [](const Vec3& a, const Vec3& b, const Vec3& c) {
        return triangle_touches_tet(a, b, c, unit_tet);
    };
    EXPECT_TRUE(touches({0, 0, 0}, {-1, 0, 0}, {0, -1, 0}));                  // at a corner
    EXPECT_TRUE(touches({0.2, 0.2, 0}, {0.2, 0.2, -1}, {0.3, 0.2, -1}));      // a corner on a face
    EXPECT_TRUE(touches({-1, 0, 0}, {2, 0, 0}, {0, -1, 0}));                  // along an edge
    EXPECT_TRUE(touches({0, 0, 0}, {1, 0, 0}, {0, 1, 0}));                    // a face itself
    EXPECT_TRUE(touches({0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}));  // a point inside
    EXPECT_TRUE(touches({-5, -5, 0.25}, {5, -5, 0.25}, {0, 9, 0.25}));        // a huge one across
    EXPECT_FALSE(touches({0, 0, -1e-9}, {1, 0, -1e-9}, {0, 1, -1e-9}));
    EXPECT_FALSE(touches({0.5, 0.5, 0.5}, {1, 1, 1}, {1, 0, 1}));
}

TEST(TriTet, SameAnswerAtAnyScaleAndFarFromTheOrigin) {
    Rng rng(12);
    for (int n = 0; n < 200; ++n) {
        const Vec3 a = random_point(rng), b = random_point(rng), c = random_point(rng);
        const bool one = triangle_touches_tet(a, b, c, unit_tet);
        for (const double s : {0x1p-40, 0x1p40}) {
            std::array<Vec3, 4> tet = unit_tet;
            for (Vec3& p : tet) p *= s;
            EXPECT_EQ(triangle_touches_tet(s * a, s * b, s * c, tet), one);
        }
    }
}

}  // namespace
}  // namespace pliant
