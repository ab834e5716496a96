#pragma once
// Explicit steps of a body of finite elements. They run inside one of the world, and obstacles stop the body in each of
// them (particle/touch.hpp), as they do with leap-frog bodies: what other bodies and hands do is found for the world's
// step as a whole, from where the nodes would go by themselves; it is then a force, and the steps run again with it.
//
// How long a step may be: the fastest wave must not cross the flattest element within it. With ω the largest frequency
// and c the largest rate of damping, both bounded element by element (Solid::stable_rates), that is
//     h < 4 / (c + √(c² + 4ω²)),     2/ω without damping, 2/c where damping rules.
// Beyond that it is watched (O'Brien, Bargteil & Hodgins 2002, section 5). A step moves energy between motion and
// deformation by terms of ½ (h/2)² Σ f²/m. Of a linear body, f²/m of elastic forces is at most ω² times twice the
// elastic energy E, and the terms are at most (hω/2)² E: as long as they stay below E the motion is one that the step
// can follow. Where they exceed E, what moves is what the step itself makes grow, whatever the law and the strain. The
// same holds for damping and the kinetic energy of deforming motion. Then the steps are halved, and the world's step is
// run again from its start; they grow back, up to what is stable by the speed of waves, when there is room.

#include "pliant/body/fem_body.hpp"

namespace pliant {

/// The longest explicit step by the speed of waves and by damping, s.
double stable_step(FemBody& body);
/// The longest step that the body will take, s: given by the user or stable, halved as often as it was.
double own_step(FemBody& body);

/// Room for the masses that others act on; after the mesh has changed.
void follow_own_mesh(FemBody& body);

/// The way of each node with obstacles alone, as the velocity that other bodies and hands act on.
void predict_own_steps(FemBody& body, double dt, Threads& threads);
/// The motion with what other bodies and hands do, and the impulses of touches; before commit_step().
void finish_own_steps(FemBody& body, double dt, Threads& threads);

}  // namespace pliant
