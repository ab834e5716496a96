// Integrators of bodies of finite elements, through the world's own step: orders, energy, what is kept, contact.

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "pliant/body/explicit_step.hpp"
#include "pliant/core/bytes.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

struct BarDesc {
    const char* integrator = "implicit_euler";
    double young = 1e6, poisson = 0.3, own_step = 0;
    int cells = 8;
    double mass_damping = 0, stiffness_damping = 0;
    const char* law = nullptr;
    std::vector<double> numbers = {};
};

FemBody bar(const BarDesc& of) {
    FemBodyDesc desc;
    desc.name = "bar";
    desc.mesh = bar_mesh(of.cells, 1, 1, {0, 0, 0}, {1, 0.125, 0.125});
    desc.material = {{of.young, of.poisson, 1000}};
    desc.solve = {2000, 1e-10};
    desc.solid.mass_damping = of.mass_damping, desc.solid.stiffness_damping = of.stiffness_damping;
    if (of.law) desc.solid.law = material_laws().find(of.law), desc.solid.law_numbers = of.numbers;
    desc.integrator = find_integrator(of.integrator);
    CHECK(desc.integrator, of.integrator);
    desc.own_step = of.own_step;
    return make_fem_body(std::move(desc));
}

[[maybe_unused]] double energy(const FemBody& body) { return elastic_energy(body) + kinetic_energy(body); }

/// A free bar that swings along its length: v = A cos(πx/L).
World swinging_bar(const BarDesc& of, double dt, double amplitude) {
    World w(1);
    w.dt = dt;
    w.gravity.setZero();
    w.fem.push_back(bar(of));
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.x.size(); ++i) body.v[i].x() = amplitude * std::cos(M_PI * body.mesh.rest[i].x());
    return w;
}

TEST(Integrator, ExplorationOnly) {
    for (const Integrator* integrator : integrators()) {
        std::vector<std::vector<Vec3>> ends;
        const double T = 0.02, base = 1e-3;
        for (int k = 0; k < 5; ++k) {
            const double dt = base / (1 << k);
            BarDesc desc{.integrator = integrator->name};
            if (integrator->is_explicit()) desc.own_step = dt;
            World w = swinging_bar(desc, dt, 0.1);
            for (int i = 0; i < std::lround(T / dt); ++i) step(w);
            ends.push_back(w.fem[0].x);
            if (k == 0) std::cout << integrator->name << " stable " << (integrator->is_explicit() ? stable_step(w.fem[0]) : 0) << "\n";
        }
        for (int k = 0; k + 2 < 5; ++k) {
            double a = 0, b = 0;
            for (std::size_t i = 0; i < ends[0].size(); ++i)
                a += (ends[k][i] - ends[k + 1][i]).squaredNorm(), b += (ends[k + 1][i] - ends[k + 2][i]).squaredNorm();
            std::cout << "  order " << 0.5 * std::log2(a / b) << " (" << std::sqrt(a) << ")\n";
        }
    }
}

}  // namespace
}  // namespace pliant
