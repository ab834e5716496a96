// What heat does to modal and particle bodies, against closed forms.

#include "pliant/body/warm_bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <iostream>
#include <numbers>

#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

using std::numbers::pi;

/// Young's modulus is whole up to 20 °C, and `soft` of it from 80 °C on.
HeatDesc softening(double soft) { return {{}, {{{20, 1.0, {}, {}}, {80, soft, {}, {}}}}, 1}; }

/// A bar along x from 0 to 1 m without sideways contraction: its longitudinal modes are cosines.
ModalBody bar(int modes, double soft, const std::function<double(const Vec3&)>& share = {}) {
    ModalBodyDesc d;
    d.mesh = bar_mesh(96, 1, 1, {0, 0, 0}, {1, 0.03, 0.03});
    d.material = {{1e9, 0, 1000}};
    d.modes = modes;
    d.limits.min_displacement = 0;
    if (share) {  // softer places from the start instead of heat
        d.material.resize(d.mesh.tets.size(), d.material[0]);
        for (std::size_t t = 0; t < d.mesh.tets.size(); ++t) {
            double warmth = 0;
            for (int node : d.mesh.tets[t]) warmth += 0.25 * share(d.mesh.rest[node]);
            d.material[t].young *= std::pow(soft, warmth);
        }
    } else {
        d.heat = softening(soft);
    }
    Threads one(1);
    return make_modal_body(std::move(d), one);
}

std::vector<double> temperatures(const ModalBody& body, const std::function<double(const Vec3&)>& share) {
    std::vector<double> list;
    for (const Vec3& p : body.mesh.rest) list.push_back(20 + 60 * share(p));
    return list;
}

/// The mode that moves like cos(nπx) along the bar.
int longitudinal(const ModalBody& body, int n) {
    int best = 0;
    double most = 0;
    for (int m = 0; m < body.basis.mode_count(); ++m) {
        double sum = 0;
        for (int i = 0; i < body.basis.node_count(); ++i)
            sum += body.basis.mass[i] * std::cos(n * pi * body.basis.rest[i].x()) * body.basis.shape_at(i, m).x();
        if (std::abs(sum) > most) most = std::abs(sum), best = m;
    }
    return best;
}

TEST(WarmModal, HalfTheModulusEverywhereLowersAllFrequenciesByRootTwo) {
    ModalBody body = bar(20, 0.5);
    EXPECT_EQ(body.oscillators.lambda, body.basis.lambda) << "cold";
    const std::vector<double> hot(body.x.size(), 80.0);
    set_material_at(body, hot);
    double worst = 0;
    for (int m = 0; m < body.basis.mode_count(); ++m)
        worst =
            std::max(worst, std::abs(std::sqrt(body.oscillators.lambda[m] / body.basis.lambda[m]) * std::sqrt(2) - 1));
    std::cout << "largest relative error of " << body.basis.mode_count() << " frequencies: " << worst << "\n";
    EXPECT_LT(worst, 1e-14);
    const std::vector<double> cold(body.x.size(), 20.0);
    set_material_at(body, cold);
    EXPECT_EQ(body.oscillators.lambda, body.basis.lambda) << "cold again";
}

// A longitudinal mode n holds the energy 2 sin²(nπx) dx: half of it in half a bar, 1/3 + √3/2π = 0.609 (n = 1) and
// 1/3 − √3/4π = 0.196 (n = 2) in the middle third.
TEST(WarmModal, PartlyHeatedBarIsTunedAsFirstOrderTheorySays) {
    const double soft = 0.5;
    ModalBody body = bar(60, soft);
    const auto half = [](const Vec3& p) { return p.x() < 0.5 - 1e-9 ? 1.0 : p.x() < 0.5 + 1e-9 ? 0.5 : 0.0; };
    const auto middle = [](const Vec3& p) {
        const double off = std::abs(p.x() - 0.5) - 1.0 / 6;
        return off < -1e-9 ? 1.0 : off < 1e-9 ? 0.5 : 0.0;
    };
    const struct {
        const char* what;
        std::function<double(const Vec3&)> where;
        int n;
        double share;
    } cases[] = {{"half, first mode", half, 1, 0.5},
                 {"half, second mode", half, 2, 0.5},
                 {"middle third, first mode", middle, 1, 1.0 / 3 + std::sqrt(3) / (2 * pi)},
                 {"middle third, second mode", middle, 2, 1.0 / 3 - std::sqrt(3) / (4 * pi)}};
    for (const auto& c : cases) {
        set_material_at(body, temperatures(body, c.where));
        const int m = longitudinal(body, c.n);
        const double found = body.oscillators.lambda[m] / body.basis.lambda[m];
        const double theory = 1 - c.share * (1 - soft);
        std::cout << c.what << ": eigenvalue times " << found << ", theory " << theory << "\n";
        EXPECT_NEAR(found, theory, 0.003) << c.what;
    }
}

