// Contact laws on loose mass points, against formulas.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "contact/stand_in.hpp"

using namespace pliant;
using namespace pliant::test;

namespace {

PointWorld one_point(const PointBody& body, const Obstacle& obstacle) {
    PointWorld w;
    w.bodies = {body};
    w.obstacles = {obstacle};
    return w;
}

}  // namespace

TEST(PointContact, RestsQuietlyJustAboveTheGround) {
    PointWorld w = one_point(point({0, 0.05, 0}), still(ground_obstacle(0), 0.5));
    for (int i = 0; i < 200; ++i) w.step();
    const double y = w.bodies[0].x[0].y();
    const double offset = w.contact.options.offset * 0.1;
    // Spring in balance with the weight: κ·recovery·depth/dt² = g.
    const double depth = 9.81 * 1e-4 / (w.contact.options.stiffness * w.contact.options.recovery);
    std::printf("rest height %.6g m, formula %.6g m, error %.2g of the offset\n", y, offset - depth,
                std::abs(y - (offset - depth)) / offset);
    EXPECT_NEAR(y, offset - depth, 1e-9);
    EXPECT_GT(y, 0);
    EXPECT_LT(w.bodies[0].v[0].norm(), 1e-9);
    EXPECT_EQ(w.contact.stats().touching, 1);
    EXPECT_EQ(w.contact.stats().pulling, 0);
}

// Thirty times its weight would press the spring in by an offset; it ends half an offset above the ground.
TEST(PointContact, LoadSinksNothingIn) {
    PointWorld w = one_point(point({0, 0.003, 0}), still(ground_obstacle(0), 0.5));
    w.gravity = Vec3(0, -30 * 9.81, 0);
    for (int i = 0; i < 400; ++i) w.step();
    const double y = w.bodies[0].x[0].y(), offset = w.contact.options.offset * 0.1;
    std::printf("rests at %.6f offsets under 30 times its weight\n", y / offset);
    EXPECT_NEAR(y, 0.5 * offset, 1e-6 * offset);
    EXPECT_LT(w.bodies[0].v[0].norm(), 1e-6);
    // The load gone, it stands where its weight alone puts it.
    w.gravity = Vec3(0, -9.81, 0);
    for (int i = 0; i < 400; ++i) w.step();
    EXPECT_NEAR(w.bodies[0].x[0].y(), offset - 9.81 * 1e-4 / (w.contact.options.stiffness * w.contact.options.recovery),
                1e-3 * offset);
}

TEST(PointContact, ImpactIsInelasticAndStopsAtTheSurface) {
    PointWorld w = one_point(point({0, 0.03, 0}, {0, -10, 0}), still(ground_obstacle(0)));
    w.gravity.setZero();
    double deepest = 0, fastest_up = 0;
    double impulse = 0;
    for (int i = 0; i < 50; ++i) {
        w.step();
        deepest = std::max(deepest, -w.bodies[0].x[0].y());
        fastest_up = std::max(fastest_up, w.bodies[0].v[0].y());
        for (const ContactImpulse& j : w.contact.impulses())
            if (j.impact()) {
                if (impulse == 0) {
                    EXPECT_NEAR(j.speed, 10, 1e-9);
                }
                impulse += j.impulse;
            }
    }
    std::printf("depth after 10 m/s: %.3g m; restitution %.3g; impulse %.4f N·s of 10\n", deepest, fastest_up / 10,
                impulse);
    EXPECT_NEAR(impulse, 10, 0.05);
    EXPECT_LT(deepest, 10 * w.dt / w.contact.options.stiffness);
    EXPECT_LT(fastest_up, 0.05 * 10);
}

