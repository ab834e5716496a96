// Modal bodies: free motion, resting and bouncing contact, friction that sticks, joints, hands.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "fem/allocation_count.hpp"
#include "pliant/body/modal_contact.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

ModalBody block(const Vec3& at, double young = 5e4, double beta = 5e-3, bool inertial = false, int modes = 30) {
    ModalBodyDesc d;
    d.mesh = bar_mesh(4, 4, 4, at - Vec3::Constant(0.1), at + Vec3::Constant(0.1));
    d.material = {{young, 0.4, 1000}};
    d.damping = {0, beta};
    d.modes = modes;
    d.inertial = inertial;
    Threads one(1);
    return make_modal_body(std::move(d), one);
}

struct Scene {
    std::vector<ModalBody> bodies;
    std::vector<Obstacle> obstacles;
    std::vector<ModalJoint> joints;
    ModalSolver solver;
    Vec3 gravity{0, -9.81, 0};
    Threads threads{1};

    void step(double dt) {
        for (ModalBody& b : bodies)
            for (std::size_t i = 0; i < b.force.size(); ++i) b.force[i] = b.basis.mass[i] * gravity;
        solver.step(bodies, {}, obstacles, joints, dt, threads);
    }
};

TEST(ModalBody, FallsAndSwingsTheSameAtAnyStep) {
    Scene coarse, fine;
    for (Scene* s : {&coarse, &fine}) {
        s->bodies.push_back(block(Vec3(0, 5, 0)));
        s->bodies[0].oscillators.z[0] = 0.01, s->bodies[0].oscillators.v[3] = 0.2;
        s->bodies[0].velocity = Vec3(1, 2, 0);
    }
    for (int i = 0; i < 30; ++i) coarse.step(1.0 / 60);
    for (int i = 0; i < 3000; ++i) fine.step(1.0 / 6000);
    double worst = 0;
    for (std::size_t i = 0; i < coarse.bodies[0].x.size(); ++i)
        worst = std::max(worst, (coarse.bodies[0].x[i] - fine.bodies[0].x[i]).norm());
    std::printf("largest difference of a node: %.1e m\n", worst);
    EXPECT_LT(worst, 1e-10);
}

TEST(ModalBody, SpinConservesMomentum) {
    Scene s;
    s.gravity.setZero();
    s.bodies.push_back(block(Vec3::Zero(), 5e4, 5e-3, true));
    s.bodies[0].angular_momentum = s.bodies[0].inertia * Vec3(0, 6, 0.5);
    for (int i = 0; i < 120; ++i) s.step(1.0 / 120);
    // Centrifugal force has stretched it away from the axis.
    double wide = 0;
    for (const Vec3& x : s.bodies[0].x) wide = std::max(wide, std::hypot(x[0], x[2]));
    std::printf("widest point %.4f m, at rest %.4f\n", wide, std::sqrt(0.02));
    EXPECT_GT(wide, 1.001 * std::sqrt(0.02));
    EXPECT_LT(center_of_mass(s.bodies[0]).norm(), 1e-9);
    EXPECT_NEAR(s.bodies[0].frame.rotation.norm(), 1, 1e-12);
}

TEST(ModalBody, ComesToRestOnTheGround) {
    Scene s;
    s.bodies.push_back(block(Vec3(0, 0.15, 0)));
    s.obstacles.push_back({.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5});
    double deepest = 0;
    for (int i = 0; i < 180; ++i) {
        s.step(1.0 / 60);
        for (const Vec3& p : s.bodies[0].points) deepest = std::max(deepest, -p[1]);
    }
    double load = 0;
    for (const ModalTouch& t : s.solver.touches()) load += t.impulse * 60;
    const double weight = s.bodies[0].total_mass * 9.81;
    std::printf("deepest %.2e m, speed %.2e m/s, load %.3f of its weight\n", deepest, max_speed(s.bodies[0]),
                load / weight);
    EXPECT_LT(deepest, 0.01);
    EXPECT_LT(max_speed(s.bodies[0]), 0.02);
    EXPECT_NEAR(load / weight, 1, 0.05);
    for (const ModalTouch& t : s.solver.touches()) EXPECT_GE(t.impulse, 0);
}