// What is left out is of second order: ten times less heat, a hundred times less error.
TEST(WarmModal, DifferenceToNewModesIsOfSecondOrder) {
    const auto end = [](const Vec3& p) { return std::max(0.0, 1 - 2 * p.x()); };
    double last = 0;
    for (double soft : {0.9, 0.99}) {
        ModalBody body = bar(12, soft);
        set_material_at(body, temperatures(body, end));
        const ModalBody anew = bar(12, soft, end);
        double worst = 0, moved = 0;
        for (int m = 0; m < 12; ++m) {
            worst = std::max(worst, std::abs(body.oscillators.lambda[m] / anew.basis.lambda[m] - 1));
            moved = std::max(moved, std::abs(body.oscillators.lambda[m] / body.basis.lambda[m] - 1));
            EXPECT_GE(body.oscillators.lambda[m], anew.basis.lambda[m] * (1 - 1e-6)) << "Rayleigh's quotient is above";
        }
        std::cout << "softest place " << soft << ": eigenvalues move by " << moved << ", error " << worst << "\n";
        EXPECT_LT(worst, 0.2 * moved);
        if (last > 0) {
            EXPECT_LT(worst, 0.02 * last);
        }
        last = worst;
    }
}

ParticleBody block(ParticleModel model, bool implicit, std::optional<HeatDesc> heat) {
    ParticleBodyDesc d;
    d.structure = structure_of_tets(bar_mesh(4, 2, 2, {0, 0, 0}, {0.4, 0.2, 0.2}));
    d.material = {ParticleMaterial{.young = 1e6, .shear = 4e5, .fibre = {1, 0, 0}, .fibre_young = 1e5}};
    d.model.model = model;
    d.implicit = implicit;
    d.heat = std::move(heat);
    return make_particle_body(std::move(d));
}

TEST(WarmParticles, ForcesFollowTheTable) {
    Threads one(1);
    for (ParticleModel model : {ParticleModel::spring, ParticleModel::cmpm2, ParticleModel::cmpm3}) {
        ParticleBody plain = block(model, true, {}), body = block(model, true, softening(0.5));
        std::vector<Vec3> x = body.x, f(x.size()), cold(x.size()), hot(x.size());
        for (Vec3& p : x) p.x() *= 1.1, p.y() += 0.1 * p.x();
        plain.forces.forces(x, f, one), body.forces.forces(x, cold, one);
        EXPECT_TRUE(std::equal(f.begin(), f.end(), cold.begin())) << "cold, it is the body it would be without heat";
        const double energy = body.forces.energy(x);
        set_material_at(body, std::vector<double>(x.size(), 80.0));
        body.forces.forces(x, hot, one);
        double worst = 0, most = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            worst = std::max(worst, (hot[i] - 0.5 * cold[i]).norm());
            most = std::max(most, cold[i].norm());
        }
        const double left = body.forces.energy(x) / energy;
        std::cout << "model " << int(model) << ": error of the halved forces " << worst / most << ", energy times "
                  << left << "\n";
        EXPECT_LT(worst, 0.005 * most) << "steps of one per cent";
        EXPECT_NEAR(left, 0.5, 0.0026);
        set_material_at(body, std::vector<double>(x.size(), 20.0));
        body.forces.forces(x, hot, one);
        EXPECT_TRUE(std::equal(hot.begin(), hot.end(), cold.begin())) << "however it came there";
    }
}

}  // namespace
}  // namespace pliant
