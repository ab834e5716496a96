// Bodies of different kinds touch: momentum goes from one to the other, weight is carried, blows are told.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/mesh/embedding.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

FemBody jelly(const Vec3& centre, const Vec3& size, int cells, double young, double density, double drag = 0) {
    FemBodyDesc d;
    d.name = "jelly";
    d.mesh = bar_mesh(cells, std::max(1, static_cast<int>(std::lround(cells * size[1] / size[0]))), cells,
                      centre - 0.5 * size, centre + 0.5 * size);
    d.material = {{.young = young, .poisson = 0.4, .density = density}};
    d.solve.iterations = 60;
    d.solid.mass_damping = drag;
    return make_fem_body(std::move(d));
}

TriMesh box_surface(const Vec3& centre, const Vec3& size) {
    return boundary_surface(bar_mesh(2, 2, 2, centre - 0.5 * size, centre + 0.5 * size)).surface;
}

RigidBody brick(const Vec3& centre, const Vec3& size, double density, const Vec3& velocity) {
    RigidBodyDesc d;
    d.name = "brick";
    d.surface = box_surface(centre, size);
    d.pieces = {d.surface.points};
    d.density = density;
    d.velocity = velocity;
    return make_rigid_body(std::move(d));
}

ModalBody plate(const Vec3& centre, const Vec3& size, bool held) {
    ModalBodyDesc d;
    d.name = "plate";
    d.mesh = bar_mesh(8, 1, 4, centre - 0.5 * size, centre + 0.5 * size);
    d.material = {{2e6, 0.3, 800}};
    d.damping = {0.5, 2e-3};
    d.modes = 12;
    if (held)
        for (int i = 0; i < d.mesh.node_count(); ++i)
            if (std::abs(d.mesh.rest[i][0] - centre[0]) > 0.49 * size[0]) d.held.push_back(i);
    Threads one(1);
    return make_modal_body(std::move(d), one);
}

class MixedContact : public testing::Test {
protected:
    void SetUp() override {
        if (!rigid_bodies_available()) GTEST_SKIP() << "built without Bullet";
    }
};

// Nothing but the two: what one loses the other gains, for a light partner as for a heavy one.
TEST_F(MixedContact, ARigidBodyHandsItsMomentumOver) {
    for (double density : {50.0, 1000.0, 20000.0}) {
        World w(1);
        w.gravity.setZero();
        w.dt = 0.005;
        w.fem.push_back(jelly(Vec3(0, 0, 0), Vec3(0.4, 0.2, 0.4), 6, 2e4, 1000));
        w.rigid.bodies.push_back(brick(Vec3(0.02, 0.16, 0), Vec3(0.1, 0.1, 0.1), density, Vec3(0.1, -1, 0)));
        const Vec3 before = momentum(w.fem[0]) + momentum(w.rigid.bodies[0]);
        const double energy = kinetic_energy(w.rigid.bodies[0]);
        double worst = 0, most = 0;
        for (int i = 0; i < 120; ++i) {
            step(w);
            const Vec3 now = momentum(w.fem[0]) + momentum(w.rigid.bodies[0]);
            worst = std::max(worst, (now - before).norm() / before.norm());
            most = std::max(most, kinetic_energy(w.fem[0]) + kinetic_energy(w.rigid.bodies[0]));
        }
        std::printf("density %g: momentum to %.1e, brick from −1 to %.3f m/s, most energy %.3f of the first\n", density,
                    worst, w.rigid.bodies[0].v[1], most / energy);
        EXPECT_LT(worst, 1e-6);
        EXPECT_GT(w.rigid.bodies[0].v[1], -0.95);
        EXPECT_GT(momentum(w.fem[0]).norm(), 1e-3);
        EXPECT_LT(most, 1.05 * energy);
    }
}

