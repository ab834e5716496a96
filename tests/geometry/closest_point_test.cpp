#include "pliant/geometry/closest_point.hpp"

#include <gtest/gtest.h>

#include "geometry/random_point.hpp"

namespace pliant {
namespace {

void check_is_nearest(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const ClosestOnTriangle near = closest_on_triangle(p, a, b, c);
    ASSERT_TRUE(near.weight.allFinite());
    EXPECT_NEAR(near.weight.sum(), 1, 1e-12);
    EXPECT_GE(near.weight.minCoeff(), 0);
    EXPECT_LT((near.weight[0] * a + near.weight[1] * b + near.weight[2] * c - near.point).norm(), 1e-12);
    EXPECT_NEAR((p - near.point).squaredNorm(), near.distance2, 1e-12);
    constexpr int steps = 24;
    for (int i = 0; i <= steps; ++i)
        for (int j = 0; i + j <= steps; ++j) {
            const Vec3 q = a + (b - a) * i / steps + (c - a) * j / steps;
            ASSERT_LE(near.distance2, (p - q).squaredNorm() + 1e-14);
        }
}

TEST(ClosestPoint, BeatsEverySampleOfRandomTriangles) {
    Rng rng(3);
    for (int n = 0; n < 300; ++n) {
        const Vec3 a = random_point(rng), b = random_point(rng), c = random_point(rng);
        check_is_nearest(2 * random_point(rng), a, b, c);
    }
}

TEST(ClosestPoint, DegenerateTrianglesAreTheirEdges) {
    Rng rng(4);
    for (int n = 0; n < 100; ++n) {
        const Vec3 p = 2 * random_point(rng), a = random_point(rng), b = random_point(rng);
        check_is_nearest(p, a, b, a + 0.3 * (b - a));         // a line, c within
        check_is_nearest(p, a, b, b + 2 * (b - a));           // a line, c beyond
        check_is_nearest(p, a, a, b);                         // two points in one place
        check_is_nearest(p, a, a, a);                         // a point
        check_is_nearest(p, a, b, 0.5 * (a + b) + 1e-9 * p);  // a sliver
    }
}

TEST(ClosestPoint, NamesTheFeature) {
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
    const auto feature = [&](double x, double y) { return closest_on_triangle(Vec3(x, y, 1), a, b, c).feature; };
    EXPECT_EQ(feature(0.2, 0.2), TriangleFeature::face);
    EXPECT_EQ(feature(0.5, -1), TriangleFeature::edge_ab);
    EXPECT_EQ(feature(0.5, 0), TriangleFeature::edge_ab);
    EXPECT_EQ(feature(1, 1), TriangleFeature::edge_bc);
    EXPECT_EQ(feature(-1, 0.5), TriangleFeature::edge_ca);
    EXPECT_EQ(feature(-1, -1), TriangleFeature::vertex_a);
    EXPECT_EQ(feature(0, 0), TriangleFeature::vertex_a);
    EXPECT_EQ(feature(3, 0), TriangleFeature::vertex_b);
    EXPECT_EQ(feature(-0.1, 3), TriangleFeature::vertex_c);
}

TEST(ClosestPoint, ScaleChangesNothingButTheScale) {
    Rng rng(5);
    for (int n = 0; n < 50; ++n) {
        const Vec3 p = random_point(rng), a = random_point(rng), b = random_point(rng), c = random_point(rng);
        const ClosestOnTriangle one = closest_on_triangle(p, a, b, c);
        for (const double s : {0x1p-40, 0x1p40}) {
            const ClosestOnTriangle other = closest_on_triangle(s * p, s * a, s * b, s * c);
            EXPECT_EQ(other.feature, one.feature);
            EXPECT_EQ(other.weight, one.weight);
        }
    }
}

}  // namespace
}  // namespace pliant
