// Rigid bodies against hand calculations.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/geometry/shape.hpp"
#include "pliant/rigid/rigid_solver.hpp"

namespace pliant {
namespace {

/// A box with its eight corners, moved to `at`.
RigidBodyDesc box(const Vec3& size, const Vec3& at) {
    RigidBodyDesc desc;
    for (int i = 0; i < 8; ++i)
        desc.surface.points.push_back(
            at + 0.5 * Vec3(i & 1 ? size.x() : -size.x(), i & 2 ? size.y() : -size.y(), i & 4 ? size.z() : -size.z()));
    desc.surface.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                              {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    desc.pieces = {desc.surface.points};
    return desc;
}

RigidObstacle floor_at(double height) {
    RigidObstacle floor;
    floor.half_space = true;
    floor.point = Vec3(0, height, 0);
    return floor;
}

const Vec3 gravity(0, -9.81, 0);

class RigidSolving : public testing::Test {
protected:
    void SetUp() override {
        if (!rigid_bodies_available()) GTEST_SKIP() << "built without Bullet";
    }
};

TEST(RigidBody, MassAndInertiaOfABox) {
    const RigidBody b = make_rigid_body(box(Vec3(0.2, 0.3, 0.5), Vec3(3, -2, 7)));
    const double m = 1000 * 0.2 * 0.3 * 0.5;
    EXPECT_NEAR(mass(b), m, 1e-10);
    EXPECT_LT((b.x - Vec3(3, -2, 7)).norm(), 1e-12);
    const Mat3 expected = (m / 12 * Vec3(0.09 + 0.25, 0.04 + 0.25, 0.04 + 0.09)).asDiagonal();
    EXPECT_LT((b.rest.inertia - expected).norm(), 1e-10);
    EXPECT_LT((pose_of(b) * Vec3(3.1, -2, 7) - Vec3(3.1, -2, 7)).norm(), 1e-12);
    RigidBodyDesc open = box(Vec3(1, 1, 1), Vec3::Zero());
    open.surface.triangles.clear();
    EXPECT_THROW(make_rigid_body(std::move(open)), UserError);
}

TEST(ConvexPieces, ABoxIsOneAndABowlKeepsItsHollow) {
    const RigidBodyDesc cube = box(Vec3(1, 1, 1), Vec3::Zero());
    const ShapePtr solid = box_shape(Vec3(1, 1, 1));
    const auto one = convex_pieces(cube.surface.points, [&](const Vec3& p) { return solid->distance(p); });
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].size(), 8u);

    const ShapePtr bowl = bowl_shape(0.1, 0.01);
    std::vector<Vec3> points;
    for (int i = 0; i <= 12; ++i)
        for (int k = 0; k < 48; ++k)
            for (double r : {0.1, 0.09}) {
                const double down = i * std::numbers::pi / 24, round = k * std::numbers::pi / 24;
                points.push_back(
                    r * Vec3(std::cos(down) * std::cos(round), -std::sin(down), std::cos(down) * std::sin(round)));
            }
    const auto pieces = convex_pieces(points, [&](const Vec3& p) { return bowl->distance(p); });
    std::printf("%zu pieces\n", pieces.size());
    EXPECT_GT(pieces.size(), 8u);
    for (const auto& piece : pieces) {  // no piece bridges the hollow
        Vec3 middle = Vec3::Zero();
        for (const Vec3& p : piece) middle += p / static_cast<double>(piece.size());
        EXPECT_LT(bowl->distance(middle), 0.04 * 0.3);
    }
}

TEST_F(RigidSolving, RestingImpulsesCarryTheWeight) {
    RigidBodyDesc desc = box(Vec3(0.1, 0.1, 0.1), Vec3(0, 0.0502, 0));
    desc.restitution = 0;
    std::vector<RigidBody> bodies{make_rigid_body(std::move(desc))};
    const std::vector<RigidObstacle> obstacles{floor_at(0)};
    RigidSolver solver;
    for (int i = 0; i < 30; ++i) solver.step(bodies, obstacles, {}, gravity, 0.01);
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < 100; ++i) {
        solver.step(bodies, obstacles, {}, gravity, 0.01);
        for (const RigidImpulse& hit : solver.impulses()) sum += hit.impulse;
    }
    const double expected = mass(bodies[0]) * 9.81;  // in one second
    std::printf("impulses %.6f N·s, m·g·T %.6f, height %.6f, speed %.2g\n", sum.y(), expected, bodies[0].x.y(),
                bodies[0].v.norm());
    EXPECT_NEAR(sum.y(), expected, 1e-3 * expected);
    EXPECT_LT(bodies[0].v.norm(), 1e-3);
    EXPECT_NEAR(bodies[0].x.y(), 0.05, 5e-4);
}

// Corners and middles of edges: whichever points are named on the floor, the bricks must not rock on a few of them.
TEST_F(RigidSolving, ABrickOnABrickLiesStill) {
    std::vector<RigidBody> bodies;
    for (const auto& [size, height] : {std::pair{Vec3(0.3, 0.1, 0.3), 0.0502}, {Vec3(0.25, 0.1, 0.25), 0.1506}}) {
        RigidBodyDesc desc = box(size, Vec3(0, height, 0));
        std::vector<Vec3>& piece = desc.pieces[0];
        for (int i = 0; i < 8; ++i)
            for (int axis : {1, 2, 4})
                if (!(i & axis)) piece.push_back(0.5 * (piece[i] + piece[i | axis]));
        bodies.push_back(make_rigid_body(std::move(desc)));
    }
    const std::vector<RigidObstacle> obstacles{floor_at(0)};
    RigidSolver solver;
    double fastest = 0;
    for (int i = 0; i < 240; ++i) {
        bodies[1].pushes.push_back({0, 1, Vec3(0, -0.9, 0), Vec3::Zero()});
        solver.step(bodies, obstacles, {}, gravity, 1.0 / 120);
        if (i < 180) continue;
        for (const RigidBody& b : bodies) fastest = std::max(fastest, max_speed(b));
    }
    std::printf("fastest point %.1e m/s\n", fastest);
    EXPECT_LT(fastest, 1e-3);
}

