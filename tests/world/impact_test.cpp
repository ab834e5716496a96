// Stiff bodies that strike the ground: an impact takes energy and never gives any.

#include <gtest/gtest.h>

#include <iostream>

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

// On a corner, with friction, at twenty iterations that are far too few for its stiffness.
TEST(Impact, OfAStiffBoxGivesNoEnergy) {
    for (double friction : {0.0, 0.8}) {
        World w;
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
        w.props.push_back(
            {.name = "ground", .obstacle = {ground_obstacle(0), {}, {}, friction}, .motion = {}, .surface = {}});
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

}  // namespace
}  // namespace pliant
