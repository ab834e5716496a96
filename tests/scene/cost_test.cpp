#include "pliant/scene/cost.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "pliant/scene/simulation.hpp"

namespace pliant {
namespace {

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const UserError& error) {
        return error.what();
    }
    return {};
}

TEST(Cost, LittleIsPassedOverMuchIsSaidTooMuchIsRefused) {
    std::vector<std::string> said;
    const BuildLimits limits{.seconds = 600, .bytes = 1e10, .say = [&](const std::string& s) { said.push_back(s); }};
    check_cost(limits, "a thing", {1, 1e6}, {}, "Make less of it");
    EXPECT_TRUE(said.empty());
    check_cost(limits, "a thing", {40, 2e9}, {}, "Make less of it");
    check_cost(limits, "a thing", {0.1, 8e9}, {}, "Make less of it");
    EXPECT_EQ(said, (std::vector<std::string>{"a thing: about 40 s and 2 GB of memory",
                                              "a thing: about 1 s and 8 GB of memory"}));
    EXPECT_EQ(
        refusal([&] {
            check_cost(limits, "a thing", {7200, 0}, {"s.lua", 3}, "Make less of it");
        }),
        "s.lua:3: a thing would take about 2 h to make, and 10 min are allowed. Make less of it, or allow it with "
        "world { patience = 10800 }.");
    EXPECT_EQ(refusal([&] {
                  check_cost(limits, "a thing", {1, 3e10}, {}, "Make less of it");
              }),
              "a thing would need about 30 GB of memory, and there are 10 GB. Make less of it.");
}

TEST(Cost, AFunctionIsTriedBeforeItIsCalledForAll) {
    int calls = 0;
    const auto slow = [&](std::size_t) { ++calls, std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
    EXPECT_NE(refusal([&] { call_for_each({.seconds = 1}, "asking", 100000, {}, slow); }), "");
    EXPECT_LT(calls, 1000);
    std::vector<std::size_t> seen;
    call_for_each({}, "asking", 5000, {}, [&](std::size_t i) { seen.push_back(i); });
    ASSERT_EQ(seen.size(), 5000U);
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], i);  // each once, in order
    call_for_each({}, "asking", 0, {}, slow);
}

std::vector<std::string> warnings_of(SceneDesc scene) { return Simulation(std::move(scene), 1).warnings().sentences(); }

SceneDesc ball(double radius, double density = 1000, Vec3 velocity = Vec3::Zero()) {
    SceneDesc scene;
    scene.world = {.dt = 0.01, .duration = 0.1, .fps = 50};
    BodyDesc body;
    body.name = "ball";
    body.surface.shape = sphere_shape(radius);
    body.volume.tets = 300;
    body.material.numbers = {.young = 1e5, .poisson = 0.3, .density = density};
    body.velocity = velocity;
    scene.bodies.push_back(body);
    return scene;
}

void expect_warning(const SceneDesc& scene, const std::string& words) {
    const std::vector<std::string> found = warnings_of(scene);
    ASSERT_EQ(found.size(), 1U) << words << (found.empty() ? "" : found[0]);
    EXPECT_NE(found[0].find(words), std::string::npos) << found[0];
}

TEST(Proportions, SlipsOfTheUnitAreNamed) {
    EXPECT_TRUE(warnings_of(ball(0.3)).empty());
    expect_warning(ball(300), "body 'ball' is 600 m long. If it was drawn in millimetres, write scale = 0.001");
    expect_warning(ball(2e-5), "is only 0.04 mm long");
    expect_warning(ball(0.3, 1e6), "Water has 1000");
    expect_warning(ball(0.3, 0.001), "1 g/cm³ is 1000");
    expect_warning(ball(0.3, 1000, {2e4, 0, 0}), "starts at 2e+04 m/s");
    expect_warning(ball(0.003, 1000, {50, 0, 0}), "times its own length in one step");
    SceneDesc empty;
    expect_warning(empty, "the scene has no bodies");
    SceneDesc uneven = ball(0.3);
    uneven.world.dt = 0.015;
    expect_warning(uneven, "steps are 0.01 s long instead of 0.015 s");
    SceneDesc two = ball(0.3);
    two.bodies.push_back(ball(0.002).bodies[0]);
    two.bodies[1].name = "pea", two.bodies[1].pose.translation = {2, 0, 0};
    expect_warning(two, "times as heavy as body 'pea'");
}

TEST(Warnings, AreSaidOnceAndCounted) {
    Warnings warnings;
    int made = 0;
    for (int i = 0; i < 5; ++i)
        for (int body : {0, 1})
            warnings.once("tolerance", body, [&]() -> Warning {
                ++made;
                return {"body " + std::to_string(body) + " was late", "Wait"};
            });
    warnings.add("a remark");
    EXPECT_EQ(made, 2);
    EXPECT_EQ(warnings.sentences(),
              (std::vector<std::string>{"body 0 was late (and 4 times more). Wait.",
                                        "body 1 was late (and 4 times more). Wait.", "a remark."}));
}

}  // namespace
}  // namespace pliant
