#pragma once
// Hooke's law for isotropic materials: σ = λ tr(ε) I + 2μ ε (Müller & Gross 2004, eq. 3; O'Brien & Hodgins 1999, eq.
// 7). The one place where it stands. Strains and stresses are xx yy zz xy yz zx with tensor shear. The templates are
// for numbers and for lanes of numbers, and always inlined: kernels compiled for different vector units share no code.

#include "pliant/core/lane_math.hpp"

namespace pliant {

/// Lamé's constants, Pa.
struct Lame {
    double lambda = 0;
    double mu = 0;
};
/// young in Pa, poisson in (−1, 0.5).
inline Lame lame(double young, double poisson) {
    return {young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))};
}

namespace {

template <class V>
inline __attribute__((always_inline)) void hooke_stress(const V& lambda, const V& mu, const V strain[6], V stress[6]) {
    const V pressure = lambda * (strain[0] + strain[1] + strain[2]), twice = mu + mu;
    for (int k = 0; k < 3; ++k) stress[k] = pressure + twice * strain[k];
    for (int k = 3; k < 6; ++k) stress[k] = twice * strain[k];
}

/// J/m³: ½ σ:ε = λ/2 tr(ε)² + μ ε:ε.
template <class V>
inline __attribute__((always_inline)) V hooke_energy(const V& lambda, const V& mu, const V e[6]) {
    const V trace = e[0] + e[1] + e[2], shear = e[3] * e[3] + e[4] * e[4] + e[5] * e[5];
    const V squares = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + (shear + shear);
    return filled<V>(0.5) * lambda * trace * trace + mu * squares;
}

}  // namespace
}  // namespace pliant
