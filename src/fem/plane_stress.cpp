#include "pliant/fem/plane_stress.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/material/hooke.hpp"

namespace pliant {

namespace {

using Principal = PrincipalPlaneStress;

/// Hooke's law in the stretches, thickness eliminated: λ becomes 2λμ/(λ + 2μ).
Principal hooke_principal(const Lame& m, const double s[2]) {
    const double lambda = 2 * m.lambda * m.mu / (m.lambda + 2 * m.mu);
    const double strain[6] = {s[0] - 1, s[1] - 1};  // of the plane alone
    double stress[6];
    hooke_stress(lambda, m.mu, strain, stress);
    Principal out;
    out.energy = hooke_energy(lambda, m.mu, strain);
    out.p[0] = stress[0], out.p[1] = stress[1];
    out.h[0][0] = out.h[1][1] = 2 * m.mu + lambda, out.h[0][1] = out.h[1][0] = lambda;
    out.shear = 2 * m.mu;
    return out;
}

/// The stretch through the thickness is where ψ is least: Newton's method on p₃ = 0, never beyond a factor of two in
/// one iteration.
Principal general_principal(const MaterialLaw& law, const double* numbers, const Lame& m, const double s[2]) {
    const double ratio = m.lambda / (m.lambda + 2 * m.mu);
    Mat3 F = Mat3::Zero();
    F(0, 0) = s[0], F(1, 1) = s[1];
    double thick = std::clamp(1 - ratio * (s[0] + s[1] - 2), 0.2, 5.0);
    constexpr int most_iterations = 60;
    const double small = 1e-14 * (m.lambda + 2 * m.mu);
    for (int i = 0; i < most_iterations; ++i) {
        F(2, 2) = thick;
        const double p = law.stress(m, numbers, F)(2, 2);
        if (std::abs(p) <= small) break;
        const double k = law.tangent(m, numbers, F)(8, 8);
        const double wanted = k > 0 ? thick - p / k : p > 0 ? 0 : 2 * thick;
        const double next = std::max(least_stretch, std::clamp(wanted, 0.5 * thick, 2 * thick));
        if (next == thick) break;
        thick = next;
    }
    F(2, 2) = thick;
    const Mat3 P = law.stress(m, numbers, F);
    const Tangent T = law.tangent(m, numbers, F);
    Principal out;
    out.energy = law.energy(m, numbers, F);
    const bool adjusts = thick > least_stretch && T(8, 8) > 0;
    for (int i = 0; i < 2; ++i) {
        out.p[i] = P(i, i);
        for (int j = 0; j < 2; ++j) out.h[i][j] = T(4 * i, 4 * j) - (adjusts ? T(4 * i, 8) * T(8, 4 * j) / T(8, 8) : 0);
    }
    out.shear = T(3, 3) + T(3, 1);  // ∂P₀₁ for equal changes of F₀₁ and F₁₀
    return out;
}

}  // namespace

PrincipalPlaneStress principal_plane_stress(const MaterialLaw& law, const double* numbers, const Lame& moduli,
                                            const double s[2]) {
    return law.hooke ? hooke_principal(moduli, s) : general_principal(law, numbers, moduli, s);
}

PlaneStress plane_stress(const MaterialLaw& law, const double* numbers, const Lame& moduli, const Eigen::Matrix2d& C) {
    // Principal stretches and the angle of the first, without a cancelling difference.
    const double mean = 0.5 * (C(0, 0) + C(1, 1)), half = 0.5 * (C(0, 0) - C(1, 1)), off = 0.5 * (C(0, 1) + C(1, 0));
    const double radius = std::hypot(half, off), angle = radius > 0 ? 0.5 * std::atan2(off, half) : 0;
    const double s[2] = {std::max(least_stretch, std::sqrt(std::max(0.0, mean + radius))),
                         std::max(least_stretch, std::sqrt(std::max(0.0, mean - radius)))};
    const Principal w = principal_plane_stress(law, numbers, moduli, s);
    const double c = std::cos(angle), sn = std::sin(angle);
    Eigen::Matrix2d Q;
    Q << c, -sn, sn, c;
    const double S[2] = {w.p[0] / s[0], w.p[1] / s[1]};
    PlaneStress out;
    out.energy = w.energy;
    out.stress = Q * Eigen::Vector2d(S[0], S[1]).asDiagonal() * Q.transpose();
    // ∂S_i/∂E_j in the principal frame: S_i = p_i/s_i and dE_j = s_j ds_j. Shear: dC₁₂ = (s₁ + s₂) dU₁₂ and P = U S.
    Eigen::Matrix3d D = Eigen::Matrix3d::Zero();
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) D(i, j) = (w.h[i][j] - (i == j ? S[i] : 0)) / (s[i] * s[j]);
    D(2, 2) = (w.shear - S[1]) / (s[0] * (s[0] + s[1]));
    D.topLeftCorner<2, 2>() = positive_part(0.5 * (D.topLeftCorner<2, 2>() + D.topLeftCorner<2, 2>().transpose()));
    D(2, 2) = std::max(0.0, D(2, 2));
    // Strains xx yy 2xy seen in the principal frame.
    Eigen::Matrix3d turn;
    turn << c * c, sn * sn, c * sn, sn * sn, c * c, -c * sn, -2 * c * sn, 2 * c * sn, c * c - sn * sn;
    out.tangent = turn.transpose() * D * turn;
    return out;
}

Eigen::Matrix2d positive_part(const Eigen::Matrix2d& symmetric) {
    const double largest = symmetric.cwiseAbs().maxCoeff(), scale = largest > 0 ? largest : 1;
    // With two rows a matrix is tridiagonal as it stands, and Eigen's general reduction costs seconds of compile time.
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
    eigen.computeFromTridiagonal(symmetric.diagonal() / scale, Eigen::Matrix<double, 1, 1>(symmetric(1, 0) / scale));
    return eigen.eigenvectors() * (scale * eigen.eigenvalues()).cwiseMax(0.0).asDiagonal() *
           eigen.eigenvectors().transpose();
}

}  // namespace pliant
