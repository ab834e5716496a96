#include "pliant/mesh/embedding.hpp"

#include <gtest/gtest.h>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/timer.hpp"

namespace pliant {
namespace {

// n³ cubes of edge 1/n, six tets each around the main diagonal (Kuhn).
TetMesh cube_of_tets(int n) {
    TetMesh mesh;
    const auto node = [n](int i, int j, int k) { return (k * (n + 1) + j) * (n + 1) + i; };
    for (int k = 0; k <= n; ++k)
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i) mesh.rest.push_back(Vec3(i, j, k) / n);
    constexpr int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                for (const auto& order : orders) {
                    int at[3] = {i, j, k};
                    Tet t;
                    for (int s = 0; s < 4; ++s) {
                        t[s] = node(at[0], at[1], at[2]);
                        if (s < 3) ++at[order[s]];
                    }
                    mesh.tets.push_back(t);
                }
    orient_tets(mesh);
    return mesh;
}

TEST(Embedding, InsidePointsGetTheirTetAndReproduceLinearFields) {
    const TetMesh mesh = cube_of_tets(5);
    Rng rng(1);
    std::vector<Vec3> points;
    for (int i = 0; i < 2000; ++i) points.emplace_back(rng.uniform(), rng.uniform(), rng.uniform());
    for (const Vec3& p : mesh.rest) points.push_back(p);  // on nodes, faces and the boundary
    const Embedding embedding = embed(mesh, points);
    Mat3 A = Mat3::Random();
    std::vector<Vec3> moved, out(points.size());
    for (const Vec3& p : mesh.rest) moved.push_back(A * p + Vec3(1, 2, 3));
    interpolate(embedding, mesh.tets, moved, out);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_GE(embedding.weight[i].minCoeff(), -1e-9);
        EXPECT_NEAR(embedding.weight[i].sum(), 1, 1e-12);
        EXPECT_LT((out[i] - (A * points[i] + Vec3(1, 2, 3))).norm(), 1e-13);
    }
}

TEST(Embedding, TiesGoToTheLowestTet) {
    const TetMesh mesh = cube_of_tets(2);
    const Embedding embedding = embed(mesh, mesh.rest);
    for (int i = 0; i < mesh.node_count(); ++i) {
        int first = -1;
        for (int t = 0; t < mesh.tet_count() && first < 0; ++t)
            for (int n : mesh.tets[t])
                if (n == i) first = t;
        EXPECT_EQ(embedding.tet[i], first);
    }
}

TEST(Embedding, OutsidePointsHangOnTheNearestTet) {
    const TetMesh mesh = cube_of_tets(3);
    const std::vector<Vec3> points{{1.3, 0.9, 0.8}, {-5, 0.5, 0.5}, {2, 2, 2}, {0.1, -0.001, 0.1}};
    const Embedding embedding = embed(mesh, points);
    std::vector<Vec3> out(points.size());
    interpolate(embedding, mesh.tets, mesh.rest, out);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_LT((out[i] - points[i]).norm(), 1e-12);
        EXPECT_LT(embedding.weight[i].minCoeff(), 0);
        // The point of the cube nearest to it belongs to the chosen tet.
        const Vec3 nearest = points[i].cwiseMax(0.0).cwiseMin(1.0);
        const Tet& t = mesh.tets[embedding.tet[i]];
        Mat3 D;
        for (int k = 0; k < 3; ++k) D.col(k) = mesh.rest[t[k + 1]] - mesh.rest[t[0]];
        const Vec3 w = D.inverse() * (nearest - mesh.rest[t[0]]);
        EXPECT_GE(w.minCoeff(), -1e-12);
        EXPECT_LE(w.sum(), 1 + 1e-12);
    }
}

TEST(Embedding, FlatTetsAreNotChosen) {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}, {0, 1, 2, 4}};
    const std::vector<Vec3> points{{0.1, 0.1, 0.1}, {0.9, 0.9, 0}};
    const Embedding embedding = embed(mesh, points);
    EXPECT_EQ(embedding.tet[0], 1);
    EXPECT_EQ(embedding.tet[1], 1);
    EXPECT_TRUE(embedding.weight[1].allFinite());
    mesh.tets.pop_back();
    EXPECT_THROW(embed(mesh, points), UserError);
    mesh.tets.clear();
    EXPECT_THROW(embed(mesh, points), UserError);
}

TEST(Embedding, SameResultAtAnyScale) {
    const TetMesh mesh = cube_of_tets(3);
    Rng rng(2);
    std::vector<Vec3> points;
    for (int i = 0; i < 300; ++i) points.emplace_back(rng.uniform(-0.1, 1.1), rng.uniform(), rng.uniform());
    const Embedding one = embed(mesh, points);
    for (const double s : {0x1p-20, 0x1p20}) {
        TetMesh scaled = mesh;
        std::vector<Vec3> scaled_points = points;
        for (Vec3& p : scaled.rest) p *= s;
        for (Vec3& p : scaled_points) p *= s;
        const Embedding other = embed(scaled, scaled_points);
        EXPECT_EQ(other.tet, one.tet);
        EXPECT_EQ(other.weight, one.weight);
    }
}

TEST(Embedding, AHundredThousandPointsAreFound) {
    const TetMesh mesh = cube_of_tets(40);  // 384,000 tets
    Rng rng(7);
    std::vector<Vec3> points;
    for (int i = 0; i < 100000; ++i) points.emplace_back(rng.uniform(), rng.uniform(), 0.5 + 0.3 * rng.uniform());
    const double start = seconds_now();
    const Embedding embedding = embed(mesh, points);
    const double seconds = seconds_now() - start;
    RecordProperty("seconds", std::to_string(seconds));
    ASSERT_EQ(embedding.size(), points.size());
    for (std::size_t i = 0; i < points.size(); i += 1000) {
        Vec3 at = Vec3::Zero();
        for (int a = 0; a < 4; ++a) at += embedding.weight[i][a] * mesh.rest[mesh.tets[embedding.tet[i]][a]];
        EXPECT_LT((at - points[i]).norm(), 1e-12) << i;
    }
}

}  // namespace
}  // namespace pliant
