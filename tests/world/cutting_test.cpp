// Knives in a world: what a cut must not change, and that a run with one is the same however it is run.

#include "pliant/world/cutting.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "pliant/body/explicit_step.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

FemBodyDesc soft_bar() {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(8, 3, 3, Vec3(0, 0, 0), Vec3(0.8, 0.3, 0.3));
    desc.material = {{.young = 5e4, .poisson = 0.35, .density = 1000}};
    desc.cutting.emplace();
    return desc;
}

World world_with(FemBodyDesc desc, int threads = 1) {
    World w(threads);
    w.dt = 0.005;
    add_body(w, make_fem_body(std::move(desc)));
    return w;
}

CutStroke plane_cut(double at, const Vec3& point, const Vec3& normal) {
    return {.body = 0, .sheet = plane_sheet(point, normal), .at = at};
}

void hold_left_end(World& w) {
    Grip grip{.body = 0, .nodes = {}, .pose = [](double) { return Pose{}; }, .when = {}};
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].x() == 0) grip.nodes.push_back(i);
    w.grips.push_back(grip);
}

/// Held at one end; a blade goes through it for a while, and carves a hollow at the end.
World start(int threads) {
    World w = world_with(soft_bar(), threads);
    hold_left_end(w);
    w.strokes.push_back(
        {.body = 0,
         .sheet = blade_sheet({.path = {{0.31, 0.4, -0.1}, {0.38, 0.4, 0.12}, {0.33, 0.4, 0.4}}, .depth = 0.35}),
         .at = 0.02,
         .duration = 0.15});
    CutStroke hollow{.body = 0,
                     .sheet = {},
                     .distance = [](const Vec3& p) { return (p - Vec3(0.7, 0.1, 0.15)).norm() - 0.12; },
                     .carves = true,
                     .at = 0.1};
    w.strokes.push_back(hollow);
    return w;
}

}  // namespace

TEST(Cutting, SameForAnyThreadsAndThroughResume) {
    World one = start(1), two = start(2), seven = start(7), resumed = start(2);
    while (one.steps < 50) step(one), step(two), step(seven);
    EXPECT_EQ(state_hash(one), state_hash(two));
    EXPECT_EQ(state_hash(one), state_hash(seven));
    World half = start(1);
    while (half.steps < 22) step(half);
    EXPECT_EQ(half.strokes[0].stage, CutStroke::Stage::cutting);
    ByteWriter out;
    save_state(half, out);
    const std::string bytes = out.take();
    ByteReader in(bytes);
    load_state(resumed, in);
    EXPECT_EQ(state_hash(resumed), state_hash(half));
    while (resumed.steps < 50) step(resumed);
    EXPECT_EQ(state_hash(resumed), state_hash(one));
    EXPECT_EQ(one.strokes[0].stage, CutStroke::Stage::done);
    EXPECT_GT(one.strokes[0].elements, 0);
}

TEST(Cutting, KeepsMassAndMomentum) {
    FemBodyDesc desc = soft_bar();
    desc.velocity = {1, 2, 3}, desc.spin = {2, 1, 4};
    World w = world_with(desc);
    w.gravity.setZero();
    for (int i = 0; i < 10; ++i) step(w);
    const auto spin_of = [](const FemBody& body) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < body.x.size(); ++i) sum += node_mass(body)[i] * body.x[i].cross(body.v[i]);
        return sum;
    };
    FemBody& body = w.fem[0];
    const double mass_before = mass(body), energy = elastic_energy(body);
    const Vec3 center = center_of_mass(body), push = momentum(body), spin = spin_of(body);
    w.strokes.push_back(plane_cut(0, center, {1, 0.3, 0.1}));
    w.strokes.push_back(plane_cut(0, center, {0.2, 1, -0.1}));
    make_cuts(w);
    EXPECT_EQ(body.seen->piece_count(), 4);
    const double errors[] = {std::abs(mass(body) / mass_before - 1), (center_of_mass(body) - center).norm(),
                             (momentum(body) - push).norm() / push.norm(), (spin_of(body) - spin).norm() / spin.norm(),
                             std::abs(elastic_energy(body) / energy - 1)};
    std::printf("    mass %.1e, centre %.1e, momentum %.1e, spin %.1e, elastic energy %.1e\n", errors[0], errors[1],
                errors[2], errors[3], errors[4]);
    for (double error : errors) EXPECT_LT(error, 1e-12);
}

