// Flow by stress (Wojtan & Turk 2008, eqs. 1 and 2, after Bargteil et al. 2007): F = Fe Fp, and with Fe = U diag(s) Vᵀ,
// the deviator d of ln s, and F* = V diag(exp d) Vᵀ, its part that keeps the volume,
//
//     Fp ← (F*)^γ Fp,        γ = ν (‖P‖ − P_Y − K α)/‖P‖, between 0 and 1,                                        (2)
//
// where α grows by γ‖d‖: it is the lasting strain summed over its way, so that K is a stress per strain.
//
// `flow_step` is that as printed. There ν is a share per step, so what it does depends on the step, and pressure makes
// it flow although it cannot relieve it. `flow` takes ν for a rate and the deviator of the Kirchhoff stress P Feᵀ for
// P, of norm τ. While the deformation is held and τ is proportional to ‖d‖, then (2) is the equation
//
//     d‖d‖/dt = −ν ‖d‖ (1 − (P_Y + K α)/τ),      dα/dt = −d‖d‖/dt,
//
// a Maxwell element behind a yield stress, of viscosity G/ν. Its solution over dt is
//
//     γ = (1 − (P_Y + K α)/τ) (1 − exp(−ν (1 + h) dt))/(1 + h),      h = K ‖d‖/τ,
//
// so that a step and the ten tenths of it end alike.

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/geometry/polar.hpp"
#include "pliant/material/laws.hpp"

namespace pliant {

namespace {

/// What eq. 1 takes from Fe.
struct FlowDirection {
    Mat3 V;
    Vec3 d;      ///< deviator of the logarithms of the stretches
    bool flows;  /// false: the element is inverted, on its way back, and has no direction
};

FlowDirection flow_direction(const Mat3& elastic) {
    const SignedSvd f = signed_svd(elastic);
    if (!(f.s.minCoeff() > 0) || !std::isfinite(f.s.maxCoeff())) return {f.V, Vec3::Zero(), false};
    const Vec3 logarithm = f.s.array().log();
    return {f.V, logarithm - Vec3::Constant(logarithm.mean()), true};
}

void flow_along(const FlowDirection& of, double share, Mat3& plastic) {
    const double volume = plastic.determinant();
    plastic = of.V * (share * of.d).array().exp().matrix().asDiagonal() * of.V.transpose() * plastic;
    plastic *= std::cbrt(volume / plastic.determinant());  // rounding does not add up
}

}  // namespace

void stress_flow(const PlasticNumbers& numbers, const Mat3& elastic, const Mat3& stress, double dt, Mat3& plastic,
                 double& hardened) {
    const FlowDirection of = flow_direction(elastic);
    const double size = of.d.norm();
    const Mat3 kirchhoff = stress * elastic.transpose();
    const double tau = (kirchhoff - kirchhoff.trace() / 3 * Mat3::Identity()).norm();
    const double yield = numbers.yield + numbers.hardening * hardened;
    if (!of.flows || !(size > 0) || !(tau > yield)) return;
    const double h = numbers.hardening * size / tau;
    const double share = (1 - yield / tau) * creep_share(numbers.rate * (1 + h), dt) / (1 + h);
    flow_along(of, share, plastic);
    hardened += share * size;
}

void stress_flow_step(const PlasticNumbers& numbers, const Mat3& elastic, const Mat3& stress, double, Mat3& plastic,
                      double& hardened) {
    const FlowDirection of = flow_direction(elastic);
    const double size = stress.norm(), yield = numbers.yield + numbers.hardening * hardened;
    if (!of.flows || !(size > yield)) return;
    const double share = std::min(numbers.rate * (size - yield) / size, 1.0);
    flow_along(of, share, plastic);
    hardened += share * of.d.norm();
}

void keep_share_of_shape(const Mat3& elastic, double share, Mat3& plastic) {
    const FlowDirection of = flow_direction(elastic);
    if (of.flows) flow_along(of, share, plastic);
}

}  // namespace pliant
