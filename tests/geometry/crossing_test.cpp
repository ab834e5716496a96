#include "pliant/geometry/crossing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "geometry/random_point.hpp"

namespace pliant {
namespace {

using Whole3 = Eigen::Matrix<long long, 3, 1>;

int sign_of_whole(long long v) { return (v > 0) - (v < 0); }

/// The same from whole numbers: the point where the segment goes through the plane, times a common denominator.
Crossing reference_crossing(const Whole3& p, const Whole3& q, const std::array<Whole3, 3>& t) {
    Crossing out;
    const Whole3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
    const long long vp = normal.dot(p - t[0]), vq = normal.dot(q - t[0]);
    if (sign_of_whole(vp) * sign_of_whole(vq) > 0) return out;
    if (vp == 0 && vq == 0) {
        out.kind = Crossing::in_plane;  // not looked into here
        return out;
    }
    const long long denominator = std::abs(vp) + std::abs(vq);
    const Whole3 x = std::abs(vq) * p + std::abs(vp) * q;
    int zeros = 0, zero[3];
    for (int k = 0; k < 3; ++k) {
        const Whole3& a = t[k];
        const long long side = (t[(k + 1) % 3] - a).cross(x - denominator * a).dot(normal);
        if (side < 0) return out;
        if (side == 0) zero[zeros++] = k;
    }
    out.kind = zeros == 0 ? Crossing::face : zeros == 1 ? Crossing::edge : Crossing::corner;
    if (zeros == 1) out.index = static_cast<unsigned char>(zero[0]);
    if (zeros == 2) out.index = static_cast<unsigned char>(zero[0] == 0 && zero[1] == 2 ? 0 : zero[1]);
    out.at = vp == 0 ? Crossing::start : vq == 0 ? Crossing::end : Crossing::inside;
    out.direction = vq != 0 ? sign_of_whole(vq) : -sign_of_whole(vp);
    return out;
}

TEST(Crossing, IsExactOnAGrid) {
    Rng rng(31);
    std::array<int, 5> seen{};
    for (int i = 0; i < 200000; ++i) {
        Whole3 w[5];
        Vec3 d[5];
        // Far from the origin and scaled by no power of two, so that plain arithmetic would round.
        const double scale = i % 2 == 0 ? 1.0 : 0x1.0p-40, shift = i % 2 == 0 ? 0.0 : 1024.0;
        for (int k = 0; k < 5; ++k)
            for (int c = 0; c < 3; ++c)
                w[k][c] = static_cast<long long>(rng.below(5)), d[k][c] = shift + scale * static_cast<double>(w[k][c]);
        const std::array<Whole3, 3> t{w[2], w[3], w[4]};
        if ((t[1] - t[0]).cross(t[2] - t[0]) == Whole3::Zero()) continue;
        const Crossing expected = reference_crossing(w[0], w[1], t),
                       got = classify_crossing(d[0], d[1], {d[2], d[3], d[4]});
        if (expected.kind == Crossing::in_plane) {
            ASSERT_TRUE(got.kind == Crossing::in_plane || got.kind == Crossing::miss);
            ++seen[got.kind];
            continue;
        }
        ASSERT_EQ(got.kind, expected.kind) << i;
        ++seen[got.kind];
        if (got.kind == Crossing::miss) continue;
        ASSERT_EQ(got.at, expected.at) << i;
        ASSERT_EQ(got.direction, expected.direction) << i;
        ASSERT_TRUE(got.kind == Crossing::face || got.index == expected.index) << i;
    }
    std::printf("miss %d, face %d, edge %d, corner %d, in plane %d\n", seen[0], seen[1], seen[2], seen[3], seen[4]);
    for (int n : seen) EXPECT_GT(n, 300);
}

TEST(Crossing, InThePlaneAndWithoutArea) {
    const std::array<Vec3, 3> t{Vec3(0, 0, 0), Vec3(4, 0, 4), Vec3(0, 4, 0)};  // in x = z
    const auto touches = [&](double x0, double y0, double x1, double y1) {
        return classify_crossing({x0, y0, x0}, {x1, y1, x1}, t).kind == Crossing::in_plane;
    };
    EXPECT_TRUE(touches(1, 1, 1.5, 1.5));   // within
    EXPECT_TRUE(touches(-1, 1, 9, 1));      // through
    EXPECT_TRUE(touches(-1, 0, 9, 0));      // along an edge
    EXPECT_TRUE(touches(-1, 1, 0, 1));      // ends on an edge
    EXPECT_TRUE(touches(4, 0, 9, 9));       // starts in a corner
    EXPECT_FALSE(touches(-1, 1, -0.1, 1));  // ends before
    EXPECT_FALSE(touches(4.5, 0, 9, 0));    // on an edge's line, beyond
    EXPECT_FALSE(touches(3, 3, 9, 9));
    const std::array<Vec3, 3> line{Vec3(0, 0, 0), Vec3(2, 2, 2), Vec3(1, 1, 1)};
    EXPECT_EQ(classify_crossing({1.5, 1.5, 0}, {1.5, 1.5, 9}, line).kind, Crossing::in_plane);
    EXPECT_EQ(classify_crossing({1.5, 1.25, 0}, {1.5, 1.25, 9}, line).kind, Crossing::miss);
    EXPECT_EQ(classify_crossing({3, 3, 3}, {9, 9, 9}, line).kind, Crossing::miss);
    EXPECT_EQ(classify_crossing({2, 2, 2}, {9, 9, 9}, line).kind, Crossing::in_plane);
}

TEST(Crossing, ARayThroughAClosedFanCrossesItOnce) {
    // A segment through the hub of a fan, along its spokes and through its rim's corners: after the infinitesimal moves
    // it goes through exactly one triangle where the hub is inside, whatever the ranks.
    Rng rng(32);
    int through = 0;
    for (int i = 0; i < 20000; ++i) {
        std::array<Vec3, 9> p;
        p[0] = Vec3(0, 0, 0);
        constexpr int ring[6][2] = {{2, 0}, {2, 2}, {0, 2}, {-2, 0}, {-2, -2}, {0, -2}};
        for (int k = 0; k < 6; ++k) p[1 + k] = Vec3(ring[k][0], ring[k][1], 0);
        p[7] = Vec3(static_cast<double>(rng.below(3)) - 1, static_cast<double>(rng.below(3)) - 1, -1);
        p[8] = -p[7];
        std::array<int, 9> rank{0, 1, 2, 3, 4, 5, 6, 7, 8};
        for (int k = 8; k > 0; --k) std::swap(rank[k], rank[rng.below(k + 1)]);
        const auto ranked = [&](int k) { return RankedPoint{&p[k], rank[k]}; };
        int crossings = 0;
        for (int k = 0; k < 6; ++k)
            crossings += crossing_side(ranked(7), ranked(8), {ranked(0), ranked(1 + k), ranked(1 + (k + 1) % 6)});
        ASSERT_EQ(crossings, 1);
        ++through;
    }
    EXPECT_EQ(through, 20000);
}

TEST(Crossing, WithAPlane) {
    EXPECT_TRUE(classify_plane_crossing(-1, 3).crosses);
    EXPECT_EQ(classify_plane_crossing(-1, 3).t, 0.25);
    EXPECT_EQ(classify_plane_crossing(3, -1).t, 0.75);
    EXPECT_FALSE(classify_plane_crossing(0, 3).crosses);
    EXPECT_TRUE(classify_plane_crossing(0, 3).from_on);
    EXPECT_EQ(classify_plane_crossing(2, 0).t, 1);
    EXPECT_FALSE(classify_plane_crossing(2, 1).crosses);
    EXPECT_GT(classify_plane_crossing(-1e-300, 1e300).t, -1);
}

}  // namespace
}  // namespace pliant