// A brick lies on a mattress that stands on the ground: it comes to rest on top, and the ground carries both.
TEST_F(MixedContact, AMattressCarriesABrick) {
    World w(1);
    w.dt = 0.01;
    w.fem.push_back(jelly(Vec3(0, 0.1, 0), Vec3(0.4, 0.2, 0.4), 8, 5e4, 200, 3));
    w.rigid.bodies.push_back(brick(Vec3(0, 0.27, 0), Vec3(0.12, 0.12, 0.12), 600, Vec3::Zero()));
    w.props.push_back({.name = "ground", .obstacle = {ground_obstacle(0), {}, {}, 0.5}, .motion = {}, .surface = {}});
    RigidObstacle ground;
    ground.half_space = true, ground.point.setZero(), ground.friction = 0.5;
    w.props.back().rigid_form = ground;
    for (int i = 0; i < 300; ++i) step(w);
    double carried = 0;
    for (int i = 0; i < 50; ++i) {
        step(w);
        for (const ReturnedImpulse& r : w.contact.returned()) carried += r.impulse[1];
    }
    const double weight = mass(w.rigid.bodies[0]) * 9.81 * 50 * w.dt;
    std::printf("brick at %.4f m, speed %.1e m/s, carried %.4f of its weight\n", w.rigid.bodies[0].x[1],
                w.rigid.bodies[0].v.norm(), carried / weight);
    EXPECT_NEAR(carried, weight, 0.02 * weight);
    EXPECT_LT(w.rigid.bodies[0].v.norm(), 0.005);
    EXPECT_GT(w.rigid.bodies[0].x[1], 0.2);    // not through the mattress …
    EXPECT_LT(w.rigid.bodies[0].x[1], 0.262);  // … but pressed into it
}

// A jelly falls on a plate held at its ends: the plate bends by the jelly's weight and rings with it.
TEST_F(MixedContact, AJellyBendsAModalPlateAndIsHeard) {
    World w(1);
    w.dt = 0.005;
    w.fem.push_back(jelly(Vec3(0, 0.16, 0), Vec3(0.2, 0.2, 0.2), 5, 2e4, 500, 3));
    w.modal.push_back(plate(Vec3(0, 0, 0), Vec3(0.8, 0.04, 0.3), true));
    w.recorded = {1, 1};
    for (int i = 0; i < 600; ++i) step(w);
    double carried = 0;
    std::size_t on_jelly = 0, on_plate = 0;
    for (const ContactEvent& blow : w.contact_events) (blow.body == 0 ? on_jelly : on_plate) += 1;
    for (int i = 0; i < 100; ++i) {
        step(w);
        for (const ReturnedImpulse& r : w.contact.returned()) carried -= r.impulse[1];
    }
    const double weight = mass(w.fem[0]) * 9.81 * 100 * w.dt;
    double sag = 0;
    for (const Vec3& x : w.modal[0].x) sag = std::min(sag, x[1] + 0.02);
    std::printf("carried %.4f of the weight, sag %.2f mm, jelly at %.3f m, blows %zu and %zu\n", carried / weight,
                -1e3 * sag, center_of_mass(w.fem[0])[1], on_jelly, on_plate);
    EXPECT_NEAR(carried, weight, 0.03 * weight);
    EXPECT_LT(sag, -1e-3);
    EXPECT_GT(center_of_mass(w.fem[0])[1], 0.05);
    EXPECT_GT(on_jelly, 0u);
    EXPECT_GT(on_plate, 0u);
}

// Floating apart from everything: a modal body and a FEM body keep their common momentum.
TEST_F(MixedContact, AFreeModalBodyTakesMomentum) {
    World w(1);
    w.gravity.setZero();
    w.dt = 0.005;
    w.fem.push_back(jelly(Vec3(0, 0.13, 0), Vec3(0.2, 0.2, 0.2), 5, 2e4, 500));
    for (Vec3& v : w.fem[0].v) v = Vec3(0, -1, 0);
    w.modal.push_back(plate(Vec3(0, 0, 0), Vec3(0.6, 0.04, 0.3), false));
    const Vec3 before = momentum(w.fem[0]) + momentum(w.modal[0]);
    double worst = 0;
    for (int i = 0; i < 100; ++i) {
        step(w);
        worst = std::max(worst, (momentum(w.fem[0]) + momentum(w.modal[0]) - before).norm() / before.norm());
    }
    std::printf("momentum to %.1e, plate now %.3f m/s\n", worst, w.modal[0].velocity[1]);
    EXPECT_LT(worst, 1e-6);
    EXPECT_LT(w.modal[0].velocity[1], -0.05);
}

