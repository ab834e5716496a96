// Bodies that are remeshed (Wojtan & Turk 2008): what a new lattice must keep, and what runs must repeat.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdio>

#include "pliant/body/remeshing.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/edit_mesh.hpp"

namespace pliant {
namespace {

FemBodyDesc lump(const Vec3& size, double cell, const PlasticNumbers& flow, Threads& threads) {
    FemBodyDesc desc;
    desc.name = "lump";
    desc.surface = shape_surface(*box_shape(size, 0.1 * size.minCoeff()), 0.4 * cell);
    const LatticeResult made = lattice(desc.surface, {.cell = cell}, threads);
    desc.mesh = made.mesh;
    desc.solid.fill = made.fill;
    desc.material = {{3e3, 0.45, 1000}};
    desc.plasticity = &plasticity_laws().get("flow");
    desc.plastic = {flow};
    desc.remesh = RemeshOptions{.cell = cell};
    return desc;
}

/// A new lattice for the body, whether it needs one or not.
void remesh_now(World& w, int number) {
    Remeshed remeshed = propose_remesh(w.fem[number], *w.threads);
    count_remesh(w.fem[number], remeshed.volume, w.time);
    edit_mesh(w, number, remeshed.edit, {std::move(remeshed.shape), std::move(remeshed.carried)});
}

Vec3 spin_of(const FemBody& body) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < body.x.size(); ++i) sum += node_mass(body)[i] * body.x[i].cross(body.v[i]);
    return sum;
}

TEST(RemeshStep, KeepsMassMomentumSurfaceAndStretch) {
    World w(2);
    add_body(w, make_fem_body(lump({0.3, 0.2, 0.25}, 0.05, {}, *w.threads), *w.threads));
    FemBody& body = w.fem[0];
    // An affine deformation, and a velocity that varies from place to place.
    Mat3 F;
    F << 1.3, 0.2, 0.1, -0.1, 0.8, 0.15, 0.05, -0.2, 1.1;
    for (Vec3& x : body.x) x = F * x + Vec3(0.4, 0.1, -0.2);
    Rng rng(7);
    for (std::size_t i = 0; i < body.v.size(); ++i)
        body.v[i] = Vec3(1, 2, -1) + Vec3(3, -2, 4).cross(body.x[i]) +
                    0.3 * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
    update_surface(body, *w.threads);
    const double kg = mass(body), energy = elastic_energy(body);
    const Vec3 pushed = momentum(body), turned = spin_of(body);
    const std::vector<Vec3> points = body.points;
    const Mat3 stretch = F * F.transpose();
    remesh_now(w, 0);

    double moved = 0, strained = 0;
    for (std::size_t i = 0; i < points.size(); ++i) moved = std::max(moved, (body.points[i] - points[i]).norm());
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const Mat3 Fe = body.solid.deformation_gradient(body.x, t);
        strained = std::max(strained, (Fe * Fe.transpose() - stretch).norm());
    }
    std::printf("mass off by %.2g, momentum %.2g, spin %.2g, vertices %.2g m, stretch %.2g, energy %.3g of %.3g J\n",
                mass(body) / kg - 1, (momentum(body) - pushed).norm() / pushed.norm(),
                (spin_of(body) - turned).norm() / turned.norm(), moved, strained, elastic_energy(body), energy);
    EXPECT_NEAR(mass(body) / kg, 1, 1e-12);
    EXPECT_LT((momentum(body) - pushed).norm(), 1e-10 * pushed.norm());
    EXPECT_LT((spin_of(body) - turned).norm(), 1e-10 * turned.norm());
    EXPECT_LT(moved, 1e-14);
    EXPECT_LT(strained, 1e-9);
    EXPECT_LT(body.remeshing->total.volume_change, 1e-9);
    EXPECT_EQ(body.remeshing->total.count, 1u);
}

// The clamp of small masses is inertia without weight: a thin plate falls as fast as anything, and weighs what it does.
TEST(RemeshStep, SmallMassesAreClampedWithoutWeight) {
    World w(1);
    w.dt = 0.01;
    add_body(w, make_fem_body(lump({0.3, 0.01, 0.3}, 0.06, {}, *w.threads), *w.threads));
    const FemBody& body = w.fem[0];
    double inertia = 0;
    for (double m : body.solid.mass()) inertia += m;
    std::printf("weighs %.4f kg, inertia of %.4f kg\n", mass(body), inertia);
    EXPECT_NEAR(mass(body) / (1000 * body.remeshing->total.volume), 1, 1e-12);
    EXPECT_GT(inertia, mass(body));
}

