#include "pliant/collision/feature_pairs.hpp"

#include <gtest/gtest.h>

#include "pliant/collision/continuous.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"

namespace pliant {

namespace {

/// Two crumpled sheets in each other's way.
struct CrumpledSheets {
    std::vector<Vec3> start, end;
    std::vector<Tri> triangles;
    int points = 0;

    explicit CrumpledSheets(int n, double shake) {
        Rng rng(5);
        for (int sheet = 0; sheet < 2; ++sheet)
            for (int i = 0; i <= n; ++i)
                for (int j = 0; j <= n; ++j) {
                    const auto noise = [&] { return Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)); };
                    start.push_back(Vec3(i, 0.1 * sheet, j) + shake * noise());
                    end.push_back(start.back() + 0.8 * noise());
                }
        points = (n + 1) * (n + 1);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                const int a = i * (n + 1) + j, b = a + n + 1;
                triangles.push_back({a, a + 1, b}), triangles.push_back({a + 1, b + 1, b});
            }
    }
    FeatureMesh mesh() const {
        const std::span<const Tri> all[] = {triangles, triangles};
        const int counts[] = {points, points};
        return make_feature_mesh(all, counts);
    }
};

/// All pairs of features that share no point and meet, one by one.
std::vector<FeaturePair> meeting_pairs(const FeatureMesh& mesh, const CrumpledSheets& s, double gap) {
    std::vector<FeaturePair> found;
    const auto offer = [&](const FeaturePair& pair) {
        const auto p = points_of(mesh, pair);
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < i; ++j)
                if (p[i] == p[j]) return;
        FourPoints x, y;
        for (int k = 0; k < 4; ++k) x[k] = s.start[p[k]], y[k] = s.end[p[k]];
        if (first_impact(pair.kind, x, y, {.gap = gap}).hit) found.push_back(pair);
    };
    for (int v = 0; v < static_cast<int>(mesh.body.size()); ++v)
        for (int f = 0; f < static_cast<int>(mesh.faces.size()); ++f) offer({PairKind::vertex_face, v, f});
    for (int e = 0; e < static_cast<int>(mesh.edges.size()); ++e)
        for (int o = e + 1; o < static_cast<int>(mesh.edges.size()); ++o) offer({PairKind::edge_edge, e, o});
    return found;
}

TEST(FeaturePairs, HaveAllThatMeetOnceAndInOrderForAnyThreadCount) {
    const CrumpledSheets sheets(6, 0.4);
    const FeatureMesh mesh = sheets.mesh();
    EXPECT_EQ(mesh.edges.size(), 2u * (3 * 36 + 12));
    const double gap = 0.05;
    const auto meeting = meeting_pairs(mesh, sheets, gap);
    std::vector<FeaturePair> first;
    for (const int count : {1, 2, 3}) {
        Threads threads(count);
        FeaturePairFinder finder(mesh);
        const auto found = finder.find(sheets.start, sheets.end, {.gap = gap}, threads);
        EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
        EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
        EXPECT_TRUE(std::includes(found.begin(), found.end(), meeting.begin(), meeting.end()));
        if (first.empty()) first.assign(found.begin(), found.end());
        EXPECT_TRUE(std::equal(found.begin(), found.end(), first.begin(), first.end()));
    }
    std::printf("%zu pairs meet, %zu are candidates\n", meeting.size(), first.size());
    EXPECT_GT(meeting.size(), 100u);
    for (const FeaturePair& pair : first) {
        auto p = points_of(mesh, pair);
        std::sort(p.begin(), p.end());
        EXPECT_EQ(std::adjacent_find(p.begin(), p.end()), p.end());  // no shared point
    }
}

TEST(FeaturePairs, StayWhileNothingLeavesItsBox) {
    CrumpledSheets sheets(6, 0.4);
    Threads threads(2);
    FeaturePairFinder finder(sheets.mesh());
    const FeaturePairOptions options{.gap = 0.02, .slack = 0.1};
    finder.find(sheets.start, sheets.end, options, threads);
    EXPECT_FALSE(finder.reused());
    for (auto* x : {&sheets.start, &sheets.end})
        for (Vec3& p : *x) p[1] += 0.04;
    const auto found = finder.find(sheets.start, sheets.end, options, threads);
    EXPECT_TRUE(finder.reused());
    const auto meeting = meeting_pairs(finder.mesh(), sheets, options.gap);
    EXPECT_TRUE(std::includes(found.begin(), found.end(), meeting.begin(), meeting.end()));
    sheets.end[3][0] += 0.06;
    finder.find(sheets.start, sheets.end, options, threads);
    EXPECT_FALSE(finder.reused());
}

TEST(FeaturePairs, LeaveOutWhatIsNotWanted) {
    const CrumpledSheets sheets(6, 0.4);
    Threads threads(1);
    FeaturePairFinder finder(sheets.mesh());
    const auto same_body = [&](const FeaturePair& pair) {
        const auto p = points_of(finder.mesh(), pair);
        return finder.mesh().body[p[0]] == finder.mesh().body[p[3]];
    };
    for (const FeaturePair& pair : finder.find(sheets.start, sheets.end, {.within_bodies = false}, threads))
        EXPECT_FALSE(same_body(pair));
    for (const FeaturePair& pair :
         finder.find(sheets.start, sheets.end, {.excluded = [](int, int) { return true; }}, threads))
        EXPECT_TRUE(same_body(pair));
    EXPECT_THROW(finder.find(sheets.start, sheets.end, {.max_pairs = 10}, threads), UserError);
}

}  // namespace

}  // namespace pliant
