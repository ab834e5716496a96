#include "pliant/collision/motion_crossings.hpp"

#include <gtest/gtest.h>

#include "collision/exact_impact.hpp"
#include "pliant/core/rng.hpp"

namespace pliant {

namespace {

TEST(MotionCrossings, AreHitsAndMostHitsAreCrossings) {
    Rng rng(17);
    int hits = 0, certain = 0;
    for (int n = 0; n < 4000; ++n) {
        exact::Query q;
        q.kind = n % 2 ? PairKind::vertex_face : PairKind::edge_edge;
        FourPoints start, end;
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 3; ++k) {
                // The motion swaps sides, so that many meet; small numbers also touch at borders.
                const int half = n % 3 == 0 ? 3 : 500;
                q.start[i][k] = static_cast<std::int64_t>(rng.below(2 * half + 1)) - half;
                q.end[i][k] = static_cast<std::int64_t>(rng.below(half + 1)) - half / 2 - q.start[i][k];
                start[i][k] = static_cast<double>(q.start[i][k]), end[i][k] = static_cast<double>(q.end[i][k]);
            }
        const bool hit = !exact::meetings(q).empty(), crosses = certainly_crosses(q.kind, start, end);
        EXPECT_TRUE(hit || !crosses) << n;
        if (n % 3 != 0) hits += hit, certain += crosses;
    }
    std::printf("%d of %d generic hits certainly cross\n", certain, hits);
    EXPECT_GT(hits, 100);
    EXPECT_GT(certain, 0.98 * hits);
}

TEST(MotionCrossings, TouchingIsNone) {
    const Vec3 a(0, 0, 0), b(1, 0, 0), c(0, 1, 0), inside(0.2, 0.2, 0);
    const auto passes = [&](const Vec3& from, const Vec3& to) {
        return certainly_crosses(PairKind::vertex_face, {from, a, b, c}, {to, a, b, c});
    };
    EXPECT_TRUE(passes(inside + Vec3(0, 0, 1), inside - Vec3(0, 0, 1)));
    EXPECT_FALSE(passes(inside + Vec3(0, 0, 1), inside));  // ends on the face
    EXPECT_FALSE(passes(inside, inside + Vec3(0, 0, 1)));  // leaves it
    EXPECT_FALSE(passes(inside, inside));                  // rests on it
    EXPECT_FALSE(passes({0.5, 0, 1}, {0.5, 0, -1}));       // exactly along its edge
    EXPECT_FALSE(passes({2, 2, 1}, {2, 2, -1}));           // beside it
}

TEST(MotionCrossings, FindABulletThatIsThrough) {
    // A small tetrahedron flies through a plate of two triangles; neither end of the step shows a crossing.
    const std::vector<Tri> plate{{0, 1, 2}, {0, 2, 3}}, bullet{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    const std::span<const Tri> triangles[] = {plate, bullet};
    const int counts[] = {4, 4};
    FeaturePairFinder finder(make_feature_mesh(triangles, counts));
    std::vector<Vec3> start{{-1, -1, 0},   {1, -1, 0},    {1, 1, 0},     {-1, 1, 0},
                            {0.3, 0.1, 1}, {0.4, 0.1, 1}, {0.3, 0.2, 1}, {0.3, 0.1, 1.1}};
    std::vector<Vec3> end = start;
    for (int i = 4; i < 8; ++i) end[i] -= Vec3(0, 0, 3);
    Threads threads(1);
    const auto crossed = motion_crossings(finder.mesh(), finder.find(start, end, {}, threads), start, end, threads);
    const auto vertices = std::count_if(crossed.begin(), crossed.end(),
                                        [](const FeaturePair& p) { return p.kind == PairKind::vertex_face; });
    EXPECT_EQ(vertices, 4);  // its four vertices; its edges meet no edge of the plate
    EXPECT_EQ(crossed.size(), 4u);
}

}  // namespace

}  // namespace pliant
