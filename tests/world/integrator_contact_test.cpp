// Integrators and contact: a ball that bounces, and bodies of different integrators in one world.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

/// A cube that is rounded to seven tenths of the way to a ball.
TetMesh rounded(const Vec3& centre, double radius) {
    TetMesh mesh = bar_mesh(5, 5, 5, {-1, -1, -1}, {1, 1, 1});
    for (Vec3& p : mesh.rest) {
        const double ball = p.norm() > 0 ? p.lpNorm<Eigen::Infinity>() / p.norm() : 1;
        p = centre + radius * (0.3 / std::sqrt(2) + 0.7 * ball) * p;
    }
    return mesh;
}

FemBodyDesc ball_of(const char* integrator, const Vec3& centre) {
    FemBodyDesc desc;
    desc.name = integrator;
    desc.mesh = rounded(centre, 0.1);
    desc.material = {{2e5, 0.3, 1000}};
    desc.solve = {500, 1e-8};
    desc.integrator = find_integrator(integrator);
    return desc;
}

Prop flat_ground() {
    return {.name = "ground",
            .obstacle = {.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5},
            .motion = {},
            .surface = {}};
}

double rebound(const char* integrator, double dt) {
    World w(1);
    w.dt = dt;
    w.fem.push_back(make_fem_body(ball_of(integrator, {0, 0.25, 0})));
    w.props.push_back(flat_ground());
    double highest = 0;
    bool up = false;
    while (w.time < 1) {
        step(w);
        const double speed = momentum(w.fem[0]).y();
        if (speed > 0) up = true, highest = std::max(highest, center_of_mass(w.fem[0]).y());
        if (up && speed < 0 && highest > 0.11) break;
    }
    return highest;
}

// An impact is of first order with implicit integrators. Extrapolated to dt = 0 all come back to the same height.
TEST(IntegratorContact, ReboundConverges) {
    const double reference = rebound("taylor2", 0.0005), drop = 0.25;
    for (const Integrator* integrator : integrators()) {
        double height[5];
        std::cout << integrator->name << ": dropped from 0.25 m, comes back to";
        for (int k = 0; k < 5; ++k) {
            height[k] = rebound(integrator->name, std::ldexp(0.004, -k));
            std::cout << " " << height[k];
        }
        const double limit = 2 * height[4] - height[3];
        std::cout << " m with steps of 4, 2, 1, 0.5 and 0.25 ms, limit " << limit << " m\n";
        EXPECT_LT(height[4], drop) << integrator->name;
        EXPECT_NEAR(limit, reference, 0.02 * drop) << integrator->name;
        const double last = std::abs(height[4] - height[3]), before = std::abs(height[3] - height[2]);
        EXPECT_LT(last, std::max(0.75 * before, 1e-4 * drop)) << integrator->name;
    }
}

// Two balls of different integrators meet in free space: their momentum is shared, none is made.
TEST(IntegratorContact, DifferentIntegratorsKeepMomentum) {
    for (const Integrator* one : integrators())
        for (const Integrator* other : integrators()) {
            if (one == other) continue;
            World w(1);
            w.dt = 0.002;
            w.gravity.setZero();
            FemBodyDesc a = ball_of(one->name, {-0.13, 0, 0}), b = ball_of(other->name, {0.13, 0.02, 0});
            a.name = "a", b.name = "b", a.velocity = {1, 0, 0};
            w.fem.push_back(make_fem_body(std::move(a)));
            w.fem.push_back(make_fem_body(std::move(b)));
            const Vec3 start = momentum(w.fem[0]);
            for (int i = 0; i < 150; ++i) step(w);
            const Vec3 end = momentum(w.fem[0]) + momentum(w.fem[1]);
            const double energy = kinetic_energy(w.fem[0]) + elastic_energy(w.fem[0]) + kinetic_energy(w.fem[1]) +
                                  elastic_energy(w.fem[1]);
            const double before = 0.5 * start.squaredNorm() / mass(w.fem[0]);
            std::cout << one->name << " hits " << other->name << ": momentum off by "
                      << (end - start).norm() / start.norm() << ", energy " << energy / before << " of before\n";
            EXPECT_LT((end - start).norm(), 1e-6 * start.norm());
            EXPECT_GT(momentum(w.fem[1]).x(), 0.3 * start.x()) << "it was not hit";
            // Two explicit bodies find their contact force from where each would go alone (docs/integrators.md).
            EXPECT_LT(energy, (one->is_explicit() && other->is_explicit() ? 1.05 : 1 + 1e-6) * before);
        }
}

// All of them in a row come to rest on the ground.
TEST(IntegratorContact, AllRestOnTheGround) {
    World w(1);
    w.dt = 0.005;
    double z = 0;
    for (const Integrator* integrator : integrators()) {
        FemBodyDesc desc = ball_of(integrator->name, {0, 0.12, z});
        desc.solid.mass_damping = 4, desc.solid.stiffness_damping = 2e-3;
        desc.solve = {};
        w.fem.push_back(make_fem_body(std::move(desc)));
        z += 0.4;
    }
    w.props.push_back(flat_ground());
    for (int i = 0; i < 400; ++i) step(w);
    for (const FemBody& body : w.fem) {
        std::cout << body.name << ": lowest " << bounds(body).min.y() << " m, centre at " << center_of_mass(body).y()
                  << " m, fastest " << max_speed(body) << " m/s\n";
        EXPECT_NEAR(center_of_mass(body).y(), center_of_mass(w.fem[0]).y(), 1e-3) << body.name;
        EXPECT_LT(max_speed(body), 0.01) << body.name;
    }
}

}  // namespace
}  // namespace pliant
