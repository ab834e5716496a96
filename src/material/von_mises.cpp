// Plastic flow that follows at once, by von Mises' criterion (O'Brien, Bargteil & Hodgins 2002, eqs. 1 to 5). With the
// deviator ε′ of the elastic strain ε − εᵖ, and norms of tensors (Frobenius),
//
//     Δεᵖ = (‖ε′‖ − γ₁)/‖ε′‖ · ε′   while   ‖ε′‖ > γ₁,      εᵖ ← (εᵖ + Δεᵖ) · min(1, γ₂/‖εᵖ + Δεᵖ‖):
//
// the plastic strain is dragged by the total one on a rope of length γ₁, within a ball of radius γ₂. Beyond that ball
// the material is elastic again. Pressure has no deviator and never yields. There is no rate: the result depends on the
// path of the strain alone, not on the steps it is taken in.
//
// The paper's strain has no factor ½ (O'Brien & Hodgins 1999, eq. 1), so its γ₁ and γ₂ are twice those of this file.
// `finite_von_mises` is the same for laws of finite strain: F = Fe Fp with the logarithms of stretches for strains,
// which keeps the volume exactly however far it goes.

#include <cmath>
#include <limits>

#include "pliant/material/laws.hpp"

namespace pliant {

double tensor_norm(const Strain6& e) {
    return std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]));
}

void von_mises_flow(const PlasticNumbers& numbers, const Strain6& total, double, Strain6& plastic) {
    Strain6 deviator;
    for (int k = 0; k < 6; ++k) deviator[k] = total[k] - plastic[k];
    const double mean = (deviator[0] + deviator[1] + deviator[2]) / 3;
    for (int k = 0; k < 3; ++k) deviator[k] -= mean;
    const double size = tensor_norm(deviator);
    if (!std::isfinite(size) || !(size > numbers.yield)) return;
    for (int k = 0; k < 6; ++k) plastic[k] += (size - numbers.yield) / size * deviator[k];
    const double lasting = tensor_norm(plastic);
    if (lasting > numbers.max)
        for (double& p : plastic) p *= numbers.max / lasting;
}

void finite_von_mises_flow(const PlasticNumbers& numbers, const Mat3& elastic, double dt, Mat3& plastic) {
    PlasticNumbers at_once = numbers;
    at_once.rate = std::numeric_limits<double>::infinity();
    finite_creep(at_once, elastic, dt, plastic);
}

}  // namespace pliant
