#pragma once
// looks.json in a run directory: light, surroundings and materials of its pictures, as the scene has them.

#include <filesystem>
#include <optional>
#include <vector>

#include "pliant/scene/scene_desc.hpp"

namespace pliant {

struct SceneLooks {
    std::optional<LightingDesc> lighting;
    std::vector<LookDesc> looks;
};

/// Where the scene says nothing, a file that an earlier run left there is removed.
void write_looks(const std::filesystem::path& run, const SceneDesc& scene);

/// Empty when the scene said nothing. UserError when the file is damaged.
SceneLooks read_looks(const std::filesystem::path& run);

}  // namespace pliant
