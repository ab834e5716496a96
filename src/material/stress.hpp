#pragma once
// Measures of a symmetric stress tensor given as xx yy zz xy yz zx.

#include <array>
#include <cmath>

#include "pliant/core/types.hpp"

namespace pliant {

/// The matrix of such six numbers, of stress or of strain with tensor shear.
inline Mat3 symmetric_matrix(const std::array<double, 6>& s) {
    Mat3 m;
    m << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
    return m;
}

/// √(3/2 s:s) of the deviator s, in the unit of the stress; the uniaxial stress that yields alike.
inline double von_mises(const std::array<double, 6>& s) {
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return std::sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/// The largest of the three principal stresses, in the unit of the stress: positive where the material is pulled.
/// Greatest root of the characteristic equation by its trigonometric solution.
inline double greatest_principal(const std::array<double, 6>& s) {
    const double mean = (s[0] + s[1] + s[2]) / 3, third = von_mises(s) / 3;  // √(tr(dev²)/6)
    if (!(third > 0)) return mean;
    const double a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;
    const double determinant =
        a * (b * c - s[4] * s[4]) - s[3] * (s[3] * c - s[4] * s[5]) + s[5] * (s[3] * s[4] - b * s[5]);
    const double r = std::fmin(1, std::fmax(-1, determinant / (2 * third * third * third)));
    return mean + 2 * third * std::cos(std::acos(r) / 3);
}

}  // namespace pliant
