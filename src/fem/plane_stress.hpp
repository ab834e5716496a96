#pragma once
// An elastic law for a sheet: the same ψ(F) as for solids, with the stretch through the thickness such that no stress
// acts across the sheet.

#include <Eigen/Core>

#include "pliant/material/material.hpp"

namespace pliant {

/// Of ψ as a function of the in-plane right Cauchy–Green tensor C, or of Green's strain E = (C − 1)/2 as xx yy 2xy.
struct PlaneStress {
    double energy = 0;        ///< J/m³
    Eigen::Matrix2d stress;   ///< second Piola–Kirchhoff S = 2 ∂ψ/∂C, Pa
    Eigen::Matrix3d tangent;  ///< ∂S/∂E, negative eigenvalues made zero, Pa
};

/// `numbers`: of the law's own. The law is isotropic. C may have eigenvalues of zero.
PlaneStress plane_stress(const MaterialLaw& law, const double* numbers, const Lame& moduli, const Eigen::Matrix2d& C);

/// Stretches below this count as it: a sheet crushed to a thousandth is out of every law's reach, and its second
/// Piola–Kirchhoff stress p/s would have no bound.
constexpr double least_stretch = 1e-3;

/// ψ of the principal stretches in the plane after the thickness has adjusted; its first and second derivatives, and
/// (p₁ − p₂)/(s₁ − s₂).
struct PrincipalPlaneStress {
    double energy, p[2], h[2][2], shear;
};
PrincipalPlaneStress principal_plane_stress(const MaterialLaw& law, const double* numbers, const Lame& moduli,
                                            const double s[2]);

/// A symmetric matrix with its negative eigenvalues made zero.
Eigen::Matrix2d positive_part(const Eigen::Matrix2d& symmetric);

}  // namespace pliant
