#include "pliant/mesh/tri_mesh.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

TriMesh unit_cube() {
    TriMesh m;
    for (int i = 0; i < 8; ++i) m.points.emplace_back(i & 1, i >> 1 & 1, i >> 2);
    m.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return m;
}

TEST(TriMesh, FactsOfAClosedCube) {
    const SurfaceFacts f = inspect(unit_cube());
    EXPECT_TRUE(f.closed());
    EXPECT_TRUE(f.manifold());
    EXPECT_TRUE(f.oriented());
    EXPECT_EQ(f.components, 1);
    EXPECT_DOUBLE_EQ(f.area, 6);
    EXPECT_DOUBLE_EQ(f.volume, 1);
    EXPECT_EQ(f.duplicate_points + f.unused_points + f.degenerate_triangles, 0);
}

TEST(TriMesh, FindsWhatIsWrong) {
    TriMesh m = unit_cube();
    m.triangles.pop_back();  // a hole of three edges
    std::swap(m.triangles[0][1], m.triangles[0][2]);
    m.points.emplace_back(1, 1, 1);  // a duplicate, unused
    m.triangles.push_back({2, 2, 3});
    const SurfaceFacts f = inspect(m);
    EXPECT_FALSE(f.closed());
    EXPECT_FALSE(f.oriented());
    EXPECT_EQ(f.misoriented_edges, 2);  // the third is shared with the degenerate triangle as well
    EXPECT_EQ(f.degenerate_triangles, 1);
    EXPECT_EQ(f.duplicate_points, 1);
    EXPECT_EQ(f.unused_points, 1);
}

TEST(TriMesh, VolumeDoesNotDependOnThePlace) {
    TriMesh m = unit_cube();
    for (Vec3& p : m.points) p += Vec3(1e6, -2e6, 3e6);
    EXPECT_NEAR(enclosed_volume(m.points, m.triangles), 1, 1e-9);
    EXPECT_EQ(enclosed_volume({}, {}), 0);
}

TEST(TriMesh, NormalsPointOutward) {
    const TriMesh m = unit_cube();
    const std::vector<Vec3> normals = vertex_normals(m.points, m.triangles);
    for (std::size_t i = 0; i < m.points.size(); ++i) {
        EXPECT_NEAR(normals[i].norm(), 1, 1e-15);
        EXPECT_GT(normals[i].dot(m.points[i] - Vec3::Constant(0.5)), 0.5);
    }
    EXPECT_EQ(vertex_normals({Vec3(1, 2, 3)}, {})[0], Vec3::Zero());
}

}  // namespace
}  // namespace pliant
