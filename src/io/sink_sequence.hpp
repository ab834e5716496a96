#pragma once
// Exporters that write one file per body and frame: a folder of NAME_000123.obj and so on.

#include <filesystem>
#include <memory>
#include <string>

#include "pliant/world/frame.hpp"

namespace pliant {

/// Writes directory/EXTENSION/BODY_FRAME.EXTENSION with what `bytes` makes of each body that has points.
std::unique_ptr<FrameSink> make_sequence_sink(const std::filesystem::path& directory, const std::string& extension,
                                              std::string (*bytes)(const BodyFrame&, const Frame&));

}  // namespace pliant
