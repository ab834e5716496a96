#include "pliant/mesh/bar_mesh.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(BarMesh, FillsItsBoxWithRightHandedTets) {
    const TetMesh mesh = bar_mesh(3, 2, 4, Vec3(1, 2, 3), Vec3(2.5, 4, 4));
    EXPECT_EQ(mesh.node_count(), 4 * 3 * 5);
    EXPECT_EQ(mesh.tet_count(), 6 * 3 * 2 * 4);
    for (const Tet& t : mesh.tets) EXPECT_NEAR(signed_volume(mesh.rest, t), 1.5 * 2 * 1 / (6 * 24), 1e-15);
    EXPECT_NEAR(total_volume(mesh.rest, mesh.tets), 3, 1e-12);
    EXPECT_EQ(mesh.bounds().max, Vec3(2.5, 4, 4));
    // Conforming: the boundary is the box and nothing else.
    EXPECT_EQ(boundary_surface(mesh).surface.triangles.size(), 2u * 2 * (3 * 2 + 2 * 4 + 4 * 3));
}

}  // namespace
}  // namespace pliant
