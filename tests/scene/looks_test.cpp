#include <gtest/gtest.h>

#include <set>

#include "pliant/scene/simulation.hpp"
#include "pliant/surface/brought_surface.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

constexpr float outside = 0.25F, cream = 0.5F, within = 0.75F;  // told by their red

/// A bar along x whose middle third is cream, held at one end and torn off at the other within a few steps.
SceneDesc torn_bar() {
    SceneDesc scene;
    scene.world = {.dt = 0.01, .duration = 0.4, .fps = 25, .gravity = Vec3::Zero()};
    BodyDesc bar;
    bar.name = "bar";
    bar.surface.shape = box_shape({3, 1, 1});
    bar.surface.edge = 0.3;
    bar.volume = {.kind = VolumeDesc::Kind::grid, .cells = {12, 3, 3}};
    bar.pose.translation = {10, 20, 30};
    bar.color = Vec3(outside, 0, 0);
    bar.inside_color = Vec3(within, 0, 0);
    bar.material.numbers = {.young = 1e5, .poisson = 0.3, .density = 100};
    bar.material.fracture = MaterialFractureDesc{.strength = 3e4, .splits = 20};
    bar.material.regions.push_back({.inside = box_shape({1, 2, 2}), .color = Vec3(cream, 0, 0)});
    scene.bodies.push_back(bar);
    for (int side : {-1, 1}) {
        GripDesc grip;
        grip.inside = transformed(box_shape({0.3, 2, 2}), {Quat::Identity(), Vec3(10 + 1.5 * side, 20, 30)});
        grip.pose = [side](double t) { return Pose{Quat::Identity(), Vec3(4 * side * t, 0, 0)}; };
        scene.grips.push_back(grip);
    }
    return scene;
}

TEST(SceneLooks, RegionsAndWhatCracksOpenHaveTheirColors) {
    Simulation simulation(torn_bar(), 1);
    const auto check = [&](bool broken) {
        const Frame frame = simulation.show();
        const BodyFrame& bar = frame.bodies[0];
        ASSERT_TRUE(bar.attributes);
        const SurfaceAttributes& looks = *bar.attributes;
        EXPECT_TRUE(looks.scene_looks);
        const TriMesh& rest = simulation.world().fem[0].seen->surface();
        const auto crack = simulation.world().fem[0].seen->crack();
        std::set<float> opened;
        for (std::size_t t = 0; t < rest.triangles.size(); ++t) {
            const Tri& tri = rest.triangles[t];
            const double x = (rest.points[tri[0]] + rest.points[tri[1]] + rest.points[tri[2]]).x() / 3 - 10;
            const float red = looks.materials[static_cast<std::size_t>(looks.material[t])].color[0];
            const bool is_opened = !crack.empty() && crack[t];
            if (is_opened) opened.insert(red);
            if (std::abs(std::abs(x) - 0.5) < 0.05) continue;  // points so near to the border count as on it
            EXPECT_EQ(red, std::abs(x) < 0.5 ? cream : is_opened ? within : outside) << x;
        }
        EXPECT_EQ(broken, !opened.empty());
    };
    check(false);
    while (simulation.frame() < simulation.frames()) simulation.advance();
    check(true);
}

TEST(SceneLooks, WithoutColorsNothingIsAdded) {
    SceneDesc scene = torn_bar();
    scene.bodies[0].inside_color.reset(), scene.bodies[0].material.regions.clear();
    Simulation simulation(std::move(scene), 1);
    EXPECT_FALSE(simulation.show().bodies[0].attributes);
}

}  // namespace
}  // namespace pliant
