// Scenes described in C++, built and run without a script.

#include "pliant/scene/simulation.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "pliant/core/error.hpp"

namespace pliant {
namespace {

/// A block in free fall; its height is measured and must stay within what the expectation says.
SceneDesc falling_block(const double* height = nullptr) {
    SceneDesc scene;
    scene.file = "block";
    scene.world = {.dt = 0.005, .duration = 0.5, .fps = 20};
    BodyDesc block;
    block.name = "block";
    block.surface.shape = box_shape(Vec3(0.2, 0.2, 0.2));
    block.volume.kind = VolumeDesc::Kind::grid;
    block.volume.cells = {2, 2, 2};
    block.material.numbers = {.young = 1e5, .poisson = 0.3, .density = 1000};
    block.pose.translation = {0, 3, 0};
    scene.bodies.push_back(block);
    if (height) {
        scene.measures.push_back({.name = "height", .value = [height] { return *height; }});
        scene.expects.push_back(
            {.description = "it falls a metre at least", .measure = "height", .at_most = 2, .at = ExpectDesc::At::end});
        scene.expects.push_back(
            {.description = "it never rises", .measure = "height", .at_most = 2.5, .at = ExpectDesc::At::always});
    }
    return scene;
}

// n steps of implicit Euler fall by g·dt²·n(n + 1)/2, whatever the material.
TEST(DescribedScene, FallsAsImplicitEulerSays) {
    Simulation simulation(falling_block(), 1);
    EXPECT_EQ(simulation.frames(), 10);
    while (simulation.frame() < simulation.frames()) simulation.advance();
    const double n = 100, dt = 0.005, expected = 3 - 9.81 * dt * dt * n * (n + 1) / 2;
    const double error = simulation.query(0).center().y() - expected;
    std::printf("height after 0.5 s: error %.2e m\n", error);
    EXPECT_NEAR(error, 0, 1e-9 * 3);
    EXPECT_NEAR(simulation.query(0).mass(), 8, 1e-12 * 8);
}

TEST(DescribedScene, MeasuresTermsOfTheEnergyLedger) {
    SceneDesc scene = falling_block();
    scene.measures.push_back({.name = "work", .energy = "outside"});
    Simulation simulation(std::move(scene), 1);
    while (simulation.frame() < simulation.frames()) simulation.advance();
    const double fallen = 3 - simulation.query(0).center().y(), work = simulation.show(false).measures.at("work");
    std::printf("gravity does %.9f J in a fall of %.9f m\n", work, fallen);
    EXPECT_NEAR(work, 8 * 9.81 * fallen, 1e-9 * work);
}

TEST(DescribedScene, CallbacksMeasuresAndExpectations) {
    double height = 0;
    SceneDesc scene = falling_block(&height);
    int steps = 0, frames = 0;
    scene.on_step.push_back([&](double, double dt) {
        ++steps;
        EXPECT_NEAR(dt, 0.005, 1e-15);
    });
    scene.on_frame.push_back([&](double, int index) { EXPECT_EQ(index, frames++); });
    Simulation simulation(std::move(scene), 1);
    const BodyQuery& block = simulation.query(0);
    for (height = block.center().y(); simulation.show(false), simulation.frame() < simulation.frames();) {
        simulation.advance();
        height = block.center().y();
    }
    EXPECT_EQ(steps, 100);
    EXPECT_EQ(frames, 11);
    const std::vector<ExpectOutcome> outcomes = simulation.outcomes();
    ASSERT_EQ(outcomes.size(), 2U);
    EXPECT_TRUE(outcomes[0].passed) << outcomes[0].message;
    EXPECT_FALSE(outcomes[1].passed) << outcomes[1].message;  // it starts at 3 m
}

TEST(DescribedScene, ResumesToTheSameBits) {
    double height = 0;
    Simulation whole(falling_block(&height), 1);
    std::string half;
    while (whole.frame() < whole.frames()) {
        height = whole.query(0).center().y();
        whole.show(false);
        whole.advance();
        if (whole.frame() == 5) half = whole.save();
    }
    Simulation resumed(falling_block(&height), 1);
    resumed.restore(half);
    EXPECT_EQ(resumed.frame(), 5);
    while (resumed.frame() < resumed.frames()) resumed.advance();
    EXPECT_EQ(state_hash(whole.world()), state_hash(resumed.world()));
    EXPECT_FALSE(resumed.outcomes()[1].passed);  // the heights seen before are part of the state
}

TEST(DescribedScene, ExpectationsNeedTheirMeasure) {
    double height = 0;
    SceneDesc scene = falling_block(&height);
    scene.expects[0].measure = "hight";
    try {
        Simulation simulation(std::move(scene), 1);
        FAIL() << "an expectation without a measure was accepted";
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("height"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace pliant