/// The upper half of a lump is held, and the rest flows down.
World hanging(int threads) {
    World w(threads);
    w.dt = 0.01;
    FemBodyDesc desc = lump({0.2, 0.3, 0.2}, 0.06, {.yield = 0, .rate = 50}, *w.threads);
    desc.remesh->condition = 1.5;
    desc.remesh->edge = 0.02;
    add_body(w, make_fem_body(std::move(desc), *w.threads));
    Grip grip{0, {}, [](double) { return Pose{}; }, {}};
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].y() > 0.05) grip.nodes.push_back(i);
    w.grips.push_back(grip);
    return w;
}

TEST(RemeshStep, RunsRepeatForAnyThreadsAndThroughResume) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = hanging(threads);
        for (int i = 0; i < 30; ++i) step(w);
        if (threads == 1) {
            hash = state_hash(w);
            std::printf("%llu remeshes, volume off by %.2g\n",
                        static_cast<unsigned long long>(w.fem[0].remeshing->total.count),
                        w.fem[0].remeshing->total.volume_change);
            EXPECT_GT(w.fem[0].remeshing->total.count, 1u);
        }
        EXPECT_EQ(state_hash(w), hash) << threads << " threads";
    }
    World first = hanging(1);
    for (int i = 0; i < 15; ++i) step(first);
    ByteWriter saved;
    save_state(first, saved);
    World second = hanging(2);
    ByteReader reader(saved.bytes());
    load_state(second, reader);
    EXPECT_EQ(state_hash(second), state_hash(first));
    for (int i = 0; i < 15; ++i) step(second);
    EXPECT_EQ(state_hash(second), hash);
}

/// Two lumps with a thread between them, which is thinner than it may be. The upper one is held.
World hanging_by_a_thread(int threads, double breaks, double young, double rate) {
    World w(threads);
    w.dt = 0.005;
    const double cell = 0.03;
    const Vec3 low(0, -0.2, 0);
    FemBodyDesc desc;
    desc.name = "drop";
    desc.surface =
        shape_surface(*smooth_union_of({capsule_shape(Vec3::Zero(), Vec3::Zero(), 0.06),
                                        capsule_shape(Vec3::Zero(), low, 0.015), capsule_shape(low, low, 0.05)},
                                       0.01),
                      0.014);
    for (Vec3& p : desc.surface.points)
        if (p.y() > -0.13 && p.y() < -0.08) p.x() *= 0.15, p.z() *= 0.15;
    const LatticeResult made = lattice(desc.surface, {.cell = cell}, *w.threads);
    desc.mesh = made.mesh;
    desc.solid.fill = made.fill;
    desc.material = {{young, 0.45, 1000}};
    desc.plasticity = &plasticity_laws().get("flow");
    desc.plastic = {{.yield = 0, .rate = rate}};
    desc.remesh = RemeshOptions{.cell = cell, .condition = 1.5, .edge = 0.014, .breaks = breaks, .merges = breaks / 2};
    add_body(w, make_fem_body(std::move(desc), *w.threads));
    Grip grip{0, {}, [](double) { return Pose{}; }, {}};
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].y() > -0.04) grip.nodes.push_back(i);
    w.grips.push_back(grip);
    return w;
}

// A strand that breaks lets go of what hangs on it: it falls as anything does, although both ends are still in one
// cell.
TEST(RemeshStep, WhatHangsOnAStrandFallsOnceItBreaks) {
    for (const double breaks : {0.0, 0.02}) {
        World w = hanging_by_a_thread(2, breaks, 1e6, 0.1);
        const FemBody& body = w.fem[0];
        const double kg = mass(body), enclosed = volume(body);
        int steps = 0;
        if (breaks > 0)
            while (body.seen->piece_count() == 1 && steps < 10) remesh_now(w, 0), ++steps;
        const int pieces = body.seen->piece_count();
        const auto lowest = [&] { return bounds(body).min.y(); };
        const double before = lowest();
        double speed = 0;
        for (const Vec3& v : body.velocities) speed = std::min(speed, v.y());
        const double from = w.time;
        for (int i = 0; i < 20; ++i) step(w);
        const double t = w.time - from, fell = before - lowest(), free = 0.5 * 9.81 * t * t - speed * t;
        std::printf(
            "breaks %g: %d pieces after %d remeshes; mass off by %.2g, volume %.2g; fell %.4f m, freely %.4f m\n",
            breaks, pieces, steps, mass(body) / kg - 1, volume(body) / enclosed - 1, fell, free);
        EXPECT_NEAR(mass(body) / kg, 1, 1e-12);
        EXPECT_EQ(pieces, breaks > 0 ? 2 : 1);
        if (breaks > 0)
            EXPECT_NEAR(fell / free, 1, 0.05);
        else
            EXPECT_LT(fell, 0.5 * free);
    }
}

