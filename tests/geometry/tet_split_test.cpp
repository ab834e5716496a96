#include "pliant/geometry/tet_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

#include "geometry/random_point.hpp"
#include "pliant/geometry/fragments.hpp"

namespace pliant {
namespace {

double volume_of(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return (b - a).cross(c - a).dot(d - a) / 6;
}

/// A block of 2 × 2 × 2 cubes of six tets each, its inner node moved, with nodes numbered at random.
struct Block {
    std::vector<Vec3> x;
    std::vector<Tet> tets;

    explicit Block(Rng& rng) {
        std::vector<int> number(27);
        std::iota(number.begin(), number.end(), 0);
        for (int i = 26; i > 0; --i) std::swap(number[i], number[rng.below(i + 1)]);
        x.resize(27);
        for (int i = 0; i < 27; ++i) x[number[i]] = Vec3(i / 9, i / 3 % 3, i % 3);
        x[number[13]] += 0.2 * random_point(rng);
        constexpr int kuhn[6][4] = {{0, 4, 6, 7}, {0, 6, 2, 7}, {0, 2, 3, 7}, {0, 3, 1, 7}, {0, 1, 5, 7}, {0, 5, 4, 7}};
        for (int cube = 0; cube < 8; ++cube)
            for (const auto& k : kuhn) {
                Tet t;
                for (int j = 0; j < 4; ++j) {
                    const int c = k[j],
                              at[3] = {(cube >> 2) + (c >> 2), (cube >> 1 & 1) + (c >> 1 & 1), (cube & 1) + (c & 1)};
                    t[j] = number[9 * at[0] + 3 * at[1] + at[2]];
                }
                if (volume_of(x[t[0]], x[t[1]], x[t[2]], x[t[3]]) < 0) std::swap(t[2], t[3]);
                tets.push_back(t);
            }
    }
};

/// A node, or a point on an edge: both ends.
using Name = std::pair<int, int>;
Name name_of(const Tet& t, int corner) {
    if (corner < 4) return {t[corner], t[corner]};
    return std::minmax(t[tet_edges[corner - 4][0]], t[tet_edges[corner - 4][1]]);
}

constexpr int split_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/// Faces of all parts meet in pairs that turn against each other, but for those in the block's own faces.
bool conforms(const Block& block, const std::vector<TetSplit>& splits, const std::map<Name, Vec3>& at) {
    std::map<std::array<Name, 3>, int> uses;
    for (std::size_t t = 0; t < block.tets.size(); ++t)
        for (int s = 0; s < splits[t].count; ++s)
            for (const auto& f : split_faces) {
                std::array<Name, 3> key;
                for (int k = 0; k < 3; ++k) key[k] = name_of(block.tets[t], splits[t].tet[s][f[k]]);
                int turn = 1;
                for (int i = 0; i < 3; ++i)
                    for (int j = i + 1; j < 3; ++j)
                        if (key[j] < key[i]) std::swap(key[i], key[j]), turn = -turn;
                uses[key] += turn;
            }
    for (const auto& [key, count] : uses) {
        if (count == 0) continue;
        bool outside = false;  // all three in one face of the block
        for (int axis = 0; axis < 3; ++axis)
            for (double plane : {0.0, 2.0}) {
                bool all = true;
                for (const Name& n : key) all &= at.at(n)[axis] == plane;
                outside |= all;
            }
        if (!outside || std::abs(count) != 1) return false;
    }
    return true;
}

Vec3 point_of(const Block& block, const Name& n, double t) {
    return block.x[n.first] + t * (block.x[n.second] - block.x[n.first]);
}

TEST(TetSplit, PlanesCutABlockIntoHalvesThatConform) {
    Rng rng(21);
    double worst = 0, worst_share = 0;
    long long parts = 0, uncut = 0;
    std::array<long long, 7> counts{};
    for (int i = 0; i < 2100; ++i) {  // 48 tets each: 10⁵ splits
        const Block block(rng);
        // Integer planes run through nodes, along edges and in faces; others nearly so or anyhow.
        Vec3 normal = random_point(rng);
        double offset = normal.dot(Vec3::Constant(1) + 0.7 * random_point(rng));
        if (i % 3 != 0) {
            do {
                for (int k = 0; k < 3; ++k) normal[k] = static_cast<double>(rng.below(5)) - 2;
            } while (normal.isZero(0.0));
            offset = normal.dot(Vec3(rng.below(3), rng.below(3), rng.below(3)));
        }
        if (i % 3 == 2) normal += 1e-9 * random_point(rng);
        std::vector<double> distance;
        for (const Vec3& p : block.x) distance.push_back(normal.dot(p) - offset);
        std::vector<TetSplit> splits;
        std::map<Name, Vec3> at;
        for (const Tet& t : block.tets) {
            const std::array<double, 4> d{distance[t[0]], distance[t[1]], distance[t[2]], distance[t[3]]};
            const TetSplit split = split_tet(t, d);
            splits.push_back(split);
            ++counts[split.count], parts += split.count, uncut += split.count == 1;
            std::array<Vec3, 10> p;
            for (int c = 0; c < 10; ++c) {
                const Name n = name_of(t, c);
                if (c >= 4 && !(divided_edges(d) >> (c - 4) & 1)) continue;
                // Found from the edge's lower end, so that all tets round it find the same bits.
                const double u = distance[n.first], v = distance[n.second];
                at[n] = p[c] = c < 4 ? block.x[t[c]] : point_of(block, n, u / (u - v));
            }
            const double whole = volume_of(p[0], p[1], p[2], p[3]);
            double sum = 0, below = 0;
            for (int s = 0; s < split.count; ++s) {
                const SplitTet& c = split.tet[s];
                const double v = volume_of(p[c[0]], p[c[1]], p[c[2]], p[c[3]]);
                ASSERT_GT(v, -1e-15);  // turned like the whole; flat where a plane passes within rounding of a node
                sum += v, below += split.side[s] < 0 ? v : 0;
                for (int corner : c) ASSERT_TRUE(corner >= 4 || d[corner] * split.side[s] >= 0);
            }
            worst = std::max(worst, std::abs(sum - whole) / whole);
            const TetPart low = part_of_tet(d, -1), high = part_of_tet(d, 1);
            if (split.side[0] != 0 && !(d[0] == 0 && d[1] == 0 && d[2] == 0 && d[3] == 0)) {
                worst_share = std::max(worst_share, std::abs(low.volume + high.volume - 1));
                worst_share = std::max(worst_share, std::abs(low.volume - below / whole));
                worst_share = std::max(
                    worst_share, (low.volume * low.center + high.volume * high.center - Vec4::Constant(0.25)).norm());
            }
        }
        ASSERT_TRUE(conforms(block, splits, at)) << i;
    }
    std::printf(
        "%lld tets to %lld parts (%lld whole; 2: %lld, 3: %lld, 4: %lld, 6: %lld); volumes add up to %.1e, shares to "
        "%.1e\n",
        2100LL * 48, parts, uncut, counts[2], counts[3], counts[4], counts[6], worst, worst_share);
    for (int n : {2, 3, 4, 6}) EXPECT_GT(counts[n], 100) << n;
    EXPECT_EQ(counts[5], 0);
    EXPECT_LT(worst, 1e-14);
    EXPECT_LT(worst_share, 1e-14);
}

TEST(TetSplit, AnyEdgesConform) {
    Rng rng(22);
    int most = 0;
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const Block block(rng);
        std::map<Name, Vec3> at;
        const double share = rng.uniform();
        std::map<Name, bool> divided;
        std::vector<TetSplit> splits;
        for (const Tet& t : block.tets) {
            unsigned edges = 0;
            std::array<Vec3, 10> p;
            for (int k = 0; k < 4; ++k) at[name_of(t, k)] = p[k] = block.x[t[k]];
            for (int e = 0; e < 6; ++e) {
                const Name n = name_of(t, 4 + e);
                if (!divided.count(n)) {
                    divided[n] = rng.uniform() < share;
                    at[n] = point_of(block, n, rng.uniform(0.1, 0.9));
                }
                p[4 + e] = at[n];
                edges |= (divided[n] ? 1u : 0u) << e;
            }
            splits.push_back(split_tet(t, edges));
            most = std::max(most, splits.back().count);
            double sum = 0;
            for (int s = 0; s < splits.back().count; ++s) {
                const SplitTet& c = splits.back().tet[s];
                const double v = volume_of(p[c[0]], p[c[1]], p[c[2]], p[c[3]]);
                ASSERT_GT(v, 0);
                sum += v;
            }
            worst = std::max(worst, std::abs(sum / volume_of(p[0], p[1], p[2], p[3]) - 1));
        }
        ASSERT_TRUE(conforms(block, splits, at)) << i;
    }
    std::printf("at most %d parts; volumes add up to %.1e\n", most, worst);
    EXPECT_LT(worst, 1e-14);
}

TEST(TetSplit, EveryOrderOfEdgesFits) {
    // All sets of edges, all numberings: the room for parts is enough.
    int most = 0;
    Tet number{0, 1, 2, 3};
    do {
        for (unsigned edges = 0; edges < 64; ++edges) most = std::max(most, split_tet(number, edges).count);
    } while (std::next_permutation(number.begin(), number.end()));
    std::printf("%d parts at most\n", most);
    EXPECT_EQ(most, static_cast<int>(TetSplit{}.tet.size()));
}

TEST(TetSplit, SectionsTurnTowardsThePositiveSide) {
    Rng rng(23);
    const std::array<Vec3, 4> p{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
    std::array<int, 5> seen{};
    for (int i = 0; i < 5000; ++i) {
        std::array<double, 4> d;
        for (double& v : d) v = static_cast<double>(rng.below(7)) - 3;
        const TetSection section = section_of_tet(d);
        ++seen[section.count];
        if (section.count == 0) continue;
        // The gradient of the distances points to the positive side.
        const Vec3 normal(d[1] - d[0], d[2] - d[0], d[3] - d[0]);
        Vec3 area = Vec3::Zero();
        std::vector<Vec3> c;
        for (int k = 0; k < section.count; ++k) {
            const int n = section.corner[k];
            c.push_back(n < 4 ? p[n]
                              : Vec3(p[tet_edges[n - 4][0]] +
                                     edge_parameter(d, n - 4) * (p[tet_edges[n - 4][1]] - p[tet_edges[n - 4][0]])));
        }
        for (int k = 2; k < section.count; ++k) {
            const Vec3 part = (c[k - 1] - c[0]).cross(c[k] - c[0]);
            EXPECT_GT(part.dot(normal), 0);  // convex, and counter-clockwise
            area += part;
        }
        EXPECT_LT(area.cross(normal).norm(), 1e-13 * area.norm() * normal.norm());
    }
    EXPECT_GT(seen[3], 1000);
    EXPECT_GT(seen[4], 300);
}

TEST(Fragments, PartsOfACutBlockHangTogetherOnEitherSide) {
    Rng rng(24);
    int halves = 0;
    for (int i = 0; i < 200; ++i) {
        const Block block(rng);
        Vec3 normal = random_point(rng);
        const double offset = normal.dot(Vec3::Constant(1) + 1.3 * random_point(rng));
        Fragments fragments;
        std::vector<int> side, fragment;
        std::map<Name, int> points;
        for (const Tet& t : block.tets) {
            std::array<double, 4> d;
            for (int k = 0; k < 4; ++k) d[k] = normal.dot(block.x[t[k]]) - offset;
            const TetSplit split = split_tet(t, d);
            for (int s = 0; s < split.count; ++s) {
                const int piece = fragments.add_piece();
                side.push_back(split.side[s]);
                for (const auto& f : split_faces) {
                    FacetName name{};
                    int on_plane = 0;
                    for (int k = 0; k < 3; ++k) {
                        const int c = split.tet[s][f[k]];
                        on_plane += c >= 4;
                        name[k] = points.emplace(name_of(t, c), static_cast<int>(points.size())).first->second;
                    }
                    std::sort(name.begin(), name.begin() + 3);
                    if (on_plane < 3) fragments.add_facet(piece, name);
                }
            }
        }
        const int count = fragments.number(fragment);
        const bool both = *std::min_element(side.begin(), side.end()) < *std::max_element(side.begin(), side.end());
        ASSERT_EQ(count, both ? 2 : 1);
        halves += both;
        EXPECT_EQ(fragment[0], 0);  // numbered by the lowest piece
        for (std::size_t k = 0; k < side.size(); ++k) EXPECT_EQ(fragment[k], side[k] == side[0] ? 0 : 1);
    }
    EXPECT_GT(halves, 100);
}

}  // namespace
}  // namespace pliant
