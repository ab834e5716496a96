#pragma once
// The field "stress": a tensor per tet (xx yy zz xy yz zx, Pa) in the world's frame. It is as large as all other fields
// of a frame together, so that frames have it only where someone asks.

#include "pliant/world/frame.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

/// Adds it to the FEM bodies of a frame that was just taken of this world.
void add_stress_fields(const World& w, Frame& frame);

}  // namespace pliant
