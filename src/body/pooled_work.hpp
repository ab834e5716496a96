#pragma once
// What the energy ledger asks of bodies that it does not follow through a step (world/ledger.hpp): those with other
// integrators than implicit Euler, particles and shells.

#include "pliant/body/fem_body.hpp"
#include "pliant/body/particle_body.hpp"
#include "pliant/body/shell_body.hpp"

namespace pliant {

/// Done by nodes whose motion is given against the elastic forces at the end of the step, J. Before it is committed.
double work_against_elasticity(FemBody& body, double dt, Threads& threads);
double work_against_elasticity(ParticleBody& body, double dt, Threads& threads);
double work_against_elasticity(ShellBody& body, double dt, Threads& threads);

/// Rayleigh's α of the step, 1/s. Leap-frog has a factor per step instead.
double mass_damping(const FemBody& body);
double mass_damping(const ParticleBody& body);
double mass_damping(const ShellBody& body);

}  // namespace pliant
