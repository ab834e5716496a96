#include "pliant/mesh/tet_mesh.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

// Two tets on a common face, and a third apart from them.
TetMesh three_tets() {
    TetMesh m;
    m.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
    m.tets = {{0, 1, 2, 3}, {1, 2, 3, 4}, {5, 6, 7, 8}};
    return m;
}

TEST(TetMesh, VolumesAndOrientation) {
    TetMesh m = three_tets();
    EXPECT_DOUBLE_EQ(signed_volume(m.rest, m.tets[0]), 1.0 / 6);
    EXPECT_DOUBLE_EQ(signed_volume(m.rest, m.tets[1]), 1.0 / 3);
    EXPECT_DOUBLE_EQ(total_volume(m.rest, m.tets), 2.0 / 3);
    std::swap(m.tets[1][0], m.tets[1][1]);
    EXPECT_EQ(orient_tets(m), 1);
    EXPECT_EQ(orient_tets(m), 0);
    EXPECT_DOUBLE_EQ(total_volume(m.rest, m.tets), 2.0 / 3);
}

TEST(TetMesh, NeighboursAndPieces) {
    const TetMesh m = three_tets();
    const auto neighbours = tet_neighbours(m.tets);
    EXPECT_EQ(neighbours[0], (std::array<int, 4>{1, -1, -1, -1}));  // face 0 is opposite to node 0: (1,2,3)
    EXPECT_EQ(neighbours[1], (std::array<int, 4>{-1, -1, -1, 0}));
    EXPECT_EQ(neighbours[2], (std::array<int, 4>{-1, -1, -1, -1}));
    std::vector<int> piece;
    EXPECT_EQ(connected_pieces(tet_neighbours(m.tets), piece), 2);
    EXPECT_EQ(piece, (std::vector<int>{0, 0, 1}));
}

TEST(TetMesh, BoundaryIsClosedAndOutward) {
    const TetMesh m = three_tets();
    const BoundarySurface b = boundary_surface(m);
    EXPECT_EQ(b.surface.triangles.size(), 10u);
    EXPECT_EQ(b.node.size(), m.rest.size());
    const SurfaceFacts f = inspect(b.surface);
    EXPECT_TRUE(f.closed());
    EXPECT_TRUE(f.oriented());
    EXPECT_NEAR(f.volume, 2.0 / 3, 1e-14);
    for (std::size_t i = 0; i < b.node.size(); ++i) EXPECT_EQ(b.surface.points[i], m.rest[b.node[i]]);
}

TEST(TetMesh, QualityIsOneForRegularAndZeroForFlat) {
    TetMesh m;
    m.rest = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}, {0, 0, 0}};
    m.tets = {{0, 1, 3, 2}, {0, 1, 2, 3}, {0, 0, 1, 2}};
    const std::vector<double> q = tet_quality(m.rest, m.tets);
    EXPECT_NEAR(std::abs(q[0]), 1, 1e-14);
    EXPECT_NEAR(q[0], -q[1], 1e-14);
    EXPECT_EQ(q[2], 0);
}

}  // namespace
}  // namespace pliant
