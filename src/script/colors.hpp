#pragma once
// Colours as scenes write them.

#include <optional>
#include <string_view>

#include "pliant/core/params.hpp"

namespace pliant::script {

/// Linear RGB of a name of CSS ("teal") or "#rgb", "#rrggbb"; nothing when it is neither.
std::optional<Vec3> color_by_name(std::string_view text);

/// Of a text as above (sRGB), or three numbers from 0 to 1 (linear light). UserError otherwise.
Vec3 color_from(const Value& value);

}  // namespace pliant::script