void add_ground(World& w) {
    w.props.push_back({.name = "ground", .obstacle = {ground_obstacle(0), {}, {}, 0.5}, .motion = {}, .surface = {}});
    RigidObstacle ground;
    ground.half_space = true, ground.point.setZero(), ground.friction = 0.5;
    w.props.back().rigid_form = ground;
}

ModalBody block(const Vec3& centre, double size, double young = 2e5) {
    ModalBodyDesc d;
    d.name = "block";
    d.mesh = bar_mesh(3, 3, 3, centre - Vec3::Constant(size / 2), centre + Vec3::Constant(size / 2));
    d.material = {{young, 0.3, 1000}};
    d.damping = {0, 3e-3};
    d.modes = 15;
    Threads one(1);
    return make_modal_body(std::move(d), one);
}

// A brick, light or heavy, flies into a modal plate off its centre: momentum is kept to rounding, energy never grows.
TEST_F(MixedContact, AModalAndARigidBodyExchangeMomentum) {
    for (double density : {30.0, 800.0, 20000.0}) {
        World w(1);
        w.gravity.setZero();
        w.dt = 0.005;
        w.modal.push_back(plate(Vec3(0, 0, 0), Vec3(0.6, 0.04, 0.3), false));
        w.rigid.bodies.push_back(brick(Vec3(0.1, 0.1, 0.02), Vec3(0.1, 0.1, 0.1), density, Vec3(0.3, -1, 0.1)));
        w.recorded = {1, 1};
        RigidBody& b = w.rigid.bodies[0];
        const ModalBody& p = w.modal[0];
        const Vec3 before = momentum(p) + momentum(b);
        auto turning = [&] {
            Vec3 sum = b.x.cross(momentum(b)) + b.rotation * b.principal.asDiagonal() * b.rotation.transpose() * b.spin;
            for (std::size_t i = 0; i < p.x.size(); ++i) sum += p.basis.mass[i] * p.x[i].cross(p.v[i]);
            return sum;
        };
        const Vec3 turn = turning();
        const double first = kinetic_energy(b);
        double worst = 0, most = 0;
        for (int i = 0; i < 100; ++i) {
            step(w);
            worst = std::max(worst, (momentum(p) + momentum(b) - before).norm() / before.norm());
            most = std::max(most, kinetic_energy(p) + elastic_energy(p) + kinetic_energy(b));
        }
        std::size_t on_plate = 0, on_brick = 0;
        for (const ContactEvent& blow : w.contact_events) (blow.body == 0 ? on_plate : on_brick) += 1;
        std::printf(
            "density %g: momentum to %.1e, angular to %.1e, brick from −1 to %.3f m/s, most energy %.3f of the first, "
            "blows %zu and %zu\n",
            density, worst, (turning() - turn).norm() / turn.norm(), b.v[1], most / first, on_plate, on_brick);
        EXPECT_LT(worst, 1e-12);
        EXPECT_LT((turning() - turn).norm(), 0.02 * turn.norm());
        EXPECT_GT(b.v[1], -0.97);
        EXPECT_LT(most, 1.01 * first);
        EXPECT_GT(on_plate, 0u);
        EXPECT_GT(on_brick, 0u);
    }
}

