#pragma once
// The part of a step that modal bodies take.

#include "pliant/world/world.hpp"

namespace pliant {

/// Advances all modal bodies from w.time by dt under body.force, with hands, joints and contacts, those with rigid
/// bodies among them; records impacts. `props`: the obstacles of w.props in this step.
void advance_modal(World& w, double dt, std::span<const Obstacle> props);

}  // namespace pliant
