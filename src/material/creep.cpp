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

/// Shifts the three stretches of the plastic shape I + ε by the same amount so that it has the volume of the rest
/// shape, det(I + ε) = 1. A deviator without trace keeps the volume for small strains only: squeezed to a fifth of its
/// height, diag(−0.8, 0.4, 0.4), an element would have lost 61 % of it. The shifted stretches are all positive: no
/// plastic shape is folded over.
void keep_volume(Strain6& e) {
    const double mean = (e[0] + e[1] + e[2]) / 3;
    const double a = e[0] - mean, b = e[1] - mean, c = e[2] - mean;
    // det(D + y I) = y³ + J y + K with the deviator D, whose first invariant vanishes; y = 1 + mean + shift.
    const double J = a * b + b * c + c * a - e[3] * e[3] - e[4] * e[4] - e[5] * e[5];
    const double K = a * (b * c - e[4] * e[4]) - e[3] * (e[3] * c - e[4] * e[5]) + e[5] * (e[3] * e[4] - b * e[5]);
    // −J = ‖D‖²/2 bounds the eigenvalues of D by √(−4J/3): from 1 + that, Newton's method comes down on the one root
    // where all stretches are positive, along a convex rising function.
    double y = 1 + std::sqrt(std::max(0.0, -4 * J / 3));
    for (int i = 0; i < 50; ++i) {
        const double step = ((y * y + J) * y + K - 1) / (3 * y * y + J);
        y -= step;
        if (!(step > 1e-15 * y)) break;
    }
    const double shift = y - 1 - mean;
    if (!std::isfinite(shift)) return;  // out of the range of numbers: `max` brings it back
    for (int k = 0; k < 3; ++k) e[k] += shift;
}

void absorb(const PlasticNumbers& numbers, double share, const Strain6& flowing, Strain6& plastic) {
    for (int k = 0; k < 6; ++k) plastic[k] += share * flowing[k];
    if (numbers.keep_volume) keep_volume(plastic);
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
