// Warm bodies in the world.

#include <gtest/gtest.h>

#include <iostream>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/world.hpp"

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

TEST(HeatStep, LongStepsStayFinite) {
    World w = wax_bar(1, true);
    w.dt = 0.1;
    for (int i = 0; i < 200; ++i) step(w);
    EXPECT_FALSE(first_nonfinite(w.fem[0]).has_value());
}

}  // namespace
}  // namespace pliant