// Springs of stiffness k at the n vertices of its lower face: they carry m·g, so their mean depth is m·g/(n·k).
TEST(ModalBody, PenaltySpringsGiveWayByTheWeight) {
    Scene s;
    s.bodies.push_back(block(Vec3(0, 0.1, 0), 5e6));
    ModalBody& b = s.bodies[0];
    b.contact.penalty = true;
    b.contact.stiffness = 4000;
    s.obstacles.push_back({.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5});
    for (int i = 0; i < 4000; ++i) s.step(1.0 / 2000);
    double sum = 0;
    int pressed = 0;
    for (const Vec3& p : b.points)
        if (p[1] < 0) sum -= p[1], ++pressed;
    const double expected = b.total_mass * 9.81 / (25 * 4000.0);
    std::printf("%d springs, mean depth %.6f mm, expected %.6f mm, speed %.1e m/s\n", pressed, 1e3 * sum / pressed,
                1e3 * expected, b.velocity.norm());
    EXPECT_EQ(pressed, 25);
    EXPECT_NEAR(sum / pressed, expected, 1e-3 * expected);
    EXPECT_LT(b.velocity.norm(), 1e-6);
}

// On a slope below the friction angle springs hold it where it is; above, it slides as Coulomb says.
TEST(ModalBody, PenaltyFrictionSticksAndSlides) {
    for (double slope : {0.3, 0.6}) {
        Scene s;
        s.bodies.push_back(block(Vec3(0, 0.1, 0), 5e6));
        ModalBody& b = s.bodies[0];
        b.contact.penalty = true;
        b.contact.stiffness = 4000;
        b.friction = 0.4;
        s.obstacles.push_back({.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.4});
        s.gravity = 9.81 * Vec3(std::sin(std::atan(slope)), -std::cos(std::atan(slope)), 0);
        for (int i = 0; i < 4000; ++i) s.step(1.0 / 2000);
        const double before = b.frame.translation[0], speed = b.velocity[0];
        for (int i = 0; i < 2000; ++i) s.step(1.0 / 2000);
        const double gained = b.velocity[0] - speed, expected = 9.81 * std::cos(std::atan(slope)) * (slope - 0.4);
        std::printf("slope %.1f: speed %.1e m/s, %.2e m in a second, gains %.4f m/s (Coulomb %.4f)\n", slope,
                    b.velocity.norm(), b.frame.translation[0] - before, gained, std::max(0.0, expected));
        if (slope < 0.4) {
            EXPECT_LT(b.velocity.norm(), 1e-6);
            EXPECT_LT(std::abs(b.frame.translation[0] - before), 1e-6);
        } else {
            EXPECT_NEAR(gained, expected, 0.01 * expected);
        }
    }
}

TEST(ModalBody, BouncesByItsOwnElasticity) {
    Scene s;
    s.bodies.push_back(block(Vec3(0, 0.5, 0), 5e4, 2e-4));
    s.obstacles.push_back({.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5});
    double low = 1, high = 0;
    for (int i = 0; i < 240; ++i) {
        s.step(1.0 / 240);
        const double y = center_of_mass(s.bodies[0])[1];
        if (y < low) low = y, high = y;
        high = std::max(high, y);
    }
    std::printf("dropped from 0.5 m, lowest %.3f, back up to %.3f\n", low, high);
    EXPECT_GT(high - low, 0.08);
    EXPECT_LT(high, 0.5);
}

TEST(ModalBody, FrictionSticksBelowTheConeAndSlidesAbove) {
    for (double slope : {0.2, 0.6}) {
        Scene s;
        s.bodies.push_back(block(Vec3(0, 0.1, 0), 1e6));
        s.bodies[0].friction = 0.4;
        s.obstacles.push_back({.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.4});
        s.gravity = 9.81 * Vec3(std::sin(std::atan(slope)), -std::cos(std::atan(slope)), 0);
        for (int i = 0; i < 60; ++i) s.step(1.0 / 60);
        const double way = s.bodies[0].frame.translation[0];
        const double expected = slope > 0.4 ? 0.5 * (9.81 * std::cos(std::atan(slope)) * (slope - 0.4)) : 0;
        std::printf("slope %.1f: way %.4f m, Coulomb %.4f\n", slope, way, expected);
        if (slope < 0.4) {
            EXPECT_LT(std::abs(way), 0.005);
        } else {
            EXPECT_NEAR(way / expected, 1, 0.1);
        }
    }
}

