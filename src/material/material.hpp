#pragma once
// An elastic law: energy, stress and tangent as functions of the deformation gradient, and nothing more.
// To add one: write <law>.cpp with a make_<law>() and add its line in register.cpp; the family test then checks it.

#include <Eigen/Core>
#include <memory>
#include <string>

#include "pliant/core/registry.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

/// Lamé's constants, Pa.
struct Lame {
    double lambda = 0;
    double mu = 0;
};
/// young in Pa, poisson in (−1, 0.5).
inline Lame lame(double young, double poisson) {
    return {young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))};
}

/// dP/dF with both matrices read column by column: entry (i + 3j, k + 3l) is ∂P_ij/∂F_kl.
using Tangent = Eigen::Matrix<double, 9, 9>;

class Material {
public:
    virtual ~Material() = default;
    virtual double energy(const Mat3& F) const = 0;    ///< J per m³ of rest volume
    virtual Mat3 stress(const Mat3& F) const = 0;      ///< first Piola–Kirchhoff P = ∂energy/∂F, Pa
    virtual Tangent tangent(const Mat3& F) const = 0;  ///< ∂P/∂F, Pa; symmetric, maybe indefinite
};

struct MaterialLaw {
    std::string name;  ///< as a scene spells it
    std::string doc;   ///< one line: what it is good for
    bool objective;    ///< energy does not change under rotation
    std::unique_ptr<Material> (*make)(const Lame&);
};

/// Every law there is, in the order of register.cpp.
const Registry<MaterialLaw>& material_laws();

/// The nearest symmetric positive semidefinite matrix: negative eigenvalues become zero.
Tangent spd_projected(const Tangent& tangent);

}  // namespace pliant
