// An integrator that is not in the list, as CONTRIBUTING.md describes: one function and a struct that names it.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"
#include "world/drift_kick_drift.hpp"

namespace pliant {
namespace {

std::vector<Vec3> swing(double h) {
    World w(1);
    w.dt = 1e-3;
    FemBodyDesc desc;
    desc.mesh = bar_mesh(4, 1, 1, {0, 0, 0}, {1, 0.25, 0.25});
    desc.material = {{1e5, 0.3, 1000}};
    desc.integrator = &drift_kick_drift_integrator;
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
