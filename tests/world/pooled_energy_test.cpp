// The energy ledger of bodies that are pooled: other integrators than implicit Euler, particles and shells. Work is
// measured there as with others, and what the integrator takes is what is missing.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "pliant/contact/obstacle.hpp"
#include "pliant/core/bytes.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/ledger.hpp"

namespace pliant {
namespace {

TetMesh block_mesh(double above) { return bar_mesh(4, 1, 4, {0, above, 0}, {0.4, above + 0.1, 0.4}); }

FemBodyDesc fem_block(const char* integrator, double above = 0.01) {
    FemBodyDesc desc;
    desc.mesh = block_mesh(above);
    desc.material = {{1e6, 0.3, 1000}};
    desc.integrator = find_integrator(integrator);
    desc.friction = 0.3;
    return desc;
}

ParticleBodyDesc particle_block(bool implicit, double above = 0.01) {
    ParticleBodyDesc desc;
    desc.structure = structure_of_tets(block_mesh(above));
    desc.model.model = ParticleModel::cmpm3;
    desc.material = {{.young = 1e6, .poisson = 0.3, .density = 1000}};
    desc.implicit = implicit;
    desc.friction = 0.3;
    return desc;
}

ShellBodyDesc sheet(double above = 0.01) {
    ShellBodyDesc desc;
    for (int i = 0; i < 25; ++i) desc.surface.points.push_back({0.1 * (i % 5), above, 0.1 * (i / 5)});
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < 4; ++i) {
            const int a = 5 * j + i;
            desc.surface.triangles.push_back({a, a + 6, a + 1}), desc.surface.triangles.push_back({a, a + 5, a + 6});
        }
    desc.material = {{1e6, 0.3, 1000}};
    desc.shell.thickness = 0.005;
    desc.friction = 0.3;
    return desc;
}

struct Kind {
    const char* name;
    std::function<void(World&, const Vec3& velocity)> add;
};

std::vector<Kind> kinds() {
    std::vector<Kind> list;
    for (const char* integrator : {"bdf2", "newmark", "symplectic_euler", "taylor2"})
        list.push_back({integrator, [=](World& w, const Vec3& v) {
                            FemBodyDesc desc = fem_block(integrator);
                            desc.velocity = v;
                            add_body(w, make_fem_body(std::move(desc)));
                        }});
    for (const bool implicit : {false, true})
        list.push_back({implicit ? "implicit particles" : "leap-frog", [=](World& w, const Vec3& v) {
                            ParticleBodyDesc desc = particle_block(implicit);
                            desc.velocity = v;
                            add_body(w, make_particle_body(std::move(desc)));
                        }});
    list.push_back({"shell", [](World& w, const Vec3& v) {
                        ShellBodyDesc desc = sheet();
                        desc.velocity = v;
                        add_body(w, make_shell_body(std::move(desc)));
                    }});
    return list;
}

double height(const World& w) {
    return visit_solved(w, 0, [](const auto& body) { return center_of_mass(body)[1]; });
}
double weight(const World& w) {
    return 9.81 * visit_solved(w, 0, [](const auto& body) { return mass(body); });
}

// Gravity's work is weight times height, and no integrator takes more than implicit Euler, which is half a step of
// gravity in each step.
TEST(PooledEnergy, FallsAreWhatTheFormulaSays) {
    for (const Kind& kind : kinds()) {
        World w(1);
        kind.add(w, Vec3::Zero());
        const double start = height(w), heavy = weight(w);
        for (int i = 0; i < 50; ++i) step(w);
        const EnergyBalance b = energy_balance(w);
        const double euler = 0.5 * heavy * 9.81 * w.dt * w.dt * 50;
        std::printf("%s: gravity %.9g of %.9g J, numerical %.2e of %.2e J\n", kind.name, b.ledger.outside,
                    heavy * (start - height(w)), b.ledger.numerical, euler);
        EXPECT_NEAR(b.ledger.outside, heavy * (start - height(w)), 1e-9 * b.ledger.outside) << kind.name;
        EXPECT_LT(b.ledger.numerical, euler * (1 + 1e-6)) << kind.name;
        EXPECT_GT(b.ledger.numerical, -1e-9 * b.ledger.outside) << kind.name;
        EXPECT_LT(std::abs(b.residual), 1e-9 * b.largest()) << kind.name;
    }
}

TEST(PooledEnergy, FrictionTakesASlide) {
    for (const Kind& kind : kinds()) {
        World w(1);
        w.dt = 0.002;
        w.props.push_back(
            {.name = "ground", .obstacle = {ground_obstacle(0), {}, {}, 0.3}, .motion = {}, .surface = {}});
        kind.add(w, {2, 0, 0});
        for (int i = 0; i < 700; ++i) step(w);
        const EnergyBalance b = energy_balance(w);
        std::printf("%s: brought %.6g, friction %.6g, contact %.2e, gravity %.2e, numerical %.2e, kinetic %.1e J\n",
                    kind.name, b.ledger.brought, b.ledger.friction, b.ledger.contact, b.ledger.outside,
                    b.ledger.numerical, b.kinetic);
        EXPECT_NEAR(b.ledger.friction, b.ledger.brought, 0.05 * b.ledger.brought) << kind.name;
    }
}

/// A bar of 1 m that is held at one end, and swings, or is shaken by it, for 0.2 s.
EnergyBalance held_bar(const char* integrator, double dt, bool shaken) {
    World w(1);
    w.dt = dt;
    w.gravity.setZero();
    FemBodyDesc desc;
    desc.mesh = bar_mesh(10, 1, 1, {0, 0, 0}, {1, 0.1, 0.1});
    desc.material = {{1e5, 0.3, 1000}};
    desc.integrator = find_integrator(integrator);
    if (desc.integrator->is_explicit()) desc.own_step = 0.1 * dt;
    desc.solve = {2000, 1e-10};
    add_body(w, make_fem_body(std::move(desc)));
    Grip grip;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].x() < 1e-9) grip.nodes.push_back(i);
    grip.pose = [=](double t) {
        Pose pose;
        if (shaken) pose.translation = {0, 0.05 * (1 - std::cos(20 * t)), 0};
        return pose;
    };
    w.grips.push_back(grip);
    if (!shaken)
        for (std::size_t i = 0; i < w.fem[0].v.size(); ++i) w.fem[0].v[i] = {0, w.fem[0].x[i][0] * w.fem[0].x[i][0], 0};
    for (int i = 0; i < std::lround(0.2 / w.dt); ++i) step(w);
    return energy_balance(w);
}

