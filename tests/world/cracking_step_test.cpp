// Bodies that crack through their elements in the world: they break at the stress that they are said to, mass and
// momentum are kept, pieces are closed, grips hold on, and the bits are the same for any thread count and through save
// and load.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/edit_mesh.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

/// A bar along x whose inner nodes are moved about by a quarter of a cell, faces staying faces.
TetMesh shaken_bar(int nx, int ny, int nz, const Vec3& min, const Vec3& max, std::uint64_t seed) {
    TetMesh mesh = bar_mesh(nx, ny, nz, min, max);
    Rng rng(seed, 0);
    const Vec3 cell = (max - min).cwiseQuotient(Vec3(nx, ny, nz));
    for (Vec3& p : mesh.rest)
        for (int k = 0; k < 3; ++k) {
            const double move = 0.2 * rng.uniform(-1, 1) * cell[k];
            if (p[k] > min[k] + 1e-9 && p[k] < max[k] - 1e-9) p[k] += move;
        }
    return mesh;
}

FemBodyDesc glass_bar(double toughness, std::uint64_t seed = 3) {
    FemBodyDesc desc;
    desc.mesh = shaken_bar(10, 3, 3, {0, 0.5, -0.1}, {1, 0.7, 0.1}, seed);
    desc.material = {ElementMaterial{1e5, 0.3, 1000}};
    desc.fracture = FractureDesc{.strength = {toughness}, .splits = 100, .seed = 11, .through_elements = true};
    return desc;
}

/// Both ends are held; the right one is drawn away by as much as `way` says of the time, m.
World drawn_bar(int threads, std::function<double(double)> way, FemBodyDesc desc) {
    World w(threads);
    w.gravity.setZero();
    w.fem.push_back(make_fem_body(std::move(desc)));
    Grip left, right;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i) {
        if (w.fem[0].mesh.rest[i].x() < 1e-9) left.nodes.push_back(i);
        if (w.fem[0].mesh.rest[i].x() > 1 - 1e-9) right.nodes.push_back(i);
    }
    left.pose = [](double) { return Pose{}; };
    right.pose = [way](double t) { return Pose{Quat::Identity(), Vec3(way(t), 0, 0)}; };
    w.grips = {left, right};
    return w;
}
World drawn_bar(int threads, double speed, FemBodyDesc desc) {
    return drawn_bar(
        threads, [speed](double t) { return speed * t; }, std::move(desc));
}

double worst_quality(const TetMesh& mesh) {
    const std::vector<double> q = tet_quality(mesh.rest, mesh.tets);
    return *std::min_element(q.begin(), q.end());
}

TEST(CrackingStep, ADrawnBarComesApartClosedAndWhole) {
    World w = drawn_bar(1, 0.5, glass_bar(8e3));
    const double mass_before = mass(w.fem[0]), volume = total_volume(w.fem[0].mesh.rest, w.fem[0].mesh.tets);
    const double floor = std::min(CutOptions{}.quality, worst_quality(w.fem[0].mesh));
    const int tets = w.fem[0].mesh.tet_count();
    for (int i = 0; i < 60; ++i) {
        step(w);
        const SurfaceFacts facts = inspect(w.fem[0].surface());
        ASSERT_TRUE(facts.closed() && facts.oriented()) << i;
    }
    const FemBody& body = w.fem[0];
    std::cout << pieces(body) << " pieces, tets " << tets << " -> " << body.mesh.tet_count() << ", nodes "
              << body.x.size() << ", cracks " << body.cracks->total.count << " of " << body.cracks->total.area
              << " m2, worst quality " << worst_quality(body.mesh) << ", mass error " << mass(body) / mass_before - 1
              << "\n";
    EXPECT_GE(pieces(body), 2);
    EXPECT_NEAR(mass(body) / mass_before, 1, 1e-12);
    EXPECT_NEAR(total_volume(body.mesh.rest, body.mesh.tets) / volume, 1, 1e-12);
    EXPECT_NEAR(inspect(body.surface()).volume / volume, 1, 1e-12);
    EXPECT_GE(worst_quality(body.mesh), floor * (1 - 1e-9));
    EXPECT_FALSE(first_nonfinite(body).has_value());
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (body.mesh.rest[i].x() < 1e-9) {
            EXPECT_LT((body.x[i] - body.mesh.rest[i]).norm(), 1e-9) << "node " << i;
        }
    double area = 0;
    int cracks = 0;
    for (const Event& e : w.events)
        if (e.kind == "crack") ++cracks, area += e.size;
    EXPECT_EQ(static_cast<std::uint64_t>(cracks), body.cracks->total.count);
    EXPECT_NEAR(area, body.cracks->total.area, 1e-12);
    // Faces that were always there are no cracks: their area is that of the box.
    double outer = 0;
    for (std::size_t t = 0; t < body.surface().triangles.size(); ++t) {
        const Tri& tri = body.surface().triangles[t];
        const Vec3 a = body.surface().points[tri[0]], b = body.surface().points[tri[1]],
                   c = body.surface().points[tri[2]];
        if (!body.seen->crack()[t]) outer += 0.5 * (b - a).cross(c - a).norm();
    }
    EXPECT_NEAR(outer, 2 * 0.2 * 0.2 + 4 * 0.2 * 1, 1e-12);
    EXPECT_NEAR(inspect(body.surface()).area - outer, 2 * area, 1e-9) << "every crack has two sides";
}

