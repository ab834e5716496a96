// GIFs, read back by a decoder written from the format's description alone.

#include "pliant/render/gif.hpp"

#include <gtest/gtest.h>
#include <algorithm>

#include <cmath>

namespace pliant {
namespace {

struct GifFrame {
    Image picture;
    int delay = 0;
};

std::vector<int> lzw_decode(const std::string& data, int least) {
    std::vector<int> out;
    const int clear = 1 << least, end = clear + 1;
    std::vector<std::vector<int>> table;
    int width = least + 1;
    std::vector<int> last;
    std::size_t bit = 0;
    const auto reset = [&] {
        table.clear();
        for (int i = 0; i < clear + 2; ++i) table.push_back({i});
        width = least + 1;
        last.clear();
    };
    reset();
    while (bit + static_cast<std::size_t>(width) <= 8 * data.size()) {
        int code = 0;
        for (int k = 0; k < width; ++k, ++bit)
            code |= (static_cast<unsigned char>(data[bit / 8]) >> (bit % 8) & 1) << k;
        if (code == clear) {
            reset();
            continue;
        }
        if (code == end) return out;
        std::vector<int> word;
        if (code < static_cast<int>(table.size())) {
            word = table[static_cast<std::size_t>(code)];
        } else {
            word = last;
            word.push_back(last.at(0));
        }
        out.insert(out.end(), word.begin(), word.end());
        if (!last.empty() && table.size() < 4096) {
            last.push_back(word[0]);
            table.push_back(last);
            if (table.size() == std::size_t{1} << width && width < 12) ++width;
        }
        last = word;
    }
    ADD_FAILURE() << "no end code";
    return out;
}

std::vector<GifFrame> read_gif(const std::string& b) {
    std::vector<GifFrame> frames;
    const auto u8 = [&](std::size_t i) { return static_cast<unsigned char>(b.at(i)); };
    const auto u16 = [&](std::size_t i) { return u8(i) | u8(i + 1) << 8; };
    EXPECT_EQ(b.substr(0, 6), "GIF89a");
    Image canvas(u16(6), u16(8));
    std::size_t at = 13;
    int delay = 0, hole = -1;
    while (u8(at) != ';') {
        if (u8(at) == 0x21) {
            if (u8(at + 1) == 0xF9) delay = u16(at + 4), hole = (u8(at + 3) & 1) ? u8(at + 6) : -1;
            for (at += 2; u8(at) != 0; at += 1U + u8(at)) {
            }
            ++at;
            continue;
        }
        EXPECT_EQ(u8(at), ',');
        const std::size_t palette = at + 10, colors = std::size_t{2} << (u8(at + 9) & 7);
        at = palette + 3 * colors;
        const int least = u8(at++);
        std::string data;
        for (; u8(at) != 0; at += 1U + u8(at)) data += b.substr(at + 1, u8(at));
        ++at;
        const std::vector<int> pixels = lzw_decode(data, least);
        EXPECT_EQ(pixels.size(), canvas.rgb.size() / 3);
        for (std::size_t i = 0; i < pixels.size(); ++i)
            if (pixels[i] != hole)
                for (std::size_t k = 0; k < 3; ++k)
                    canvas.rgb[3 * i + k] = u8(palette + 3 * std::size_t(pixels[i]) + k);
        frames.push_back({canvas, delay});
    }
    return frames;
}

Image shaded(int width, int height, double phase) {
    Image image(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const double u = double(x) / width, v = double(y) / height;
            const bool moving = std::hypot(u - 0.3 - phase, v - 0.5) < 0.2;
            image.at(x, y)[0] = std::uint8_t(moving ? 220 : 255 * u);
            image.at(x, y)[1] = std::uint8_t(moving ? 40 : 120 + 100 * v);
            image.at(x, y)[2] = std::uint8_t(moving ? 60 : 255 * (1 - u));
        }
    return image;
}

TEST(Gif, PicturesComeBackWithinThePalettesReach) {
    GifWriter writer(160, 90, 25);
    std::vector<Image> pictures;
    for (int i = 0; i < 5; ++i) pictures.push_back(shaded(160, 90, 0.08 * i)), writer.add(pictures.back());
    const std::string bytes = writer.take();
    const auto frames = read_gif(bytes);
    ASSERT_EQ(frames.size(), pictures.size());
    double worst = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
        EXPECT_EQ(frames[f].delay, 4);
        double sum = 0;
        for (std::size_t i = 0; i < pictures[f].rgb.size(); ++i)
            sum += std::pow(double(pictures[f].rgb[i]) - frames[f].picture.rgb[i], 2);
        worst = std::max(worst, std::sqrt(sum / double(pictures[f].rgb.size())));
    }
    std::printf("%zu bytes, root mean square error %.1f of 255\n", bytes.size(), worst);
    EXPECT_LT(worst, 8);  // 6 × 7 × 6 even colours leave 13
}

TEST(Gif, FewColoursAreExactAndNoiseDoesNotBreakTheCodes) {
    Image noise(200, 150);
    std::uint32_t state = 7;
    for (std::uint8_t& c : noise.rgb) state = state * 1664525U + 1013904223U, c = std::uint8_t(state >> 24 & 0xE0);
    GifWriter writer(200, 150, 60);  // starts at 0, 2, 3, 5, 7, 8 … hundredths: every third is too short
    for (int i = 0; i < 60; ++i) writer.add(noise), noise.rgb[std::size_t(3 * i)] ^= 0x40;
    const auto frames = read_gif(writer.take());
    int total = 0;
    for (const GifFrame& frame : frames) total += frame.delay;
    EXPECT_EQ(total, 100);
    EXPECT_EQ(frames.size(), 40U);
    EXPECT_EQ(median_cut(Image(4, 4), 255).size(), 1U);
}

}  // namespace
}  // namespace pliant
