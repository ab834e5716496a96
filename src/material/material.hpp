#pragma once
// The elastic laws as the rest of the program sees them: by name, with energy, stress and tangent of one deformation
// gradient in double precision. What a law is, and how to add one, is in law.hpp.

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "pliant/core/params.hpp"
#include "pliant/core/registry.hpp"
#include "pliant/core/types.hpp"
#include "pliant/material/hooke.hpp"

namespace pliant {

/// dP/dF with both matrices read column by column: entry (i + 3j, k + 3l) is ∂P_ij/∂F_kl.
using Tangent = Eigen::Matrix<double, 9, 9>;

struct MaterialLaw {
    std::string name;        ///< as a scene spells it
    std::string doc;         ///< what it is good for and what it cannot do
    bool objective;          ///< energy does not change under rotation
    bool resists_inversion;  ///< past a flat state it still pushes back
    bool isotropic;
    bool hooke;             ///< runs in the kernel of warped stiffness and takes additive plastic strain
    bool volume_separates;  ///< the part of its energy that λ adds resists changes of volume alone
    bool viscous;           ///< its first two numbers are viscosities φ and ψ
    int place;              ///< in the list of laws; −1: it is not in it
    Schema schema;          ///< its own keys

    /// The numbers that the functions below take, from a checked table of its keys. Throws UserError.
    std::vector<double> (*numbers)(const MaterialLaw& law, const Params& params);

    double (*energy)(const Lame&, const double* numbers, const Mat3& F);    ///< J per m³ of rest volume
    Mat3 (*stress)(const Lame&, const double* numbers, const Mat3& F);      ///< first Piola–Kirchhoff, Pa
    Tangent (*tangent)(const Lame&, const double* numbers, const Mat3& F);  ///< ∂P/∂F, Pa; maybe indefinite
    Tangent (*projected_tangent)(const Lame&, const double* numbers, const Mat3& F);  ///< positive semidefinite

    std::vector<double> default_numbers() const;
};

/// Every law there is, in the order of law_list.hpp; the first is the default.
const Registry<MaterialLaw>& material_laws();

}  // namespace pliant
