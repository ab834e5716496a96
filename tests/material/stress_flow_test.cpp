// Flow by stress (Wojtan & Turk 2008, eqs. 1 and 2): closed forms, and what must not change.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <iostream>

#include "pliant/core/rng.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/plasticity.hpp"

namespace pliant {
namespace {

constexpr double shear = 1e3;  // G, Pa

/// Of a material whose Kirchhoff stress is 2G times the deviator of the logarithmic strain: there the closed forms hold
/// at any strain. P = τ F⁻ᵀ.
Mat3 logarithmic_stress(const Mat3& F) {
    const SignedSvd f = signed_svd(F);
    const Vec3 log = f.s.array().log(), deviator = log - Vec3::Constant(log.mean());
    return f.U * (2 * shear * deviator.cwiseQuotient(f.s)).asDiagonal() * f.V.transpose();
}

double elastic_size(const Mat3& F, const Mat3& plastic) {
    const Vec3 log = signed_svd(F * plastic.inverse()).s.array().log();
    return (log - Vec3::Constant(log.mean())).norm();
}

/// Norm of the elastic strain after one second in so many steps, the deformation held.
double relaxed(const PlasticNumbers& n, const Mat3& F, int steps, double* hardened = nullptr) {
    const StressFlowRule flow = plasticity_laws().get("flow").stress_flow;
    Mat3 plastic = Mat3::Identity();
    double alpha = 0;
    for (int i = 0; i < steps; ++i) {
        const Mat3 elastic = F * plastic.inverse();
        flow(n, elastic, logarithmic_stress(elastic), 1.0 / steps, plastic, alpha);
    }
    if (hardened) *hardened = alpha;
    return elastic_size(F, plastic);
}

Mat3 turned_stretch() {
    const Mat3 Q = Quat(0.8, 0.1, -0.5, 0.3).normalized().toRotationMatrix();
    return Q * Vec3(1.5, 0.9, 0.7).asDiagonal() * Q.transpose() *
           Quat(0.2, 0.4, 0.1, 0.9).normalized().toRotationMatrix();
}

TEST(StressFlow, RelaxesAsMaxwellAndBinghamSayWhateverTheStep) {
    const Mat3 F = turned_stretch();
    const double start = elastic_size(F, Mat3::Identity());
    for (double yield : {0.0, 300.0})
        for (int steps : {1, 7, 1000}) {
            const double floor = yield / (2 * shear), exact = floor + (start - floor) * std::exp(-2.0);
            const double found = relaxed({.yield = yield, .rate = 2}, F, steps);
            std::cout << "yield " << yield << " Pa, " << steps << " steps: off by " << found / exact - 1 << "\n";
            EXPECT_NEAR(found, exact, 1e-11 * exact);
        }
}

// With q = ‖d‖ − (P_Y + K α)/2G and h = K/2G: dq/dt = −ν (1 + h) q.
TEST(StressFlow, HardensAsTheClosedFormSays) {
    const Mat3 F = turned_stretch();
    const double start = elastic_size(F, Mat3::Identity()), yield = 200, K = 800;
    const double h = K / (2 * shear), gone = (start - yield / (2 * shear)) * -std::expm1(-3 * (1 + h)) / (1 + h);
    for (int steps : {1, 7, 1000}) {
        double alpha = 0;
        const double found = relaxed({.yield = yield, .rate = 3, .hardening = K}, F, steps, &alpha);
        std::cout << steps << " steps: off by " << found / (start - gone) - 1 << "\n";
        EXPECT_NEAR(found, start - gone, 1e-11);
        EXPECT_NEAR(alpha, gone, 1e-11);
    }
}

TEST(StressFlow, KeepsTheDeterminantOfThePlasticPart) {
    const StressFlowRule flow = plasticity_laws().get("flow").stress_flow;
    Rng rng(5);
    Mat3 plastic = Mat3::Identity();
    double off = 0, alpha = 0;
    for (int i = 0; i < 100000; ++i) {
        Mat3 F;
        for (int k = 0; k < 9; ++k) F(k / 3, k % 3) = (k % 4 == 0) + rng.uniform(-0.5, 0.5);
        const Mat3 elastic = F * plastic.inverse();
        flow({.yield = 10, .rate = 20}, elastic, logarithmic_stress(elastic), 0.01, plastic, alpha);
        off = std::max(off, std::abs(plastic.determinant() - 1));
    }
    std::cout << "after 100000 steps det Fp is off by " << off << "\n";
    EXPECT_LT(off, 1e-10);
}

TEST(StressFlow, NeitherPressureNorInversionMakesItFlow) {
    const StressFlowRule flow = plasticity_laws().get("flow").stress_flow;
    Mat3 plastic = Mat3::Identity();
    double alpha = 0;
    flow({.yield = 0, .rate = 1e6}, 0.5 * Mat3::Identity(), -1e9 * Mat3::Identity(), 1, plastic, alpha);
    flow({.yield = 0, .rate = 1e6}, Vec3(1, 1, -1).asDiagonal(), Vec3(1, 2, 3).asDiagonal(), 1, plastic, alpha);
    EXPECT_EQ(plastic, Mat3::Identity());
    EXPECT_EQ(alpha, 0);
}

// Eq. 2 as printed: the share of a step does not know the step's length, and all of P counts.
TEST(StressFlow, TheStepAsPrintedTakesTheShareOfEquationTwo) {
    const StressFlowRule flow = plasticity_laws().get("flow_step").stress_flow;
    const Mat3 F = Vec3(1.3, 1, 1 / 1.3).asDiagonal(), P = Vec3(300, 100, -200).asDiagonal();
    const double share = 0.25 * (P.norm() - 50) / P.norm();
    for (double dt : {1e-3, 1.0}) {
        Mat3 plastic = Mat3::Identity();
        double alpha = 0;
        flow({.yield = 50, .rate = 0.25}, F, P, dt, plastic, alpha);
        EXPECT_NEAR(plastic(0, 0), std::pow(1.3, share), 1e-14);
        EXPECT_NEAR(alpha, share * std::log(1.3) * std::sqrt(2.0), 1e-14);
    }
}

}  // namespace
}  // namespace pliant
