// What a hand does to bodies, and knobs that are turned while they run.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/hand.hpp"
#include "pliant/world/knobs.hpp"

namespace pliant {
namespace {

World block(double young = 1e5) {
    World w(1);
    FemBodyDesc desc;
    desc.name = "block";
    desc.mesh = bar_mesh(4, 4, 4, {0, 0, 0}, {0.4, 0.4, 0.4});
    desc.material = {ElementMaterial{young, 0.3, 1000}};
    desc.solid.stiffness_damping = 0.02;
    desc.solid.mass_damping = 5;
    desc.solve.iterations = 60;
    w.fem.push_back(make_fem_body(std::move(desc)));
    return w;
}

/// A triangle on the top.
SurfacePoint on_top(const World& w) {
    const FemBody& body = w.fem[0];
    for (int t = 0; t < static_cast<int>(body.surface().triangles.size()); ++t) {
        bool top = true;
        for (int i : body.surface().triangles[t]) top &= body.surface().points[i].y() > 0.4 - 1e-9;
        if (top) return {"block", t, Vec3(0.2, 0.3, 0.5)};
    }
    return {};
}

TEST(Hand, ASpringHoldsThePointThatWasTouched) {
    const World w = block();
    const SurfacePoint point = on_top(w);
    const auto drag = spring_at(w, point);
    ASSERT_TRUE(drag);
    const double error = (position_of(w, *drag) - *position_of(w, point)).norm();
    std::cout << "the spring is off by " << error << " m\n";
    EXPECT_LT(error, 1e-15);
    EXPECT_NEAR(drag->point.weight.sum(), 1, 1e-14);
    EXPECT_FALSE(spring_at(w, {"nobody", 0, point.weight}));
    EXPECT_FALSE(spring_at(w, {"block", 1 << 20, point.weight}));
    EXPECT_FALSE(spring_at(w, {"block", -1, point.weight}));
}

// A body that hangs on a spring of stiffness k stretches it by m·g/k.
TEST(Hand, ABodyHangsOnTheSpringAsItsStiffnessSays) {
    World w = block(1e6);
    w.gravity = {0, -9.81, 0};
    Drag drag = *spring_at(w, on_top(w));
    const Vec3 target = position_of(w, drag);
    drag.stiffness = 2e4;
    drag.target = [target](double) { return target; };
    w.drags.push_back(drag);
    for (int i = 0; i < 600; ++i) step(w);
    const double sag = target.y() - position_of(w, drag).y(), expected = mass(w.fem[0]) * 9.81 / 2e4;
    std::cout << "sag " << sag << " m, m·g/k = " << expected << " m, error " << sag / expected - 1 << "\n";
    EXPECT_NEAR(sag / expected, 1, 1e-3);
    EXPECT_GT(grip_stiffness(w, drag), 0);
}

TEST(Hand, PinsHoldExactlyAndLetGo) {
    World w = block();
    for (int i = 0; i < 20; ++i) step(w);  // it falls: pins hold what is, not what was
    const SurfacePoint point = on_top(w);
    const Vec3 at = *position_of(w, point);
    w.grips = pins_at(w, point, 0.15);
    ASSERT_GE(w.grips.size(), 3u);
    for (int i = 0; i < 100; ++i) step(w);
    std::cout << "pinned by " << w.grips.size() << " nodes, moved " << (*position_of(w, point) - at).norm() << " m\n";
    EXPECT_LT((*position_of(w, point) - at).norm(), 1e-12);
    w.grips.clear();
    for (int i = 0; i < 20; ++i) step(w);
    EXPECT_LT(position_of(w, point)->y(), at.y() - 0.01);
    EXPECT_EQ(pins_at(w, point, 1e-9).size(), 1u) << "at least the nearest node";
}

TEST(Hand, APushGivesItsImpulse) {
    World w = block();
    w.gravity = Vec3::Zero();
    w.fem[0].solid = Solid(w.fem[0].mesh, w.fem[0].material, {});  // without damping
    w.pulls.push_back(*push_at(w, on_top(w), 0.1, Vec3(100, 0, 0)));
    for (int i = 0; i < 10; ++i) step(w);
    const Vec3 p = momentum(w.fem[0]);
    std::cout << "momentum " << p.transpose() << " N·s after 100 N for 0.1 s\n";
    EXPECT_NEAR(p.x(), 100 * 10 * w.dt, 1e-9);
}

// The rod sags under its own weight in proportion to 1/E.
TEST(Knobs, YoungsModulusChangesWhileItRuns) {
    World w = block(2e5);
    Grip floor;
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].y() < 1e-9) floor.nodes.push_back(i);
    floor.pose = [](double) { return Pose{}; };
    w.grips = {floor};
    const SurfacePoint top = on_top(w);
    const auto sag = [&] {
        for (int i = 0; i < 400; ++i) step(w);
        return 0.4 - position_of(w, top)->y();
    };
    const double stiff = sag();
    ASSERT_TRUE(turn(w, "block", "young", 1e5));
    const double soft = sag();
    std::cout << "sag " << stiff << " m, at half the modulus " << soft << " m\n";
    EXPECT_NEAR(soft / stiff, 2, 0.05);
}

