// Shells in a world: free flight, cloth on two corners, grips, loads, threads and resume.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/core/rng.hpp"
#include "pliant/material/material.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/frame.hpp"
#include "pliant/world/intersections.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

TriMesh square_sheet(int n, double size) {
    TriMesh mesh;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) mesh.points.push_back({size * i / n, 1, size * j / n});
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i, b = a + 1, c = b + n + 1, d = a + n + 1;
            if ((i + j) % 2 == 0)
                mesh.triangles.push_back({a, c, b}), mesh.triangles.push_back({a, d, c});
            else
                mesh.triangles.push_back({a, d, b}), mesh.triangles.push_back({b, d, c});
        }
    return mesh;
}

ShellBodyDesc cloth(int n) {
    ShellBodyDesc desc;
    desc.name = "cloth";
    desc.surface = square_sheet(n, 1);
    desc.material = {{5e6, 0.3, 400}};
    desc.shell.thickness = 5e-4, desc.shell.bending_stiffness = 2e-3;
    return desc;
}

void hang(World& w, int n) {
    Grip grip;
    grip.nodes = {0, n};
    grip.pose = [](double) { return Pose{}; };
    w.grips.push_back(grip);
}

TEST(ShellStep, AtRestItStaysThere) {
    World w;
    w.gravity.setZero();
    add_body(w, make_shell_body(cloth(8)));
    for (int i = 0; i < 10; ++i) step(w);
    double moved = 0;
    for (std::size_t i = 0; i < w.shells[0].x.size(); ++i)
        moved = std::max(moved, (w.shells[0].x[i] - w.shells[0].mesh.rest[i]).norm());
    EXPECT_LT(moved, 1e-12);
}

TEST(ShellStep, FreeFlightKeepsMomentumAndAngularMomentum) {
    for (const Bending bending : {Bending::smooth, Bending::hinge}) {
        World w;
        w.gravity.setZero();
        ShellBodyDesc desc = cloth(8);
        desc.shell.bending = bending;
        desc.velocity = Vec3(1, 2, -1), desc.spin = Vec3(3, 1, 2);
        add_body(w, make_shell_body(std::move(desc)));
        const auto spin = [&] {
            const ShellBody& body = w.shells[0];
            const Vec3 c = center_of_mass(body);
            Vec3 sum = Vec3::Zero();
            for (std::size_t i = 0; i < body.x.size(); ++i)
                sum += node_mass(body)[i] * (body.x[i] - c).cross(body.v[i]);
            return sum;
        };
        const Vec3 p = momentum(w.shells[0]), l = spin();
        for (int i = 0; i < 100; ++i) step(w);
        const double dp = (momentum(w.shells[0]) - p).norm() / p.norm(), dl = (spin() - l).norm() / l.norm();
        std::cout << "free flight of 1 s: momentum changed by " << dp << ", angular momentum by " << dl << "\n";
        EXPECT_LT(dp, 1e-10);
        EXPECT_LT(dl, 1e-9);
    }
}

/// Where the middle of the lower edge hangs, against a sheet of four times as many triangles.
TEST(ShellStep, ClothOnTwoCornersConverges) {
    const auto settled = [](int n) {
        World w;
        w.dt = 0.02;
        ShellBodyDesc desc = cloth(n);
        desc.shell.mass_damping = 3;
        desc.solve.tolerance = 1e-3, desc.solve.iterations = 1000;
        add_body(w, make_shell_body(std::move(desc)));
        hang(w, n);
        for (int i = 0; i < 120; ++i) step(w);
        const ShellBody& body = w.shells[0];
        std::cout << n << " cells: speed left " << max_speed(body) << " m/s\n";
        return body.x[static_cast<std::size_t>(n * (n + 1) + n / 2)];
    };
    const Vec3 coarse = settled(6), fine = settled(12), finest = settled(18);
    std::cout << "middle of the lower edge: " << coarse.transpose() << " / " << fine.transpose() << " / "
              << finest.transpose() << "\n";
    EXPECT_LT((fine - finest).norm(), 0.01);
    EXPECT_LT((fine - finest).norm(), (coarse - finest).norm());
}

