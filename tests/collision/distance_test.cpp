#include "pliant/collision/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/core/rng.hpp"

namespace pliant {

namespace {

/// Least distance over a grid of both features: at most one cell's diagonal above the true one.
double by_brute_force(PairKind kind, const FourPoints& x, int n) {
    double best = INFINITY;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
            const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
            if (kind == PairKind::vertex_face) {
                if (u + v > 1) continue;
                best = std::min(best, (x[0] - (1 - u - v) * x[1] - u * x[2] - v * x[3]).norm());
            } else {
                best = std::min(best, ((1 - u) * x[0] + u * x[1] - (1 - v) * x[2] - v * x[3]).norm());
            }
        }
    return best;
}

TEST(Distance, AgreesWithAGridAndItsOwnCoefficients) {
    Rng rng(3);
    for (int n = 0; n < 1000; ++n) {
        const PairKind kind = n % 2 ? PairKind::vertex_face : PairKind::edge_edge;
        FourPoints x;
        for (Vec3& p : x) p = Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        if (n % 5 == 0) x[3] = x[2] + 0.5 * (x[1] - x[0]);  // parallel edges
        if (n % 7 == 0) x[3] = x[2];                        // no length, no area
        const ClosestPair near = closest(kind, x);
        Vec3 difference = Vec3::Zero();
        double first = 0, second = 0;
        for (int i = 0; i < 4; ++i) {
            difference += near.coefficient[i] * x[i];
            (i < (kind == PairKind::vertex_face ? 1 : 2) ? first : second) += near.coefficient[i];
        }
        EXPECT_NEAR(first, 1, 1e-14);
        EXPECT_NEAR(second, -1, 1e-14);
        EXPECT_LT((difference - near.difference).norm(), 1e-13);
        EXPECT_NEAR(near.distance2, near.difference.squaredNorm(), 1e-15);
        const double grid = by_brute_force(kind, x, 100);
        EXPECT_LE(std::sqrt(near.distance2), grid + 1e-14);
        EXPECT_GE(std::sqrt(near.distance2), grid - 0.07);
    }
}

TEST(Distance, ZerosNameTheFeatures) {
    const auto zeros = [](const ClosestPair& near) {
        std::array<int, 4> z;
        for (int i = 0; i < 4; ++i) z[i] = near.coefficient[i] == 0;
        return z;
    };
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
    EXPECT_EQ(zeros(closest_vertex_face({Vec3(0.2, 0.2, 1), a, b, c})), (std::array{0, 0, 0, 0}));
    EXPECT_EQ(zeros(closest_vertex_face({Vec3(0.5, -1, 1), a, b, c})), (std::array{0, 0, 0, 1}));
    EXPECT_EQ(zeros(closest_vertex_face({Vec3(3, -1, 1), a, b, c})), (std::array{0, 1, 0, 1}));
    EXPECT_EQ(closest_vertex_face({b, a, b, c}).distance2, 0);
    EXPECT_EQ(zeros(closest_edge_edge({a, b, Vec3(0.5, -1, 1), Vec3(0.5, 1, 1)})), (std::array{0, 0, 0, 0}));
    EXPECT_EQ(zeros(closest_edge_edge({a, b, Vec3(0.5, 1, 1), Vec3(0.5, 2, 1)})), (std::array{0, 0, 0, 1}));
    EXPECT_EQ(zeros(closest_edge_edge({a, b, Vec3(2, 1, 1), Vec3(3, 2, 1)})), (std::array{1, 0, 0, 1}));
}

}  // namespace

}  // namespace pliant
