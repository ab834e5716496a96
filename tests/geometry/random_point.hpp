#pragma once

#include "pliant/core/rng.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

inline Vec3 random_point(Rng& rng) { return {rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; }

}  // namespace pliant
