#pragma once
// Surface tension on the fine surface of a body that is remeshed (Wojtan & Turk 2008, section 7). Its energy is σ times
// the area, so that the force on vertex i is
//
//     f_i = −σ ∂A/∂x_i = σ Σ_j w_ij (x_j − x_i),      w_ij = (cot α_ij + cot β_ij)/2,
//
// over its edges, with the angles across each. That is what eqs. 6 and 7 approach, and it keeps linear and angular
// momentum as they do. Vertices pass it on to their tet's nodes by the barycentric weights b_i: the distribution
// weights of eq. 4 sum to more than 1, and would create force.

#include <vector>

#include "pliant/body/fem_body.hpp"
#include "pliant/solve/coupling.hpp"

namespace pliant {

/// Adds the forces at the present positions to body.force.
void add_surface_tension(FemBody& body);

/// Appends a row for each edge that lets the forces follow the motion within the step, weights held: the implicit
/// form, so that small drops do not set the step. `system`: number of the body among those solved together.
void add_tension_rows(const FemBody& body, int system, double dt, std::vector<Coupling>& rows);

}  // namespace pliant
