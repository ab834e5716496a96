#pragma once
// Where scenes and models are found.

#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

/// The folder of the shipped scenes: beside the program's sources, or in share/pliant of an installation; may be empty.
std::filesystem::path shipped_scenes();

/// A path as given, or the shipped scene of that name; UserError with the nearest name otherwise.
std::filesystem::path find_scene(const std::string& name);

/// The given folders, then ./models.
std::vector<std::filesystem::path> model_folders(const std::vector<std::string>& given);

}  // namespace pliant
