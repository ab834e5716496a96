// Warm bodies in the world.

#include <gtest/gtest.h>

#include <iostream>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/body/warm_bodies.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

/// A bar of wax held at one end, with a flame under its middle.
World wax_bar(int threads, bool flame) {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(10, 2, 2, {0, -0.05, -0.05}, {0.6, 0.05, 0.05});
    desc.material = {ElementMaterial{1e6, 0.33, 900}};
    desc.solid.stiffness_damping = 0.01;
    desc.plasticity = &plasticity_laws().get("creep");
    desc.plastic = {{0.1, 1, 10}};
    desc.heat = HeatDesc{{.conductivity = 0.5, .specific_heat = 2000, .cooling = 10},
                         {{{20, 1e6, 0.1, 1.0}, {60, 3e4, 0.005, 50.0}}},
                         1e6};
    World w(threads);
    w.fem.push_back(make_fem_body(std::move(desc)));
    Grip grip;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].x() < 1e-9) grip.nodes.push_back(i);
    grip.pose = [](double) { return Pose{}; };
    w.grips.push_back(std::move(grip));
    if (flame)
        w.heat_sources.push_back({.at = [](double) { return Vec3(0.3, 0, 0); },
                                  .radius = 0.12,
                                  .temperature = 90,
                                  .power = 2e5,
                                  .when = {0, 1}});
    return w;
}

double tip(const World& w) {
    double low = 0;
    for (const Vec3& p : w.fem[0].x) low = std::min(low, p.y());
    return low;
}

TEST(HeatStep, AFlameBendsTheBarAndItSetsBent) {
    World cold = wax_bar(1, false), hot = wax_bar(1, true);
    for (int i = 0; i < 200; ++i) step(cold), step(hot);
    std::cout << "tip " << tip(cold) << " m cold, " << tip(hot) << " m heated; hottest " << max_temperature(hot.fem[0])
              << " °C\n";
    EXPECT_GT(tip(cold), -0.15);
    EXPECT_LT(tip(hot), -0.3);
    EXPECT_GT(max_temperature(hot.fem[0]), 40);
    EXPECT_LE(max_temperature(hot.fem[0]), 90 + 1e-6);
    // Cold again and without load: it sets in its new shape instead of springing back.
    for (int i = 0; i < 100; ++i) step(hot);
    const double bent = tip(hot);
    std::fill(hot.fem[0].temperature.begin(), hot.fem[0].temperature.end(), 20.0);
    hot.gravity.setZero();
    for (int i = 0; i < 300; ++i) step(hot);
    std::cout << "tip " << bent << " m before it sets, " << tip(hot) << " m after\n";
    EXPECT_LT(tip(hot), 0.7 * bent);
}

TEST(HeatStep, SameBitsForAnyThreadCountAndThroughSaveAndLoad) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = wax_bar(threads, true);
        for (int i = 0; i < 40; ++i) step(w);
        World again = wax_bar(threads, true);
        ByteWriter out;
        save_state(w, out);
        ByteReader in(out.bytes());
        load_state(again, in);
        for (int i = 0; i < 40; ++i) step(w), step(again);
        EXPECT_EQ(state_hash(w), state_hash(again));
        if (hash) {
            EXPECT_EQ(hash, state_hash(w)) << threads << " threads";
        }
        hash = state_hash(w);
    }
}

/// Bars of particles and one that swings in modes, each held at one end, with flames under their middles.
World other_bars(int threads, bool flame, bool heat = true) {
    const HeatDesc softens{
        {.conductivity = 0.5, .specific_heat = 200, .cooling = 10}, {{{30, 1.0, {}, {}}, {70, 0.03, {}, {}}}}, 1};
    World w(threads);
    const auto hold = [&](int number, const TetMesh& mesh) {
        Grip grip;
        grip.body = number;
        grip.pose = [](double) { return Pose{}; };
        for (int i = 0; i < mesh.node_count(); ++i)
            if (mesh.rest[i].x() < 1e-9) grip.nodes.push_back(i);
        w.grips.push_back(std::move(grip));
    };
    const auto mesh_at = [](double z) { return bar_mesh(10, 2, 2, {0, -0.05, z - 0.05}, {0.6, 0.05, z + 0.05}); };
    const ParticleModel models[] = {ParticleModel::spring, ParticleModel::cmpm2, ParticleModel::cmpm3,
                                    ParticleModel::cmpm3};
    for (int i = 0; i < 4; ++i) {
        ParticleBodyDesc desc;
        desc.structure = structure_of_tets(mesh_at(0.3 * i));
        desc.material = {ParticleMaterial{.young = 1e6, .shear = 4e5, .poisson = 0.33, .density = 900}};
        desc.model.model = models[i];
        desc.implicit = i == 3;
        desc.damping = 0.999, desc.mass_damping = 2;
        if (heat) desc.heat = softens;
        w.particles.push_back(make_particle_body(std::move(desc)));
        hold(i, w.particles.back().mesh);
    }
    ModalBodyDesc desc;
    desc.mesh = mesh_at(1.2);
    desc.material = {{1e6, 0.33, 900}};
    desc.damping = {1, 0.002};
    desc.modes = 12;
    for (int i = 0; i < desc.mesh.node_count(); ++i)
        if (desc.mesh.rest[i].x() < 1e-9) desc.held.push_back(i);
    if (heat) desc.heat = softens;
    w.modal.push_back(make_modal_body(std::move(desc), *w.threads));
    if (flame)
        for (int i = 0; i < 5; ++i)
            w.heat_sources.push_back({.at = [i](double) { return Vec3(0.2, 0, 0.3 * i); },
                                      .radius = 0.12,
                                      .temperature = 90,
                                      .power = 2e5,
                                      .when = {0, 0.5}});
    return w;
}

