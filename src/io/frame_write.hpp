#pragma once
// One frame of a run as one file in which bodies stay apart: objects of an OBJ, nodes of a glTF.

#include <string>

#include "pliant/world/frame.hpp"

namespace pliant {

/// Writes the bodies of a frame without obstacles, each under its own name and with all that it was brought with.
/// False, and nothing is done, for formats that hold a single surface.
bool write_frame_bodies(const std::string& path, const Frame& frame);

}  // namespace pliant
