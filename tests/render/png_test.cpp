#include "pliant/render/png.hpp"

#include <gtest/gtest.h>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

Image noise(int width, int height, std::uint64_t seed) {
    Image image(width, height);
    Rng rng(seed);
    for (std::uint8_t& byte : image.rgb) byte = std::uint8_t(rng.next());
    return image;
}

TEST(Png, RoundTrip) {
    for (const auto& [w, h] : {std::pair{1, 1}, {17, 5}, {300, 200}}) {
        const Image image = noise(w, h, 7);
        const Image back = read_png(png_bytes(image));
        EXPECT_EQ(back.width, w);
        EXPECT_EQ(back.height, h);
        EXPECT_EQ(back.rgb, image.rgb);
    }
}

TEST(Png, DamagedBytesAreRefused) {
    const std::string bytes = png_bytes(noise(40, 30, 3));
    EXPECT_THROW(read_png(""), UserError);
    EXPECT_THROW(read_png("not a picture at all"), UserError);
    EXPECT_THROW(read_png(std::string_view(bytes).substr(0, bytes.size() / 2)), UserError);
}

TEST(Image, ContactSheetPlacesPictures) {
    const Image pictures[] = {noise(8, 6, 1), noise(8, 6, 2), noise(8, 6, 3)};
    const Image sheet = contact_sheet(pictures, 2, 3);
    EXPECT_EQ(sheet.width, 8 + 3 + 8);
    EXPECT_EQ(sheet.height, 6 + 3 + 6);
    EXPECT_EQ(sheet.at(11, 2)[1], pictures[1].at(0, 2)[1]);
    EXPECT_EQ(sheet.at(7, 14)[2], pictures[2].at(7, 5)[2]);
    EXPECT_EQ(sheet.at(9, 2)[0], 255);
    EXPECT_EQ(sheet.at(15, 12)[0], 255);
}

}  // namespace
}  // namespace pliant
