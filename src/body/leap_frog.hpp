#pragma once
// What the world's step must know of bodies that take shorter steps of their own (leap-frog, and explicit integrators
// of finite elements): they hold axes themselves, they can explode, and obstacles that do not yield stop them in each
// of their own steps (particle/touch.hpp) and not by a row of the common solve.

#include "pliant/body/fem_body.hpp"
#include "pliant/body/particle_body.hpp"
#include "pliant/body/shell_body.hpp"
#include "pliant/contact/contact.hpp"

namespace pliant {

/// Whether the body takes steps of its own. Others need a row of the common solve for each obstacle and each node that
/// is held along one axis.
inline bool steps_itself(const FemBody& body) { return body.integrator->is_explicit(); }
inline bool steps_itself(const ParticleBody& body) { return !body.implicit; }
inline bool steps_itself(const ShellBody&) { return false; }

/// Obstacles it may meet in this step.
inline std::vector<ParticleTouch>& touches(FemBody& body) { return body.own.touches; }
inline std::vector<ParticleTouch>& touches(ParticleBody& body) { return body.touches; }
/// Where its own steps end.
inline const std::vector<Vec3>& trial_positions(const FemBody& body) { return body.own.x_trial; }
inline const std::vector<Vec3>& trial_positions(const ParticleBody& body) { return body.x_trial; }

/// After begin_step(): a UserError if a particle ran away (runaway_particle()). Smaller steps of the world would not
/// help, because the body has its own.
void throw_if_exploded(const ParticleBody& body, double dt, double time);

/// A contact of the body with an obstacle, for touches(), before begin_step(). A vertex that starts inside comes out as
/// those of other bodies do: the part `recovery` of its depth in this step (ContactOptions::recovery).
ParticleTouch touch_of(const DeformableBody& body, const Contact& contact, double recovery, double dt);

/// Mean velocity of the point over a step from x to x_end, m/s.
Vec3 mean_velocity(std::span<const Vec3> x, std::span<const Vec3> x_end, const ParticleTouch& touch, double dt);

}  // namespace pliant
