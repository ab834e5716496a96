#pragma once
// camera.json in a run directory: where the scene wants to be seen from.

#include <filesystem>
#include <optional>

#include "pliant/scene/scene_desc.hpp"

namespace pliant {

/// Without a camera, one that an earlier run left there is removed.
void write_camera(const std::filesystem::path& run, const std::optional<CameraDesc>& camera);

/// Nothing when the scene had none. UserError when the file is damaged.
std::optional<CameraDesc> read_camera(const std::filesystem::path& run);

}  // namespace pliant
