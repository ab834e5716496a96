// joint { … } in scenes: balls and hinges between rigid bodies, between modal bodies and between one and the other, and
// mistakes.

#include <gtest/gtest.h>

#include <cstdio>

#include "pliant/core/error.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/script/scene.hpp"

namespace pliant {
namespace {

std::unique_ptr<Simulation> simulation(const std::string& text) {
    return std::make_unique<Simulation>(Scene::load_text(text, "scene.lua", {}, "."), 1);
}

std::string joint_error_of(const std::string& text) {
    try {
        simulation(text);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

const std::string bars = R"(world { dt = 1/200, duration = 1, fps = 20 }
local a = rigid_body { name = "a", surface = box { size = {0.4, 0.04, 0.04} }, edge = 0.04, at = {0.2, 1, 0}, pieces = 1 }
local b = rigid_body { name = "b", surface = box { size = {0.4, 0.04, 0.04} }, edge = 0.04, at = {0.6, 1, 0}, pieces = 1 }
)";

// A double pendulum: the ends stay where the joints are, energy does not grow.
TEST(Joint, HoldsRigidBodiesTogether) {
    if (!rigid_bodies_available()) GTEST_SKIP() << "built without Bullet";
    auto s = simulation(bars + "joint { body = a, at = {0, 1, 0} }\njoint { body = a, to = b, at = {0.4, 1, 0} }\n");
    const World& w = s->world();
    double apart = 0, pin = 0, lowest = 1;
    while (s->frame() < s->frames()) {
        s->advance();
        const Vec3 joint(0.4, 1, 0);
        apart = std::max(apart, (pose_of(w.rigid.bodies[0]) * joint - pose_of(w.rigid.bodies[1]) * joint).norm());
        pin = std::max(pin, (pose_of(w.rigid.bodies[0]) * Vec3(0, 1, 0) - Vec3(0, 1, 0)).norm());
        lowest = std::min(lowest, w.rigid.bodies[1].x[1]);
    }
    std::printf("joint open by %.2f mm, pin by %.2f mm, lowest centre %.3f m\n", 1e3 * apart, 1e3 * pin, lowest);
    EXPECT_LT(apart, 2e-3);
    EXPECT_LT(pin, 2e-3);
    EXPECT_LT(lowest, 0.6);
    EXPECT_GT(lowest, 0.35);
}

// A hinge about y under gravity along x: the bar swings in its plane and cannot drop.
TEST(Joint, AHingeTurnsAboutItsAxisOnly) {
    if (!rigid_bodies_available()) GTEST_SKIP() << "built without Bullet";
    auto s = simulation(bars + "joint { body = a, at = {0, 1, 0}, axis = {0, 1, 0}, width = 0.2 }\n");
    const World& w = s->world();
    while (s->frame() < s->frames()) s->advance();
    std::printf("the bar of the hinge at %.4f m, the free one at %.2f m\n", w.rigid.bodies[0].x[1],
                w.rigid.bodies[1].x[1]);
    EXPECT_NEAR(w.rigid.bodies[0].x[1], 1, 5e-3);
    EXPECT_LT(w.rigid.bodies[1].x[1], 0);
}

TEST(Joint, HoldsModalBodies) {
    auto s = simulation(R"(world { dt = 1/100, duration = 0.5, fps = 20 }
local function block(x) return modal_body { surface = box { size = {0.2, 0.1, 0.1} }, edge = 0.05,
  volume = lattice { tets = 150 }, at = {x, 1, 0}, modes = 8, material = { young = 1e5, density = 500 } } end
local a, b = block(0.1), block(0.32)
joint { body = a, at = {0.02, 1, 0} }
joint { body = a, to = b, at = {0.21, 1, 0} }
)");
    const World& w = s->world();
    double open = 0;
    while (s->frame() < s->frames()) {
        s->advance();
        for (const ModalJoint& j : w.modal_joints) {
            const Vec3 there = j.b >= 0 ? point_position(w.modal[j.b], j.on_b) : j.anchor;
            open = std::max(open, (point_position(w.modal[j.a], j.on_a) - there).norm());
        }
    }
    std::printf("open by %.2f mm, lower body at %.3f m\n", 1e3 * open, center_of_mass(w.modal[1])[1]);
    EXPECT_EQ(w.modal_joints.size(), 2U);
    EXPECT_LT(open, 5e-3);
    EXPECT_LT(center_of_mass(w.modal[1])[1], 0.95);
}

// A modal bar hangs from a pin, and a rigid one from it, whichever is named first.
TEST(Joint, HoldsAModalAndARigidBody) {
    if (!rigid_bodies_available()) GTEST_SKIP() << "built without Bullet";
    for (const char* pair : {"body = a, to = b", "body = b, to = a"}) {
        auto s = simulation(std::string(R"(world { dt = 1/100, duration = 0.5, fps = 20 }
local a = modal_body { surface = box { size = {0.2, 0.1, 0.1} }, edge = 0.05, volume = lattice { tets = 150 },
  at = {0.1, 1, 0}, modes = 8, material = { young = 1e5, density = 500 } }
local b = rigid_body { surface = box { size = {0.2, 0.1, 0.1} }, at = {0.33, 1, 0}, material = { density = 500 } }
joint { body = a, at = {0.02, 1, 0} }
)") + "joint { " + pair + ", at = {0.215, 1, 0} }\n");
        const World& w = s->world();
        ASSERT_EQ(w.modal_joints.size(), 2U);
        const ModalJoint& j = w.modal_joints[1];
        double open = 0;
        while (s->frame() < s->frames()) {
            s->advance();
            open = std::max(open, (point_position(w.modal[0], j.on_a) - pose_of(w.rigid.bodies[0]) * j.anchor).norm());
        }
        std::printf("open by %.2f mm, rigid body at %.3f m\n", 1e3 * open, w.rigid.bodies[0].x[1]);
        EXPECT_LT(open, 5e-3);
        EXPECT_LT(w.rigid.bodies[0].x[1], 0.95);
    }
}

TEST(Joint, SaysWhatIsWrong) {
    EXPECT_NE(joint_error_of(bars + "joint { body = a, to = a, at = {0, 0, 0} }").find("scene.lua:4"),
              std::string::npos);
    EXPECT_NE(joint_error_of(bars + "joint { body = a, at = {0, 0, 0}, width = 1 }").find("hinge"), std::string::npos);
    EXPECT_NE(
        joint_error_of("local f = fem_body { surface = box { size = {1, 1, 1} }, material = { young = 1e5, density = 1 "
                       "} }\njoint { body = f, at = {0, 0, 0} }")
            .find("neither"),
        std::string::npos);
    // Modes need no integrator, and say so by not knowing the word.
    EXPECT_NE(joint_error_of("modal_body { surface = box { size = {1, 1, 1} }, integrator = implicit_euler { } }")
                  .find("integrator"),
              std::string::npos);
}

}  // namespace
}  // namespace pliant
