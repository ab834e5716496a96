#include "pliant/collision/crossings.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pliant/core/rng.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

namespace {

using Int3 = std::array<long long, 3>;
Int3 minus(const Int3& a, const Int3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Int3 cross_of(const Int3& a, const Int3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
long long dot_of(const Int3& a, const Int3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// Whole numbers, another way: the part of the line of both planes inside each triangle, as fractions along the line.
bool cross_by_intervals(const std::array<Int3, 3>& a, const std::array<Int3, 3>& b) {
    const Int3 na = cross_of(minus(a[1], a[0]), minus(a[2], a[0])), nb = cross_of(minus(b[1], b[0]), minus(b[2], b[0]));
    const Int3 along = cross_of(na, nb);
    struct Fraction {
        __int128 up, down;  // down > 0
        bool operator<(const Fraction& o) const { return up * o.down < o.up * down; }
    };
    const auto interval = [&](const std::array<Int3, 3>& t, const Int3& n, const Int3& origin,
                              std::vector<Fraction>& ends) {
        std::array<long long, 3> d;
        for (int i = 0; i < 3; ++i) d[i] = dot_of(n, minus(t[i], origin));
        const bool both = std::max({d[0], d[1], d[2]}) > 0 && std::min({d[0], d[1], d[2]}) < 0;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3;
            const long long pi = dot_of(along, t[i]), pj = dot_of(along, t[j]);
            if (d[i] == 0) ends.push_back({pi, 1});
            if ((d[i] < 0) != (d[j] < 0) && d[i] != 0 && d[j] != 0) {  // p_i + (p_j − p_i) d_i / (d_i − d_j)
                __int128 down = d[i] - d[j],
                         up = static_cast<__int128>(pi) * down + static_cast<__int128>(pj - pi) * d[i];
                if (down < 0) down = -down, up = -up;
                ends.push_back({up, down});
            }
        }
        return both;
    };
    std::vector<Fraction> ea, eb;
    if (!interval(a, nb, b[0], ea) || !interval(b, na, a[0], eb)) return false;
    const auto [alow, ahigh] = std::minmax_element(ea.begin(), ea.end());
    const auto [blow, bhigh] = std::minmax_element(eb.begin(), eb.end());
    return *alow < *bhigh && *blow < *ahigh;
}

TEST(Crossings, AgreeWithFractionsOnALattice) {
    Rng rng(11);
    int crossing = 0;
    for (int n = 0; n < 200'000; ++n) {
        const int half = 1 + n % 4;  // small: every degeneracy comes up
        std::array<Int3, 3> a, b;
        std::array<Vec3, 3> p, q;
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                a[i][k] = static_cast<long long>(rng.below(2 * half + 1)) - half;
                b[i][k] = static_cast<long long>(rng.below(2 * half + 1)) - half;
            }
            if (i == 0 && n % 5 == 0) b[0] = a[0];  // a shared vertex
            for (int k = 0; k < 3; ++k) p[i][k] = static_cast<double>(a[i][k]), q[i][k] = static_cast<double>(b[i][k]);
        }
        const bool truth = cross_by_intervals(a, b);
        crossing += truth;
        ASSERT_EQ(triangles_cross(p[0], p[1], p[2], q[0], q[1], q[2]), truth) << n;
        ASSERT_EQ(triangles_cross(q[2], q[0], q[1], p[1], p[0], p[2]), truth) << n;
    }
    std::printf("%d of 200,000 lattice pairs cross\n", crossing);
    EXPECT_GT(crossing, 10'000);
}

TEST(Crossings, TouchingIsNone) {
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0);
    const auto with = [&](const Vec3& p, const Vec3& q, const Vec3& r) { return triangles_cross(a, b, c, p, q, r); };
    EXPECT_TRUE(with({0.2, 0.2, -1}, {0.2, 0.3, 1}, {0.3, 0.2, 1}));
    EXPECT_TRUE(with({0.2, 0.2, -1e-300}, {0.2, 0.3, 1}, {0.3, 0.2, 1}));
    EXPECT_FALSE(with({0.2, 0.2, 0}, {0.2, 0.3, 1}, {0.3, 0.2, 1}));   // a vertex on the face
    EXPECT_FALSE(with({0.2, 0.2, 0}, {0.2, 0.3, 0}, {0.3, 0.2, 1}));   // an edge on the face
    EXPECT_FALSE(with({0.1, 0.1, 0}, {0.5, 0.1, 0}, {0.1, 0.5, 0}));   // face on face
    EXPECT_FALSE(with(a, b, {0.3, 0.2, 1}));                           // a common edge
    EXPECT_FALSE(with(a, {0.3, 0.2, 1}, {0.3, 0.2, 2}));               // a common vertex
    EXPECT_TRUE(with(a, {0.3, 0.2, 1}, {0.3, 0.2, -1}));               // the same, through the face
    EXPECT_FALSE(with({0.5, 0, -1}, {0.5, 0, 1}, {0.5, -1, 0}));       // an edge on the edge
    EXPECT_FALSE(with({0.2, 0.2, -1}, {0.2, 0.2, 1}, {0.2, 0.2, 2}));  // no area
}

TriMesh ball(const Vec3& center, double radius, int n) {
    TriMesh mesh;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 2 * n; ++j) {
            const double u = M_PI * i / n, v = M_PI * j / n;
            mesh.points.push_back(center +
                                  radius * Vec3(std::sin(u) * std::cos(v), std::cos(u), std::sin(u) * std::sin(v)));
        }
    const auto at = [&](int i, int j) { return i * 2 * n + j % (2 * n); };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 2 * n; ++j) {
            mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
            mesh.triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
        }
    return mesh;
}

