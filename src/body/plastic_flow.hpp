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

/// Fills body.plastic_next from body.plastic_strain for a step of dt seconds from the present x. What the step commits
/// becomes the state only then, so that a step can be tried again.
void flow_plastically(FemBody& body, double dt, Threads& threads);

}  // namespace pliant
