#include "pliant/render/image.hpp"

#include <algorithm>
#include <cstring>

#include "pliant/core/error.hpp"

namespace pliant {

Image contact_sheet(std::span<const Image> pictures, int columns, int gap) {
    CHECK(!pictures.empty() && columns > 0 && gap >= 0, pictures.size(), columns, gap);
    const int w = pictures[0].width, h = pictures[0].height;
    const int count = static_cast<int>(pictures.size());
    columns = std::min(columns, count);
    const int rows = (count + columns - 1) / columns;
    Image sheet(columns * w + (columns - 1) * gap, rows * h + (rows - 1) * gap);
    std::fill(sheet.rgb.begin(), sheet.rgb.end(), std::uint8_t{255});
    for (int i = 0; i < count; ++i) {
        const Image& picture = pictures[i];
        CHECK(picture.width == w && picture.height == h, picture.width, picture.height, w, h);
        const int x = (i % columns) * (w + gap), y = (i / columns) * (h + gap);
        for (int row = 0; row < h; ++row) std::memcpy(sheet.at(x, y + row), picture.at(0, row), 3 * std::size_t(w));
    }
    return sheet;
}

}  // namespace pliant
