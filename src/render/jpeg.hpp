#pragma once
// JPEG pictures, as artists' textures often are.

#include <string>
#include <string_view>

#include "pliant/render/image.hpp"

namespace pliant {

/// quality: from 1 to 100, as libjpeg counts it; at 85 hardly anybody sees that something was left out.
std::string jpeg_bytes(const Image& image, int quality = 85);

/// Throws UserError when the bytes are no JPEG picture.
Image read_jpeg(std::string_view bytes);

}  // namespace pliant
