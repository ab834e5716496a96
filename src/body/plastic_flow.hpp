#pragma once
// Plastic strain of a body: its flow during a step, and what is elastic after it is taken away.

#include "pliant/body/fem_body.hpp"

namespace pliant {

/// Total strain of a tet at the present x, eq. 13 of Müller & Gross 2004: sym(RᵀF) − I with a fresh rotation.
Strain6 total_strain(const FemBody& body, int tet);

/// What stresses the tet: total minus plastic strain, eq. 14.
Strain6 elastic_strain(const FemBody& body, int tet);

/// Stress of the elastic strain in the rest frame, xx yy zz xy yz zx, Pa.
Strain6 elastic_stress(const FemBody& body, int tet);
/// That of all tets, several at a time; the next step starts from the rotations found.
void elastic_stresses(FemBody& body, std::span<Strain6> out, Threads& threads);

/// Norm of a tet's lasting strain: of the strain itself, or of the logarithm of the stretches of Fp.
double plastic_strain_norm(const FemBody& body, int tet);

/// The numbers by which a tet is elastic during the present step. As the body's, but where the material is a Maxwell
/// liquid of viscosity η, with no yield and a step of its own, body.flow_dt: its shear modulus G is then that of the
/// step,
///
///     G′ = G (1 − exp(−ν dt))/(ν dt),      ν = G/η,
///
/// with the bulk modulus as it is. A step flows first, by exp(−ν dt), and then deforms. With G′ what it ends with is
/// what the element has after a step of constant strain rate, whatever ν dt: for a long step 2η times that rate.
ElementMaterial stepped_material(const FemBody& body, int tet);

/// The flow of body.plastic_deformation in a step from the present x; the solid gets the new shapes.
void flow_shapes(FemBody& body, double dt, Threads& threads);

/// What the law is called with during a step.
struct FlowContext {
    const FemBody* body;
    double dt;  ///< s
};

/// Brings body.flow_numbers up to date with the numbers of the material and the step: after they were set, and in every
/// step where they follow the temperature.
void set_flow_numbers(FemBody& body, double dt, Threads& threads);

/// The flow of body.plastic_strain in a step from the present x. A step that leaves the range of numbers and is tried
/// again in halves has flowed all the same, as it has turned: the strain that drives it is that of x, which was sound.
PlasticFlow plastic_flow(FemBody& body, const FlowContext& context);

}  // namespace pliant