TEST(Cutting, WholeCopiesWeighMore) {
    FemBodyDesc desc = soft_bar();
    desc.cutting->whole_copies = true;
    World w = world_with(desc);
    const double before = mass(w.fem[0]);
    w.strokes.push_back(plane_cut(0, {0.41, 0, 0}, {1, 0, 0}));
    make_cuts(w);
    EXPECT_NEAR(mass(w.fem[0]) / before, 1 + 1.0 / 8, 1e-12);  // one layer of elements twice
}

// A sliver of a millionth of an element: neither explicit steps nor iterations take notice.
TEST(Cutting, SliverCostsNothing) {
    FemBodyDesc desc = soft_bar();
    desc.integrator = find_integrator("symplectic_euler");
    World quick = world_with(desc);
    const double before = own_step(quick.fem[0]);
    quick.strokes.push_back(plane_cut(0, {0.8 - 1e-7, 0, 0}, {1, 0, 0}));
    make_cuts(quick);
    EXPECT_EQ(quick.fem[0].seen->piece_count(), 2);
    const double after = own_step(quick.fem[0]);
    std::printf("    explicit step %.4g s before, %.4g s after\n", before, after);
    EXPECT_NEAR(after / before, 1, 0.1);

    int iterations[2] = {};
    for (int cut : {0, 1}) {
        FemBodyDesc implicit = soft_bar();
        implicit.solve.tolerance = 1e-8, implicit.solve.iterations = 1000;
        World w = world_with(implicit);
        hold_left_end(w);
        if (cut) w.strokes.push_back(plane_cut(0, {0.8 - 1e-7, 0, 0}, {1, 0, 0}));
        for (int i = 0; i < 20; ++i) iterations[cut] += step(w).iterations;
    }
    std::printf("    %d iterations whole, %d with a sliver cut off\n", iterations[0], iterations[1]);
    EXPECT_LT(iterations[1], 1.1 * iterations[0]);
}

// What is cut off right beside a grip falls: virtual copies of held nodes are not held.
TEST(Cutting, WhatIsCutOffFalls) {
    World w = world_with(soft_bar());
    hold_left_end(w);
    w.strokes.push_back(plane_cut(0, {0.05, 0, 0}, {1, 0, 0}));
    for (int i = 0; i < 40; ++i) step(w);
    const FemBody& body = w.fem[0];
    EXPECT_EQ(body.seen->piece_count(), 2);
    double lowest = 0;
    for (std::size_t i = 0; i < body.points.size(); ++i) lowest = std::min(lowest, body.velocities[i].y());
    std::printf("    %.4f m/s after 0.2 s, free fall %.4f\n", lowest, -9.81 * 0.2);
    EXPECT_NEAR(lowest, -9.81 * 0.2, 0.02 * 9.81 * 0.2);
}

TEST(Cutting, WhatCutsNothingIsSaidAndWhatTakesAllIsRefused) {
    World w = world_with(soft_bar());
    w.strokes.push_back(plane_cut(0, {5, 0, 0}, {1, 0, 0}));
    step(w);
    ASSERT_EQ(w.warnings.list().size(), 1u);
    EXPECT_NE(w.warnings.list()[0].text.find("parted nothing"), std::string::npos);
    CutStroke all{.body = 0, .sheet = {}, .distance = [](const Vec3& p) { return p.norm() - 9; }, .carves = true};
    w.strokes.push_back(all);
    try {
        step(w);
        FAIL() << "nothing is left, and nobody says so";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("takes away all"), std::string::npos) << error.what();
    }
}

}  // namespace pliant
