// Bodies that flow against closed forms: they tell whether lattice, masses, flow rule and surface tension together are
// the liquid that their numbers say.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/body/remeshing.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

/// A Maxwell liquid: shear modulus (Pa), bulk modulus (Pa), rate of relaxation (1/s), density (kg/m³).
void fill_with(FemBodyDesc& desc, double shear, double bulk, double rate, double density) {
    const double poisson = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
    desc.material = {{2 * shear * (1 + poisson), poisson, density}};
    desc.plasticity = &plasticity_laws().get("flow");
    desc.plastic = {{.yield = 0, .rate = rate}};
}

/// A lattice for the surface of the description, with upkeep of lattices alone.
void lay_lattice(FemBodyDesc& desc, double cell, double tension, Threads& threads) {
    const LatticeResult made = lattice(desc.surface, {.cell = cell}, threads);
    desc.mesh = made.mesh;
    desc.solid.fill = made.fill;
    desc.remesh = RemeshOptions{.cell = cell, .least_fill = 0.01, .tension = tension};
}

Grip held_where(const FemBody& body, const std::function<bool(const Vec3&)>& in, int axis = -1,
                const Vec3& shift = Vec3::Zero()) {
    Grip grip{0, {}, [shift](double) { return Pose{.translation = shift}; }, {}, axis};
    for (int i = 0; i < body.mesh.node_count(); ++i)
        if (in(body.mesh.rest[i])) grip.nodes.push_back(i);
    return grip;
}

// A bar that is stretched and held. Its deviator relaxes at the rate ν while the bulk stays elastic: with 1/E = 1/3G +
// 1/9κ its force falls as exp(−ν E/(3G) t), E/(3G) = 2(1 + poisson)/3. At two per step, not a fifth, it is 8 % off:
// what flows within a step does not make the bar thinner before the next.
TEST(FlowNumbers, AStretchedBarRelaxesAsMaxwellSays) {
    const double poisson = 0.4, young = 1e5, stretch = 0.01, length = 0.2;
    for (const double rate : {5.0, 40.0}) {
        World w(1);
        w.dt = 0.005;
        w.gravity.setZero();
        FemBodyDesc desc;
        desc.mesh = bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(length, 0.1, 0.1));
        const double shear = young / (2 * (1 + poisson));
        fill_with(desc, shear, young / (3 * (1 - 2 * poisson)), rate, 1000);
        add_body(w, make_fem_body(std::move(desc), *w.threads));
        FemBody& body = w.fem[0];
        for (int axis = 0; axis < 3; ++axis)
            w.grips.push_back(held_where(
                body, [&](const Vec3& p) { return p[axis] < 1e-9; }, axis));
        w.grips.push_back(held_where(
            body, [&](const Vec3& p) { return p.x() > length - 1e-9; }, 0, Vec3(stretch * length, 0, 0)));
        for (int i = 0; i < body.mesh.node_count(); ++i) {
            const Vec3 at = body.mesh.rest[i];
            body.x[i] += stretch * Vec3(at[0], -poisson * at[1], -poisson * at[2]);
        }
        const double first = flux_through(body, 0, 0.11).elastic[0];
        EXPECT_NEAR(first, young * stretch * 0.1 * 0.1, 1e-3 * first);
        double off = 0;
        for (int i = 0; i < 40; ++i) {
            step(w);
            const double exact = first * std::exp(-2.0 / 3 * (1 + poisson) * rate * w.time);
            off = std::max(off, std::abs(flux_through(body, 0, 0.11).elastic[0] - exact) / first);
        }
        std::printf("rate %g/s, %g per step: off by %.3g of the first force\n", rate, rate * w.dt, off);
        EXPECT_LT(off, 0.02);
    }
}