// A slow pull with free sides (ν = 0) is a uniaxial stress: the first crack comes at the toughness, on any mesh and
// with any law, and lies across the pull.
TEST(CrackingStep, ABarBreaksAtItsToughnessAcrossThePull) {
    double across = 0;
    int bars = 0;
    for (const char* law : {"corotational", "green"})
        for (std::uint64_t seed : {1, 2, 3, 4}) {
            FemBodyDesc desc = glass_bar(1e3, seed);
            desc.material = {ElementMaterial{1e5, 0.0, 1000}};
            desc.solid.law = &material_laws().get(law);
            desc.solve = {.iterations = 300, .tolerance = 1e-8};
            const auto way = [](double t) { return 0.005 * t * t; };  // inertia adds 5 Pa at most
            World w = drawn_bar(1, way, std::move(desc));
            int i = 0;
            for (; i < 300 && w.fem[0].cracks->total.count == 0; ++i) step(w);
            const double strain = way(w.time);
            std::cout << law << ", mesh " << seed << ": first crack at " << 1e5 * strain << " Pa\n";
            EXPECT_NEAR(1e5 * strain, 1e3, 25);  // a step adds 14 Pa
            for (int more = 0; more < 20; ++more) step(w);
            const FemBody& body = w.fem[0];
            EXPECT_GE(pieces(body), 2) << law << " " << seed;
            // How far the crack faces, weighted by their area, look along the bar.
            double along = 0, all = 0;
            for (std::size_t t = 0; t < body.surface().triangles.size(); ++t) {
                if (!body.seen->crack()[t]) continue;
                const Tri& tri = body.surface().triangles[t];
                const Vec3 n = (body.surface().points[tri[1]] - body.surface().points[tri[0]])
                                   .cross(body.surface().points[tri[2]] - body.surface().points[tri[0]]);
                along += std::abs(n.x()), all += n.norm();
            }
            across += along / all, ++bars;
        }
    std::cout << "crack faces look along the pull with a mean cosine of " << across / bars << "\n";
    EXPECT_GT(across / bars, 0.8);
}

// A bar that is torn apart in flight by its own motion: nothing outside acts on it.
TEST(CrackingStep, MomentumAndMassAreKept) {
    World w(2);
    w.gravity.setZero();
    FemBodyDesc desc = glass_bar(1e4);
    desc.velocity = {0.3, -0.2, 0.1};
    w.fem.push_back(make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i)
        body.v[i] += Vec3(12 * (body.x[i].x() - 0.4), body.x[i].z(), -2 * body.x[i].y());
    const auto spin = [&] {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < body.v.size(); ++i) sum += body.solid.mass()[i] * body.x[i].cross(body.v[i]);
        return sum;
    };
    const Vec3 before = momentum(body), spin_before = spin();
    const double mass_before = mass(body);
    double worst = 0, worst_mass = 0, worst_spin = 0;
    for (int i = 0; i < 40; ++i) {
        step(w);
        double scale = 0;
        for (std::size_t k = 0; k < body.v.size(); ++k) scale += body.solid.mass()[k] * body.v[k].norm();
        worst = std::max(worst, (momentum(body) - before).norm() / scale);
        worst_spin = std::max(worst_spin, (spin() - spin_before).norm() / scale);
        worst_mass = std::max(worst_mass, std::abs(mass(body) / mass_before - 1));
    }
    std::cout << pieces(body) << " pieces; momentum drifts by " << worst << " of sum m|v|, angular by " << worst_spin
              << ", mass by " << worst_mass << "\n";
    EXPECT_GE(pieces(body), 2);
    EXPECT_LT(worst, 1e-12);
    EXPECT_LT(worst_mass, 1e-12);
}

