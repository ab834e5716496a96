// A bar that hangs on one edge and swings: whatever its stiffness, the default settings give it the period that the
// same mesh has when every linear system is solved to the end, and a stiff one swings like a rigid body.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <ctime>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

struct Swing {
    double period = 0;      ///< s; 0: it did not swing
    double rigid = 0;       ///< of a rigid body with the masses of the nodes, s
    double iterations = 0;  ///< of conjugate gradients, per step
    double milliseconds = 0;
};

/// 4 √(I/(m g d)) K(sin(θ/2)) for a body that swings about the axis through x = 0, z = −0.05 m along y, with K by the
/// arithmetic-geometric mean.
double rigid_period(const FemBody& body, const Vec3& gravity) {
    const auto mass = node_mass(body);
    Vec3 moment = Vec3::Zero();
    double inertia = 0;
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        const Vec3 r(body.x[i][0], 0, body.x[i][2] + 0.05);
        moment += mass[i] * r, inertia += mass[i] * r.squaredNorm();
    }
    double a = 1, b = moment.normalized().dot(gravity.normalized());  // cos θ
    b = std::sqrt(0.5 * (1 + b));
    for (int i = 0; i < 10; ++i) {
        const double mean = 0.5 * (a + b);
        b = std::sqrt(a * b), a = mean;
    }
    return 2 * M_PI / a * std::sqrt(inertia / (moment.norm() * gravity.norm()));
}

/// A bar of 0.6 × 0.1 × 0.1 m, released at 60 degrees from the vertical.
Swing swing(int cells, double young, const SolveOptions& solve, int threads = 1) {
    World w(threads);
    w.dt = 0.01;
    FemBodyDesc desc;
    desc.mesh = bar_mesh(6 * cells, cells, cells, {0, -0.05, -0.05}, {0.6, 0.05, 0.05});
    desc.material = {ElementMaterial{young, 0.3, 1000}};
    desc.solid.mass_damping = 0;
    desc.solve = solve;
    add_body(w, make_fem_body(std::move(desc)));
    FemBody& body = w.fem[0];
    w.gravity = 9.81 * Vec3(0.5, 0, -std::sqrt(0.75));
    Grip edge{0, {}, [](double) { return Pose{}; }, {}};
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (body.x[i][0] < 1e-9 && body.x[i][2] < -0.05 + 1e-9) edge.nodes.push_back(static_cast<int>(i));
    w.grips.push_back(edge);
    Swing result;
    result.rigid = rigid_period(body, w.gravity);
    const Vec3 down = w.gravity.normalized(), across(down[2], 0, -down[0]);
    double before = 0, first = 0;
    int crossings = 0, steps = 0;
    const std::clock_t start = std::clock();  // of the processor: others may be busy
    for (; steps < 400 && crossings < 3; ++steps) {
        result.iterations += step(w).iterations;
        const double side = across.dot(center_of_mass(body) - body.x[0]);
        if (steps > 0 && (side > 0) != (before > 0)) {
            const double t = w.time - w.dt * side / (side - before);
            if (++crossings == 1) first = t;
            if (crossings == 3) result.period = t - first;
        }
        before = side;
    }
    result.milliseconds = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / steps;
    result.iterations /= steps;
    return result;
}

TEST(Pendulum, SwingsAtDefaultsAsItDoesWhenConverged) {
    for (int cells : {1, 2, 5})
        for (double young : {1e5, 1e6, 1e7, 1e8, 1e9}) {
            const Swing full = swing(
                cells, young, {.iterations = 20000, .tolerance = 1e-10, .preconditioner = Preconditioner::jacobi});
            const Swing twenty = swing(cells, young, {.iterations = 20, .preconditioner = Preconditioner::jacobi});
            const Swing usual = swing(cells, young, {});
            const double off = usual.period / full.period - 1;
            std::printf(
                "%d cells, E %.0e: period %.4f s; at defaults %+.3f %%, %.1f iterations, %.3f ms a step; Jacobi 20 "
                "times %+.1f %%, %.3f ms; converged %.0f iterations, %.3f ms; rigid body %.4f s\n",
                cells, young, full.period, 100 * off, usual.iterations, usual.milliseconds,
                100 * (twenty.period / full.period - 1), twenty.milliseconds, full.iterations, full.milliseconds,
                full.rigid);
            EXPECT_LT(std::abs(off), 0.005) << cells << " " << young;
            if (young < 1e8) continue;
            EXPECT_LT(std::abs(usual.period / usual.rigid - 1), 0.005) << cells << " " << young;
        }
}

}  // namespace
}  // namespace pliant