// A brick on a modal block on the ground, and a modal block on a brick on the ground.
TEST_F(MixedContact, OneOnTheOtherLiesStill) {
    for (bool modal_below : {true, false}) {
        World w(1);
        w.dt = 1.0 / 120;
        add_ground(w);
        w.modal.push_back(block(Vec3(0, modal_below ? 0.1 : 0.2005, 0), 0.2));
        w.rigid.bodies.push_back(brick(Vec3(0.01, modal_below ? 0.2501 : 0.0502, 0),
                                       modal_below ? Vec3(0.12, 0.1, 0.12) : Vec3(0.3, 0.1, 0.3), 1500, Vec3::Zero()));
        for (int i = 0; i < 180; ++i) step(w);
        const double start = w.modal[0].frame.translation[0], there = w.rigid.bodies[0].x[0];
        double fastest = 0, carried = 0;
        for (int i = 0; i < 60; ++i) {
            step(w);
            fastest = std::max({fastest, max_speed(w.modal[0]), modal_below ? w.rigid.bodies[0].v.norm() : 0.0});
            for (const ModalTouch& t : w.modal_solver.touches())
                if (t.partner >= 0) carried += t.impulse;
        }
        const double weight = (modal_below ? mass(w.rigid.bodies[0]) : mass(w.modal[0])) * 9.81 * 60 * w.dt;
        std::printf("modal %s: carried %.4f of the weight, fastest %.1e m/s, drift %.1e and %.1e m\n",
                    modal_below ? "below" : "above", carried / weight, fastest, w.modal[0].frame.translation[0] - start,
                    w.rigid.bodies[0].x[0] - there);
        EXPECT_NEAR(carried, weight, 0.01 * weight);
        EXPECT_LT(fastest, 1e-3);
        EXPECT_LT(std::abs(w.modal[0].frame.translation[0] - start), 1e-4);
    }
}

// Modal on rigid on modal on two rigid ones on the ground: it stands still, and each carries what is above.
TEST_F(MixedContact, StacksOfModalAndRigidBodiesRest) {
    World w(1);
    w.dt = 1.0 / 120;
    add_ground(w);
    w.rigid.bodies.push_back(brick(Vec3(0, 0.0502, 0), Vec3(0.3, 0.1, 0.3), 1000, Vec3::Zero()));
    w.rigid.bodies.push_back(brick(Vec3(0, 0.1506, 0), Vec3(0.25, 0.1, 0.25), 500, Vec3::Zero()));
    w.modal.push_back(block(Vec3(0, 0.3, 0), 0.2));
    w.rigid.bodies.push_back(brick(Vec3(0.01, 0.46, 0), Vec3(0.12, 0.1, 0.12), 1500, Vec3::Zero()));
    w.modal.push_back(block(Vec3(0.01, 0.56, 0), 0.1));
    auto carried_by = [&](int number) {  // impulse from below on a body, by the modal solver's numbers
        double sum = 0;
        for (const ModalTouch& t : w.modal_solver.touches()) {
            if (t.body == number && t.normal[1] > 0.5) sum += t.impulse;
            if (t.partner == number && t.normal[1] < -0.5) sum += t.impulse;
        }
        return sum;
    };
    for (int i = 0; i < 240; ++i) step(w);
    double low = 0, mid = 0, high = 0, fastest = 0, first[2]{};
    for (int k = 0; k < 2; ++k) first[k] = w.modal[static_cast<std::size_t>(k)].frame.translation[0];
    for (int i = 0; i < 120; ++i) {
        step(w);
        low += carried_by(0), mid += carried_by(2 + 2), high += carried_by(1);
        for (const ModalBody& b : w.modal) fastest = std::max(fastest, max_speed(b));
        for (const RigidBody& b : w.rigid.bodies) fastest = std::max(fastest, b.v.norm());
    }
    const double top = mass(w.modal[1]) * 9.81, middle = top + mass(w.rigid.bodies[2]) * 9.81,
                 bottom = middle + mass(w.modal[0]) * 9.81;
    std::printf("carried %.4f, %.4f, %.4f of the weight above; fastest %.1e m/s, drift %.1e and %.1e m; heights",
                low / bottom, mid / middle, high / top, fastest, w.modal[0].frame.translation[0] - first[0],
                w.modal[1].frame.translation[0] - first[1]);
    for (const RigidBody& b : w.rigid.bodies) std::printf(" %.4f", b.x[1]);
    for (const ModalBody& b : w.modal) std::printf(" %.4f", b.frame.translation[1]);
    std::printf("\n");
    EXPECT_NEAR(low, bottom, 0.01 * bottom);
    EXPECT_NEAR(mid, middle, 0.01 * middle);
    EXPECT_NEAR(high, top, 0.01 * top);
    EXPECT_LT(fastest, 0.005);
    EXPECT_NEAR(w.modal[1].frame.translation[1], 0.55, 0.002);
    EXPECT_LT(std::abs(w.modal[1].frame.translation[0] - first[1]), 2e-4);
}

