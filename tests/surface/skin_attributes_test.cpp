#include "pliant/surface/skin_attributes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pliant/core/bytes.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/surface/brought_surface.hpp"
#include "pliant/surface/tracked_surface.hpp"

namespace pliant {
namespace {

/// A box whose surface does not follow the tets of the mesh round it: 3 × 1 × 1 inside 3.2 × 1.2 × 1.2, quads in pairs
/// of triangles. Texture coordinates are x and y, red is x, and materials are numbered by the axis that a side faces.
TriMesh textured_box() {
    TriMesh mesh;
    for (int i = 0; i < 8; ++i) mesh.points.push_back({i & 1 ? 3.0 : 0, i & 2 ? 1.0 : 0, i & 4 ? 1.0 : 0});
    const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const int axis[6] = {2, 2, 1, 1, 0, 0};
    SurfaceAttributes a;
    std::vector<Vec3> normals;
    for (int q = 0; q < 6; ++q)
        for (const Tri& t : {Tri{quads[q][0], quads[q][1], quads[q][2]}, Tri{quads[q][0], quads[q][2], quads[q][3]}}) {
            mesh.triangles.push_back(t);
            a.material.push_back(axis[q]);
            const Vec3 &p = mesh.points[t[0]], &u = mesh.points[t[1]], &v = mesh.points[t[2]];
            for (int c : t) {
                const Vec3& x = mesh.points[c];
                a.uv.push_back({static_cast<float>(x.x()), static_cast<float>(x.y())});
                a.color.push_back({static_cast<float>(x.x() / 3), 0, 0, 1});
                normals.push_back((u - p).cross(v - p));
            }
        }
    for (int q = 0; q < 6; ++q) {
        a.polygon_size.push_back(4);
        for (int c : {6 * q, 6 * q + 1, 6 * q + 2, 6 * q + 5}) a.polygon_corner.push_back(c);
    }
    a.materials = {{.name = "ends"}, {.name = "top"}, {.name = "inside"}};  // one has the name of the crack's slot
    set_corner_normals(a, mesh.points, mesh.triangles, normals);
    EXPECT_EQ(attribute_fault(a, mesh.triangles.size()), "");
    mesh.attributes = std::make_shared<const SurfaceAttributes>(a);
    return mesh;
}

TEST(SkinAttributes, FollowTheSurfaceThroughACrack) {
    const TetMesh mesh = bar_mesh(4, 2, 2, Vec3(-0.1, -0.1, -0.1), Vec3(3.1, 1.1, 1.1));
    const TriMesh box = textured_box();
    Skin skin(mesh, box);
    EXPECT_EQ(skin_attributes(skin), box.attributes) << "as long as it is whole";

    // Everything beyond the plane in the middle gets copies of the nodes there.
    std::vector<Tet> current = mesh.tets;
    std::map<int, int> copies;
    for (Tet& t : current) {
        double center = 0;
        for (int n : t) center += mesh.rest[n].x() / 4;
        if (center < 1.5) continue;
        for (int& n : t)
            if (std::abs(mesh.rest[n].x() - 1.5) < 1e-9)
                n = copies.try_emplace(n, static_cast<int>(mesh.rest.size() + copies.size())).first->second;
    }
    ASSERT_TRUE(skin.update(current));
    ASSERT_EQ(skin.piece_count(), 2);
    const auto made = skin_attributes(skin);
    const TriMesh& drawn = skin.surface();
    ASSERT_EQ(attribute_fault(*made, drawn.triangles.size()), "");

    ASSERT_EQ(made->materials.size(), 4U);
    EXPECT_EQ(made->materials[3].name, "inside2");
    const std::vector<int> source = skin.source();
    const std::vector<Vec3> normals = moved_corner_normals(*made, drawn.points, drawn.triangles);
    double uv_error = 0, color_error = 0, normal_error = 0, crack_area = 0, area[3] = {};
    for (std::size_t t = 0; t < drawn.triangles.size(); ++t) {
        const Tri& tri = drawn.triangles[t];
        const Vec3 twice =
            (drawn.points[tri[1]] - drawn.points[tri[0]]).cross(drawn.points[tri[2]] - drawn.points[tri[0]]);
        EXPECT_EQ(skin.crack()[t] != 0, source[t] < 0);
        EXPECT_EQ(made->material[t] == 3, source[t] < 0);
        if (source[t] >= 0) area[made->material[t]] += 0.5 * twice.norm();
        if (source[t] < 0) crack_area += 0.5 * twice.norm();
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t c = 3 * t + k;
            const Vec3& x = drawn.points[tri[k]];
            if (source[t] < 0) {  // seen along x, in units of the longest side
                uv_error =
                    std::max({uv_error, std::abs(made->uv[c][0] - x.y() / 3), std::abs(made->uv[c][1] - x.z() / 3)});
                continue;
            }
            uv_error = std::max({uv_error, std::abs(made->uv[c][0] - x.x()), std::abs(made->uv[c][1] - x.y())});
            color_error = std::max(color_error, std::abs(made->color[c][0] - x.x() / 3));
            if (twice.norm() > 1e-9) normal_error = std::max(normal_error, (normals[c] - twice.normalized()).norm());
        }
    }
    std::cout << "texture " << uv_error << ", colour " << color_error << ", normals " << normal_error << "\n";
    EXPECT_LT(uv_error, 1e-6);
    EXPECT_LT(color_error, 1e-6);
    EXPECT_LT(normal_error, 1e-5);
    EXPECT_NEAR(crack_area, 2, 1e-9);  // 1 × 1 on either side
    EXPECT_NEAR(area[0], 2, 1e-9);
    EXPECT_NEAR(area[1], 6, 1e-9);
    EXPECT_NEAR(area[2], 6, 1e-9);
}

/// On the boundary of tets that end on the brought surface everything is where it was, corner by corner, though the
/// triangles are others; and faces that open have the slot of their own.
TEST(BroughtSurface, IsLaidOnTheBoundaryOfTets) {
    const TriMesh box = textured_box();
    const TetMesh mesh = bar_mesh(6, 2, 2, Vec3::Zero(), Vec3(3, 1, 1));
    const TriMesh drawn = boundary_surface(mesh).surface;
    std::vector<std::uint8_t> crack(drawn.triangles.size(), 0);
    crack[5] = 1;
    const auto laid = BroughtSurface(box).on(drawn, crack);
    ASSERT_EQ(attribute_fault(*laid, drawn.triangles.size()), "");
    ASSERT_EQ(laid->materials.size(), box.attributes->materials.size() + 1);
    const std::vector<Vec3> normals = moved_corner_normals(*laid, drawn.points, drawn.triangles);
    for (std::size_t t = 0; t < drawn.triangles.size(); ++t) {
        const Tri& tri = drawn.triangles[t];
        const Vec3 normal = (drawn.points[tri[1]] - drawn.points[tri[0]])
                                .cross(drawn.points[tri[2]] - drawn.points[tri[0]])
                                .normalized();
        int axis = 0;
        normal.cwiseAbs().maxCoeff(&axis);
        EXPECT_EQ(laid->material[t], crack[t] ? 3 : axis) << t;
        for (std::size_t k = 0; k < 3 && !crack[t]; ++k) {
            const Vec3& p = drawn.points[tri[k]];
            EXPECT_NEAR(laid->uv[3 * t + k][0], p.x(), 1e-6);
            EXPECT_NEAR(laid->uv[3 * t + k][1], p.y(), 1e-6);
            EXPECT_NEAR(laid->color[3 * t + k][0], p.x() / 3, 1e-6);
            EXPECT_LT((normals[3 * t + k] - normal).norm(), 1e-6) << "edges of the box stay hard";
        }
    }
}

/// Two charts with other coordinates meet in a seam; a triangle that lies across it belongs to one of them wholly.
TEST(BroughtSurface, SeamsStaySeams) {
    TriMesh strip;
    strip.points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0}};
    strip.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};
    SurfaceAttributes a;
    for (std::size_t t = 0; t < 4; ++t)
        for (int v : strip.triangles[t])
            a.uv.push_back({static_cast<float>(strip.points[v].x() + (t < 2 ? 0 : 10)), 0});
    strip.attributes = std::make_shared<const SurfaceAttributes>(a);
    TriMesh across;
    across.points = {{0.5, 0.2, 0.01}, {1.3, 0.2, 0}, {0.6, 0.8, 0}};
    across.triangles = {{0, 1, 2}};
    const auto laid = BroughtSurface(strip).on(across, {});
    EXPECT_NEAR(laid->uv[0][0], 0.5, 1e-6);
    EXPECT_NEAR(laid->uv[1][0], 1, 1e-6) << "the end of its chart, not 11.3";
    EXPECT_NEAR(laid->uv[2][0], 0.6, 1e-6);
}

