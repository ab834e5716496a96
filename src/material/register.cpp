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

const Registry<PlasticityLaw>& plasticity_laws() {
    static const Registry<PlasticityLaw> all{
        "plasticity",
        {
            {"creep", "Flows while strained beyond its yield, at a rate; the same for any time step.", creep,
             creep_share},
            {"creep_step", "The same as one explicit step, as Müller & Gross print it: depends on the time step.",
             creep_step, creep_step_share, false},
            {.name = "finite_creep",
             .doc = "Flows like creep by logarithmic strain: its volume is kept exactly, however far it goes, and it "
                    "works with every elasticity.",
             .finite_flow = finite_creep},
        }};
    return all;
}

Tangent spd_projected(const Tangent& tangent) {
    const Eigen::SelfAdjointEigenSolver<Tangent> eigen(0.5 * (tangent + tangent.transpose()));
    return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace pliant