// A brick flies off with a modal block on a ball joint, which starts 5 mm out of place. Straight away both come to the
// speed that M/(m + M) gives; flying askew they swing about each other, which pulls at the joint. The block weighs much
// more, about the same or much less.
TEST_F(MixedContact, AJointHoldsAModalAndARigidBody) {
    for (double density : {50.0, 1000.0, 20000.0})
        for (double askew : {0.0, 0.4}) {
            World w(1);
            w.gravity.setZero();
            w.dt = 1.0 / 240;
            w.modal.push_back(block(Vec3(0, 0, 0), 0.2));
            w.modal[0].collide = false;
            w.rigid.bodies.push_back(
                brick(Vec3(0.205, 0, 0), Vec3(0.2, 0.1, 0.1), density, Vec3(0.5, askew, -0.5 * askew)));
            const ModalBody& m = w.modal[0];
            const RigidBody& b = w.rigid.bodies[0];
            const Vec3 at(0.1, 0, 0), own(0.105, 0, 0);
            const Point place = embed_point(m.mesh, at);
            w.modal_joints.push_back({0, place, 1, {}, own});
            const auto gap = [&] { return (point_position(m, place) - pose_of(b) * own).norm(); };
            const Vec3 before = momentum(b);
            const double away = gap();
            double worst = 0, widest = 0;
            for (int i = 0; i < 720; ++i) {
                step(w);
                worst = std::max(worst, (momentum(m) + momentum(b) - before).norm() / before.norm());
                if (i >= 240) widest = std::max(widest, gap());
            }
            const double common = before[0] / (mass(m) + mass(b));
            std::printf(
                "mass ratio %.2f: momentum to %.1e, gap %.1e to %.1e m, speeds %.6f and %.6f, by hand %.6f m/s\n",
                mass(b) / mass(m), worst, away, widest, m.velocity[0], b.v[0], common);
            EXPECT_LT(worst, 1e-12);
            EXPECT_LT(widest, (askew > 0 ? 0.1 : 1e-3) * away);
            if (askew > 0) continue;
            EXPECT_NEAR(b.v[0], common, 1e-4 * common);
            EXPECT_NEAR(m.velocity[0], common, 1e-4 * common);
        }
}

// A brick on a modal slab that leans: it stays where friction can hold it, and slides as Coulomb says where not.
TEST_F(MixedContact, FrictionBetweenModalAndRigidBodies) {
    for (double slope : {0.25, 0.7}) {
        World w(1);
        w.dt = 1.0 / 200;
        w.gravity = 9.81 * Vec3(std::sin(std::atan(slope)), -std::cos(std::atan(slope)), 0);
        w.modal.push_back(plate(Vec3(0.6, 0, 0), Vec3(2, 0.05, 0.4), true));
        for (double& l : w.modal[0].oscillators.lambda) l *= 1e3;  // hardly bends
        w.rigid.bodies.push_back(brick(Vec3(0, 0.0751, 0), Vec3(0.1, 0.1, 0.1), 600, Vec3::Zero()));
        for (int i = 0; i < 100; ++i) step(w);
        const double way = w.rigid.bodies[0].x[0];
        const double expected = std::max(0.0, 0.5 * 0.25 * 9.81 * std::cos(std::atan(slope)) * (slope - 0.5));
        std::printf("slope %.2f: way %.5f m in half a second, Coulomb %.5f, speed %.2e m/s\n", slope, way, expected,
                    w.rigid.bodies[0].v.norm());
        if (slope < 0.5)
            EXPECT_LT(std::abs(way), 1e-3);
        else
            EXPECT_NEAR(way, expected, 0.05 * expected);
    }
}

}  // namespace
}  // namespace pliant
