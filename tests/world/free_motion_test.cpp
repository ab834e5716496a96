// Bodies that nothing touches: whatever the stiffness, the step and the iterations, they keep their momentum and gain
// no energy.

#include <gtest/gtest.h>
#include <numbers>

#include <cstdio>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

Vec3 angular_momentum(const FemBody& body) {
    const auto mass = node_mass(body);
    const Vec3 centre = center_of_mass(body);
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < body.x.size(); ++i) sum += mass[i] * (body.x[i] - centre).cross(body.v[i]);
    return sum;
}

double moving_mass(const FemBody& body) {
    double sum = 0;
    for (std::size_t i = 0; i < body.x.size(); ++i) sum += node_mass(body)[i] * body.v[i].norm();
    return sum;
}

/// A box of 0.6 × 0.3 × 0.1 m that turns once a second about an axis near one of its own.
World spinning_box(int axis, double young, double dt) {
    World w(1);
    w.gravity.setZero();
    w.dt = dt;
    FemBodyDesc desc;
    desc.mesh = bar_mesh(6, 3, 1, {0, 0, 0}, {0.6, 0.3, 0.1});
    desc.material = {ElementMaterial{young, 0.3, 1000}};
    Vec3 spin = Vec3::Constant(0.02);
    spin[axis] = 1;
    desc.spin = 2 * std::numbers::pi * spin.normalized();
    desc.velocity = {0.3, 0.1, -0.2};
    add_body(w, make_fem_body(std::move(desc)));
    return w;
}

TEST(FreeMotion, ASpinningBodyKeepsItsAngularMomentumAndGainsNoEnergy) {
    double worst_spin = 0, worst_momentum = 0, most = 0, least = 1;
    for (double dt : {0.002, 0.01, 0.05})
        for (double young : {1e5, 1e6, 1e7, 1e8, 1e9})
            for (int axis = 0; axis < 3; ++axis) {
                World w = spinning_box(axis, young, dt);
                const Vec3 spin = angular_momentum(w.fem[0]), momentum = pliant::momentum(w.fem[0]);
                const double energy = kinetic_energy(w.fem[0]);
                double highest = 0;
                for (int i = 0; i < std::lround(10 / dt); ++i) {
                    step(w);
                    highest =
                        std::max(highest, kinetic_energy(w.fem[0]) + (i % 10 == 0 ? elastic_energy(w.fem[0]) : 0));
                }
                const double off = (angular_momentum(w.fem[0]) - spin).norm() / spin.norm();
                // Of Σ m|v|: what turns has no share in the momentum, but in its rounding.
                const double drift = (pliant::momentum(w.fem[0]) - momentum).norm() / moving_mass(w.fem[0]);
                EXPECT_LT(off, 1e-6) << axis << " " << young << " " << dt;
                EXPECT_LT(drift, 1e-12) << axis << " " << young << " " << dt;
                EXPECT_LT(highest, energy * (1 + 1e-6)) << axis << " " << young << " " << dt;
                worst_spin = std::max(worst_spin, off), worst_momentum = std::max(worst_momentum, drift);
                most = std::max(most, highest / energy);
                least = std::min(least, kinetic_energy(w.fem[0]) / energy);
            }
    std::printf(
        "angular momentum off by %.1e, momentum by %.1e; energy at most %.9f of its start, at the end at least %.3f\n",
        worst_spin, worst_momentum, most, least);
}

// What hangs on a node keeps its angular momentum about it, and what hangs on an edge that along the edge.
TEST(FreeMotion, ABodyThatHangsOnAPointOrALineTurnsAboutIt) {
    for (const bool line : {false, true})
        for (double young : {1e5, 1e7, 1e9}) {
            World w = spinning_box(0, young, 0.01);
            FemBody& body = w.fem[0];
            Grip grip;
            grip.pose = [](double) { return Pose{}; };
            for (std::size_t i = 0; i < body.x.size(); ++i)
                if (body.x[i][0] < 1e-9 && body.x[i][1] < 1e-9 && (line || body.x[i][2] < 1e-9))
                    grip.nodes.push_back(static_cast<int>(i));
            w.grips.push_back(grip);
            const Vec3 turn = line ? Vec3(0, 0, 5) : Vec3(1, -2, 5);
            for (std::size_t i = 0; i < body.x.size(); ++i) body.v[i] = turn.cross(body.x[i]);
            const auto about = [&] {
                Vec3 sum = Vec3::Zero();
                for (std::size_t i = 0; i < body.x.size(); ++i) sum += node_mass(body)[i] * body.x[i].cross(body.v[i]);
                return line ? Vec3(0, 0, sum[2]) : sum;
            };
            const Vec3 spin = about();
            const double energy = kinetic_energy(body);
            double highest = 0, moved = 0;
            for (int i = 0; i < 500; ++i) {
                step(w);
                highest = std::max(highest, kinetic_energy(body) + elastic_energy(body));
            }
            for (int node : grip.nodes)
                moved = std::max(moved, (body.x[node] - body.mesh.rest[node]).norm() + body.v[node].norm());
            const double off = (about() - spin).norm() / spin.norm();
            std::printf("%s, E %.0e: angular momentum off by %.1e, energy at most %.9f of its start, at the end %.4f\n",
                        line ? "line" : "point", young, off, highest / energy, kinetic_energy(body) / energy);
            EXPECT_LT(off, 1e-6);
            EXPECT_LT(highest, energy * (1 + 1e-6));
            EXPECT_EQ(moved, 0);
        }
}

}  // namespace
}  // namespace pliant
