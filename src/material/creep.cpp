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

Strain6 difference(const Strain6& total, const Strain6& plastic) {
    Strain6 elastic;
    for (int k = 0; k < 6; ++k) elastic[k] = total[k] - plastic[k];
    return elastic;
}

void remove_mean(Strain6& e) {
    const double mean = (e[0] + e[1] + e[2]) / 3;
    for (int k = 0; k < 3; ++k) e[k] -= mean;
}

/// The shift y that all three stretches of the shape I + ε need so that det(I + ε + y I) = 1 with all of them positive.
double shift_to_unit_volume(const Strain6& e) {
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
    return y - 1 - mean;
}

/// Keeps the volume of what flows. A deviator without trace keeps it for small strains only: squeezed to a fifth of its
/// height, diag(−0.8, 0.4, 0.4), an element would have lost 61 % of it. And a flat element hardly resists: its
/// stiffness is that of the rest shape, so that a weight presses out what is left of its height while the strain stays
/// small. So the plastic strain makes up for the volume that the element has now: the same share of the flow shifts all
/// three plastic stretches by what the element's own would need to have the rest volume again. Step by step this finds
/// the pressure that holds the volume, as an augmented Lagrangian does, by force offsets alone.
void keep_volume(double share, const Strain6& total, Strain6& plastic) {
    // The pressure stays below that of halving or half as long again: an element that is held squeezed gives in, and
    // one that is folded over does not push harder than its neighbours can bear.
    constexpr double most = 0.5;
    // Neighbours correct the same volume: all of it at once would swing.
    constexpr double gain = 0.5;
    const double mean = (total[0] + total[1] + total[2] - plastic[0] - plastic[1] - plastic[2]) / 3;
    const double shift = std::clamp(gain * share * shift_to_unit_volume(total), mean - most, mean + most);
    if (!std::isfinite(shift)) return;  // out of the range of numbers: `max` brings it back
    for (int k = 0; k < 3; ++k) plastic[k] += shift;
}

double determinant(const Strain6& e) {
    const double x = 1 + e[0], y = 1 + e[1], z = 1 + e[2];
    return x * (y * z - e[4] * e[4]) - e[3] * (e[3] * z - e[4] * e[5]) + e[5] * (e[3] * e[4] - y * e[5]);
}

/// Below yield by the strain, and by the volume where that is kept: a small strain can be all that is left of the
/// height of an element that was pressed flat.
bool rests(const PlasticNumbers& numbers, const Strain6& total, const Strain6& plastic, double size) {
    if (size > numbers.yield) return false;
    return !numbers.keep_volume || plastic == Strain6{} || std::abs(determinant(total) - 1) <= numbers.yield;
}

void absorb(double share, const Strain6& flowing, Strain6& plastic) {
    for (int k = 0; k < 6; ++k) plastic[k] += share * flowing[k];
}

void limit(const PlasticNumbers& numbers, Strain6& plastic) {
    const double size = strain_norm(plastic);
    if (!(size > numbers.max)) return;
    const double mean = (plastic[0] + plastic[1] + plastic[2]) / 3, room = numbers.max * numbers.max - 3 * mean * mean;
    // The part that keeps the volume goes first; shape takes what is left of the limit.
    if (numbers.keep_volume && room > 0) {
        const double scale = std::sqrt(room / (size * size - 3 * mean * mean));
        for (int k = 0; k < 6; ++k) plastic[k] = k < 3 ? mean + scale * (plastic[k] - mean) : scale * plastic[k];
        return;
    }
    for (double& p : plastic) p *= numbers.max / size;
}

}  // namespace

double creep_share(double rate, double dt) { return -std::expm1(-dt * rate); }
double creep_step_share(double rate, double dt) { return std::min(dt * rate, 1.0); }

void creep(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic) {
    Strain6 elastic = difference(total, plastic);
    double size = strain_norm(elastic);
    if (!std::isfinite(size) || rests(numbers, total, plastic, size)) return;
    const double share = creep_share(numbers.rate, dt);
    if (numbers.keep_volume) {
        keep_volume(share, total, plastic);
        remove_mean(elastic);
        size = strain_norm(elastic);
    }
    if (size > numbers.yield) absorb(std::min(share, 1 - numbers.yield / size), elastic, plastic);
    limit(numbers, plastic);
}

void creep_step(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic) {
    Strain6 elastic = difference(total, plastic);
    const double size = strain_norm(elastic);
    if (!std::isfinite(size) || rests(numbers, total, plastic, size)) return;
    const double share = creep_step_share(numbers.rate, dt);
    if (numbers.keep_volume) keep_volume(share, total, plastic), remove_mean(elastic);
    if (strain_norm(elastic) > numbers.yield) absorb(share, elastic, plastic);
    limit(numbers, plastic);
}

}  // namespace pliant
