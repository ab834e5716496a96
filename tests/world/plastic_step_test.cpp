// Plastic bodies in the world: they keep part of their shape, and any step and stiffness stays finite.

#include <gtest/gtest.h>

#include <iostream>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

World hanging_bar(const PlasticNumbers& numbers, double young = 5e4, int threads = 1, const char* law = "creep") {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(10, 3, 3, {0, -0.1, -0.1}, {1, 0.1, 0.1});
    desc.material = {ElementMaterial{young, 0.33, 1000}};
    desc.solid.mass_damping = 1;
    desc.plasticity = &plasticity_laws().get(law);
    desc.plastic = {numbers};
    World w(threads);
    w.fem.push_back(make_fem_body(std::move(desc)));
    Grip grip;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].x() < 1e-9) grip.nodes.push_back(i);
    grip.pose = [](double) { return Pose{}; };
    w.grips.push_back(std::move(grip));
    return w;
}

double plastic_tip(const World& w) {
    double low = 0;
    for (const Vec3& p : w.fem[0].x) low = std::min(low, p.y());
    return low;
}

TEST(PlasticStep, ABentBarStaysBentAndAnElasticOneDoesNot) {
    for (double rate : {0.0, 20.0}) {
        World w = hanging_bar({0.01, rate, 1});
        for (int i = 0; i < 200; ++i) step(w);
        const double loaded = plastic_tip(w);
        w.gravity.setZero();
        for (int i = 0; i < 800; ++i) step(w);
        std::cout << "rate " << rate << ": tip " << loaded << " m under load, " << plastic_tip(w) << " m after\n";
        if (rate > 0)
            EXPECT_LT(plastic_tip(w), -0.3);
        else
            EXPECT_NEAR(plastic_tip(w), -0.1, 0.02);
    }
}

// The strain path is driven by the nodes; the element must do what the law does on its own.
TEST(PlasticStep, OneDrivenElementFollowsTheLaw) {
    FemBodyDesc desc;
    desc.mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    desc.mesh.tets = {{0, 1, 2, 3}};
    desc.plasticity = &plasticity_laws().get("creep");
    desc.plastic = {{0.02, 4, 0.3}};
    World w;
    w.gravity.setZero();
    w.fem.push_back(make_fem_body(std::move(desc)));
    auto stretch = [](double t) { return 0.3 * std::sin(3 * t); };
    w.grips.push_back({.body = 0, .nodes = {0, 2, 3}, .pose = [](double) { return Pose{}; }, .when = {}});
    w.grips.push_back({.body = 0,
                       .nodes = {1},
                       .pose =
                           [&](double t) {
                               return Pose{Quat::Identity(), Vec3(stretch(t), 0, 0)};
                           },
                       .when = {}});
    Strain6 expected{};
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
        w.fem[0].plasticity->flow(w.fem[0].plastic[0], {i == 0 ? 0 : stretch(w.time), 0, 0, 0, 0, 0}, w.dt, expected);
        step(w);
        for (int k = 0; k < 6; ++k) worst = std::max(worst, std::abs(w.fem[0].plastic_strain[0][k] - expected[k]));
    }
    std::cout << "plastic strain " << expected[0] << ", largest difference " << worst << "\n";
    EXPECT_GT(std::abs(expected[0]), 0.05);
    EXPECT_LT(worst, 1e-6);
}

TEST(PlasticStep, AnyStepAndStiffnessStaysFiniteAndSettles) {
    for (const char* law : {"creep", "creep_step"})
        for (double young : {5e4, 5e7})
            for (double dt : {0.01, 0.1}) {
                World w = hanging_bar({0.01, 100, 10}, young, 1, law);
                w.dt = dt;
                for (int i = 0; i < 300; ++i) step(w);
                EXPECT_FALSE(first_nonfinite(w.fem[0]).has_value());
                std::cout << law << ", E " << young << ", dt " << dt << ": speed " << max_speed(w.fem[0])
                          << " m/s at the end\n";
                EXPECT_LT(max_speed(w.fem[0]), 20);
            }
}

TEST(PlasticStep, SameBitsForAnyThreadCountAndThroughSaveAndLoad) {
    std::uint64_t hash = 0;
    for (int threads : {1, 2, 7}) {
        World w = hanging_bar({0.01, 20, 1}, 5e4, threads);
        for (int i = 0; i < 30; ++i) step(w);
        World again = hanging_bar({0.01, 20, 1}, 5e4, threads);
        ByteWriter out;
        save_state(w, out);
        ByteReader in(out.bytes());
        load_state(again, in);
        for (int i = 0; i < 30; ++i) step(w), step(again);
        EXPECT_EQ(state_hash(w), state_hash(again));
        if (hash) {
            EXPECT_EQ(hash, state_hash(w)) << threads << " threads";
        }
        hash = state_hash(w);
    }
}

TEST(PlasticStep, StressIsThatOfTheElasticStrain) {
    World w = hanging_bar({0.01, 100, 10});
    for (int i = 0; i < 50; ++i) step(w);
    FemBody& body = w.fem[0];
    for (int t = 0; t < body.mesh.tet_count(); ++t) body.plastic_strain[t] = total_strain(body, t);
    double most = 0;
    for (int t = 0; t < body.mesh.tet_count(); ++t) most = std::max(most, von_mises(body, t));
    EXPECT_LT(most, 1e-6) << "a fully relaxed body carries no stress";
    EXPECT_LT(elastic_energy(body), 1e-9);
}

}  // namespace
}  // namespace pliant
