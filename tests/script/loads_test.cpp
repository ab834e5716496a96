// pressure { … }, pull per area and volume, supports along axes and the smoothed element in scenes, and mistakes.

#include <gtest/gtest.h>

#include "pliant/core/error.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/script/scene.hpp"

namespace pliant {
namespace {

std::unique_ptr<Simulation> loaded(const std::string& text) {
    return std::make_unique<Simulation>(Scene::load_text(text, "scene.lua", {}, "."), 1);
}

std::string load_mistake(const std::string& text) {
    try {
        loaded(text);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

const std::string block = R"(world { dt = 0.01, duration = 0.1, gravity = {0, 0, 0} }
local b = fem_body { name = "b", surface = box { size = {0.4, 0.2, 0.2} }, edge = 0.1, volume = grid { cells = {4, 2, 2} },
                     element = "smoothed", material = { young = 1e5 } }
)";

Vec3 whole_force(const World& w) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& f : w.fem[0].force) sum += f;
    return sum;
}

TEST(LoadWords, MeanWhatTheySay) {
    const auto s = loaded(block + R"(
fix { body = b, inside = box { size = {1e-3, 1, 1}, at = {-0.2, 0, 0} }, axes = "xz" }
move { body = b, inside = box { size = {1e-3, 1, 1}, at = {-0.2, 0, 0} }, axes = "y", velocity = {5, 1, 5} }
pressure { body = b, on = box { size = {1e-3, 1, 1}, at = {0.2, 0, 0} }, pascal = function(t) return 50 end }
pull { body = b, inside = box { size = {1, 1e-3, 1}, at = {0, 0.1, 0} }, per_area = {0, 0, 10} }
pull { body = b, per_volume = {0, 100, 0} })");
    const World& w = s->world();
    EXPECT_TRUE(w.fem[0].solid.smoothed());
    ASSERT_EQ(w.grips.size(), 3u);
    EXPECT_EQ(w.grips[0].axis, 0);
    EXPECT_EQ(w.grips[1].axis, 2);
    EXPECT_EQ(w.grips[2].axis, 1);
    step(s->world());
    // p·A of the end (over the box at rest in the first step), the top's 0.08 m² and the volume of 0.016 m³.
    EXPECT_NEAR((whole_force(w) - Vec3(-50 * 0.04, 100 * 0.016, 10 * 0.08)).norm(), 0, 1e-9);
    for (int node : w.grips[2].nodes) {
        const Vec3 way = w.fem[0].x[node] - w.fem[0].mesh.rest[node];
        EXPECT_NEAR((way - Vec3(0, 0.01, 0)).norm(), 0, 1e-6);
    }
}

TEST(LoadWords, MistakesAreNamedWithARemedy) {
    const auto says = [](const std::string& line, const std::string& part) {
        const std::string said = load_mistake(block + line);
        EXPECT_NE(said.find(part), std::string::npos) << line << "\n" << said;
    };
    says("pressure { body = b }", "pascal");
    says("pressure { body = b, on = sphere { radius = 0.1, at = {5, 0, 0} }, pascal = 1 }",
         "move or enlarge the shape");
    says("pull { body = b, inside = box { size = {1, 1, 1} } }", "per_area");
    says("pull { body = b, force = {1, 0, 0}, per_area = {1, 0, 0} }", "both");
    says("pull { body = b, at = {0, 0, 0}, per_volume = {1, 0, 0} }", "region");
    says("fix { body = b, inside = box { size = {1, 1, 1} }, axes = \"xw\" }", "at most once");
    says("fix { body = b, inside = box { size = {1, 1, 1} }, axes = \"\" }", "leave it out");
}

}  // namespace
}  // namespace pliant
