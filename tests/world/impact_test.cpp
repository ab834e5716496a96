// Stiff bodies that strike the ground: an impact takes energy and never gives any.

#include <gtest/gtest.h>

#include <iostream>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

/// Of motion and height, J: what could make it jump.
double energy(const World& w) {
    const FemBody& body = w.fem[0];
    return kinetic_energy(body) - mass(body) * w.gravity.dot(center_of_mass(body));
}

/// A box of 6 × 3 × 4 cm on one of its corners, far too stiff for its twenty iterations.
void add_stiff_box(World& w, double friction) {
    FemBodyDesc desc;
    desc.surface = shape_surface(*box_shape({0.06, 0.03, 0.04}), 0.008);
    const Quat turned = Quat(Eigen::AngleAxisd(0.6, Vec3(1, 0.5, 0.8).normalized()));
    for (Vec3& p : desc.surface.points) p = turned * p + Vec3(0, 0.1, 0);
    LatticeOptions coarse;
    coarse.tets = 30;
    desc.mesh = lattice(desc.surface, coarse, *w.threads).mesh;
    desc.material = {ElementMaterial{1e8, 0.33, 1000}};
    desc.solid.stiffness_damping = 0.005;
    desc.solve.iterations = 20;
    desc.friction = friction;
    w.fem.push_back(make_fem_body(std::move(desc)));
}

void add_ground(World& w, double friction) {
    w.props.push_back(
        {.name = "ground", .obstacle = {ground_obstacle(0), {}, {}, friction}, .motion = {}, .surface = {}});
}

TEST(Impact, OfAStiffBoxGivesNoEnergy) {
    for (double friction : {0.0, 0.8}) {
        World w;
        add_stiff_box(w, friction);
        add_ground(w, friction);
        const double start = energy(w);
        double gained = 0, before = start;
        for (int i = 0; i < 100; ++i) {
            step(w);
            const double now = energy(w);
            gained = std::max(gained, (now - before) / start);
            before = now;
        }
        std::cout << "friction " << friction << ": largest gain of energy in a step " << gained
                  << " of what it had, left " << before / start << ", fastest node " << max_speed(w.fem[0]) << " m/s\n";
        EXPECT_LT(gained, 0.02);
        EXPECT_LT(max_speed(w.fem[0]), 0.05);
    }
}

// Steps of a tenth of a second, in which gravity alone adds 1 m/s: the vertex that arrives is stopped at the ground,
// not above it, and whatever the iterations the box comes to lie on a face.
TEST(Impact, InLongStepsEndsOnTheGround) {
    for (int iterations : {20, 200}) {
        World w;
        w.dt = 0.1;
        add_stiff_box(w, 0.8);
        w.fem[0].solve.iterations = iterations;
        add_ground(w, 0.8);
        double fastest = 0;
        for (int i = 0; i < 60; ++i) {
            step(w);
            fastest = std::max(fastest, max_speed(w.fem[0]));
        }
        const std::vector<Vec3>& points = w.fem[0].points;
        double lowest = 1, centre = 0;
        int low = 0;
        for (const Vec3& p : points) lowest = std::min(lowest, p.y()), centre += p.y() / double(points.size());
        for (const Vec3& p : points) low += p.y() < lowest + 5e-4;
        std::cout << iterations << " iterations: fastest node " << fastest << " m/s on the way, " << max_speed(w.fem[0])
                  << " at the end; lowest vertex at " << lowest << " m with " << low - 1
                  << " more within 0.5 mm, middle at " << centre << " m\n";
        EXPECT_LT(fastest, 3);
        EXPECT_LT(max_speed(w.fem[0]), 5e-3);
        EXPECT_LT(std::abs(lowest), 2e-3);
        EXPECT_GE(low, 8);
    }
}

// Nothing turns a free body but its own momentum, however few the iterations and long the steps.
TEST(Impact, AngularMomentumOfAFreeStiffBodyIsKept) {
    for (int iterations : {1, 20}) {
        World w;
        w.dt = 0.1;
        w.gravity.setZero();
        add_stiff_box(w, 0);
        FemBody& body = w.fem[0];
        body.solve.iterations = iterations;
        const Vec3 middle = center_of_mass(body), spin(0.5, 2, -1);
        for (std::size_t i = 0; i < body.x.size(); ++i) body.v[i] = spin.cross(body.x[i] - middle);
        const auto momentum = [&] {
            Vec3 sum = Vec3::Zero();
            for (std::size_t i = 0; i < body.x.size(); ++i) sum += node_mass(body)[i] * body.x[i].cross(body.v[i]);
            return sum;
        };
        const Vec3 before = momentum();
        double worst = 0;
        for (int i = 0; i < 100; ++i) {
            step(w);
            worst = std::max(worst, (momentum() - before).norm() / before.norm());
        }
        std::cout << iterations << " iterations: angular momentum off by at most " << worst << "\n";
        EXPECT_LT(worst, 1e-9);
    }
}

// Nearer to the ground, or to each other, than contact keeps them. All they may get is gravity's speed in a step, and
// what an elastic column that is suddenly loaded by its weight swings back with, (2/π) g H √(ρ/E).
TEST(Impact, WhatIsPutDownNearSomethingIsNotThrown) {
    for (const char* integrator : {"implicit_euler", "bdf2", "newmark"})
        for (const double young : {1e5, 1e7})
            for (const double gap : {1e-4, 1e-3}) {
                World w(1);
                add_ground(w, 0.5);
                const int levels = find_integrator(integrator)->is_explicit() ? 1 : 2;
                for (int level = 0; level < levels; ++level) {
                    FemBodyDesc desc;
                    const double low = gap + level * (0.2 + gap);
                    desc.mesh = bar_mesh(2, 1, 2, {0, low, 0}, {0.4, low + 0.2, 0.4});
                    desc.material = {ElementMaterial{young, 0.3, 1000}};
                    desc.integrator = find_integrator(integrator);
                    add_body(w, make_fem_body(std::move(desc)));
                }
                const double bearable = 9.81 * (w.dt + 2 / M_PI * 0.2 * levels * std::sqrt(1000 / young));
                double fastest = 0, lowest = 1;
                for (int i = 0; i < 100; ++i) {
                    step(w);
                    for (const FemBody& body : w.fem) {
                        fastest = std::max(fastest, momentum(body)[1] / mass(body));
                        for (const Vec3& x : body.x) lowest = std::min(lowest, x[1]);
                    }
                }
                std::cout << integrator << ", E " << young << ", gap " << gap << " m: up at most " << fastest << " of "
                          << bearable << " m/s, lowest node " << lowest << " m\n";
                EXPECT_LT(fastest, bearable) << integrator << " " << young << " " << gap;
                EXPECT_GT(lowest, 0) << integrator << " " << young << " " << gap;
            }
}

}  // namespace
}  // namespace pliant
