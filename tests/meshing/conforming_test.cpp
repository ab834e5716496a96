// The conforming mesher: its boundary is closed, lies on the surface, and no tet is bad.

#include "pliant/meshing/conforming.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/geometry/clip.hpp"
#include "pliant/meshing/shape_surface.hpp"

namespace pliant {
namespace {

/// Smallest and largest dihedral angle, degrees.
std::pair<double, double> dihedral_angles(const TetMesh& mesh) {
    double least = 180, most = 0;
    for (const Tet& t : mesh.tets)
        for (const auto& [i, j] : tet_edges) {
            std::array<int, 2> other;
            int n = 0;
            for (int k = 0; k < 4; ++k)
                if (k != i && k != j) other[n++] = t[k];
            const Vec3 axis = (mesh.rest[t[j]] - mesh.rest[t[i]]).normalized();
            auto across = [&, i = i](int p) {
                const Vec3 d = mesh.rest[p] - mesh.rest[t[i]];
                return Vec3(d - axis.dot(d) * axis);
            };
            const Vec3 u = across(other[0]), v = across(other[1]);
            const double angle = std::atan2(u.cross(v).norm(), u.dot(v)) * 180 / std::numbers::pi;
            least = std::min(least, angle), most = std::max(most, angle);
        }
    return {least, most};
}

TEST(Conforming, BallsEndOnTheSphere) {
    Threads threads(2);
    double before = 0;
    for (const double cell : {0.5, 0.25}) {
        const TriMesh surface = shape_surface(*sphere_shape(1.0), 0.03, &threads);
        const LatticeResult result = conforming(surface, {.cell = cell}, threads);
        for (const Tet& t : result.mesh.tets) ASSERT_GT(signed_volume(result.mesh.rest, t), 0);
        const BoundarySurface boundary = boundary_surface(result.mesh);
        const SurfaceFacts facts = inspect(boundary.surface);
        EXPECT_TRUE(facts.closed() && facts.oriented());
        EXPECT_EQ(facts.components, 1);
        double off = 0;
        for (const Vec3& p : boundary.surface.points) off = std::max(off, std::abs(p.norm() - 1));
        EXPECT_LT(off, 4e-4) << "the surface's own triangles lie 1.1e-4 within the sphere";
        const double error = 1 - total_volume(result.mesh.rest, result.mesh.tets) / (4 * std::numbers::pi / 3);
        const auto [least, most] = dihedral_angles(result.mesh);
        std::cout << result.mesh.tets.size() << " tets, off by " << off << ", volume by " << error << ", angles "
                  << least << " … " << most << "°\n";
        EXPECT_GT(least, 15);
        EXPECT_LT(most, 150);
        if (before > 0) {
            EXPECT_LT(error, before / 3) << "second order: a quarter of the error at half the cell";
        }
        before = error;
        EXPECT_EQ(connected_pieces(result.mesh.tets), 1);
    }
}

TEST(Conforming, OtherShapesAreClosedAndSound) {
    Threads threads(1);
    struct Case {
        const char* name;
        ShapePtr shape;
    };
    for (const auto& [name, shape] : {Case{"box", box_shape(Vec3(1, 0.6, 0.4))}, Case{"torus", torus_shape(0.5, 0.2)},
                                      Case{"capsule", capsule_shape(Vec3(-0.4, 0, 0), Vec3(0.4, 0.1, 0), 0.2)}}) {
        const TriMesh surface = shape_surface(*shape, 0.06, &threads);
        const LatticeResult result = conforming(surface, {.cell = 0.11}, threads);
        const SurfaceFacts facts = inspect(boundary_surface(result.mesh).surface);
        const auto [least, most] = dihedral_angles(result.mesh);
        const double volume = enclosed_volume(surface.points, surface.triangles);
        const double error = total_volume(result.mesh.rest, result.mesh.tets) / volume - 1;
        std::cout << name << ": " << result.mesh.tets.size() << " tets, volume " << error << ", angles " << least
                  << " … " << most << "°\n";
        for (const Tet& t : result.mesh.tets) ASSERT_GT(signed_volume(result.mesh.rest, t), 0);
        EXPECT_EQ(facts.boundary_edges, 0) << name;
        EXPECT_EQ(facts.misoriented_edges, 0) << name;
        EXPECT_LT(std::abs(error), 0.05) << name;
        EXPECT_GT(least, 15) << name;
        EXPECT_LT(most, 150) << name;
    }
}

TEST(Conforming, SameForAnyNumberOfThreadsAndScale) {
    Threads one(1), three(3);
    const TriMesh surface = shape_surface(*torus_shape(0.5, 0.25), 0.1, &one);
    const LatticeResult a = conforming(surface, {.cell = 0.2}, one), b = conforming(surface, {.cell = 0.2}, three);
    EXPECT_EQ(a.mesh.tets, b.mesh.tets);
    EXPECT_EQ(a.mesh.rest, b.mesh.rest);
    TriMesh large = surface;
    for (Vec3& p : large.points) p *= 1024;
    EXPECT_EQ(conforming(large, {.cell = 1024 * 0.2}, one).mesh.tets, a.mesh.tets);
}

TEST(Conforming, TurnedSurfacesAreFilledAndSheetsRefused) {
    Threads threads(1);
    TriMesh inside_out = shape_surface(*sphere_shape(1.0), 0.2, &threads);
    const LatticeResult ball = conforming(inside_out, {.cell = 0.5}, threads);
    for (Tri& t : inside_out.triangles) std::swap(t[1], t[2]);
    EXPECT_EQ(conforming(inside_out, {.cell = 0.5}, threads).mesh.tets, ball.mesh.tets);
    const TriMesh sheet{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {{0, 1, 2}}};
    EXPECT_THROW(conforming(sheet, {.cell = 0.2}, threads), UserError);
}

}  // namespace
}  // namespace pliant
