#include "pliant/geometry/tet_overlap.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <vector>

#include "geometry/random_point.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/geometry/tet_split.hpp"

namespace pliant {
namespace {

using Nodes = std::array<Vec3, 4>;

double volume_of(const Nodes& t) { return (t[1] - t[0]).cross(t[2] - t[0]).dot(t[3] - t[0]) / 6; }

/// Every side of every face is met by another face, run the other way.
bool closed(const TetOverlap& o) {
    std::map<std::pair<int, int>, int> sides;
    for (const TetOverlap::Face& face : o.face)
        for (int k = 0; k < face.count; ++k) {
            const int a = face.corner[k], b = face.corner[(k + 1) % face.count];
            ++sides[{a, b}], --sides[{b, a}];
        }
    return std::all_of(sides.begin(), sides.end(), [](const auto& s) { return s.second == 0; });
}

// The solid as the intersection of eight half spaces of integer coefficients. Its corners are exact fractions, so what
// belongs to it is decided exactly; the volume is summed in long double.
struct Plane {
    long long n[3], d;  // n·x ≤ d
};
struct Fraction3 {
    long long x[3], w;  // w > 0
};
using Big = __int128;

std::vector<Plane> half_spaces(const std::array<std::array<int, 3>, 4>& t) {
    std::vector<Plane> planes;
    constexpr int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int f = 0; f < 4; ++f) {
        const auto &a = t[faces[f][0]], &b = t[faces[f][1]], &c = t[faces[f][2]], &o = t[f];
        Plane p{};
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            p.n[k] = static_cast<long long>(b[i] - a[i]) * (c[j] - a[j]) -
                     static_cast<long long>(b[j] - a[j]) * (c[i] - a[i]);
        }
        long long other = 0;
        for (int k = 0; k < 3; ++k) p.d += p.n[k] * a[k], other += p.n[k] * o[k];
        if (other > p.d) {  // the tet turns the other way
            for (long long& n : p.n) n = -n;
            p.d = -p.d;
        }
        planes.push_back(p);
    }
    return planes;
}

struct Reference {
    long double volume = 0;
    Vec3 first = Vec3::Zero();
};

Reference reference_overlap(const std::array<std::array<int, 3>, 4>& a, const std::array<std::array<int, 3>, 4>& b) {
    std::vector<Plane> planes = half_spaces(a);
    for (const Plane& p : half_spaces(b)) {
        const auto same = [&](const Plane& q) {  // the same half space twice would count a face twice
            Big dot = 0, nn = 0, qq = 0;
            for (int k = 0; k < 3; ++k)
                dot += Big(p.n[k]) * q.n[k], nn += Big(p.n[k]) * p.n[k], qq += Big(q.n[k]) * q.n[k];
            return dot > 0 && dot * dot == nn * qq && Big(p.d) * p.d * qq == Big(q.d) * q.d * nn &&
                   (p.d > 0) == (q.d > 0);
        };
        if (std::none_of(planes.begin(), planes.end(), same)) planes.push_back(p);
    }
    const auto det = [](const long long* u, const long long* v, const long long* w) {
        return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
               u[2] * (v[0] * w[1] - v[1] * w[0]);
    };
    std::vector<Fraction3> corners;
    const int n = static_cast<int>(planes.size());
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
            for (int k = j + 1; k < n; ++k) {
                const Plane* p[3] = {&planes[i], &planes[j], &planes[k]};
                Fraction3 x{};
                x.w = det(p[0]->n, p[1]->n, p[2]->n);
                if (x.w == 0) continue;
                for (int c = 0; c < 3; ++c) {  // Cramer's rule
                    long long m[3][3];
                    for (int r = 0; r < 3; ++r)
                        for (int q = 0; q < 3; ++q) m[r][q] = q == c ? p[r]->d : p[r]->n[q];
                    x.x[c] = det(m[0], m[1], m[2]);
                }
                if (x.w < 0) x = {{-x.x[0], -x.x[1], -x.x[2]}, -x.w};
                const auto inside = [&](const Plane& q) {
                    return Big(q.n[0]) * x.x[0] + Big(q.n[1]) * x.x[1] + Big(q.n[2]) * x.x[2] <= Big(q.d) * x.w;
                };
                const auto same = [&](const Fraction3& y) {
                    for (int c = 0; c < 3; ++c)
                        if (Big(x.x[c]) * y.w != Big(y.x[c]) * x.w) return false;
                    return true;
                };
                if (std::all_of(planes.begin(), planes.end(), inside) &&
                    std::none_of(corners.begin(), corners.end(), same))
                    corners.push_back(x);
            }
    using Long3 = Eigen::Matrix<long double, 3, 1>;
    std::vector<Long3> at;
    Long3 middle = Long3::Zero();
    for (const Fraction3& x : corners) {
        at.push_back(Long3(x.x[0], x.x[1], x.x[2]) / static_cast<long double>(x.w));
        middle += at.back() / static_cast<long double>(corners.size());
    }
    Reference out;
    Long3 first = Long3::Zero();
    for (const Plane& p : planes) {
        std::vector<Long3> face;
        Long3 center = Long3::Zero();
        for (std::size_t i = 0; i < corners.size(); ++i) {
            const Fraction3& x = corners[i];
            if (Big(p.n[0]) * x.x[0] + Big(p.n[1]) * x.x[1] + Big(p.n[2]) * x.x[2] == Big(p.d) * x.w)
                face.push_back(at[i]), center += at[i];
        }
        if (face.size() < 3) continue;
        center /= static_cast<long double>(face.size());
        const Long3 normal(p.n[0], p.n[1], p.n[2]), u = face[0] - center, v = normal.cross(u);
        std::sort(face.begin(), face.end(), [&](const Long3& s, const Long3& t) {
            return std::atan2((s - center).dot(v) / normal.norm(), (s - center).dot(u)) <
                   std::atan2((t - center).dot(v) / normal.norm(), (t - center).dot(u));
        });
        for (std::size_t i = 0; i < face.size(); ++i) {
            const Long3 &s = face[i], &t = face[(i + 1) % face.size()];
            const long double part = std::abs((s - middle).dot((t - middle).cross(center - middle))) / 6;
            out.volume += part;
            first += part / 4 * (s + t + center + middle);
        }
    }
    out.first = first.cast<double>();
    return out;
}

