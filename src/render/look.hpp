#pragma once
// Which colour every body has: its own, a palette's, its pieces', its cracks', or a field's.

#include <vector>

#include "pliant/render/renderer.hpp"
#include "pliant/render/scene.hpp"

namespace pliant {

struct Coloring {
    std::vector<BodyLook> looks;  ///< one per body
};

Coloring color_bodies(const Frame& frame, const RenderOptions& options);

}  // namespace pliant
