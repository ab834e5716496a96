// The studio's hand on bodies that break, and when time is set back.

#include "studio_hand.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/core/bytes.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/script/scene.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/knobs.hpp"

namespace pliant {
namespace {

/// A brittle bar that flies apart by its own motion, in all directions from x = 0.5 m.
World bursting_bar() {
    World w(1);
    w.gravity.setZero();
    FemBodyDesc desc;
    desc.name = "bar";
    desc.mesh = bar_mesh(12, 3, 3, {0, 0.5, -0.1}, {1, 0.7, 0.1});
    desc.material = {ElementMaterial{1e5, 0.33, 1000}};
    desc.fracture = FractureDesc{.strength = {1e4}, .noise = 0.2, .splits = 3, .seed = 11};
    w.fem.push_back(make_fem_body(std::move(desc)));
    for (std::size_t i = 0; i < w.fem[0].v.size(); ++i) w.fem[0].v[i].x() = 12 * (w.fem[0].x[i].x() - 0.5);
    return w;
}

SurfacePoint surface_near(const World& w, double x) {
    const FemBody& body = w.fem[0];
    int best = 0;
    double least = 1e9;
    for (int t = 0; t < static_cast<int>(body.surface().triangles.size()); ++t) {
        double off = 0;
        for (int i : body.surface().triangles[t]) off += std::abs(body.surface().points[i].x() - x);
        if (off < least) least = off, best = t;
    }
    return {"bar", best, Vec3::Constant(1.0 / 3)};
}

std::size_t held_nodes(const World& w) {
    std::size_t count = 0;
    for (const Grip& grip : w.grips) count += grip.nodes.size();
    return count;
}

TEST(StudioHand, PinsHoldTheCopiesOfNodesThatSplit) {
    World w = bursting_bar();
    StudioHand hand;
    hand.attach(&w);
    ASSERT_TRUE(hand.pin(surface_near(w, 0.5), 0.15));
    const std::size_t before = held_nodes(w);
    for (int i = 0; i < 40; ++i) step(w), hand.note_time();
    const std::size_t after = held_nodes(w);
    std::cout << before << " nodes pinned, " << after << " after " << pieces(w.fem[0]) << " pieces came apart\n";
    ASSERT_GT(after, before) << "the pinned spot did not break: the test says nothing";
    // Anything the hand does puts its grips back into the world: the copies must be among them.
    hand.push(surface_near(w, 0), 0.1, Vec3(0, 1, 0));
    EXPECT_EQ(held_nodes(w), after);
    for (int i = 0; i < 20; ++i) step(w), hand.note_time();
    double worst = 0;
    for (const Grip& grip : w.grips)
        for (int node : grip.nodes) worst = std::max(worst, (w.fem[0].x[node] - w.fem[0].mesh.rest[node]).norm());
    std::cout << "pinned nodes are off by " << worst << " m\n";
    EXPECT_LT(worst, 1e-9);
    EXPECT_NE(hand.lua().find("-- pinned"), std::string::npos);
}

TEST(StudioHand, WhatWasHeldThenIsHeldAgain) {
    World w = bursting_bar();
    StudioHand hand;
    hand.attach(&w);
    ASSERT_TRUE(hand.pin(surface_near(w, 0.5), 0.15));
    for (int i = 0; i < 15; ++i) step(w), hand.note_time();
    ByteWriter state;
    save_state(w, state);
    const std::string bytes = state.take();
    const double time = w.time;
    const auto pinned = hand.pinned();
    const std::size_t held = held_nodes(w);
    std::vector<double> once, again;
    const auto go_on = [&](std::vector<double>& places) {
        for (int i = 0; i < 25; ++i) step(w), hand.note_time();
        for (const Vec3& x : w.fem[0].x) places.insert(places.end(), x.data(), x.data() + 3);
    };
    go_on(once);
    hand.unpin_all();
    ASSERT_TRUE(hand.pin(surface_near(w, 0.9), 0.1));
    step(w), hand.note_time();
    ByteReader in(bytes);
    load_state(w, in);
    hand.go_back(time, pinned);
    EXPECT_EQ(held_nodes(w), held);
    EXPECT_EQ(hand.lua().find("till ="), std::string::npos) << "the pin was not freed yet:\n" << hand.lua();
    go_on(again);
    EXPECT_EQ(once, again) << "the same time passes the same way";
}

/// One block of 0.4 m per kind of body that can be held.
World block(int kind) {
    World w(1);
    w.gravity = {0, -9.81, 0};
    TetMesh mesh = bar_mesh(4, 4, 4, {0, 0, 0}, {0.4, 0.4, 0.4});
    if (kind == 0) {
        FemBodyDesc desc;
        desc.name = "bar";
        desc.mesh = std::move(mesh);
        desc.material = {ElementMaterial{1e5, 0.3, 1000}};
        w.fem.push_back(make_fem_body(std::move(desc)));
    } else if (kind == 1) {
        ParticleBodyDesc desc;
        desc.name = "bar";
        desc.structure = structure_of_tets(std::move(mesh));
        desc.model.model = ParticleModel::cmpm2;
        desc.implicit = true;
        w.particles.push_back(make_particle_body(std::move(desc)));
    } else {
        ModalBodyDesc desc;
        desc.name = "bar";
        desc.mesh = std::move(mesh);
        desc.material = {ElasticNumbers{1e5, 0.3, 1000}};
        desc.modes = 20;
        w.modal.push_back(make_modal_body(std::move(desc), *w.threads));
    }
    return w;
}

// A hold is a position constraint: whatever the body weighs, the spot comes to where the hand goes, and stays there.
TEST(StudioHand, AHoldCarriesASpotOfABodyOfAnyKind) {
    for (const auto& [kind, triangle] : {std::pair(0, 5), {0, 20}, {0, 41}, {1, 5}, {1, 20}, {2, 5}}) {
        const char* name[] = {"FEM", "particles", "modal"};
        World w = block(kind);
        StudioHand hand;
        hand.attach(&w);
        const SurfacePoint point{"bar", triangle, Vec3(0.2, 0.3, 0.5)};
        const Vec3 start = *position_of(w, point), goal = start + Vec3(0.1, 0.3, 0);
        ASSERT_TRUE(hand.hold(point, start, 0.15)) << name[kind];
        hand.move_to(goal);
        for (int i = 0; i < 100; ++i) step(w), hand.note_time();
        const double off = (*hand.held_point() - goal).norm();
        std::cout << name[kind] << ": off by " << off << " m after 1 s\n";
        // A modal body swings on its point; its solver follows rotations to the first order.
        EXPECT_LT(off, kind == 2 ? 2e-3 : 1e-12) << name[kind];
        EXPECT_NE(hand.lua().find(kind == 2 ? "drag {" : "hold({"), std::string::npos);
        hand.let_go();
        EXPECT_EQ(held_nodes(w), 0u);
        for (int i = 0; i < 20; ++i) step(w), hand.note_time();
        EXPECT_LT(position_of(w, point)->y(), goal.y() - 0.1) << name[kind] << " falls when it is let go";
    }
}

// What is copied as Lua and put at the end of the scene happens again: springs, holds, pins, pushes, heat and sliders,
// on bodies of every kind.
TEST(StudioHand, WhatIsCopiedAsLuaHappensAgain) {
    const std::string scene = R"lua(
        world { dt = 1 / 60, duration = 2, fps = 60 }
        local function block(x) return box { size = {0.2, 0.2, 0.2}, at = {x, 0.102, 0} } end
        local soft = { young = 4e4, poisson = 0.3, density = 1000, damping = { stiffness = 0.01 } }
        fem_body { name = "fem", surface = block(-0.4), edge = 0.05, volume = grid { cells = {3, 3, 3} }, material = soft }
        particle_body { name = "particles", surface = block(0), edge = 0.05, volume = grid { cells = {3, 3, 3} },
          model = "cmpm2", integrator = implicit_euler { iterations = 30 }, material = soft }
        modal_body { name = "modal", surface = block(0.4), edge = 0.05, volume = grid { cells = {3, 3, 3} }, modes = 12,
          material = { young = 4e4, poisson = 0.3, density = 1000, damping = { mass = 1, stiffness = 0.005 } } }
        ground { height = 0, friction = 0.6 }
    )lua";
    using Warming = StudioHand::Warming;
    const std::vector<std::string> kinds{"fem", "particles", "modal"};  // by their numbers
    for (int kind = 0; kind < 3; ++kind)
        for (const std::string deed : {"spring", "hold", "pin", "push", "heat", "knob"}) {
            Simulation once(Scene::load_text(scene, "once.lua"), 1);
            StudioHand hand;
            hand.attach(&once.world());
            const SurfacePoint point{kinds[kind], 20, Vec3(0.2, 0.3, 0.5)};
            std::vector<Vec3> places;
            const auto centre = [&](Simulation& s) {
                return visit_body(s.world(), kind, [](const auto& b) { return center_of_mass(b); });
            };
            const int frames = 60;
            Vec3 from = Vec3::Zero();
            for (int f = 0; f < frames; ++f) {
                if (f == 7) {
                    from = *position_of(once.world(), point);
                    ASSERT_TRUE(deed == "spring" ? hand.grab(point, from, 2e3)
                                : deed == "hold" ? hand.hold(point, from, 0.06)
                                : deed == "pin"  ? hand.pin(point, 0.06)
                                : deed == "push" ? hand.push(point, 0.06, Vec3(40, 300, 0))
                                : deed == "heat" ? hand.heat(kinds[kind], from, 0.25, 150, 0) == Warming::begun
                                                 : true);
                }
                if (deed == "knob" && f >= 7 && f < 45) {  // a slider that is drawn, and then another
                    const std::string body = f < 40 ? kinds[kind] : "", name = f < 40 ? "young" : "gravity";
                    const double value = f < 40 ? 4e4 * std::pow(0.93, f - 6) : 30;
                    ASSERT_TRUE(turn(once.world(), body, name, value));
                    hand.note_knob(body, name, value);
                }
                if (f > 7 && f < 45) hand.move_to(from + Vec3(0.1 * std::sin(0.2 * f), 0.005 * (f - 7), 0));
                if (f == 45) hand.let_go(), hand.unpin_all(), hand.stop_heat();
                once.advance([&](const StepReport&, double) { hand.note_time(); });
                places.push_back(centre(once));
            }
            Simulation again(Scene::load_text(scene + hand.lua(), "again.lua"), 1);
            double off = 0, moved = 0;
            for (int f = 0; f < frames; ++f) {
                again.advance({});
                off = std::max(off, (centre(again) - places[f]).norm());
                moved = std::max(moved, (places[f] - places[0]).norm());
            }
            std::cout << kinds[kind] << ", " << deed << ": moved " << moved << " m, again to " << off << " m\n";
            EXPECT_LT(off, std::max(2e-3 * moved, 1e-5)) << hand.lua();
            EXPECT_GT(moved, deed == "pin"    ? 1e-4
                             : deed == "heat" ? 0.005
                                              : 0.02)
                << "nothing happened: the test says nothing";
        }
}

}  // namespace
}  // namespace pliant