double energy_of(const ShellBody& body) { return elastic_energy(body) + kinetic_energy(body); }

/// Whatever state a sheet is brought into, and however long the steps, none ends with more energy than it began with.
/// One linear solve per step does not do that.
TEST(ShellStep, ComesBackFromAScatteredStartAndNeverGains) {
    double worst_alone = 0;
    for (const Bending bending : {Bending::smooth, Bending::hinge})
        for (const char* law : {"corotational", "neo_hookean"})
            for (const double dt : {1e-2, 1.0})
                for (const int newton : {0, 1}) {
                    World w;
                    w.dt = dt, w.gravity.setZero();
                    ShellBodyDesc desc = cloth(6);
                    desc.shell.bending = bending, desc.shell.law = &material_laws().get(law);
                    desc.solve.newton = newton;
                    add_body(w, make_shell_body(std::move(desc)));
                    Rng rng(7);
                    for (Vec3& x : w.shells[0].x) x = Vec3(rng.uniform(), rng.uniform(), rng.uniform());
                    const double start = energy_of(w.shells[0]);
                    double gained = 0;
                    for (int i = 0; i < 30; ++i) {
                        const double before = energy_of(w.shells[0]);
                        step(w);
                        gained = std::max(gained, energy_of(w.shells[0]) / before - 1);
                    }
                    std::cout << law << (bending == Bending::smooth ? ", smooth" : ", hinges") << ", dt " << dt << ": "
                              << start << " J at the start, " << energy_of(w.shells[0]) << " at the end, at most "
                              << gained << " gained in a step" << (newton == 1 ? " (single solves)" : "") << "\n";
                    if (newton == 1)
                        worst_alone = std::max(worst_alone, gained);
                    else
                        EXPECT_LT(gained, 1e-6) << law << " " << dt;
                }
    EXPECT_GT(worst_alone, 1e-3);
}

void lay_barrier_ground(World& w) {
    w.barriers = true, w.dt = 0.005;
    Prop ground;
    ground.name = "ground";
    ground.obstacle = {.shape = plane_obstacle(Vec3::Zero(), Vec3::UnitY()), .start = {}, .end = {}, .friction = 0.5};
    w.props.push_back(ground);
}

/// Three sheets that fall on each other and the ground, the middle one with its back up, keep the distance of their
/// thickness but for what their weight closes of it. Nothing crosses.
TEST(ShellStep, BarriersKeepSheetsAThicknessApart) {
    World w;
    lay_barrier_ground(w);
    const double thickness = 0.01;
    for (int k = 0; k < 3; ++k) {
        ShellBodyDesc desc = cloth(4 + k);
        desc.name = "sheet " + std::to_string(k);
        for (Vec3& p : desc.surface.points) p.y() = (0.4 + k) * 3 * thickness;
        if (k == 1)
            for (Tri& t : desc.surface.triangles) std::swap(t[1], t[2]);
        desc.shell.thickness = thickness, desc.shell.mass_damping = 5;
        add_body(w, make_shell_body(std::move(desc)));
    }
    std::int64_t crossed = 0;
    for (int i = 0; i < 120; ++i) step(w), crossed += find_intersections(w).crossings.count;
    EXPECT_EQ(crossed, 0);
    double below = 0;
    for (const ShellBody& sheet : w.shells) {
        const double height = center_of_mass(sheet).y();
        std::cout << sheet.name << " lies " << (height - below) / thickness << " thicknesses above what is below it\n";
        EXPECT_GT(height - below, 0.5 * thickness);
        EXPECT_LT(height - below, 1.1 * thickness);
        below = height;
    }
}

