#pragma once
// Whether a body moved as a whole: files that can say so need its points once.

#include <optional>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

/// A rigid motion that takes points from where they are to others, if one does, to 10⁻⁵ of their size; none at all
/// where they have moved by less than a tenth of that.
std::optional<Pose> rigid_motion(const std::vector<Vec3>& from, const std::vector<Vec3>& to);

}  // namespace pliant