TEST(TetOverlap, IsThatOfEightHalfSpacesForIntegerTets) {
    // Corners on a grid of 5³ points: coincident faces, edges and corners, containment and touching are the rule.
    Rng rng(11);
    double worst = 0, worst_center = 0;
    int meeting = 0, degenerate = 0;
    for (int i = 0; i < 100000; ++i) {
        std::array<std::array<int, 3>, 4> a, b;
        Nodes x, y;
        const int span = 3 + static_cast<int>(rng.below(3));
        const auto draw = [&](std::array<std::array<int, 3>, 4>& t, Nodes& nodes) {
            do {
                for (int k = 0; k < 4; ++k)
                    for (int c = 0; c < 3; ++c) nodes[k][c] = t[k][c] = static_cast<int>(rng.below(span));
            } while (volume_of(nodes) == 0);
        };
        draw(a, x), draw(b, y);
        const TetOverlap o = overlap(x, y);
        const Reference r = reference_overlap(a, b);
        ASSERT_TRUE(closed(o)) << i;
        meeting += r.volume > 0;
        degenerate += r.volume == 0 && o.corners > 0;
        worst = std::max(worst, std::abs(o.volume - static_cast<double>(r.volume)));
        if (r.volume > 0) worst_center = std::max(worst_center, (o.volume * o.centroid - r.first).norm());
    }
    std::printf("%d of 100000 overlap, %d only touch; worst volume error %.2e, first moment %.2e\n", meeting,
                degenerate, worst, worst_center);
    EXPECT_GT(meeting, 20000);
    EXPECT_LT(worst, 1e-12 / 6);  // relative to 1/6, the smallest tet there is
    EXPECT_LT(worst_center, 5e-12 / 6);
}

TEST(TetOverlap, AddsUpOverASubdivision) {
    Rng rng(12);
    double worst = 0, worst_first = 0;
    for (int i = 0; i < 25000; ++i) {
        Nodes a, b;
        for (Vec3& p : a) p = random_point(rng);
        for (Vec3& p : b) p = random_point(rng);
        if (i % 4 == 1) b[0] = a[1], b[1] = a[2];               // a shared edge
        if (i % 4 == 2) b[0] = a[1], b[1] = a[2], b[2] = a[3];  // a shared face
        std::array<double, 6> t;
        for (double& f : t) f = i % 3 == 0 ? 0.5 : rng.uniform(0.05, 0.95);
        std::vector<Vec3> points(b.begin(), b.end());
        for (int e = 0; e < 6; ++e)
            points.push_back(b[tet_edges[e][0]] + t[e] * (b[tet_edges[e][1]] - b[tet_edges[e][0]]));
        const TetSplit split = split_tet({0, 1, 2, 3}, static_cast<unsigned>(rng.below(64)));
        std::array<RankedPoint, 4> whole, first;
        for (int k = 0; k < 4; ++k) first[k] = {&a[k], 100 + k}, whole[k] = {&points[k], k};
        const ClipTet tet = oriented_tet(first);
        const TetOverlap all = overlap(tet, oriented_tet(whole));
        double sum = 0;
        Vec3 moment = Vec3::Zero();
        for (int s = 0; s < split.count; ++s) {
            std::array<RankedPoint, 4> part;
            for (int k = 0; k < 4; ++k) part[k] = {&points[split.tet[s][k]], split.tet[s][k]};
            const TetOverlap o = overlap(tet, oriented_tet(part));
            ASSERT_TRUE(closed(o));
            sum += o.volume, moment += o.volume * o.centroid;
        }
        worst = std::max(worst, std::abs(sum - all.volume));
        worst_first = std::max(worst_first, (moment - all.volume * all.centroid).norm());
    }
    std::printf("worst difference %.2e m³, first moment %.2e m⁴, in a box of 8 m³\n", worst, worst_first);
    EXPECT_LT(worst, 1e-14);
    EXPECT_LT(worst_first, 1e-14);
}