template <class Body>
double lowest(const Body& body) {
    return bounds(body).min.y();
}

TEST(HeatStep, ParticlesAndModesSagWhereTheyAreWarm) {
    World cold = other_bars(1, false), hot = other_bars(1, true);
    for (int i = 0; i < 100; ++i) step(cold), step(hot);
    for (int i = 0; i < 4; ++i) {
        const ParticleBody &a = cold.particles[i], &b = hot.particles[i];
        std::cout << "particles " << i << ": tip " << lowest(a) << " m cold, " << lowest(b) << " m at "
                  << max_temperature(b) << " °C\n";
        EXPECT_GT(max_temperature(b), 60);
        EXPECT_LE(max_temperature(b), 90 + 1e-6);
        EXPECT_LT(lowest(b), 2 * lowest(a));
        EXPECT_GT(lowest(b), -0.7) << "softer is never less stable";
    }
    std::cout << "modes: tip " << lowest(cold.modal[0]) << " m cold, " << lowest(hot.modal[0]) << " m at "
              << max_temperature(hot.modal[0]) << " °C\n";
    EXPECT_LT(lowest(hot.modal[0]), 1.5 * lowest(cold.modal[0]));
}

TEST(HeatStep, OtherBodiesHaveTheSameBitsForAnyThreadCountAndThroughSaveAndLoad) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = other_bars(threads, true), again = other_bars(threads, true);
        for (int i = 0; i < 20; ++i) step(w);
        ByteWriter out;
        save_state(w, out);
        ByteReader in(out.bytes());
        load_state(again, in);
        for (int i = 0; i < 20; ++i) step(w), step(again);
        EXPECT_EQ(state_hash(w), state_hash(again));
        if (hash) {
            EXPECT_EQ(hash, state_hash(w)) << threads << " threads";
        }
        hash = state_hash(w);
    }
}

// A hand may warm a body that had no temperature: until then it moved as it would have with heat, and states from
// before still fit.
TEST(HeatStep, HeatMayComeLater) {
    World with = other_bars(1, false), without = other_bars(1, false, false);
    for (int i = 0; i < 10; ++i) step(with), step(without);
    const auto same = [&] {
        for (int i = 0; i < 4; ++i)
            EXPECT_TRUE(
                std::equal(with.particles[i].x.begin(), with.particles[i].x.end(), without.particles[i].x.begin()));
        EXPECT_EQ(with.modal[0].oscillators.z, without.modal[0].oscillators.z);
    };
    same();
    ByteWriter out;
    save_state(without, out);
    const HeatDesc softens{
        {.conductivity = 0.5, .specific_heat = 200, .cooling = 10}, {{{30, 1.0, {}, {}}, {70, 0.03, {}, {}}}}, 1};
    for_each_body(without, [&](auto& body) { add_heat(body, softens); });
    const auto flames = other_bars(1, true).heat_sources;
    with.heat_sources = without.heat_sources = flames;
    for (int i = 0; i < 10; ++i) step(with), step(without);
    EXPECT_EQ(state_hash(with), state_hash(without));
    ByteReader in(out.bytes());
    load_state(without, in);
    EXPECT_EQ(max_temperature(without.particles[0]), 20);
    for (int i = 0; i < 10; ++i) step(without);
    EXPECT_EQ(state_hash(with), state_hash(without)) << "back, and the same again";
}

TEST(HeatStep, LongStepsStayFinite) {
    World w = wax_bar(1, true);
    w.dt = 0.1;
    for (int i = 0; i < 200; ++i) step(w);
    EXPECT_FALSE(first_nonfinite(w.fem[0]).has_value());
}

}  // namespace
}  // namespace pliant
