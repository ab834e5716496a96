#pragma once
// JPEG pictures, as artists' textures often are: read, never written.

#include <string_view>

#include "pliant/render/image.hpp"

namespace pliant {

/// Throws UserError when the bytes are no JPEG picture.
Image read_jpeg(std::string_view bytes);

}  // namespace pliant
