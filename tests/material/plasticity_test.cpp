// Every plasticity law, and the paper's update rule written out by hand.

#include "pliant/material/plasticity.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "pliant/core/rng.hpp"
#include "pliant/core/types.hpp"
#include "pliant/geometry/polar.hpp"

namespace pliant {
namespace {

Strain6 random_strain(Rng& rng, double size) {
    Strain6 e;
    for (double& c : e) c = rng.uniform(-size, size);
    return e;
}

Strain6 minus(const Strain6& a, const Strain6& b) {
    Strain6 c;
    for (int k = 0; k < 6; ++k) c[k] = a[k] - b[k];
    return c;
}

/// Volume of I + e against that of I.
double volume_of(const Strain6& e) {
    Mat3 shape;
    shape << 1 + e[0], e[3], e[5], e[3], 1 + e[1], e[4], e[5], e[4], 1 + e[2];
    return shape.determinant();
}

/// A strain path that pulls, shears, turns back and rests.
Strain6 path(double t) {
    const double s = std::sin(2 * t), c = t < 2 ? t * t : 4 * std::exp(2 - t);
    return {0.08 * c, -0.03 * c, 0.02 * s, 0.05 * s, 0.02 * c * s, -0.04 * t * (t < 1.5)};
}

/// Müller & Gross 2004, section 3, as printed: six-vectors with engineering shear.
struct PaperElement {
    double plastic[6] = {};
    void update(const Strain6& tensor, double dt, double c_yield, double c_creep, double c_max) {
        double total[6], elastic[6], norm = 0;
        for (int k = 0; k < 6; ++k) total[k] = k < 3 ? tensor[k] : 2 * tensor[k];
        for (int k = 0; k < 6; ++k) elastic[k] = total[k] - plastic[k];
        for (double e : elastic) norm += e * e;
        if (std::sqrt(norm) > c_yield)
            for (int k = 0; k < 6; ++k) plastic[k] += dt * c_creep * elastic[k];
        norm = 0;
        for (double p : plastic) norm += p * p;
        if (std::sqrt(norm) > c_max)
            for (double& p : plastic) p *= c_max / std::sqrt(norm);
    }
    Strain6 tensor() const {
        return {plastic[0], plastic[1], plastic[2], plastic[3] / 2, plastic[4] / 2, plastic[5] / 2};
    }
};

Strain6 along_path(const char* law, const PlasticNumbers& n, double dt) {
    const FlowRule flow = plasticity_laws().get(law).flow;
    Strain6 plastic{};
    for (int i = 1; i <= std::lround(4 / dt); ++i) flow(n, path(i * dt), dt, plastic);
    return plastic;
}

Strain6 paper_along_path(const PlasticNumbers& n, double dt) {
    PaperElement element;
    for (int i = 1; i <= std::lround(4 / dt); ++i) element.update(path(i * dt), dt, n.yield, n.rate, n.max);
    return element.tensor();
}

TEST(Plasticity, CreepStepIsThePaperUpdate) {
    for (const PlasticNumbers& n : {PlasticNumbers{0.01, 5, 10}, {0.05, 1, 0.1}, {0.02, 100, 0.2}}) {
        const double error = strain_norm(minus(along_path("creep_step", n, 0.01), paper_along_path(n, 0.01)));
        std::cout << "yield " << n.yield << " rate " << n.rate << " max " << n.max << ": difference " << error << "\n";
        EXPECT_LT(error, 1e-14);
    }
}

TEST(Plasticity, CreepTendsToThePaperUpdateForSmallSteps) {
    for (const PlasticNumbers& n : {PlasticNumbers{0.01, 5, 10}, {0.05, 1, 0.1}, {0.02, 20, 0.2}}) {
        const Strain6 limit = paper_along_path(n, 1e-5);
        double last = 1;
        for (double dt : {1e-2, 1e-3, 1e-4}) {
            const double error = strain_norm(minus(along_path("creep", n, dt), limit)) / strain_norm(limit);
            std::cout << "rate " << n.rate << ", dt " << dt << ": " << error << " from the paper's limit\n";
            EXPECT_LT(error, 0.5 * last);
            last = error;
        }
        EXPECT_LT(last, 1e-3);
    }
}

TEST(Plasticity, CreepAtATenthOfTheStepAgreesWithinOnePercent) {
    for (const PlasticNumbers& n : {PlasticNumbers{0.01, 1, 10}, {0.01, 5, 10}, {0.02, 20, 10}, {0.01, 100, 10}}) {
        const Strain6 coarse = along_path("creep", n, 0.01), fine = along_path("creep", n, 0.001);
        const double error = strain_norm(minus(coarse, fine)) / strain_norm(fine);
        const double printed =
            strain_norm(minus(paper_along_path(n, 0.01), paper_along_path(n, 0.001))) / strain_norm(fine);
        std::cout << "rate " << n.rate << ": " << 100 * error << " % (the paper's step: " << 100 * printed << " %)\n";
        EXPECT_LT(error, 0.01);
    }
}

TEST(Plasticity, HeldStrainRelaxesExponentiallyDownToTheYield) {
    const PlasticNumbers n{0.01, 3, 10};
    const Strain6 held{0.1, 0, 0, 0, 0, 0};
    const FlowRule flow = plasticity_laws().get("creep").flow;
    for (double dt : {0.5, 0.01}) {
        Strain6 plastic{};
        double t = 0;
        for (; t < 0.49; t += dt) flow(n, held, dt, plastic);
        EXPECT_NEAR(0.1 - plastic[0], 0.1 * std::exp(-3 * t), 1e-12);
        for (int i = 0; i < 2000; ++i) flow(n, held, dt, plastic);
        EXPECT_NEAR(0.1 - plastic[0], 0.01, 1e-12) << "stops at the yield strain";
    }
}

// An element pressed along one axis and free across: the sides go where they carry no stress, λ tr(e) + 2μ e = 0. With
// keep_volume it has its rest volume again once the press stands still, however flat; the paper's rule loses it.
TEST(Plasticity, FlowThatKeepsVolumeGivesItBack) {
    const FlowRule flow = plasticity_laws().get("creep").flow;
    const double nu = 0.33;
    for (double pressed : {-0.1, -0.5, -0.8, 0.5, 2.0}) {
        double volume[2];
        for (bool keep : {false, true}) {
            const PlasticNumbers numbers{0.005, 50, 10, keep};
            Strain6 plastic{}, total{};
            for (int i = 1; i <= 600; ++i) {
                total[1] = pressed * std::min(1.0, i / 200.0);
                total[0] = total[2] = plastic[0] - nu * (total[1] - plastic[1]);
                flow(numbers, total, 0.01, plastic);
            }
            volume[keep] = (1 + total[0]) * (1 + total[1]) * (1 + total[2]);
        }
        std::cout << "pressed by " << pressed << ": volume " << volume[1] << ", by the paper's rule " << volume[0]
                  << "\n";
        EXPECT_NEAR(volume[1], 1, 0.03);
        EXPECT_GT(std::abs(volume[0] - 1), std::abs(volume[1] - 1));
    }
}

// Held squeezed on all sides it cannot have its volume back: the pressure it builds up is bounded.
TEST(Plasticity, WhatIsHeldSqueezedGivesIn) {
    for (const PlasticityLaw& law : plasticity_laws().entries()) {
        if (!law.flow) continue;
        Strain6 plastic{};
        const Strain6 held{-0.6, -0.6, -0.6, 0, 0, 0};
        for (int i = 0; i < 1000; ++i) law.flow({0.01, 100, 10, true}, held, 0.01, plastic);
        if (law.instant) {
            EXPECT_EQ(plastic, Strain6{}) << law.name << ": pressure alone never yields";
            continue;
        }
        EXPECT_LE(std::abs(held[0] - plastic[0]), 0.5 + 1e-12) << law.name;
    }
}

TEST(Plasticity, EveryLawKeepsItsPromises) {
    for (const PlasticityLaw& law : plasticity_laws().entries()) {
        if (!law.flow) continue;
        Rng rng(11);
        for (int k = 0; k < 20000; ++k) {
            PlasticNumbers n{std::pow(10, rng.uniform(-4, 0)), std::pow(10, rng.uniform(-2, 6)),
                             std::pow(10, rng.uniform(-3, 1)), rng.below(2) == 1};
            Strain6 plastic = random_strain(rng, 1);
            const double trace = plastic[0] + plastic[1] + plastic[2];
            for (int i = 0; i < 3 && law.instant; ++i) plastic[i] -= trace / 3;  // its flow has none
            const double scale = rng.uniform() * std::min(1.0, n.max / strain_norm(plastic));
            for (double& p : plastic) p *= scale;
            const Strain6 total = random_strain(rng, std::pow(10, rng.uniform(-4, 1))), before = plastic;
            law.flow(n, total, 0.01, plastic);
            EXPECT_LE(law.norm(plastic), n.max * (1 + 1e-12)) << law.name;
            if (!n.keep_volume) {
                EXPECT_LE(law.norm(minus(total, plastic)), law.norm(minus(total, before)) * (1 + 1e-12)) << law.name;
            }
            // What keeps its volume goes on flowing below the yield strain while its volume is off by more than that.
            const bool whole = !n.keep_volume || std::abs(volume_of(total) - 1) <= n.yield;
            if (whole && law.norm(minus(total, before)) <= n.yield) {
                EXPECT_EQ(plastic, before) << law.name;
            }
        }
        // Without yield there is no flow, and wild numbers stay finite.
        Strain6 plastic{};
        law.flow({}, {1, 2, 3, 4, 5, 6}, 1, plastic);
        EXPECT_EQ(plastic, Strain6{}) << law.name;
        for (bool keep_volume : {false, true}) {
            law.flow({0, 1e300, 10, keep_volume}, {1e150, -1e150, 0, 0, 0, 1e150}, 1e10, plastic);
            for (double p : plastic) EXPECT_TRUE(std::isfinite(p)) << law.name;
        }
    }
}

Mat3 random_change(Rng& rng, double size) {
    Mat3 m;
    for (int k = 0; k < 9; ++k) m(k / 3, k % 3) = rng.uniform(-size, size);
    return m;
}

// Laws whose plastic part is a factor keep its volume, its limit and its yield, whatever is done to the element, and do
// not mind how it is turned.
TEST(Plasticity, EveryFiniteLawKeepsItsPromises) {
    for (const PlasticityLaw& law : plasticity_laws().entries()) {
        if (!law.finite_flow) continue;
        Rng rng(12);
        double off_volume = 0, turned_by = 0;
        for (int k = 0; k < 5000; ++k) {
            const PlasticNumbers n{std::pow(10, rng.uniform(-3, -1)), std::pow(10, rng.uniform(-2, 4)),
                                   std::pow(10, rng.uniform(-1, 1))};
            const double volume = rng.uniform(0.8, 1.2);  // of the lasting shape: flow leaves it what it is
            Mat3 plastic = std::cbrt(volume) * Mat3::Identity(), turned = plastic;
            const Mat3 F = Mat3::Identity() + random_change(rng, 0.4);
            const Mat3 Q = Quat(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1))
                               .normalized()
                               .toRotationMatrix();
            double last = std::numeric_limits<double>::infinity();
            for (int step = 0; step < 20; ++step) {
                law.finite_flow(n, F * plastic.inverse(), 0.01, plastic);
                law.finite_flow(n, Q * F * turned.inverse(), 0.01, turned);
                off_volume = std::max(off_volume, std::abs(plastic.determinant() / volume - 1));
                turned_by = std::max(turned_by, (plastic - turned).norm());
                const Vec3 lasting = (signed_svd(plastic).s / std::cbrt(volume)).array().log();
                EXPECT_LE(lasting.norm(), n.max * (1 + 1e-9)) << law.name;
                const Vec3 s = signed_svd(F * plastic.inverse()).s;
                if (!(s.minCoeff() > 0) || lasting.norm() > 0.99 * n.max) break;
                const Vec3 elastic = s.array().log().matrix() - Vec3::Constant(s.array().log().mean());
                EXPECT_LE(elastic.norm(), last * (1 + 1e-9)) << law.name;
                EXPECT_GE(elastic.norm() * (1 + 1e-9), std::min(last, n.yield)) << law.name;
                last = elastic.norm();
            }
        }
        std::cout << law.name << ": volume off by " << off_volume << ", by turning " << turned_by << "\n";
        EXPECT_LT(off_volume, 1e-12);
        EXPECT_LT(turned_by, 1e-9);
    }
}

// A stretch that is held: the logarithmic strain decays as the rate says, whatever the step, and the volume is that of
// the first day after 10⁵ steps.
TEST(Plasticity, FiniteCreepRelaxesAsMaxwellDoes) {
    const FiniteFlowRule flow = plasticity_laws().get("finite_creep").finite_flow;
    const Vec3 stretch(1.5, 1 / std::sqrt(1.5), 1 / std::sqrt(1.5));
    const Mat3 F = stretch.asDiagonal();
    for (int steps : {10, 1000}) {
        Mat3 plastic = Mat3::Identity();
        for (int i = 0; i < steps; ++i) flow({0, 2, 10}, F * plastic.inverse(), 1.0 / steps, plastic);
        const double left = std::log((F * plastic.inverse())(0, 0)), exact = std::log(1.5) * std::exp(-2);
        std::cout << steps << " steps: " << left << " of " << exact << " left\n";
        EXPECT_NEAR(left, exact, 1e-10);
    }
    Rng rng(3);
    Mat3 plastic = Mat3::Identity();
    double off = 0;
    for (int i = 0; i < 100000; ++i) {
        flow({1e-3, 20, 3}, (Mat3::Identity() + random_change(rng, 0.5)) * plastic.inverse(), 0.01, plastic);
        off = std::max(off, std::abs(plastic.determinant() - 1));
    }
    std::cout << "after 100000 steps det Fp is off by " << off << " at most\n";
    EXPECT_LT(off, 1e-10);
}

/// The backlash of a rope of length γ₁ within a ball of radius γ₂, along one deviatoric direction: closed form.
double dragged(double plastic, double total, double rope, double most) {
    if (total - plastic > rope) plastic = total - rope;
    if (total - plastic < -rope) plastic = total + rope;
    return std::clamp(plastic, -most, most);
}

// O'Brien, Bargteil & Hodgins 2002, figure 2: (a) nothing yields within the rope's length, (b) a straight pull drags
// the plastic strain behind by just that length, (c) where it ends depends on the way there, (d) it stops at the limit
// while the total strain goes on, and stays there on the way back until the rope is tight again.
TEST(VonMises, DragsThePlasticStrainOnARope) {
    const FlowRule flow = plasticity_laws().get("von_mises").flow;
    const PlasticNumbers n{.yield = 0.01, .rate = 1, .max = 0.05};
    const auto norm = plasticity_laws().get("von_mises").norm;
    // Two orthogonal directions of the space of deviators, of norm 1: a stretch and a shear.
    const auto at = [](double stretch, double shear) {
        const double s = stretch / std::sqrt(6.0);
        return Strain6{2 * s, -s, -s, shear / std::sqrt(2.0), 0, 0};
    };
    Strain6 plastic{};
    const auto go = [&](double a, double b, double c, double d, int steps) {
        for (int i = 1; i <= steps; ++i) flow(n, at(a + (c - a) * i / steps, b + (d - b) * i / steps), 0, plastic);
    };
    go(0, 0, 0.0099, 0, 100);
    EXPECT_EQ(plastic, Strain6{}) << "(a)";
    go(0.0099, 0, 0.03, 0, 100);
    EXPECT_LT(norm(minus(plastic, at(0.02, 0))), 1e-15) << "(b)";
    // (c) a turn: the rope follows a tractrix, tan(φ/2) = exp(−s/γ₁) with its angle φ to the way and the distance s.
    go(0.03, 0, 0.03, 0.02, 200000);
    const double angle = 2 * std::atan(std::exp(-2.0));
    const Strain6 tractrix = at(0.03 - 0.01 * std::sin(angle), 0.02 - 0.01 * std::cos(angle));
    std::cout << "tractrix missed by " << norm(minus(plastic, tractrix)) / 0.01 << " rope lengths\n";
    EXPECT_LT(norm(minus(plastic, tractrix)), 1e-5 * 0.01);
    // (d) the limit, and back.
    plastic = {};
    go(0, 0, 0.2, 0, 100);
    EXPECT_LT(norm(minus(plastic, at(0.05, 0))), 1e-15);
    go(0.2, 0, 0.045, 0, 1000);
    EXPECT_LT(norm(minus(plastic, at(0.05, 0))), 1e-15) << "the rope is slack";
    go(0.045, 0, 0.0, 0, 1000);
    EXPECT_LT(norm(minus(plastic, at(0.01, 0))), 1e-15) << "and tight again";
}

// A cycle of stretch with growing amplitude against the closed form, in few steps and in many; pressure on top of it
// changes nothing.
TEST(VonMises, ACycleIsTheClosedForm) {
    const FlowRule flow = plasticity_laws().get("von_mises").flow;
    const PlasticNumbers n{.yield = 0.002, .rate = 1, .max = 0.02};
    double ends[2] = {0, 0};
    for (int fine : {0, 1}) {
        const int steps = fine ? 4000 : 400;
        Strain6 plastic{};
        double exact = 0, worst = 0;
        for (int i = 1; i <= steps; ++i) {
            const double t = 4.0 * i / steps, e = 0.008 * t * std::sin(2 * M_PI * t), s = e / std::sqrt(6.0);
            const double pressure = 0.01 * std::cos(5 * t);
            flow(n, {2 * s + pressure, -s + pressure, -s + pressure, 0, 0, 0}, 1e-3, plastic);
            exact = dragged(exact, e, n.yield, n.max);
            worst = std::max(worst, std::abs(plastic[0] - 2 * exact / std::sqrt(6.0)));
            EXPECT_NEAR(plastic[0] + plastic[1] + plastic[2], 0, 1e-15);
        }
        ends[fine] = plastic[0];
        std::cout << steps << " steps: largest difference " << worst << "\n";
        EXPECT_LT(worst, 1e-12);
    }
    EXPECT_NEAR(ends[0] / ends[1], 1, 0.01);
}

}  // namespace
}  // namespace pliant
