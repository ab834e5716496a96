#pragma once
// Numbers to colours. Two scales: `rising` grows steadily lighter, for amounts; `around_zero` is pale at zero and
// darkens both ways, for signed values. Both are blended in Oklab, where equal steps look equal.

#include "pliant/render/float3.hpp"

namespace pliant {

enum class Colormap { rising, around_zero };

/// t in 0 … 1 (clamped; not a number gives grey) → linear RGB.
Vec3f map_color(Colormap map, float t);

/// Colours that tell any number of labels apart: label → linear RGB.
Vec3f label_color(int label);

}  // namespace pliant
