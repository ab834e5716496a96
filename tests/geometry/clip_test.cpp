#include "pliant/geometry/clip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

const std::array<Vec3, 4> unit{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};

ClipPolygon clip_unit(const std::array<Vec3, 3>& p) {
    std::array<RankedPoint, 3> triangle;
    std::array<RankedPoint, 4> tet;
    for (int i = 0; i < 4; ++i) tet[i] = {&unit[i], i};
    for (int i = 0; i < 3; ++i) triangle[i] = {&p[i], 4 + i};
    return clip(triangle, ClipTet(tet));
}

TEST(Clip, WithinAcrossAndBeside) {
    const ClipPolygon within = clip_unit({Vec3(0.1, 0.1, 0.1), Vec3(0.2, 0.1, 0.1), Vec3(0.1, 0.2, 0.1)});
    ASSERT_EQ(within.size, 3);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(within.vertex[i].kind, ClipVertex::corner);

    // The plane x + y = 1/2 separates nodes 0 and 3 from 1 and 2: a quadrilateral on four edges.
    const ClipPolygon across = clip_unit({Vec3(5.5, -5, -9), Vec3(-5, 5.5, -9), Vec3(0.25, 0.25, 20)});
    ASSERT_EQ(across.size, 4);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(across.vertex[i].kind, ClipVertex::tet_edge);
        EXPECT_GE(across.along[i], 3);
    }
    EXPECT_EQ(clip_unit({Vec3(2, 0, 0), Vec3(2, 1, 0), Vec3(2, 0, 1)}).size, 0);
    EXPECT_EQ(clip_unit({Vec3(0.7, 0.7, -1), Vec3(0.7, 0.7, 1), Vec3(3, 3, 0)}).size, 0);

    // One corner inside, two edges through one face.
    const ClipPolygon poked = clip_unit({Vec3(0.1, 0.1, 0.1), Vec3(0.1, 0.1, -1), Vec3(0.2, 0.1, -1)});
    ASSERT_EQ(poked.size, 3);
    EXPECT_EQ(std::count_if(poked.vertex.begin(), poked.vertex.begin() + 3,
                            [](const ClipVertex& v) { return v.kind == ClipVertex::edge_face && v.face == 3; }),
              2);
}

TEST(Clip, CoincidentShapesFitTogether) {
    // The six tets round the diagonal of a cube, and triangles with corners on the same coarse grid: nearly all
    // positions are degenerate. Every cut within a common face must be met by its neighbour, run the other way.
    std::vector<Vec3> nodes;
    for (int x = 0; x < 2; ++x)
        for (int y = 0; y < 2; ++y)
            for (int z = 0; z < 2; ++z) nodes.emplace_back(2 * x, 2 * y, 2 * z);
    const int kuhn[6][4] = {{0, 4, 6, 7}, {0, 6, 2, 7}, {0, 2, 3, 7}, {0, 3, 1, 7}, {0, 1, 5, 7}, {0, 5, 4, 7}};
    constexpr int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    Rng rng(5);
    long long cuts = 0;
    for (int i = 0; i < 4000; ++i) {
        std::array<Vec3, 3> p;
        for (Vec3& q : p)
            for (int k = 0; k < 3; ++k) q[k] = static_cast<double>(rng.below(3));
        std::array<RankedPoint, 3> triangle;
        for (int k = 0; k < 3; ++k) triangle[k] = {&p[k], 100 + k};
        std::map<std::array<int, 3>, int> on_face;  // number of cuts, or −1000 at the cube's own faces
        int corners_inside = 0;
        for (const auto& t : kuhn) {
            std::array<RankedPoint, 4> tet;
            for (int k = 0; k < 4; ++k) tet[k] = {&nodes[t[k]], t[k]};
            ASSERT_EQ(side(tet[0], tet[1], tet[2], tet[3]), 1);
            const ClipPolygon polygon = clip(triangle, ClipTet(tet));
            ASSERT_GE(polygon.size, 0);
            ASSERT_NE(polygon.size, 1);
            ASSERT_NE(polygon.size, 2);
            for (int k = 0; k < polygon.size; ++k) {
                corners_inside += polygon.vertex[k].kind == ClipVertex::corner;
                if (polygon.along[k] < 3) continue;
                const auto& f = faces[polygon.along[k] - 3];
                std::array<int, 3> key{t[f[0]], t[f[1]], t[f[2]]};
                std::sort(key.begin(), key.end());
                if (key[0] == 0 && key[2] == 7) ++on_face[key], ++cuts;  // faces that hold the diagonal are shared
            }
        }
        for (const auto& [key, count] : on_face) ASSERT_EQ(count, 2);
        ASSERT_LE(corners_inside, 3);  // a corner is in one tet at most
    }
    EXPECT_GT(cuts, 1000);
}

}  // namespace
}  // namespace pliant
