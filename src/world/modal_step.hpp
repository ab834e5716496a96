#pragma once
// The part of a step that modal bodies take.

#include "pliant/world/world.hpp"

namespace pliant {

/// Advances all modal bodies from w.time by dt under body.force, with hands, joints and contacts; records impacts.
void advance_modal(World& w, double dt);

}  // namespace pliant