/// The far edge of a sheet on the ground is laid over the near one and let go.
TEST(ShellStep, BarriersKeepASheetFromItself) {
    World w;
    lay_barrier_ground(w);
    const int n = 12;
    const double thickness = 0.01;
    ShellBodyDesc desc = cloth(n);
    for (Vec3& p : desc.surface.points) p.y() = 1.1 * thickness;
    desc.shell.thickness = thickness, desc.shell.bending_stiffness = 1e-4, desc.shell.mass_damping = 5;
    add_body(w, make_shell_body(std::move(desc)));
    Grip still, folds;
    for (int i = 0; i <= n; ++i) still.nodes.push_back(i), folds.nodes.push_back(n * (n + 1) + i);
    still.pose = [](double) { return Pose{}; };
    folds.pose = [](double t) {
        const double turn = M_PI * std::min(1.0, t / 0.8);
        const Quat q(Eigen::AngleAxisd(-turn, Vec3::UnitX()));
        const Vec3 hinge(0, 1.1 * 0.01, 0.5);
        return Pose{q, hinge - q * hinge + Vec3(0, 0.03 * turn / M_PI, 0)};
    };
    folds.when = {0, 1};
    w.grips.push_back(still), w.grips.push_back(folds);
    std::int64_t crossed = 0;
    for (int i = 0; i < 300; ++i) step(w), crossed += find_intersections(w).crossings.count;
    const std::vector<Vec3>& x = w.shells[0].x;
    const double above = x[n * (n + 1) + n / 2].y() - x[n / 2].y();
    std::cout << "folded onto itself: " << crossed << " crossings, the far edge " << above / thickness
              << " thicknesses above the near one\n";
    EXPECT_EQ(crossed, 0);
    EXPECT_GT(above, 0.5 * thickness);
    EXPECT_LT(above, 1.5 * thickness);
}

std::uint64_t run_hash(int threads, int save_at) {
    const auto build = [&] {
        auto w = std::make_unique<World>(threads);
        ShellBodyDesc desc = cloth(20);
        desc.creases = ShellCreases{1e-3, 1};
        add_body(*w, make_shell_body(std::move(desc)));
        hang(*w, 20);
        return w;
    };
    auto w = build();
    for (int i = 0; i < 20; ++i) {
        if (i == save_at) {
            ByteWriter out;
            save_state(*w, out);
            auto again = build();
            ByteReader in(out.bytes());
            load_state(*again, in);
            w = std::move(again);
        }
        step(*w);
    }
    return state_hash(*w);
}

TEST(ShellStep, SameBitsForAnyThreadsAndThroughResume) {
    const std::uint64_t alone = run_hash(1, -1);
    EXPECT_EQ(alone, run_hash(2, -1));
    EXPECT_EQ(alone, run_hash(7, -1));
    EXPECT_EQ(alone, run_hash(1, 10));
}

/// A sheet of 2 × 2 quads with texture coordinates, a material for each row and normals; one quad lies the other way
/// up.
TriMesh brought_sheet() {
    TriMesh mesh = square_sheet(2, 1);
    SurfaceAttributes a;
    for (int q = 0; q < 4; ++q) {
        const int t = 2 * q;
        // As square_sheet() divides them, with their corners in order round the quad.
        std::array<int, 4> quad = q % 3 == 0 ? std::array{3 * t, 3 * t + 4, 3 * t + 5, 3 * t + 2}
                                             : std::array{3 * t, 3 * t + 1, 3 * t + 5, 3 * t + 2};
        if (q == 1) {
            for (int k : {t, t + 1}) std::swap(mesh.triangles[k][1], mesh.triangles[k][2]);
            quad = {3 * t, 3 * t + 1, 3 * t + 4, 3 * t + 2};
        }
        a.polygon_size.push_back(4);
        a.polygon_corner.insert(a.polygon_corner.end(), quad.begin(), quad.end());
        a.material.insert(a.material.end(), 2, q / 2);
    }
    a.materials = {{.name = "hem"}, {.name = "middle"}};
    std::vector<Vec3> normals;
    for (const Tri& t : mesh.triangles)
        for (int v : t) {
            a.uv.push_back({static_cast<float>(mesh.points[v].x()), static_cast<float>(mesh.points[v].z())});
            normals.push_back((mesh.points[t[1]] - mesh.points[t[0]]).cross(mesh.points[t[2]] - mesh.points[t[0]]));
        }
    set_corner_normals(a, mesh.points, mesh.triangles, normals);
    EXPECT_EQ(attribute_fault(a, mesh.triangles.size()), "");
    mesh.attributes = std::make_shared<const SurfaceAttributes>(a);
    return mesh;
}

