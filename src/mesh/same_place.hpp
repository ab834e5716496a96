#pragma once
// Points at exactly the same place.

#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// For each point the first one at exactly the same place.
std::vector<int> first_at_same_place(const std::vector<Vec3>& points);

}  // namespace pliant
