#pragma once
// What the world's step must know of bodies that take shorter steps of their own (leap-frog): they hold axes
// themselves, they can explode, and obstacles that do not yield stop them in each of their own steps
// (particle/touch.hpp) and not by a row of the common solve.

#include "pliant/body/fem_body.hpp"
#include "pliant/body/particle_body.hpp"
#include "pliant/body/shell_body.hpp"
#include "pliant/contact/contact.hpp"

namespace pliant {

/// Whether the body holds nodes along one axis in its own steps; the others need a row of the common solve.
inline bool holds_axes_itself(const FemBody&) { return false; }
inline bool holds_axes_itself(const ShellBody&) { return false; }
inline bool holds_axes_itself(const ParticleBody& body) { return !body.implicit; }

/// After begin_step(): a UserError if a particle ran away (runaway_particle()). Smaller steps of the world would not
/// help, because the body has its own.
void throw_if_exploded(const ParticleBody& body, double dt, double time);

/// Adds a contact with an obstacle to body.touches, before begin_step(). A vertex that starts inside comes out as those
/// of other bodies do: the part `recovery` of its depth in this step (ContactOptions::recovery).
void add_touch(ParticleBody& body, const Contact& contact, double recovery, double dt);

/// Mean velocity of the point over the step that ends at body.x_trial, m/s.
Vec3 mean_velocity(const ParticleBody& body, const ParticleTouch& touch, double dt);

}  // namespace pliant
