// Creep by logarithmic strain: the plastic deformation Fp of an element is a factor, F = Fe Fp, and flow keeps its
// volume exactly, however far it goes. With Fe = U diag(s) Vᵀ and the deviator d of ln s,
//
//     Fp ← V diag(exp(γ d)) Vᵀ Fp     while   ‖d‖ > yield,      γ = min(1 − exp(−rate·dt), 1 − yield/‖d‖),
//
// which is exact for a deformation that stands still during the step: d decays by exp(−rate·dt) and stops at the yield
// strain, so that the result hardly depends on dt (as in `creep`; Irving et al. 2004 and Wojtan & Turk 2008, eqs. 1
// and 2, flow along the same direction).

#include <algorithm>
#include <cmath>

#include "pliant/geometry/polar.hpp"
#include "pliant/material/laws.hpp"

namespace pliant {

namespace {

/// U diag(exp(scale · ln s)) Vᵀ for F = U diag(s) Vᵀ, with the mean of the logarithms taken away.
Mat3 scaled_logarithm(const Vec3& logarithm, double scale, const Mat3& U, const Mat3& V) {
    return U * (scale * logarithm).array().exp().matrix().asDiagonal() * V.transpose();
}

/// ln s without its mean: what changes the shape and not the volume.
Vec3 deviator(const Vec3& s) {
    const Vec3 logarithm = s.array().log();
    return logarithm - Vec3::Constant(logarithm.mean());
}

}  // namespace

void finite_creep(const PlasticNumbers& numbers, const Mat3& elastic, double dt, Mat3& plastic) {
    const SignedSvd f = signed_svd(elastic);
    // An inverted element is on its way back; the direction of its flow would be that of another shape.
    if (!(f.s.minCoeff() > 0) || !std::isfinite(f.s.maxCoeff())) return;
    const Vec3 strain = deviator(f.s);
    const double size = strain.norm();
    if (!(size > numbers.yield)) return;
    const double share = std::min(creep_share(numbers.rate, dt), 1 - numbers.yield / size);
    const double edge = std::cbrt(plastic.determinant());
    plastic = scaled_logarithm(strain, share, f.V, f.V) * plastic;
    const SignedSvd p = signed_svd(plastic);
    const Vec3 lasting = deviator(p.s);
    // Rebuilt from its stretches and the volume it had: rounding does not add up.
    const double scale = lasting.norm() > numbers.max ? numbers.max / lasting.norm() : 1;
    plastic = edge * scaled_logarithm(lasting, scale, p.U, p.V);
}

}  // namespace pliant
