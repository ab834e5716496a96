#include "pliant/geometry/predicates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

using Wide = __int128;

Vec3 grid_point(Rng& rng, int n, double scale = 1) {
    return Vec3(static_cast<double>(rng.below(n)), static_cast<double>(rng.below(n)),
                static_cast<double>(rng.below(n))) *
           scale;
}

/// Exact for integer coordinates below 2³⁰.
int integer_sign(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    Wide m[3][3];
    const Vec3* row[3] = {&b, &c, &d};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) m[i][k] = static_cast<Wide>((*row[i])[k]) - static_cast<Wide>(a[k]);
    const Wide det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                     m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    return (det > 0) - (det < 0);
}

int sign(double x) { return (x > 0) - (x < 0); }

TEST(Predicates, Orient3dIsExactOnIntegers) {
    Rng rng(1);
    int zeros = 0;
    for (int i = 0; i < 20000; ++i) {
        const int n = i % 2 ? 4 : 1 << 30;
        const Vec3 a = grid_point(rng, n), b = grid_point(rng, n), c = grid_point(rng, n);
        Vec3 d = grid_point(rng, n);
        if (i % 4 == 2)
            d = a + (b - a) + (c - a) + Vec3(static_cast<double>(rng.below(3)) - 1, 0, 0);  // almost in the plane
        const int expected = integer_sign(a, b, c, d);
        zeros += expected == 0;
        ASSERT_EQ(sign(orient3d(a, b, c, d)), expected) << i;
        ASSERT_EQ(sign(orient3d(a * 0x1p-40, b * 0x1p-40, c * 0x1p-40, d * 0x1p-40)), expected);
    }
    EXPECT_GT(zeros, 1000);  // the hard cases did occur
}

TEST(Predicates, OneUlpBesideAPlaneIsSeen) {
    // A point moved by one ulp off the plane x + y + z = 1: less than the rounding of plain arithmetic.
    for (int i = 1; i < 200; ++i) {
        const double u = i / 256.0, v = (200 - i) / 512.0;
        const Vec3 a(1, 0, 0), b(0, 1, 0), c(0, 0, 1), on(u, v, 1 - u - v);
        ASSERT_EQ(orient3d(a, b, c, on), 0);
        for (int k = 0; k < 3; ++k) {
            Vec3 above = on, below = on;
            above[k] = std::nextafter(on[k], 2), below[k] = std::nextafter(on[k], -2);
            ASSERT_GT(orient3d(a, b, c, above), 0);
            ASSERT_LT(orient3d(a, b, c, below), 0);
        }
    }
}

TEST(Predicates, TheValueIsGoodWhereTheSignIsInDoubt) {
    const Vec3 a(1, 0, 0), b(0, 1, 0), c(0, 0, 1);
    const double tiny = 0x1p-60;
    EXPECT_NEAR(orient3d(a, b, c, Vec3(0.5, 0.5, tiny)), tiny, 1e-3 * tiny);
    EXPECT_GT(orient2d(Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(0.5, std::nextafter(0.5, 1), 0), 0, 1), 0);
    EXPECT_EQ(orient2d(Vec3(0, 0, 0), Vec3(3, 1, 9), Vec3(6, 2, -5), 0, 1), 0);
}

TEST(Predicates, SidesTurnWithEverySwapAndAreNeverZero) {
    Rng rng(2);
    for (int i = 0; i < 500; ++i) {
        std::array<Vec3, 4> p;
        for (Vec3& q : p) q = grid_point(rng, 2);  // nearly always flat, often coincident
        std::array<int, 4> order{0, 1, 2, 3};
        const auto at = [&](int k) { return RankedPoint{&p[order[k]], order[k] * 10}; };
        const int first = side(at(0), at(1), at(2), at(3));
        ASSERT_EQ(std::abs(first), 1);
        const double exact = orient3d(p[0], p[1], p[2], p[3]);
        ASSERT_TRUE(exact == 0 || first == sign(exact));
        while (std::next_permutation(order.begin(), order.end())) {
            int turn = 1;
            for (int a = 0; a < 4; ++a)
                for (int b = a + 1; b < 4; ++b)
                    if (order[a] > order[b]) turn = -turn;
            ASSERT_EQ(side(at(0), at(1), at(2), at(3)), turn * first);
        }
    }
}

TEST(Predicates, SidesAreThoseOfSomeRealPoints) {
    // Five points have one affine relation Σ λᵢ pᵢ = 0, Σ λᵢ = 0 with λᵢ ∝ (−1)ⁱ det(without i): the signs cannot all
    // agree.
    Rng rng(3);
    for (int i = 0; i < 20000; ++i) {
        std::array<Vec3, 5> p;
        for (Vec3& q : p) q = grid_point(rng, i % 3 == 0 ? 1 : 3);
        int plus = 0;
        for (int k = 0; k < 5; ++k) {
            std::array<RankedPoint, 4> q;
            for (int j = 0, n = 0; j < 5; ++j)
                if (j != k) q[n++] = {&p[j], j};
            plus += side(q[0], q[1], q[2], q[3]) * (k % 2 ? -1 : 1) > 0;
        }
        ASSERT_TRUE(plus > 0 && plus < 5) << i;
    }
}

TEST(Predicates, SmallRealMovesOfTheSameOrderAgree) {
    // The perturbation made real with numbers that fall off fast enough: coordinate k of the point of rank r moves by
    // ε^(2^(3r+k)); only the leading terms matter, so the first two ranks suffice where they decide.
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), d(1, 1, 0);
    const double e = 1e-3;
    const Vec3 a_moved(e, e * e, e * e * e * e);
    const int expected = sign(orient3d(a_moved, b, c, d));
    EXPECT_EQ(side({&a, 0}, {&b, 1}, {&c, 2}, {&d, 3}), expected);
    const Vec3 d_moved = d + a_moved;
    EXPECT_EQ(side({&a, 3}, {&b, 2}, {&c, 1}, {&d, 0}), sign(orient3d(a, b, c, d_moved)));
}

TEST(Predicates, APlaneTellsTheSidesThatFourPointsHave) {
    Rng rng(9);
    int near = 0, quick = 0;
    for (int i = 0; i < 5000; ++i) {
        // Coarse grids put many points into the plane, an ulp beside it is the hardest question.
        const Vec3 shift(0.1, 1e3, -7),
            p[3] = {grid_point(rng, 4, 0.3) + shift, grid_point(rng, 4, 0.3) + shift, grid_point(rng, 4, 0.3) + shift};
        const RankedPoint a{&p[0], 3}, b{&p[1], 1}, c{&p[2], 8};
        const RankedPlane plane(a, b, c);
        for (int k = 0; k < 4; ++k) {
            Vec3 d = grid_point(rng, 4, 0.3) + shift;
            if (k == 1) d = (p[0] + p[1] + p[2]) / 3;
            if (k == 2) d = p[0] + 0.25 * (p[1] - p[0]), d[0] = std::nextafter(d[0], 1e9);
            const RankedPoint at{&d, k < 3 ? 5 : 0};
            ASSERT_EQ(plane.side_of(at), side(a, b, c, at)) << i << " " << k;
            const double value = std::abs(plane.normal.dot(d - p[0])), doubt = plane.doubt.dot((d - p[0]).cwiseAbs());
            ++(value > doubt ? quick : near);
        }
    }
    std::cout << near << " points near the plane, " << quick << " not\n";
    EXPECT_GT(near, 1000);
    EXPECT_GT(quick, 1000);
}

}  // namespace
}  // namespace pliant
