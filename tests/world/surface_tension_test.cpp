// Surface tension on the fine surface (Wojtan & Turk 2008, section 7).

#include "pliant/body/surface_tension.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdio>

#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

FemBodyDesc drop(const Shape& shape, double cell, double tension, Threads& threads) {
    FemBodyDesc desc;
    desc.name = "drop";
    desc.surface = shape_surface(shape, 0.4 * cell);
    const LatticeResult made = lattice(desc.surface, {.cell = cell}, threads);
    desc.mesh = made.mesh;
    desc.solid.fill = made.fill;
    desc.solid.mass_damping = 20;
    desc.material = {{3e3, 0.45, 1000}};
    desc.remesh = RemeshOptions{.cell = cell, .tension = tension};
    return desc;
}

double area_of(const FemBody& body) {
    double sum = 0;
    for (const Tri& t : body.surface().triangles)
        sum += 0.5 * (body.points[t[1]] - body.points[t[0]]).cross(body.points[t[2]] - body.points[t[0]]).norm();
    return sum;
}

TEST(SurfaceTension, ForcesAreTheGradientOfTheAreaAndPushNobodyAway) {
    World w(1);
    FemBody body = make_fem_body(drop(*box_shape({0.1, 0.06, 0.08}, 0.01), 0.03, 0.7, *w.threads), *w.threads);
    std::fill(body.force.begin(), body.force.end(), Vec3::Zero());
    add_surface_tension(body);
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    double size = 0, off = 0;
    for (std::size_t i = 0; i < body.x.size(); ++i)
        force += body.force[i], torque += body.x[i].cross(body.force[i]), size += body.force[i].norm();
    for (std::size_t i = 0; i < body.x.size(); i += 7)
        for (int k = 0; k < 3; ++k) {
            const double step = 1e-6, x = body.x[i][k];
            body.x[i][k] = x + step, update_surface(body, *w.threads);
            const double more = area_of(body);
            body.x[i][k] = x - step, update_surface(body, *w.threads);
            const double less = area_of(body);
            body.x[i][k] = x;
            off = std::max(off, std::abs(-0.7 * (more - less) / (2 * step) - body.force[i][k]));
        }
    std::printf("force %.2g, torque %.2g of %.2g N; gradient off by %.2g N\n", force.norm(), torque.norm(), size, off);
    EXPECT_LT(force.norm(), 1e-12 * size);
    EXPECT_LT(torque.norm(), 1e-13 * size);
    EXPECT_LT(off, 1e-6 * size);
}

// Inside a drop at rest the pressure is 2σ/R.
TEST(SurfaceTension, ADropAtRestHasLaplacesPressure) {
    World w(2);
    w.dt = 0.02;
    w.gravity.setZero();
    const double radius = 0.05, sigma = 1, bulk = 3e3 / (3 * (1 - 2 * 0.45));
    add_body(w, make_fem_body(drop(*sphere_shape(radius), 0.012, sigma, *w.threads), *w.threads));
    for (int i = 0; i < 60; ++i) step(w);
    const FemBody& body = w.fem[0];
    // Of the material: elements count by what they hold. The law is Hooke's behind a rotation: p = −κ tr(S − I).
    double pressure = 0, total = 0;
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const auto& c = body.solid.carried()[t];
        const double held = c[0] + c[1] + c[2] + c[3];
        const auto strain = body.solid.total_strain(body.x, t);
        pressure -= held * bulk * (strain[0] + strain[1] + strain[2]), total += held;
    }
    const double now = radius * std::cbrt(volume(body) / body.rest_volume), exact = 2 * sigma / now;
    std::printf("pressure %.2f Pa, Laplace %.2f Pa: off by %.2g\n", pressure / total, exact,
                pressure / total / exact - 1);
    EXPECT_NEAR(pressure / total / exact, 1, 0.02);
}

}  // namespace
}  // namespace pliant