/// What upkeep has laid on a tracked surface is part of a checkpoint.
TEST(BroughtSurface, OfATrackedSurfaceIsRestored) {
    const TetMesh mesh = bar_mesh(2, 1, 1, Vec3(-0.1, -0.1, -0.1), Vec3(3.1, 1.1, 1.1));
    const TriMesh box = textured_box();
    TriMesh kept = boundary_surface(bar_mesh(6, 2, 2, Vec3::Zero(), Vec3(3, 1, 1))).surface;
    kept.attributes = BroughtSurface(box).on(kept, {});
    TrackedSurface tracked(box, embed(mesh, box.points));
    tracked.replace(kept, embed(mesh, kept.points), std::vector<int>(box.points.size(), -1));
    ByteWriter out;
    tracked.save(out);
    const std::string bytes = out.take();
    TrackedSurface again(box, embed(mesh, box.points));
    ByteReader in(bytes, "checkpoint");
    Threads threads(1);
    ASSERT_TRUE(again.load(in, mesh, {}, threads));
    in.finish();
    ASSERT_TRUE(again.attributes());
    EXPECT_EQ(*again.attributes(), *kept.attributes);
    EXPECT_EQ(again.attributes()->materials, box.attributes->materials);
}

}  // namespace
}  // namespace pliant
