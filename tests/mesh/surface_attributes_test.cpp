#include "pliant/mesh/surface_attributes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {
namespace {

/// Two quads that meet at a right angle along the y axis, four triangles.
TriMesh corner_sheet() {
    return {{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 1}, {0, 1, 1}},
            {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4}}};
}

std::vector<Vec3> normals_of(bool hard) {
    const Vec3 up(0, 0, 1), side(1, 0, 0), between = Vec3(1, 0, 1).normalized();
    const Vec3 a = hard ? up : between, b = hard ? side : between;
    return {a, up, up, a, up, a, b, b, side, b, side, side};
}

TEST(SurfaceAttributes, NormalsComeBackAndTurnWithTheSurface) {
    for (bool hard : {false, true}) {
        const TriMesh mesh = corner_sheet();
        SurfaceAttributes attributes;
        const std::vector<Vec3> given = normals_of(hard);
        set_corner_normals(attributes, mesh.points, mesh.triangles, given);
        EXPECT_EQ(attribute_fault(attributes, mesh.triangles.size()), "");
        // Six points; the two on the edge have one normal or two.
        EXPECT_EQ(1 + *std::max_element(attributes.shading.begin(), attributes.shading.end()), hard ? 8 : 6);
        const std::vector<Vec3> still = moved_corner_normals(attributes, mesh.points, mesh.triangles);
        // Turned, stretched alike in all directions and moved away: normals turn and nothing else.
        const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()));
        std::vector<Vec3> points;
        for (const Vec3& p : mesh.points) points.push_back(turn * (3 * p) + Vec3(7, 8, 9));
        const std::vector<Vec3> turned = moved_corner_normals(attributes, points, mesh.triangles);
        double error = 0, turned_error = 0;
        for (std::size_t c = 0; c < given.size(); ++c) {
            error = std::max(error, (still[c] - given[c]).norm());
            turned_error = std::max(turned_error, (turned[c] - turn * given[c]).norm());
        }
        EXPECT_LT(error, 1e-6);
        EXPECT_LT(turned_error, 1e-6);
        std::cout << "hard " << hard << ": " << error << ", turned: " << turned_error << "\n";
    }
}

TEST(SurfaceAttributes, CornersOfOneNumberStaySmoothTogether) {
    TriMesh mesh = corner_sheet();
    SurfaceAttributes attributes;
    set_corner_normals(attributes, mesh.points, mesh.triangles, normals_of(false));
    for (Vec3& p : mesh.points) p.x() += 0.3 * p.z() * p.z() + 0.2 * p.y();  // any deformation
    const std::vector<Vec3> n = moved_corner_normals(attributes, mesh.points, mesh.triangles);
    for (std::size_t a = 0; a < n.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (attributes.shading[a] == attributes.shading[b]) {
                EXPECT_EQ(n[a], n[b]);
            }
    for (const Vec3& normal : n) EXPECT_NEAR(normal.norm(), 1, 1e-12);
}

TEST(SurfaceAttributes, PolygonsAreVisitedInOrder) {
    SurfaceAttributes attributes;
    attributes.polygon_size = {4, 3};
    attributes.polygon_corner = {0, 1, 2, 5, 6, 7, 8};
    EXPECT_EQ(attribute_fault(attributes, 3), "");
    std::vector<int> first, sizes;
    for_each_polygon(&attributes, 3, [&](int t, std::span<const int> corners) {
        first.push_back(t), sizes.push_back(static_cast<int>(corners.size()));
    });
    EXPECT_EQ(first, (std::vector<int>{0, 2}));
    EXPECT_EQ(sizes, (std::vector<int>{4, 3}));
    attributes.polygon_corner[3] = 6;  // of the next polygon
    EXPECT_NE(attribute_fault(attributes, 3), "");
}

TEST(SurfaceAttributes, ColoursGoToLinearAndBack) {
    for (int i = 0; i <= 255; ++i) EXPECT_EQ(std::lround(255 * srgb_of_linear(linear_of_srgb(i / 255.0))), i);
    EXPECT_NEAR(linear_of_srgb(188 / 255.0), 0.5, 4e-3);  // half of the light is 188
}

}  // namespace
}  // namespace pliant
