#pragma once
// How the forces inside a material act to part it at a node (O'Brien & Hodgins 1999, sections 4.1 and 4.2).
//
// The Cauchy stress of each element is divided by its eigenvalues into a tensile and a compressive part (eqs. 29, 30),
// each of which pushes or pulls at the node (eq. 31). What is balanced among these forces makes the separation tensor
//
//     ζ = ½ ( −m(f⁺) + Σ m(f) over the tensile forces + m(f⁻) − Σ m(f) over the compressive ones ),   m(a) = a aᵀ/|a|,
//
// whose largest eigenvalue, with the direction n̂, is what pulls the node apart (eq. 32).
//
// That is a force in newtons, while the toughness τ of a material is a stress. What a node has to bear a force with is
//
//     A(n̂) = ½ Σ |a · n̂| / 3,      a: area vector of the face of each element opposite to the node, m²,
//
// a third of what the elements round it cover when seen along n̂. The node fails where n̂·ζ n̂ > τ A(n̂). It is this area
// because then a uniform uniaxial stress σ gives n̂·ζ n̂ / A = σ exactly, at every free or inner node of any mesh,
// whatever its elements: so τ is the tensile strength of the material and does not change with the mesh. (A third of
// the star's own surface would depend on how fat its elements are.) Under tension from all sides it gives about two
// thirds of it, since the forces at a node then point everywhere.

#include <span>

#include "pliant/core/types.hpp"

namespace pliant {

/// Equation 28.
Mat3 along(const Vec3& a);

/// Equations 29 and 30: a stress as the sum of what pulls and what pushes.
struct SplitStress {
    Mat3 tensile = Mat3::Zero(), compressive = Mat3::Zero();  ///< Pa
};
SplitStress split_stress(const Mat3& cauchy);

/// An element as a node sees it.
struct NodeCorner {
    Vec3 area;                  ///< of the face opposite to the node, outwards, where the body is now, m²
    const SplitStress* stress;  ///< Cauchy
    double toughness;           ///< Pa
};

struct Separation {
    double force = 0;             ///< largest eigenvalue of ζ, N; 0 or less: nothing pulls
    double stress = 0;            ///< that over the area, Pa
    double ratio = 0;             ///< the force over what the node bears; above 1 it fails
    Vec3 normal = Vec3::UnitX();  ///< of the crack plane
};

/// Equation 32.
Mat3 separation_tensor(std::span<const NodeCorner> corners);

/// Decides by the tensor. Where two or three eigenvalues are equal to 1e-6, the direction in the space of their
/// eigenvectors is the one nearest to the first of the axes x, y, z that comes within 60° of it, so that it does not
/// hang on rounding.
Separation separation_at(std::span<const NodeCorner> corners);

/// Sums over the elements round a node from which a node that cannot fail is told without any eigenvalue.
struct SeparationBound {
    double force = 0;  ///< the eigenvalue of ζ is not larger, N
    double area = 0;   ///< Σ |a|/6, m²
    Mat3 spread = Mat3::Zero();

    /// `stress`: norm of the Cauchy stress, or more, Pa.
    void add(const Vec3& face, double stress);
    /// True where the node bears the load if its elements have at least this toughness, Pa.
    bool holds(double toughness) const;
};

}  // namespace pliant