TEST(CrackingStep, SameBitsForAnyThreadsAndThroughSaveAndLoad) {
    const auto start = [](int threads) {
        FemBodyDesc desc = glass_bar(8e3);
        desc.plasticity = &plasticity_laws().get("von_mises");
        desc.plastic = {{.yield = 0.02, .rate = 1, .max = 0.1}};
        desc.fracture->touch = true;
        desc.heat = HeatDesc{};
        desc.heat->numbers.initial = 60;
        World w = drawn_bar(threads, 0.5, std::move(desc));
        w.gravity = {0, -9.8, 0};
        return w;
    };
    World one = start(1);
    std::string saved;
    std::uint64_t saved_cracks = 0;
    for (int i = 0; i < 60; ++i) {
        step(one);
        if (saved.empty() && one.fem[0].cracks->total.count > 6) {
            ByteWriter out;
            save_state(one, out);
            saved = out.bytes();
            saved_cracks = one.fem[0].cracks->total.count;
        }
    }
    ASSERT_FALSE(saved.empty());
    EXPECT_GT(one.fem[0].cracks->total.count, saved_cracks) << "it goes on breaking after the state was saved";
    for (int threads : {2, 7}) {
        World w = start(threads);
        for (int i = 0; i < 60; ++i) step(w);
        EXPECT_EQ(state_hash(w), state_hash(one)) << threads << " threads";
    }
    World resumed = start(2);
    ByteReader in(saved);
    load_state(resumed, in);
    while (resumed.steps < one.steps) step(resumed);
    std::cout << pieces(one.fem[0]) << " pieces, saved with " << saved_cracks << " cracks of "
              << one.fem[0].cracks->total.count << "\n";
    EXPECT_EQ(state_hash(resumed), state_hash(one));
    EXPECT_EQ(resumed.fem[0].surface().triangles, one.fem[0].surface().triangles);
    const auto a = resumed.fem[0].seen->crack(), b = one.fem[0].seen->crack();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
}

// A body of one element, a crack at a gripped node, and a toughness that nothing reaches.
TEST(CrackingStep, SmallAndHeldBodies) {
    World w(1);
    w.gravity.setZero();
    FemBodyDesc desc;
    desc.mesh = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}, 0};
    desc.material = {ElementMaterial{1e5, 0.3, 1000}};
    desc.fracture = FractureDesc{.strength = {1e3}, .splits = 100, .through_elements = true};
    w.fem.push_back(make_fem_body(desc));
    for (std::size_t i = 0; i < 4; ++i) w.fem[0].v[i] = 10 * (w.fem[0].x[i] - Vec3(0.25, 0.25, 0.25));
    Grip grip;
    grip.nodes = {0, 1};
    grip.pose = [](double) { return Pose{}; };
    w.grips = {grip};
    for (int i = 0; i < 20; ++i) step(w);
    EXPECT_FALSE(first_nonfinite(w.fem[0]).has_value());
    EXPECT_NEAR(total_volume(w.fem[0].mesh.rest, w.fem[0].mesh.tets), 1.0 / 6, 1e-14);
    World whole = drawn_bar(1, 0.5, glass_bar(1e30));
    for (int i = 0; i < 20; ++i) step(whole);
    EXPECT_EQ(whole.fem[0].cracks->total.count, 0u);
    EXPECT_EQ(whole.fem[0].mesh.revision, 0u);
}

}  // namespace
}  // namespace pliant
