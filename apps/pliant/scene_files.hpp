#pragma once
// Where scenes and models are found, and what scenes may do with files.

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/script/scene.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

/// The folder of the shipped scenes: beside the program's sources, or in share/pliant of an installation; may be empty.
std::filesystem::path shipped_scenes();

/// The scenes below a folder, in order. Files in folders called `parts` are none: scenes include them.
std::vector<std::filesystem::path> scenes_below(const std::filesystem::path& folder);

/// A path as given, or the shipped scene of that name; UserError with the nearest name otherwise.
std::filesystem::path find_scene(const std::string& name);

/// The given folders, then ./models.
/// What a scene says of itself: the first sentence of the comment it begins with, however many lines that has.
std::string first_sentence(const std::filesystem::path& scene);

std::vector<std::filesystem::path> model_folders(const std::vector<std::string>& given);

/// Lets a scene read surfaces, tets and structures, and run TetGen.
void connect_files(SceneOptions& options);

/// What exporters are told of a run of the scene.
RunInfo run_info(const SceneDesc& desc, const std::filesystem::path& scene, int frames);

/// As the flags --set KEY=VALUE and --models DIR say, with files connected; what the scene prints goes to stderr.
SceneOptions scene_options(const std::vector<std::string>& set, const std::vector<std::string>& models);

}  // namespace pliant