TEST(PointContact, LeavesWithoutBeingHeld) {
    PointWorld w = one_point(point({0, 0.003, 0}), still(ground_obstacle(0), 1.0));
    for (int i = 0; i < 50; ++i) w.step();
    w.bodies[0].v[0] = Vec3(0, 0.5, 0);
    w.gravity.setZero();
    w.step();
    EXPECT_NEAR(w.bodies[0].v[0].y(), 0.5, 1e-12);
    // Slowly too, by a pull a little stronger than the weight.
    PointWorld slow = one_point(point({0, 0.003, 0}), still(ground_obstacle(0), 1.0));
    for (int i = 0; i < 50; ++i) slow.step();
    slow.gravity = Vec3(0, 0.01, 0);
    const double from = slow.bodies[0].x[0].y();
    for (int i = 0; i < 100; ++i) slow.step();
    const double rise = slow.bodies[0].x[0].y() - from;
    std::printf("rise in 1 s at 0.01 m/s²: %.6g m (free: 0.00505 and the depth given back)\n", rise);
    EXPECT_GT(rise, 0.00505);
}

TEST(PointContact, SticksBelowTheFrictionAngle) {
    const double mu = 0.5, angle = 0.95 * std::atan(mu);
    PointWorld w = one_point(point({0, 0.01, 0}, Vec3::Zero(), 1, 0.1, mu), still(ground_obstacle(0), mu));
    w.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    for (int i = 0; i < 100; ++i) w.step();
    const double from = w.bodies[0].x[0].x();
    for (int i = 0; i < 1000; ++i) w.step();
    const double creep = std::abs(w.bodies[0].x[0].x() - from) / 10;
    std::printf("creep at 95%% of the friction angle: %.3g m/s\n", creep);
    EXPECT_LT(creep, 1e-12);
    EXPECT_EQ(w.contact.stats().sliding, 0);
}

TEST(PointContact, SlidesAboveTheFrictionAngle) {
    for (double factor : {1.05, 1.5, 2.5}) {
        const double mu = 0.4, angle = factor * std::atan(mu);
        PointWorld w = one_point(point({0, 0.003, 0}, Vec3::Zero(), 1, 0.1, mu), still(ground_obstacle(0), mu));
        w.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
        for (int i = 0; i < 20; ++i) w.step();
        const double from = w.bodies[0].v[0].x();
        for (int i = 0; i < 100; ++i) w.step();
        const double measured = w.bodies[0].v[0].x() - from;
        const double formula = 9.81 * (std::sin(angle) - mu * std::cos(angle));
        std::printf("slope %.1f deg: acceleration %.6f m/s², formula %.6f, error %.2g\n",
                    angle * 180 / std::numbers::pi, measured, formula, std::abs(measured - formula) / formula);
        EXPECT_NEAR(measured, formula, 0.01 * formula);
    }
}

TEST(PointContact, SlidingStopsAfterTheRightDistance) {
    const double mu = 0.3, v0 = 2;
    PointWorld w = one_point(point({0, 0.003, 0}, {v0, 0, 0}, 1, 0.1, mu), still(ground_obstacle(0), mu));
    for (int i = 0; i < 300; ++i) w.step();
    const double formula = v0 * v0 / (2 * mu * 9.81);
    std::printf("stopped after %.5f m, formula %.5f\n", w.bodies[0].x[0].x(), formula);
    // Implicit Euler takes the end velocity for the whole step: short by v0·dt/2.
    EXPECT_NEAR(w.bodies[0].x[0].x(), formula, v0 * w.dt);
    EXPECT_LT(w.bodies[0].v[0].norm(), 1e-9);
}

TEST(PointContact, ConveyorDragsUpToItsSpeed) {
    const double mu = 0.4, belt = 1;
    PointWorld w = one_point(point({0, 0.003, 0}, Vec3::Zero(), 1, 0.1, mu), still(box_obstacle({100, 1, 1}), mu));
    double time = 0;
    auto pose = [&](double t) {
        Pose p;
        p.translation = Vec3(belt * t, -0.5, 0);
        return p;
    };
    std::vector<double> speed;
    for (int i = 0; i < 100; ++i) {
        w.obstacles[0].start = pose(time);
        w.obstacles[0].end = pose(time + w.dt);
        time += w.dt;
        w.step();
        speed.push_back(w.bodies[0].v[0].x());
    }
    const double acceleration = (speed[14] - speed[4]) / 0.1;
    std::printf("conveyor: acceleration %.5f m/s², formula %.5f; end speed %.6f of %.6f\n", acceleration, mu * 9.81,
                speed.back(), belt);
    EXPECT_NEAR(acceleration, mu * 9.81, 0.02 * mu * 9.81);
    EXPECT_NEAR(speed.back(), belt, 1e-6);
}