TEST(ModalBody, TwoBodiesExchangeMomentum) {
    Scene s;
    s.gravity.setZero();
    s.bodies.push_back(block(Vec3(-0.3, 0, 0), 2e5, 1e-4));
    s.bodies.push_back(block(Vec3(0.3, 0.01, 0.02), 2e5, 1e-4));
    s.bodies[0].velocity = Vec3(1, 0, 0);
    double closest = 1;
    for (int i = 0; i < 120; ++i) {
        s.step(1.0 / 120);
        closest = std::min(closest, s.bodies[1].frame.translation[0] - s.bodies[0].frame.translation[0]);
    }
    const Vec3 total = momentum(s.bodies[0]) + momentum(s.bodies[1]);
    std::printf("momentum %.6f of %.6f, speeds %.3f %.3f, nearest %.3f m\n", total[0], s.bodies[0].total_mass,
                s.bodies[0].velocity[0], s.bodies[1].velocity[0], closest);
    EXPECT_NEAR(total[0] / s.bodies[0].total_mass, 1, 1e-9);
    EXPECT_GT(s.bodies[1].velocity[0], 0.5);
    EXPECT_GT(closest, 0.12);
}

TEST(ModalBody, JointsAndHandsHold) {
    Scene s;
    s.bodies.push_back(block(Vec3(0, 0, 0)));
    s.bodies.push_back(block(Vec3(0.25, 0, 0)));
    for (ModalBody& b : s.bodies) b.collide = false;
    auto place = [&](int body, const Vec3& p) { return embed_point(s.bodies[body].mesh, p); };
    const Point a = place(0, Vec3(0.1, 0.1, 0)), b = place(1, Vec3(0.15, 0.1, 0));
    // The second body's point is drawn to the first's: their error at the start is 5 cm.
    s.joints.push_back({0, a, 1, b, Vec3::Zero()});
    const Point top = place(0, Vec3(-0.1, 0.1, 0));
    for (int i = 0; i < 120; ++i) {
        s.solver.holds.assign(1, {0, top, Vec3(-0.1, 0.1 + 0.05 * std::sin(0.05 * i), 0)});
        s.step(1.0 / 120);
    }
    const double off = (point_position(s.bodies[0], a) - point_position(s.bodies[1], b)).norm();
    const double hand = (point_position(s.bodies[0], top) - s.solver.holds[0].target).norm();
    std::printf("joint apart by %.1e m, held point off by %.1e m\n", off, hand);
    EXPECT_LT(off, 5e-3);
    EXPECT_LT(hand, 2e-3);
}

// Contacts by constraints and by springs, two bodies, a rigid one, a joint and a hand: once the largest number of
// touches was there, no step asks for memory.
TEST(ModalBody, StepsDoNotAllocate) {
    Scene s;
    for (int i = 0; i < 3; ++i) s.bodies.push_back(block(Vec3(0.02 * i, 0.1 + 0.21 * i, 0)));
    s.bodies.push_back(block(Vec3(1, 0.1, 0))), s.bodies[3].contact.penalty = true;
    s.bodies.push_back(block(Vec3(2, 0.5, 0)));
    s.obstacles.push_back({.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5});
    RigidBodyDesc brick;
    brick.surface = boundary_surface(bar_mesh(2, 2, 2, Vec3(-0.08, 0.63, -0.08), Vec3(0.08, 0.79, 0.08))).surface;
    std::vector<RigidBody> rigid;
    rigid.push_back(make_rigid_body(std::move(brick)));
    const std::vector<ObstacleShapePtr> forms{mesh_obstacle(rigid[0].surface)};
    const Vec3 corner(1.9, 0.6, 0.1), other(2.1, 0.6, 0.1);
    const Point held = embed_point(s.bodies[4].mesh, corner);
    s.joints.push_back({4, embed_point(s.bodies[4].mesh, other), -1, {}, other});
    long after_first = 0;
    std::size_t most = 0;
    for (int i = 0; i < 120; ++i) {
        for (ModalBody& b : s.bodies)
            for (std::size_t k = 0; k < b.force.size(); ++k) b.force[k] = b.basis.mass[k] * s.gravity;
        s.solver.holds.assign(1, {4, held, corner + Vec3(0, 0.03 * std::sin(0.05 * i), 0)});
        s.solver.step(s.bodies, {rigid, forms, s.gravity}, s.obstacles, s.joints, 1.0 / 60, s.threads);
        for (const RigidPush& push : rigid[0].pushes) rigid[0].v += push.impulse / rigid[0].rest.mass;
        rigid[0].v += s.gravity / 60;  // what its own step would do
        rigid[0].x += rigid[0].v / 60;
        rigid[0].pushes.clear();
        if (i == 99) after_first = allocation_count();
        most = std::max(most, s.solver.touches().size());
    }
    std::printf("%ld allocations in 20 steps, up to %zu touches\n", allocation_count() - after_first, most);
    EXPECT_EQ(allocation_count() - after_first, 0);
    EXPECT_GT(after_first, 0);
    EXPECT_GT(most, 20u);
}

}  // namespace
}  // namespace pliant