TEST(RemeshStep, BreakingRepeatsForAnyThreadsAndThroughResume) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = hanging_by_a_thread(threads, 0.02, 3e3, 50);
        for (int i = 0; i < 34; ++i) step(w);
        EXPECT_GT(w.fem[0].seen->piece_count(), 1);
        if (threads == 1) hash = state_hash(w);
        EXPECT_EQ(state_hash(w), hash) << threads << " threads";
    }
    World first = hanging_by_a_thread(1, 0.02, 3e3, 50);
    for (int i = 0; i < 30; ++i) step(first);
    ByteWriter saved;
    save_state(first, saved);
    World second = hanging_by_a_thread(2, 0.02, 3e3, 50);
    ByteReader reader(saved.bytes());
    load_state(second, reader);
    EXPECT_EQ(state_hash(second), state_hash(first));
    for (int i = 0; i < 4; ++i) step(second);
    EXPECT_EQ(state_hash(second), hash);
}

/// A strand that comes out of a nozzle downwards.
World pressed_out(int threads) {
    World w(threads);
    w.dt = 0.01;
    const double cell = 0.02, radius = 0.02;
    FemBodyDesc desc;
    desc.name = "strand";
    desc.surface = shape_surface(*cylinder_shape(radius, 0.08), 0.01);  // from −0.04 to 0.04 m: half is in the nozzle
    const LatticeResult made = lattice(desc.surface, {.cell = cell}, *w.threads);
    desc.mesh = made.mesh;
    desc.solid.fill = made.fill;
    desc.material = {{2e4, 0.45, 1000}};
    desc.plasticity = &plasticity_laws().get("flow");
    desc.plastic = {{.yield = 200, .rate = 20}};
    desc.remesh = RemeshOptions{.cell = cell, .edge = 0.01};
    desc.remesh->inlet = {.along = -Vec3::UnitY(), .radius = radius + cell, .speed = 0.2, .till = 0.5};
    add_body(w, make_fem_body(std::move(desc), *w.threads));
    return w;
}

TEST(RemeshStep, AnInletBringsWhatItPushesOut) {
    World w = pressed_out(2);
    const FemBody& body = w.fem[0];
    const double before = mass(body), area = before / (1000 * 0.08);
    for (int i = 0; i < 60; ++i) step(w);
    const RemeshTotals& total = body.remeshing->total;
    const double brought = mass(body) - before, pushed = 1000 * area * 0.2 * 0.5;
    std::printf("%llu remeshes, %.4f kg brought, %.4f kg pushed; volume off by %.2g\n",
                static_cast<unsigned long long>(total.count), brought, pushed, total.volume_change);
    EXPECT_NEAR(brought, total.brought, 1e-12 * before);
    // What has not come out half a cell since the last time is still to be brought.
    EXPECT_NEAR(brought, pushed, 1000 * area * 0.02);
    EXPECT_LT(total.volume_change, 0.005);
    double top = -1;
    for (const Vec3& p : body.points) top = std::max(top, p.y());
    EXPECT_NEAR(top, 0.04, 0.012);
}

TEST(RemeshStep, AnInletRepeatsForAnyThreadsAndThroughResume) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = pressed_out(threads);
        for (int i = 0; i < 24; ++i) step(w);
        if (threads == 1) hash = state_hash(w);
        EXPECT_EQ(state_hash(w), hash) << threads << " threads";
    }
    World first = pressed_out(1);
    for (int i = 0; i < 17; ++i) step(first);
    ByteWriter saved;
    save_state(first, saved);
    World second = pressed_out(2);
    ByteReader reader(saved.bytes());
    load_state(second, reader);
    for (int i = 0; i < 7; ++i) step(second);
    EXPECT_EQ(state_hash(second), hash);
}

TEST(RemeshStep, OpenSurfacesAndEmptyNozzlesAreRefusedWithASentence) {
    Threads threads(1);
    const auto refused = [&](const std::function<void(FemBodyDesc&)>& spoil) {
        FemBodyDesc desc = lump({0.2, 0.2, 0.2}, 0.05, {}, threads);
        desc.remesh->tension = 0.1;
        spoil(desc);
        try {
            make_fem_body(std::move(desc), threads);
        } catch (const UserError& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    EXPECT_EQ(
        refused([](FemBodyDesc& desc) { desc.surface.triangles.pop_back(); }),
        "body 'lump' is remeshed, so its surface must be closed, and it is not. Close the holes of the surface, or "
        "leave out remesh.");
    EXPECT_EQ(
        refused([](FemBodyDesc& desc) {
            desc.remesh->inlet = {.at = Vec3(0, -5, 0), .along = Vec3::UnitY(), .radius = 0.1, .speed = 1};
        }),
        "nothing of body 'lump' is behind the mouth of its inlet. Begin with a short strand that lies in the nozzle, "
        "with a flat back.");
}

}  // namespace
}  // namespace pliant
