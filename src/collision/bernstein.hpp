#pragma once
// Cubic polynomials over [0, 1] by their Bernstein coefficients: where is such a polynomial positive?

#include <array>

namespace pliant {

using Cubic = std::array<double, 4>;

inline Cubic elevated(double a, double b) { return {a, (2 * a + b) / 3, (a + 2 * b) / 3, b}; }
inline Cubic elevated(double a, double b, double c) { return {a, (a + 2 * b) / 3, (2 * b + c) / 3, c}; }

/// De Casteljau's halving at s: `left` is the polynomial over [0, s], `right` over [s, 1].
void split(const Cubic& c, double s, Cubic& left, Cubic& right);

/// The polynomial is positive over [0, positive_until(c)]: 0 when c[0] ≤ 0, 1 when it is positive throughout. Near the
/// first zero, never beyond it as long as the coefficients are larger than bernstein_rounding times the largest.
double positive_until(const Cubic& c);

/// How far positive_until() may misjudge the polynomial by rounding, relative to its largest coefficient:
/// 24 rounds with two halvings of at most nine roundings each.
constexpr double bernstein_rounding = 24 * 2 * 9 * 0x1.0p-53;

}  // namespace pliant