TEST(ShellStep, BothFacesHaveWhatTheSheetWasBroughtWith) {
    for (const bool thick : {true, false}) {
        ShellBodyDesc desc = cloth(2);
        desc.surface = brought_sheet();
        desc.seen_thick = thick;
        World w;
        add_body(w, make_shell_body(std::move(desc)));
        const BodyFrame body = snapshot(w, 0).bodies[0];
        ASSERT_TRUE(body.attributes);
        const SurfaceAttributes& a = *body.attributes;
        const std::size_t faces = thick ? 2 * 8 : 8, rim = thick ? 2 * 8 : 0;
        ASSERT_EQ(body.triangles->size(), faces + rim);
        ASSERT_EQ(attribute_fault(a, body.triangles->size()), "");
        EXPECT_EQ(a.materials.size(), 2U);
        const std::vector<Vec3> normals = corner_normals(body);
        for (std::size_t c = 0; c < 3 * body.triangles->size(); ++c) {
            const Tri& t = (*body.triangles)[c / 3];
            const Vec3& p = body.points[t[c % 3]];
            EXPECT_NEAR(a.uv[c][0], p.x(), 1e-6);
            EXPECT_NEAR(a.uv[c][1], p.z(), 1e-6);
            const Vec3 out = (body.points[t[1]] - body.points[t[0]]).cross(body.points[t[2]] - body.points[t[0]]);
            EXPECT_GT(normals[c].dot(out.normalized()), 0.999) << c;
        }
        // Quads stay quads on both faces, and go round as their triangles do.
        int quads = 0;
        for_each_polygon(&a, body.triangles->size(), [&](int first, std::span<const int> corners) {
            quads += corners.size() == 4;
            const auto at = [&](std::size_t k) {
                const int c = corners[k % corners.size()];
                return body.points[(*body.triangles)[c / 3][c % 3]];
            };
            Vec3 area = Vec3::Zero();
            for (std::size_t k = 1; k + 1 < corners.size(); ++k) area += (at(k) - at(0)).cross(at(k + 1) - at(0)) / 2;
            const Tri& t = (*body.triangles)[first];
            const Vec3 one = (body.points[t[1]] - body.points[t[0]]).cross(body.points[t[2]] - body.points[t[0]]) / 2;
            EXPECT_LT((area - (static_cast<double>(corners.size()) - 2) * one).norm(), 1e-9) << first;
        });
        EXPECT_EQ(quads, thick ? 8 : 4);
    }
}

TEST(ShellStep, MistakesAreNamed) {
    const auto message = [](ShellBodyDesc desc) -> std::string {
        try {
            make_shell_body(std::move(desc));
        } catch (const UserError& error) {
            return error.message();
        }
        return "";
    };
    ShellBodyDesc flat = cloth(2), thin = cloth(2), soup = cloth(1), branched = cloth(1), strip = cloth(1);
    flat.surface.points[4] = flat.surface.points[0];
    EXPECT_NE(message(flat).find("has no area"), std::string::npos);
    thin.shell.thickness = 0;
    EXPECT_NE(message(thin).find("has no thickness"), std::string::npos);
    soup.surface.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
    soup.surface.triangles = {{0, 1, 2}, {3, 4, 5}};
    EXPECT_NE(message(soup).find("soup"), std::string::npos);
    branched.surface.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    branched.surface.triangles = {{0, 1, 2}, {1, 0, 3}, {0, 1, 4}};
    EXPECT_NE(message(branched).find("more than two triangles"), std::string::npos);
    // A band of five triangles that is joined to itself turned over.
    strip.surface.points.clear(), strip.surface.triangles.clear();
    for (int i = 0; i < 5; ++i)
        strip.surface.points.push_back(
            {std::cos(2 * M_PI * i / 5), std::sin(2 * M_PI * i / 5), i % 2 == 0 ? 0.3 : -0.3});
    for (int i = 0; i < 5; ++i) strip.surface.triangles.push_back({i, (i + 1) % 5, (i + 2) % 5});
    EXPECT_NE(message(strip).find("one side"), std::string::npos);
}

}  // namespace
}  // namespace pliant