// A beam held at one end sags like an elastic one of E = 3η per second: w = ρgA L⁴/(8·3η I), and shear adds
// ρg L²/(2 k η), k = 5/6. The lattice goes on behind the place where it is held.
TEST(FlowNumbers, AViscousCantileverSags) {
    const double length = 0.2, height = 0.02, cell = height / 3, shear = 1e5, density = 10, wanted = 0.02 * length;
    for (const double rate : {10.0, 1000.0}) {  // of relaxation; a tenth and ten per step
        const double eta = shear / rate;
        const double bending = 12 * std::pow(length, 4) / (24 * eta * height * height);
        const double shearing = length * length / (2 * eta * 5 / 6);
        World w(1);
        w.dt = 0.01;
        w.gravity = Vec3(0, -wanted / (density * (bending + shearing)), 0);
        FemBodyDesc desc;
        const double held = 2 * cell;
        desc.surface = shape_surface(*box_shape({length + held, height, height}, 0), cell);
        for (Vec3& p : desc.surface.points) p += Vec3((length - held) / 2, height / 2, height / 2);
        desc.solid.element = Element::smoothed;  // plain tets lock in bending: a sixth slower
        lay_lattice(desc, cell, 0, *w.threads);
        fill_with(desc, shear, 10 * shear, rate, density);
        add_body(w, make_fem_body(std::move(desc), *w.threads));
        const FemBody& body = w.fem[0];
        w.grips.push_back(held_where(body, [](const Vec3& p) { return p.x() < 1e-6; }));
        const auto tip = [&] {
            double sum = 0;
            int count = 0;
            for (const Vec3& p : body.points)
                if (p.x() > length - 1e-3) sum += p.y(), ++count;
            return sum / count;
        };
        for (int i = 0; i < 40; ++i) step(w);  // until the first swing is over
        const double before = tip();
        for (int i = 0; i < 20; ++i) step(w);
        const double speed = (before - tip()) / (20 * w.dt);
        std::printf("rate %g/s: sags at %.5f m/s, formula %.5f: %+.1f %%\n", rate, speed, wanted,
                    100 * (speed / wanted - 1));
        EXPECT_NEAR(speed / wanted, 1, 0.05);
    }
}

double legendre(int n, double x) { return n == 2 ? 0.5 * (3 * x * x - 1) : 0.5 * (5 * x * x * x - 3 * x); }

/// How much of Pₙ, about the y axis, is in the radius of a closed surface, over its mean radius.
double share_of_mode(const FemBody& body, int n) {
    Vec3 middle = Vec3::Zero();
    double volume = 0;
    for (const Tri& t : body.surface().triangles) {
        const Vec3 &a = body.points[t[0]], &b = body.points[t[1]], &c = body.points[t[2]];
        const double part = a.dot(b.cross(c)) / 6;
        volume += part, middle += part * (a + b + c) / 4;
    }
    middle /= volume;
    const double radius = std::cbrt(3 * volume / (4 * std::numbers::pi));
    double sum = 0;
    for (const Tri& t : body.surface().triangles) {
        const Vec3 a = body.points[t[0]] - middle, b = body.points[t[1]] - middle, c = body.points[t[2]] - middle;
        const Vec3 center = (a + b + c) / 3;
        const double r = center.norm(), solid_angle = 0.5 * (b - a).cross(c - a).dot(center) / (r * r * r);
        sum += solid_angle * ((a.norm() + b.norm() + c.norm()) / (3 * radius) - 1) * legendre(n, center.y() / r);
    }
    return (2 * n + 1) / (4 * std::numbers::pi) * sum;
}

// A drop without weight that is out of round swings with ω² = n(n−1)(n+2)σ/(ρR³) (Rayleigh 1879).
TEST(FlowNumbers, ADropSwingsAsRayleighSays) {
    const double radius = 0.05, sigma = 1, density = 1000;
    for (const int n : {2, 3}) {
        World w(1);
        const double omega = std::sqrt(n * (n - 1) * (n + 2) * sigma / (density * std::pow(radius, 3)));
        w.dt = 0.08 / omega;
        w.gravity.setZero();
        FemBodyDesc desc;
        const double cell = radius / 6;
        desc.surface = shape_surface(*sphere_shape(radius), 0.6 * cell);
        for (Vec3& p : desc.surface.points) p *= 1 + 0.05 * legendre(n, p.y() / p.norm());
        lay_lattice(desc, cell, sigma, *w.threads);
        // Hardly viscous: 0.01 Pa·s damps the faster mode by 0.06/s. Hardly compressible: σ/R is 20 Pa.
        fill_with(desc, 1, 4e4, 100, density);
        add_body(w, make_fem_body(std::move(desc), *w.threads));
        const FemBody& body = w.fem[0];
        std::vector<double> crossing;  // times of zeros, s: half a period apart
        double before = share_of_mode(body, n);
        while (crossing.size() < 2 && omega * w.time < 6) {
            step(w);
            const double now = share_of_mode(body, n);
            if (before * now < 0) crossing.push_back(w.time - w.dt * now / (now - before));
            before = now;
        }
        ASSERT_EQ(crossing.size(), 2u) << "n = " << n;
        const double measured = std::numbers::pi / (crossing[1] - crossing[0]);
        std::printf("n = %d: %.4f rad/s, Rayleigh %.4f: %+.1f %%\n", n, measured, omega, 100 * (measured / omega - 1));
        EXPECT_NEAR(measured / omega, 1, 0.03);
    }
}