TEST(PointContact, RisingPlatformCarries) {
    PointWorld w = one_point(point({0.3, 0.003, 0}, Vec3::Zero(), 1, 0.1), still(box_obstacle({1, 1, 1}), 0.5));
    for (int i = 0; i < 100; ++i) {
        w.obstacles[0].start.translation = Vec3(0, -0.5 + 2 * w.dt * i, 0);
        w.obstacles[0].end.translation = Vec3(0, -0.5 + 2 * w.dt * (i + 1), 0);
        w.step();
        EXPECT_GT(w.bodies[0].x[0].y(), w.obstacles[0].end.translation.y() + 0.5 - 1e-3) << i;
    }
    EXPECT_NEAR(w.bodies[0].v[0].y(), 2, 1e-6);
}

TEST(PointContact, FastPointDoesNotTunnel) {
    // A centimetre of plate, a metre per step.
    for (const ObstacleShapePtr& plate :
         {box_obstacle({10, 0.01, 10}), solid_obstacle(slab_shape(10, 10, 0.01)),
          mesh_obstacle({{{-5, 0, -5}, {5, 0, -5}, {5, 0, 5}, {-5, 0, 5}}, {{0, 2, 1}, {0, 3, 2}}})}) {
        for (double start : {0.02, 0.3, 0.77, 0.999}) {
            PointWorld w = one_point(point({0.1, start, 0.2}, {3, -100, 0}, 1, 0.01), still(plate));
            for (int i = 0; i < 20; ++i) w.step();
            EXPECT_GT(w.bodies[0].x[0].y(), -0.005) << start;
        }
    }
}

TEST(PointContact, PassingByIsNotTouching) {
    // Straight down beside a box, a centimetre off its edge, ten box heights per step.
    PointWorld w = one_point(point({0.51, 0.6, 0}, {0, -100, 0}, 1, 0.01), still(box_obstacle({1, 0.1, 1})));
    w.gravity.setZero();
    for (int i = 0; i < 5; ++i) w.step();
    EXPECT_NEAR(w.bodies[0].v[0].y(), -100, 1e-9);
}

TEST(PointContact, SameAtAMillimetreAndAKilometre) {
    std::vector<Vec3> ends;
    for (double scale : {1e-3, 1.0, 1e3}) {
        PointWorld w =
            one_point(point(scale * Vec3(0, 0.2, 0), scale * Vec3(1, -1, 0.3), scale * scale * scale, 0.1 * scale, 0.4),
                      still(ground_obstacle(0), 0.4));
        w.gravity *= scale;
        for (int i = 0; i < 60; ++i) w.step();
        ends.push_back(w.bodies[0].x[0] / scale);
    }
    EXPECT_LT((ends[0] - ends[1]).norm(), 1e-9);
    EXPECT_LT((ends[2] - ends[1]).norm(), 1e-9);
}

TEST(PointContact, StartedDeepInsideComesOutGently) {
    PointWorld w = one_point(point({0, -0.5, 0}, Vec3::Zero(), 1, 0.1), still(ground_obstacle(0)));
    double fastest = 0;
    for (int i = 0; i < 300; ++i) w.step(), fastest = std::max(fastest, w.bodies[0].v[0].norm());
    std::printf("pushed out of 0.5 m with at most %.3g m/s\n", fastest);
    EXPECT_GT(w.bodies[0].x[0].y(), 0);
    EXPECT_LT(fastest, 0.1 * 0.5 / w.dt);
}

TEST(PointContact, FrictionOfPairs) {
    EXPECT_DOUBLE_EQ(combined_friction(0.4, 0.9), 0.6);
    EXPECT_DOUBLE_EQ(combined_friction(-1, 0.9), 0.9);
    EXPECT_DOUBLE_EQ(combined_friction(0.4, -1), 0.4);
    EXPECT_DOUBLE_EQ(combined_friction(-1, -1), 0);
    EXPECT_DOUBLE_EQ(combined_friction(0, 0.9), 0);
}
