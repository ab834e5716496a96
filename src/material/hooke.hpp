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
// young in Pa, poisson in (−1, 0.5).
/// μ, Pa.
inline double shear_modulus(double young, double poisson) { return young / (2 * (1 + poisson)); }
/// λ of a material with this μ; with μ = 1 their ratio.
inline double first_lame(double mu, double poisson) { return mu * 2 * poisson / (1 - 2 * poisson); }
inline Lame lame(double young, double poisson) {
    return {young * poisson / ((1 + poisson) * (1 - 2 * poisson)), shear_modulus(young, poisson)};
}
/// Energy by the stress that it takes, J/m³: ½ σ:ε with ε = ((1 + ν) σ − ν tr(σ) I)/E. squares: σ:σ; trace: tr(σ).
inline double hooke_energy_by_stress(double young, double poisson, double squares, double trace) {
    return ((1 + poisson) * squares - poisson * trace * trace) / (2 * young);
}

namespace {

/// ε = sym(A) − I of a deformation gradient, or of one that was turned back, A = RᵀF (Müller & Gross 2004, eqs. 2 and
/// 13). Any matrix with A(i, j).
template <class V, class M>
inline __attribute__((always_inline)) void small_strain(const M& A, V e[6]) {
    const V one = filled<V>(1), half = filled<V>(0.5);
    for (int i = 0; i < 3; ++i) e[i] = A(i, i) - one;
    e[3] = half * (A(0, 1) + A(1, 0)), e[4] = half * (A(1, 2) + A(2, 1)), e[5] = half * (A(2, 0) + A(0, 2));
}

template <class V>
inline __attribute__((always_inline)) void hooke_stress(const V& lambda, const V& mu, const V strain[6], V stress[6]) {
    const V pressure = lambda * (strain[0] + strain[1] + strain[2]), twice = mu + mu;
    for (int k = 0; k < 3; ++k) stress[k] = pressure + twice * strain[k];
    for (int k = 3; k < 6; ++k) stress[k] = twice * strain[k];
}

/// J/m³: ½ σ:ε = λ/2 tr(ε)² + μ ε:ε. squares: ε:ε; trace: tr(ε).
template <class V>
inline __attribute__((always_inline)) V hooke_energy(const V& lambda, const V& mu, const V& squares, const V& trace) {
    return filled<V>(0.5) * lambda * trace * trace + mu * squares;
}
template <class V>
inline __attribute__((always_inline)) V hooke_energy(const V& lambda, const V& mu, const V e[6]) {
    const V trace = e[0] + e[1] + e[2], shear = e[3] * e[3] + e[4] * e[4] + e[5] * e[5];
    return hooke_energy<V>(lambda, mu, e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + (shear + shear), trace);
}

}  // namespace
}  // namespace pliant