TEST(TetOverlap, WithItselfWithinAndBeside) {
    Rng rng(13);
    double worst = 0, worst_beside = 0;
    for (int i = 0; i < 5000; ++i) {
        Nodes a;
        for (Vec3& p : a) p = random_point(rng);
        const double whole = std::abs(volume_of(a));
        worst = std::max(worst, std::abs(overlap(a, a).volume - whole));
        Nodes within;  // shares a corner, and parts of three edges
        for (int k = 0; k < 4; ++k) within[k] = 0.5 * (a[0] + a[k]);
        worst = std::max(worst, std::abs(overlap(within, a).volume - whole / 8));
        Nodes beside = a;  // mirrored at a face
        beside[0] = a[1] + a[2] - a[0] + 0.1 * (a[3] - a[1]);
        if (volume_of(beside) * volume_of(a) > 0) continue;
        worst_beside = std::max(worst_beside, overlap(a, beside).volume);
    }
    std::printf("itself and within: %.2e, beside: %.2e\n", worst, worst_beside);
    EXPECT_LT(worst, 1e-14);
    EXPECT_LT(worst_beside, 1e-15);
    // Flat tets have no volume but do no harm.
    const Nodes flat{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)};
    EXPECT_EQ(overlap(flat, flat).volume, 0);
    const Nodes unit{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    EXPECT_LT(overlap(flat, unit).volume, 1e-16);
}

TEST(TetOverlap, BoxesOfTetsHaveTheVolumeAndCentroidOfBoxes) {
    constexpr int kuhn[6][4] = {{0, 4, 6, 7}, {0, 6, 2, 7}, {0, 2, 3, 7}, {0, 3, 1, 7}, {0, 1, 5, 7}, {0, 5, 4, 7}};
    const auto corners = [](const Vec3& low, const Vec3& size) {
        std::vector<Vec3> out;
        for (int i = 0; i < 8; ++i)
            out.push_back(low + Vec3((i >> 2) * size[0], (i >> 1 & 1) * size[1], (i & 1) * size[2]));
        return out;
    };
    Rng rng(14);
    double worst = 0, worst_center = 0;
    for (int i = 0; i < 1000; ++i) {
        Vec3 low = random_point(rng), size = Vec3::Constant(1.5) + random_point(rng);
        if (i % 2 == 0)  // on a grid, where faces and diagonals coincide
            for (int k = 0; k < 3; ++k)
                low[k] = static_cast<double>(rng.below(5)) / 2 - 1, size[k] = 1 + static_cast<double>(rng.below(2));
        const auto p = corners(Vec3::Zero(), Vec3::Constant(2)), q = corners(low, size);
        double volume = 0;
        Vec3 first = Vec3::Zero();
        for (const auto& s : kuhn)
            for (const auto& t : kuhn) {
                std::array<RankedPoint, 4> a, b;
                for (int k = 0; k < 4; ++k) a[k] = {&p[s[k]], s[k]}, b[k] = {&q[t[k]], 8 + t[k]};
                const TetOverlap o = overlap(oriented_tet(a), oriented_tet(b));
                volume += o.volume, first += o.volume * o.centroid;
            }
        const Vec3 from = low.cwiseMax(Vec3::Zero()), to = (low + size).cwiseMin(Vec3::Constant(2));
        const Vec3 extent = (to - from).cwiseMax(Vec3::Zero());
        worst = std::max(worst, std::abs(volume - extent.prod()));
        if (extent.prod() > 0.01) worst_center = std::max(worst_center, (first / volume - 0.5 * (from + to)).norm());
    }
    std::printf("boxes: volume %.2e m³, centroid %.2e m\n", worst, worst_center);
    EXPECT_LT(worst, 1e-13);
    EXPECT_LT(worst_center, 1e-12);
}

TEST(TetOverlap, TheQuickShareIsThatOfTheExactOne) {
    Rng rng(21);
    double off = 0;
    int met = 0;
    for (int n = 0; n < 20000; ++n) {
        std::array<Vec3, 4> a, b;
        for (Vec3& p : a) p = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
        for (Vec3& p : b) p = {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)};
        if (n % 5 == 0) b[0] = a[1], b[2] = 0.5 * (a[0] + a[2]);  // shared corners, corners on edges
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = a[k + 1] - a[0];
        const double whole = std::abs(edges.determinant()) / 6;
        if (whole < 1e-3) continue;
        std::array<Vec4, 4> corner;
        for (int k = 0; k < 4; ++k) {
            const Vec3 w = edges.inverse() * (b[k] - a[0]);
            corner[k] = {1 - w.sum(), w[0], w[1], w[2]};
        }
        const double exact = overlap(a, b).volume;
        met += exact > 0;
        off = std::max(off, std::abs(overlap_share(corner) * whole - exact));
    }
    std::cout << "off by " << off << " m³ at most, " << met << " pairs meet\n";
    EXPECT_LT(off, 1e-11);
    EXPECT_GT(met, 5000);
}

}  // namespace
}  // namespace pliant
