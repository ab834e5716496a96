#pragma once
// Pictures as PNG bytes and back. Writing to a file is the caller's: it knows how to do it without leaving half a file.

#include <string>
#include <string_view>

#include "pliant/render/image.hpp"

namespace pliant {

/// level: of the compression, 0 to 9; beyond about 4 a picture takes much longer and is hardly smaller.
std::string png_bytes(const Image& image, int level = 7);

/// Throws UserError when the bytes are no PNG picture.
Image read_png(std::string_view bytes);

}  // namespace pliant