TEST(Crossings, CountsWhatBruteForceCountsForAnyThreadCount) {
    const TriMesh a = ball({0, 0, 0}, 1, 12), b = ball({1.1, 0.2, 0.1}, 0.7, 10), c = ball({5, 0, 0}, 1, 6);
    const std::vector<CheckedSurface> surfaces{
        {a.points, a.triangles}, {b.points, b.triangles}, {c.points, c.triangles}};
    std::vector<CrossingPair> brute;
    for (int s = 0; s < 3; ++s)
        for (int t = s; t < 3; ++t)
            for (int i = 0; i < static_cast<int>(surfaces[s].triangles.size()); ++i)
                for (int j = s == t ? i + 1 : 0; j < static_cast<int>(surfaces[t].triangles.size()); ++j) {
                    const Tri &u = surfaces[s].triangles[i], &v = surfaces[t].triangles[j];
                    const auto &p = surfaces[s].points, &q = surfaces[t].points;
                    if (triangles_cross(p[u[0]], p[u[1]], p[u[2]], q[v[0]], q[v[1]], q[v[2]]))
                        brute.push_back({s, i, t, j});
                }
    for (int count : {1, 2, 3}) {
        Threads threads(count);
        const Crossings found = count_crossings(surfaces, threads);
        EXPECT_EQ(found.pairs, brute);
        EXPECT_EQ(found.count, static_cast<std::int64_t>(brute.size()));
        EXPECT_GT(found.depth, 0);
    }
    EXPECT_GT(brute.size(), 20u);
    Threads threads(1);
    EXPECT_EQ(count_crossings(surfaces, threads, [](int i, int j) { return i == 0 && j == 1; }).count, 0);
    const Crossings few = count_crossings(surfaces, threads, {}, 5);
    EXPECT_EQ(few.pairs.size(), 5u);
    EXPECT_EQ(few.count, static_cast<std::int64_t>(brute.size()));
}

TEST(Crossings, FindASheetPushedThroughItself) {
    // A strip of 8 cells folded over: the far end is pushed through the near one.
    TriMesh strip;
    for (int i = 0; i <= 8; ++i)
        for (int j = 0; j < 2; ++j) strip.points.push_back(Vec3(i, 0.01 * i, j));
    for (int i = 0; i < 8; ++i) {
        strip.triangles.push_back({2 * i, 2 * i + 1, 2 * i + 2});
        strip.triangles.push_back({2 * i + 1, 2 * i + 3, 2 * i + 2});
    }
    Threads threads(1);
    const auto crossings = [&](bool self) {
        const CheckedSurface surface{strip.points, strip.triangles, self};
        return count_crossings({&surface, 1}, threads).count;
    };
    EXPECT_EQ(crossings(true), 0);
    strip.points[16] = Vec3(1.3, -0.5, 0.2), strip.points[17] = Vec3(1.3, -0.5, 0.8);
    strip.points[14] = Vec3(1.4, 0.5, 0.2), strip.points[15] = Vec3(1.4, 0.5, 0.8);
    EXPECT_GT(crossings(true), 0);
    EXPECT_EQ(crossings(false), 0);
}

}  // namespace

}  // namespace pliant
