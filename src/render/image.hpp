#pragma once
// A finished picture: 8-bit sRGB, row by row from the top left.

#include <cstdint>
#include <span>
#include <vector>

namespace pliant {

struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  ///< 3 · width · height bytes

    Image() = default;
    Image(int w, int h) : width(w), height(h), rgb(3 * std::size_t(w) * std::size_t(h)) {}

    std::uint8_t* at(int x, int y) { return rgb.data() + 3 * (std::size_t(y) * width + x); }
    const std::uint8_t* at(int x, int y) const { return rgb.data() + 3 * (std::size_t(y) * width + x); }
};

/// Pictures of one size side by side, `columns` to a row, `gap` pixels of white between them.
Image contact_sheet(std::span<const Image> pictures, int columns, int gap = 4);

}  // namespace pliant