// What an integrator of order p takes falls with dt^p at least.
TEST(PooledEnergy, WhatIsMissingFallsWithTheStep) {
    for (const char* name : {"bdf2", "symplectic_euler", "taylor2", "newmark"}) {
        const EnergyBalance coarse = held_bar(name, 0.002, false), fine = held_bar(name, 0.001, false);
        const double ratio = coarse.ledger.numerical / fine.ledger.numerical;
        std::printf("%s: brought %.6g J, numerical %.3e and %.3e J, ratio %.2f\n", name, coarse.ledger.brought,
                    coarse.ledger.numerical, fine.ledger.numerical, ratio);
        EXPECT_GT(std::abs(ratio), 0.9 * std::exp2(find_integrator(name)->order)) << name;
    }
}

TEST(PooledEnergy, GripsDoTheSameWorkWithEveryIntegrator) {
    const EnergyBalance followed = held_bar("implicit_euler", 5e-5, true);
    for (const char* name : {"bdf2", "symplectic_euler", "taylor2", "newmark"}) {
        const EnergyBalance b = held_bar(name, 5e-4, true);
        std::printf("%s: grips %.5g J, by implicit Euler with small steps %.5g J; numerical %.1e J\n", name,
                    b.ledger.grips, followed.ledger.grips, b.ledger.numerical);
        EXPECT_NEAR(b.ledger.grips, followed.ledger.grips, 0.03 * followed.ledger.grips) << name;
    }
}

TEST(PooledEnergy, GoesOnWhereItWasSaved) {
    for (const Kind& kind : kinds()) {
        World a(1), b(1);
        kind.add(a, {1, 2, 0}), kind.add(b, {1, 2, 0});
        for (int i = 0; i < 10; ++i) step(a);
        ByteWriter out;
        save_state(a, out);
        ByteReader in(out.bytes());
        load_state(b, in);
        for (int i = 0; i < 10; ++i) step(a), step(b);
        const EnergyBalance through = energy_balance(a), resumed = energy_balance(b);
        EXPECT_EQ(through.ledger.numerical, resumed.ledger.numerical) << kind.name;
        EXPECT_EQ(through.ledger.brought, resumed.ledger.brought) << kind.name;
        EXPECT_EQ(through.kinetic, resumed.kinetic) << kind.name;
    }
}

}  // namespace
}  // namespace pliant