TEST(Knobs, StayInTheirRangesAndRegionsStayDifferent) {
    World w = block();
    w.fem[0].material[3].young = 3e5;
    const double ratio = w.fem[0].material[3].young / w.fem[0].material[0].young;
    EXPECT_TRUE(turn(w, "block", "young", 5e4));
    EXPECT_NEAR(w.fem[0].material[3].young / w.fem[0].material[0].young, ratio, 1e-12);
    EXPECT_TRUE(turn(w, "block", "poisson", 7));
    EXPECT_LT(w.fem[0].material[0].poisson, 0.5);
    EXPECT_TRUE(turn(w, "", "gravity", 1.6));
    EXPECT_NEAR(w.gravity.norm(), 1.6, 1e-12);
    EXPECT_FALSE(turn(w, "block", "colour", 1));
    EXPECT_FALSE(turn(w, "nobody", "young", 1e5));
    EXPECT_FALSE(turn(w, "block", "young", NAN));
    for (const Knob& knob : knobs(w)) {
        EXPECT_LT(knob.low, knob.high) << knob.name;
        EXPECT_GE(knob.value, knob.low) << knob.name;
        EXPECT_LE(knob.value, knob.high) << knob.name;
        EXPECT_FALSE(knob.doc.empty()) << knob.name;
        EXPECT_TRUE(turn(w, knob.body, knob.name, knob.high)) << knob.name;
    }
    step(w);
    EXPECT_FALSE(first_nonfinite(w.fem[0]));
}

// Every mode swings at ω ∝ √E; what a body does in the meantime stays.
TEST(Knobs, AModalBodyRingsLowerWhenItIsSofter) {
    World w(1);
    ModalBodyDesc desc;
    desc.name = "plate";
    desc.mesh = bar_mesh(8, 1, 2, {0, 0, 0}, {0.8, 0.1, 0.2});
    desc.material = {ElasticNumbers{1e7, 0.3, 1000}};
    desc.modes = 6;
    w.gravity = Vec3::Zero();
    w.modal.push_back(make_modal_body(std::move(desc), *w.threads));
    ModalBody& plate = w.modal[0];
    plate.oscillators.z[0] = 1e-3;
    const double before = undamped_hz(plate.basis, 0);
    ASSERT_TRUE(turn(w, "plate", "young", 2.5e6));
    EXPECT_EQ(plate.oscillators.z[0], 1e-3);
    EXPECT_NEAR(undamped_hz(plate.basis, 0) / before, 0.5, 1e-12);
    // Half a period later it is on the other side, as far out.
    const int steps = 40;
    w.dt = 0.5 / undamped_hz(plate.basis, 0) / steps;
    for (int i = 0; i < steps; ++i) step(w);
    std::cout << "after half a period of the softer plate z = " << plate.oscillators.z[0] << "\n";
    EXPECT_NEAR(plate.oscillators.z[0], -1e-3, 1e-9);
}

// A box that slides loses μ·g of its speed per second.
TEST(Knobs, ARigidBodySlidesAsItIsTold) {
    if (!rigid_bodies_available()) GTEST_SKIP();
    World w(1);
    RigidBodyDesc desc;
    desc.name = "box";
    desc.surface = boundary_surface(bar_mesh(1, 1, 1, {-0.1, 0, -0.1}, {0.1, 0.05, 0.1})).surface;
    desc.pieces = {desc.surface.points};
    desc.velocity = {1, 0, 0};
    desc.friction = 0.9;
    w.rigid.bodies.push_back(make_rigid_body(std::move(desc)));
    w.props.push_back({.name = "ground", .obstacle = {ground_obstacle(0), {}, {}, 0.5}, .motion = {}, .surface = {}});
    RigidObstacle ground;
    ground.half_space = true;
    w.props.back().rigid_form = ground;
    w.dt = 0.01;
    step(w);  // the solver is there, with the old number
    ASSERT_TRUE(turn(w, "box", "friction", 0.2));
    const double before = w.rigid.bodies[0].v.x();
    for (int i = 0; i < 20; ++i) step(w);
    const double lost = (before - w.rigid.bodies[0].v.x()) / 0.2;
    std::cout << "loses " << lost << " m/s per second, the formula says " << 0.2 * 9.81 << "\n";
    EXPECT_NEAR(lost, 0.2 * 9.81, 0.05 * 0.2 * 9.81);
}

}  // namespace
}  // namespace pliant
