#include "pliant/meshing/surface_split.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/geometry/shape.hpp"
#include "pliant/meshing/shape_surface.hpp"

namespace pliant {
namespace {

TEST(SurfaceSplit, TheLineIsAlongEdgesAndTheSurfaceStaysClosed) {
    TriMesh ball = shape_surface(*sphere_shape(1), 0.2, nullptr);
    const SurfaceFacts before = inspect(ball);
    const auto height = [](const Vec3& p) { return p.y() - 0.3; };
    split_where(ball, height);
    const SurfaceFacts after = inspect(ball);
    EXPECT_TRUE(after.closed());
    EXPECT_EQ(after.degenerate_triangles, 0);
    EXPECT_NEAR(after.area, before.area, 1e-12 * before.area);
    EXPECT_NEAR(after.volume, before.volume, 1e-12 * before.volume);
    double above = 0, deepest = 0;  // how far a triangle of one side reaches over the line
    for (const Tri& tri : ball.triangles) {
        const Vec3 &a = ball.points[tri[0]], &b = ball.points[tri[1]], &c = ball.points[tri[2]];
        const double low = std::min({height(a), height(b), height(c)}),
                     high = std::max({height(a), height(b), height(c)});
        deepest = std::max(deepest, std::min(-low, high));
        if (height((a + b + c) / 3) > 0) above += 0.5 * (b - a).cross(c - a).norm();
    }
    const double zone = 2 * M_PI * 0.7;  // Archimedes: the area of a zone is that of the cylinder round it
    std::cout << "area above the line off by " << above / zone - 1 << ", triangles over it by " << deepest << " m\n";
    EXPECT_NEAR(above / zone, 1, 0.03);
    EXPECT_LT(deepest, 0.1 * 0.4);  // a tenth of the longest edge there may be
}

TEST(SurfaceSplit, ALineBesideTheSurfaceChangesNothing) {
    TriMesh ball = shape_surface(*sphere_shape(1), 0.3, nullptr);
    const TriMesh before = ball;
    split_where(ball, [](const Vec3& p) { return p.y() - 2; });
    EXPECT_EQ(ball.points, before.points);
    EXPECT_EQ(ball.triangles, before.triangles);
}

}  // namespace
}  // namespace pliant
