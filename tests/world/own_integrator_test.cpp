// An integrator that is not in the list, as CONTRIBUTING.md describes: one function and a struct that names it.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

// Half a step of motion, a step of forces, half a step of motion: of second order without damping.
void advance_drift_kick_drift(const Substep& s) {
    const std::span<Vec3> a = s.array(0);
    s.each_node([&](std::size_t i) { s.x[i] += 0.5 * s.h * s.v[i]; });
    s.forces->accelerations(s.x, s.v, a);
    s.each_node([&](std::size_t i) {
        s.v[i] += s.h * a[i];
        s.x[i] += 0.5 * s.h * s.v[i];
    });
}

constexpr Integrator drift_kick_drift{.name = "drift_kick_drift",
                                      .doc = "Leap-frog in its other order.",
                                      .order = 2,
                                      .advance = advance_drift_kick_drift};

std::vector<Vec3> swing(double h) {
    World w(1);
    w.dt = 1e-3;
    FemBodyDesc desc;
    desc.mesh = bar_mesh(4, 1, 1, {0, 0, 0}, {1, 0.25, 0.25});
    desc.material = {{1e5, 0.3, 1000}};
    desc.integrator = &drift_kick_drift;
    desc.own_step = h;
    w.fem.push_back(make_fem_body(std::move(desc)));
    for (std::size_t i = 0; i < w.fem[0].x.size(); ++i) w.fem[0].v[i].x() = std::cos(M_PI * w.fem[0].x[i].x());
    for (int i = 0; i < 50; ++i) step(w);
    return w.fem[0].x;
}

TEST(OwnIntegrator, MovesABody) {
    const auto a = swing(1e-3), b = swing(5e-4), c = swing(2.5e-4);
    double coarse = 0, fine = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        coarse += (a[i] - b[i]).squaredNorm(), fine += (b[i] - c[i]).squaredNorm();
    const double order = 0.5 * std::log2(coarse / fine);
    std::cout << "order " << order << ", differences " << std::sqrt(coarse) << " and " << std::sqrt(fine) << " m\n";
    EXPECT_NEAR(order, 2, 0.1);
}

}  // namespace
}  // namespace pliant