// Waves on a very viscous thread grow at the rate σ/(2Rη) (1 − k²)/(k²I₀²/I₁² − 1 − k²), k = 2πR/λ (Rayleigh 1892). Two
// wavelengths between ends that are held; the middle one is measured.
TEST(FlowNumbers, AViscousThreadBreaksUpAsRayleighSays) {
    const double radius = 0.01, sigma = 0.1, eta = 10, unit = radius * eta / sigma;
    for (const double k : {0.4, 0.6, 0.8}) {
        // Near k = 1 growth is what little is left of tension round the thread less that along it.
        const double cell = radius / (k < 0.7 ? 2 : 3);
        const double lambda = 2 * std::numbers::pi * radius / k;
        const double ratio = k * std::cyl_bessel_i(0, k) / std::cyl_bessel_i(1, k);
        const double growth = sigma / (2 * radius * eta) * (1 - k * k) / (ratio * ratio - 1 - k * k);
        World w(1);
        w.dt = 0.05 * unit;
        w.gravity.setZero();
        FemBodyDesc desc;
        const Vec3 end(lambda + cell, 0, 0);
        desc.surface = shape_surface(*capsule_shape(-end, end, radius), 0.6 * cell);
        for (Vec3& p : desc.surface.points)
            if (std::abs(p.x()) < lambda) p.tail<2>() *= 1 + 0.02 * std::cos(2 * std::numbers::pi * p.x() / lambda);
        lay_lattice(desc, cell, sigma, *w.threads);
        // It relaxes a hundred times as fast as the waves grow. Hardly any inertia: ρR² growth/η is 1e-7.
        fill_with(desc, 10 * eta / unit, 100 * eta / unit, 10 / unit, 1);
        add_body(w, make_fem_body(std::move(desc), *w.threads));
        const FemBody& body = w.fem[0];
        w.grips.push_back(held_where(body, [&](const Vec3& p) { return std::abs(p.x()) > lambda; }));
        const auto amplitude = [&] {  // of the middle wave: the mean radius does not count
            double sum = 0, area = 0;
            for (const Tri& t : body.surface().triangles) {
                const Vec3 &a = body.points[t[0]], &b = body.points[t[1]], &c = body.points[t[2]];
                const double x = (a.x() + b.x() + c.x()) / 3, part = 0.5 * (b - a).cross(c - a).norm();
                if (std::abs(x) > lambda / 2) continue;
                const double r = (a.tail<2>().norm() + b.tail<2>().norm() + c.tail<2>().norm()) / 3;
                sum += part * (r - radius) * std::cos(2 * std::numbers::pi * x / lambda), area += part;
            }
            return 2 * sum / area;
        };
        for (int i = 0; i < 4; ++i) step(w);
        const double before = amplitude();
        for (int i = 0; i < 12; ++i) step(w);
        const double measured = std::log(amplitude() / before) / (12 * w.dt);
        std::printf("k = %.1f: grows at %.4f/s, Rayleigh %.4f/s: %+.1f %%\n", k, measured, growth,
                    100 * (measured / growth - 1));
        EXPECT_NEAR(measured / growth, 1, 0.1);
    }
}

}  // namespace
}  // namespace pliant
