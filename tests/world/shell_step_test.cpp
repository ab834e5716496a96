// Shells in a world: free flight, cloth on two corners, grips, loads, threads and resume.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/world/bodies.hpp"
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
