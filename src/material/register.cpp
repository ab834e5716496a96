#include <Eigen/Eigenvalues>

#include "pliant/material/laws.hpp"

namespace pliant {

const Registry<MaterialLaw>& material_laws() {
    static const Registry<MaterialLaw> all{
        "elasticity",
        {
            {"corotational", "Hooke's law in a rotating frame: large turns, moderate strain; the default", true,
             make_corotational},
            {"linear", "Hooke's law as it stands: small turns only, swells when bent far", false, make_linear},
        }};
    return all;
}

Tangent spd_projected(const Tangent& tangent) {
    const Eigen::SelfAdjointEigenSolver<Tangent> eigen(0.5 * (tangent + tangent.transpose()));
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace pliant
