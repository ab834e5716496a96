#pragma once
// The part of the scenes' library that is written in Lua itself: sorting, which is stable and so does not depend on
// chance as Lua's own does, and vectors {x, y, z} with arithmetic.

namespace pliant::script {

class Sandbox;
void run_prelude(Sandbox& sandbox);

/// Gives the list at the top of the stack the arithmetic of vectors.
void make_vector(Sandbox& sandbox);

}  // namespace pliant::script
