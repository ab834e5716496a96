// Elastic bodies that fall, rest, slide and hit: contact in the loop that a world runs.

#include "contact/elastic.hpp"

#include <gtest/gtest.h>

#include <cmath>

using namespace pliant;
using namespace pliant::test;

namespace {

const ElementMaterial rubber{1e6, 0.33, 1000};
const ElementMaterial hard{1e7, 0.3, 1000};

Obstacle ground(double friction = 0.5) { return {ground_obstacle(0), {}, {}, friction}; }

}  // namespace

TEST(ElasticContact, DroppedCubeLosesEnergyAndComesToRest) {
    ElasticWorld w;
    w.bodies.push_back(cube({0, 0.5, 0}, {0.5, 0.5, 0.5}, {2, 2, 2}, rubber, 1));
    w.obstacles = {ground()};
    double before = w.energy(), deepest = 0;
    for (int i = 0; i < 150; ++i) {
        w.step();
        // Gravity in the speculative gap may be paid back within a step, nothing more.
        EXPECT_LT(w.energy(), before + 1e-3 * w.bodies[0].mass()) << i;
        before = w.energy();
        deepest = std::max(deepest, w.penetration().max_depth);
    }
    std::printf("deepest %.3g m, speed at the end %.3g m/s\n", deepest, w.max_speed());
    EXPECT_LT(w.max_speed(), 1e-3);
    EXPECT_LT(deepest, 0.02 * 0.5);
    EXPECT_EQ(w.penetration().fraction, 0);
    double push = 0;
    for (const ContactImpulse& j : w.contact.impulses()) push += j.impulse;
    EXPECT_NEAR(push, w.bodies[0].mass() * 9.81 * w.dt, 1e-2 * push);
}

TEST(ElasticContact, StackOfPlatesIsQuiet) {
    ElasticWorld w;
    for (int i = 0; i < 3; ++i)
        w.bodies.push_back(cube({0.01 * i, 0.02 + 0.035 * i, 0}, {0.4, 0.03, 0.4}, {5, 1, 5}, hard));
    w.obstacles = {ground()};
    for (int i = 0; i < 100; ++i) w.step();
    const Vec3 from = w.bodies[2].center();
    w.solves = 0;
    for (int i = 0; i < 50; ++i) w.step();
    const double creep = (w.bodies[2].center() - from).norm() / 0.5 / 0.4;
    std::printf("speed at rest %.2g m/s, creep %.2g of the size per second, %d solves in 50 steps\n", w.max_speed(),
                creep, w.solves);
    EXPECT_LT(w.max_speed(), 1e-4);
    EXPECT_LT(creep, 1e-4);
    EXPECT_EQ(w.penetration().fraction, 0);
    EXPECT_LT(w.solves, 75);
}

TEST(ElasticContact, BallOnBoxStaysOut) {
    ElasticWorld w;
    w.bodies.push_back(cube({0, 0.16, 0}, {0.8, 0.3, 0.8}, {3, 1, 3}, rubber, 1));
    w.bodies.push_back(ball({0.05, 0.7, 0.03}, 0.2, 3, rubber, 1));
    w.obstacles = {ground()};
    double deepest = 0;
    for (int i = 0; i < 120; ++i) {
        w.step();
        deepest = std::max(deepest, w.penetration().max_depth);
    }
    const Penetration end = w.penetration();
    std::printf("deepest %.3g m on the way, %.3g m at the end, fraction %.3g\n", deepest, end.max_depth, end.fraction);
    EXPECT_LT(deepest, 0.02);
    EXPECT_LT(end.max_depth, 2e-3);
}

TEST(ElasticContact, SlopeBelowAndAboveTheFrictionAngle) {
    for (double factor : {0.9, 1.3}) {
        ElasticWorld w;
        w.bodies.push_back(cube({0, 0.13, 0}, {0.5, 0.25, 0.25}, {4, 2, 2}, hard));
        w.obstacles = {ground(0.5)};
        const double angle = factor * std::atan(0.5);
        w.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
        for (int i = 0; i < 60; ++i) w.step();
        const Vec3 x0 = w.bodies[0].center(), v0 = w.bodies[0].momentum() / w.bodies[0].mass();
        for (int i = 0; i < 40; ++i) w.step();
        const Vec3 x1 = w.bodies[0].center(), v1 = w.bodies[0].momentum() / w.bodies[0].mass();
        if (factor < 1) {
            const double creep = (x1 - x0).norm() / 0.4 / 0.5;
            std::printf("below: creep %.2g of the size per second\n", creep);
            EXPECT_LT(creep, 1e-4);
        } else {
            const double formula = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle)), found = (v1 - v0).x() / 0.4;
            std::printf("above: acceleration %.5f m/s², formula %.5f, error %.2g\n", found, formula,
                        std::abs(found / formula - 1));
            EXPECT_NEAR(found, formula, 0.02 * formula);
        }
    }
}

TEST(ElasticContact, FastBallDoesNotPassAFreePlateAndMomentumStays) {
    ElasticWorld w;
    w.gravity.setZero();
    w.bodies.push_back(cube({0, 0, 0}, {0.8, 0.05, 0.8}, {8, 1, 8}, hard));
    w.bodies.push_back(ball({0, 0.5, 0.05}, 0.1, 3, hard));
    for (Vec3& v : w.bodies[1].v) v = Vec3(0, -30, 0);
    const Vec3 before = w.bodies[1].momentum();
    for (int i = 0; i < 25; ++i) w.step();
    const Vec3 after = w.bodies[0].momentum() + w.bodies[1].momentum();
    std::printf("change of momentum %.2g of it\n", (after - before).norm() / before.norm());
    EXPECT_GT(w.bodies[1].center().y(), w.bodies[0].center().y());
    EXPECT_LT((after - before).norm(), 1e-9 * before.norm());
    EXPECT_EQ(w.penetration().fraction, 0);
}
