// Creep above a yield strain (Müller & Gross 2004, section 3):
//
//     dε_plastic/dt = rate · ε_elastic   while   ‖ε_elastic‖ > yield,     ‖ε_plastic‖ ≤ max.
//
// `creep` integrates this exactly for a total strain that stands still during the step: the elastic strain decays by
// exp(−rate·dt), and stops at the yield strain. The result hardly depends on dt. `creep_step` is the update as the
// paper prints it: one explicit Euler step, which absorbs the share dt·rate (at most 1) of the elastic strain, also
// when that leads far below the yield strain. Both tend to the same flow for small dt.

#include <algorithm>

#include "pliant/material/laws.hpp"

namespace pliant {

namespace {

/// The part of the elastic strain that can flow.
Strain6 flowing_part(const PlasticNumbers& numbers, const Strain6& total, const Strain6& plastic) {
    Strain6 elastic;
    for (int k = 0; k < 6; ++k) elastic[k] = total[k] - plastic[k];
    if (!numbers.keep_volume) return elastic;
    const double mean = (elastic[0] + elastic[1] + elastic[2]) / 3;
    for (int k = 0; k < 3; ++k) elastic[k] -= mean;
    return elastic;
}

void absorb(const PlasticNumbers& numbers, double share, const Strain6& flowing, Strain6& plastic) {
    for (int k = 0; k < 6; ++k) plastic[k] += share * flowing[k];
    const double size = strain_norm(plastic);
    if (size > numbers.max)
        for (double& p : plastic) p *= numbers.max / size;
}

}  // namespace

void creep(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic) {
    const Strain6 flowing = flowing_part(numbers, total, plastic);
    const double size = strain_norm(flowing);
    if (!(size > numbers.yield)) return;
    absorb(numbers, std::min(-std::expm1(-dt * numbers.rate), 1 - numbers.yield / size), flowing, plastic);
}

void creep_step(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic) {
    const Strain6 flowing = flowing_part(numbers, total, plastic);
    if (!(strain_norm(flowing) > numbers.yield)) return;
    absorb(numbers, std::min(dt * numbers.rate, 1.0), flowing, plastic);
}

}  // namespace pliant
