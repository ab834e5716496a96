#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_file.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

double signed_area(const std::vector<Vec3>& points, const std::vector<Tri>& triangles, double& smallest) {
    double sum = 0;
    smallest = 1e300;
    for (const Tri& t : triangles) {
        const double area = 0.5 * (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]).z();
        sum += area;
        smallest = std::min(smallest, area);
    }
    return sum;
}

std::vector<Tri> cut(const std::vector<Vec3>& points) {
    PolygonList list;
    for (int i = 0; i < static_cast<int>(points.size()); ++i) list.corners.push_back(i);
    list.sizes.push_back(static_cast<int>(points.size()));
    std::vector<std::string> notes;
    return triangulate(points, list, notes);
}

// A triangulation of a flat polygon covers it exactly when no triangle is turned and the areas add up to its own.
TEST(MeshPolygons, ConcavePolygonsAreCoveredOnce) {
    const std::vector<std::vector<Vec3>> polygons{
        {{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {0, 4, 0}},                                              // arrow head
        {{1, 1, 0}, {0, 4, 0}, {0, 0, 0}, {4, 0, 0}},                                              // begun elsewhere
        {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {3, 4, 0}, {3, 1, 0}, {1, 1, 0}, {1, 4, 0}, {0, 4, 0}},  // a U
        {{0, 0, 0}, {5, 0, 0}, {5, 1, 0}, {1, 1, 0}, {1, 2, 0}, {5, 2, 0}, {5, 3, 0}, {0, 3, 0}},  // a C
    };
    const double areas[] = {4, 4, 10, 11};
    for (std::size_t i = 0; i < polygons.size(); ++i) {
        double smallest = 0;
        EXPECT_NEAR(signed_area(polygons[i], cut(polygons[i]), smallest), areas[i], 1e-12) << i;
        EXPECT_GT(smallest, 0) << i;
    }
}

TEST(MeshPolygons, AStarOfManyCornersIsQuick) {
    std::vector<Vec3> star;
    const int n = 4000;
    for (int i = 0; i < n; ++i) {
        const double angle = 2 * M_PI * i / n, radius = i % 2 ? 1.0 : 2.0;
        star.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
    }
    const double area = n * 0.5 * 1.0 * 2.0 * std::sin(2 * M_PI / n);
    double smallest = 0;
    const std::vector<Tri> triangles = cut(star);
    EXPECT_EQ(triangles.size(), static_cast<std::size_t>(n - 2));
    EXPECT_NEAR(signed_area(star, triangles, smallest), area, 1e-9);
    EXPECT_GT(smallest, 0);
}

TEST(MeshPolygons, WeldKeepsFirstAndMergesSignedZero) {
    TriMesh mesh;
    mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, 0}, {1, 0, 0}, {5, 5, 5}};
    mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
    EXPECT_EQ(weld_equal_points(mesh), 2U);
    EXPECT_EQ(mesh.triangles[1], (Tri{0, 1, 3}));
}

/// As files found in collections have them: counts behind the word, with and without a blank, numbers beyond the
/// declared ones, all of which other programs read line by line.
TEST(MeshPolygons, NumbersBeyondTheDeclaredOnesDoNoHarm) {
    const std::string off_points = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n", faces = "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
    const std::string coloured = "3 0 2 1 255 0 0\n3 0 1 3 0 255 0\n3 1 2 3 0 0 255 9 9\n3 0 3 2\n";
    const std::string ply =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
        "property float z\nelement face 4\nproperty list uchar int vertex_indices\n";
    const std::pair<const char*, std::string> files[] = {
        {"off", "OFF\n4 4 6\n" + off_points + faces},
        {"off", "OFF 4 4 6\n" + off_points + faces},
        {"off", "OFF4 4 6\n" + off_points + faces},
        {"off", "OFF 4 4 6 7 8\n" + off_points + coloured},
        {"off", "COFF 4 4 6 # one each\n" + off_points + faces},
        {"ply", ply + "end_header\n" + off_points + faces},
        {"ply", ply + "end_header\n" + off_points + coloured},
        {"ply", ply + "end_header\n0 0 0 5 5\n1 0 0 5 5\n\n0 1 0\n0 0 1 5\n" + coloured},
        {"ply", ply + "element edge 1\nproperty int a\nend_header\n" + off_points + coloured + "1 2 3\n"},
        // All on one line: not as the format wants it, but without doubt.
        {"ply", ply + "end_header\n0 0 0 1 0 0 0 1 0 0 0 1 3 0 2 1 3 0 1 3 3 1 2 3 3 0 3 2"},
    };
    for (const auto& [format, text] : files) {
        SCOPED_TRACE(text);
        const MeshFile file = parse_mesh(text, format, "sample");
        ASSERT_TRUE(file.surface);
        EXPECT_EQ(file.surface->points.size(), 4U);
        EXPECT_EQ(file.surface->triangles.size(), 4U);
        EXPECT_NEAR(enclosed_volume(file.surface->points, file.surface->triangles), 1.0 / 6, 1e-12);
    }
}

TEST(MeshPolygons, NodeNumbersOfAnyKind) {
    NodeNumbers numbers;
    for (long long id : {7LL, 8LL, 9LL, -4LL, 1LL << 60}) numbers.add(id);
    long long twice = 0;
    ASSERT_TRUE(numbers.finish(twice));
    EXPECT_EQ(numbers.index(8), 1);
    EXPECT_EQ(numbers.index(1LL << 60), 4);
    EXPECT_EQ(numbers.index(10), -1);
    NodeNumbers doubled;
    for (long long id : {1LL, 2LL, 1LL}) doubled.add(id);
    EXPECT_FALSE(doubled.finish(twice));
    EXPECT_EQ(twice, 1);
}

}  // namespace
}  // namespace pliant