TEST_F(RigidSolving, ImpulsesOfABouncingBodyAreItsChangeOfMomentum) {
    RigidBodyDesc desc = box(Vec3(0.1, 0.05, 0.2), Vec3(0, 0.3, 0));
    desc.spin = Vec3(3, 1, 5);
    desc.velocity = Vec3(1, 0, 0);
    desc.restitution = 0.6;
    std::vector<RigidBody> bodies{make_rigid_body(std::move(desc))};
    const std::vector<RigidObstacle> obstacles{floor_at(0)};
    RigidSolver solver;
    const Vec3 before = momentum(bodies[0]);
    Vec3 sum = Vec3::Zero();
    double fastest = 0;
    for (int i = 0; i < 150; ++i) {
        solver.step(bodies, obstacles, {}, gravity, 0.01);
        for (const RigidImpulse& hit : solver.impulses()) {
            sum += hit.impulse;
            fastest = std::max(fastest, hit.approach);
            EXPECT_NEAR(hit.normal.norm(), 1, 1e-9);
            EXPECT_GE(hit.impulse.dot(hit.normal), 0);
        }
    }
    const double m = mass(bodies[0]);
    const Vec3 expected = momentum(bodies[0]) - before - m * gravity * 1.5;
    std::printf("impulses (%.6f %.6f %.6f), momentum and weight (%.6f %.6f %.6f), met at %.2f m/s\n", sum.x(), sum.y(),
                sum.z(), expected.x(), expected.y(), expected.z(), fastest);
    EXPECT_LT((sum - expected).norm(), 1e-3 * expected.norm());
    EXPECT_NEAR(fastest, std::sqrt(2 * 9.81 * 0.25), 1.2);
}

TEST_F(RigidSolving, GoesOnFromItsStateAlone) {
    const std::vector<RigidObstacle> obstacles{floor_at(0)};
    const auto build = [] {
        std::vector<RigidBody> bodies;
        for (int i = 0; i < 6; ++i) {
            RigidBodyDesc desc = box(Vec3(0.1, 0.1, 0.1), Vec3(0.02 * i, 0.06 + 0.11 * i, 0.013 * (i % 3)));
            desc.spin = Vec3(0.1 * i, 1, 0.3);
            bodies.push_back(make_rigid_body(std::move(desc)));
        }
        return bodies;
    };
    const auto digest = [](const std::vector<RigidBody>& bodies) {
        Hash hash;
        for (const RigidBody& b : bodies) hash_state(b, hash);
        return hash.digest();
    };
    std::vector<RigidBody> straight = build(), halfway = build();
    RigidSolver one;
    for (int i = 0; i < 120; ++i) one.step(straight, obstacles, {}, gravity, 0.01);
    RigidSolver first;
    for (int i = 0; i < 60; ++i) first.step(halfway, obstacles, {}, gravity, 0.01);
    ByteWriter out;
    for (const RigidBody& b : halfway) save_state(b, out);
    std::vector<RigidBody> resumed = build();
    ByteReader in(out.bytes());
    for (RigidBody& b : resumed) load_state(b, in);
    RigidSolver second;
    for (int i = 0; i < 60; ++i) second.step(resumed, obstacles, {}, gravity, 0.01);
    EXPECT_EQ(digest(straight), digest(resumed));
    for (const RigidBody& b : straight) EXPECT_GT(b.x.y(), 0.045);
}

TEST_F(RigidSolving, APendulumKeepsItsString) {
    RigidBodyDesc desc = box(Vec3(0.02, 0.02, 0.02), Vec3(0.02, -0.5, 0));
    std::vector<RigidBody> bodies{make_rigid_body(std::move(desc))};
    const std::vector<RigidJoint> joints{{0, Vec3(0, 0, 0)}};
    RigidSolver solver;
    // Small swings about the string's end: T = 2π·√(I/(m·g·l)).
    const double l = std::hypot(0.02, 0.5), m = mass(bodies[0]);
    const double inertia = m * l * l + m * 2 * 0.02 * 0.02 / 12;
    const double period = 2 * std::numbers::pi * std::sqrt(inertia / (m * 9.81 * l));
    double last = bodies[0].x.x(), crossed = -1, found = 0;
    for (int i = 0; i < 4000 && found == 0; ++i) {
        solver.step(bodies, {}, joints, gravity, 0.001);
        EXPECT_NEAR(bodies[0].x.norm(), l, 2e-3 * l);
        const double x = bodies[0].x.x();
        if (last > 0 && x <= 0) {
            const double t = (i + 1 - x / (x - last)) * 0.001;
            if (crossed >= 0) found = t - crossed;
            crossed = t;
        }
        last = x;
    }
    std::printf("period %.5f s, formula %.5f s\n", found, period);
    EXPECT_NEAR(found, period, 2e-3 * period);
}

}  // namespace
}  // namespace pliant
