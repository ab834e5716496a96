#include "pliant/render/gif.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

using Color = std::array<std::uint8_t, 3>;
constexpr int transparent = 255;

void put16(std::string& out, int v) { out += static_cast<char>(v & 255), out += static_cast<char>(v >> 8 & 255); }

/// A colour of the histogram: five bits per channel, how often it appears, and the sums of what fell into it.
struct Bin {
    std::uint32_t count = 0;
    std::array<std::uint32_t, 3> sum{};
    double mean(int k) const { return double(sum[std::size_t(k)]) / count; }
};

/// Codes of growing width, least significant bit first, in blocks of up to 255 bytes.
class LzwWriter {
public:
    explicit LzwWriter(std::string& out) : out_(out) {}
    void code(int value, int width) {
        bits_ |= std::uint32_t(value) << used_;
        for (used_ += width; used_ >= 8; used_ -= 8, bits_ >>= 8) byte(static_cast<char>(bits_ & 255));
    }
    void finish() {
        if (used_ > 0) byte(static_cast<char>(bits_ & 255));
        flush();
        out_ += '\0';
    }

private:
    void byte(char b) {
        block_ += b;
        if (block_.size() == 255) flush();
    }
    void flush() {
        if (!block_.empty()) out_ += static_cast<char>(block_.size()), out_ += block_;
        block_.clear();
    }
    std::string& out_;
    std::string block_;
    std::uint32_t bits_ = 0;
    int used_ = 0;
};

/// Variable-length LZW of 8-bit numbers, as GIF89a has it.
void lzw(const std::vector<std::uint8_t>& pixels, std::string& out) {
    constexpr int clear = 256, end = 257, most = 4096;
    out += '\x08';
    LzwWriter writer(out);
    std::vector<std::uint16_t> next(std::size_t(most) * 256, 0);  // of a code and a further pixel, or 0
    int known = end + 1, width = 9, prefix = pixels[0];
    writer.code(clear, width);
    for (std::size_t i = 1; i < pixels.size(); ++i) {
        std::uint16_t& child = next[std::size_t(prefix) * 256 + pixels[i]];
        if (child != 0) {
            prefix = child;
            continue;
        }
        writer.code(prefix, width);
        if (known < most) {
            if (known == 1 << width) ++width;
            child = std::uint16_t(known++);
        } else {
            writer.code(clear, width);
            std::fill(next.begin(), next.end(), std::uint16_t(0));
            known = end + 1, width = 9;
        }
        prefix = pixels[i];
    }
    writer.code(prefix, width);
    if (known == 1 << width && width < 12) ++width;
    writer.code(end, width);
    writer.finish();
}

constexpr int bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};

}  // namespace

std::vector<Color> median_cut(const Image& picture, std::size_t most) {
    std::vector<Bin> bins(32768);
    for (std::size_t i = 0; i + 2 < picture.rgb.size(); i += 3) {
        const std::uint8_t* p = &picture.rgb[i];
        Bin& bin = bins[std::size_t(p[0] >> 3) << 10 | std::size_t(p[1] >> 3) << 5 | std::size_t(p[2] >> 3)];
        ++bin.count;
        for (std::size_t k = 0; k < 3; ++k) bin.sum[k] += p[k];
    }
    std::erase_if(bins, [](const Bin& bin) { return bin.count == 0; });
    struct Group {
        std::size_t begin, end;
        double error = 0;  ///< sum of squares about the mean along the worst channel
        int channel = 0;
    };
    const auto judged = [&](Group g) {
        for (int k = 0; k < 3; ++k) {
            double n = 0, sum = 0, squares = 0;
            for (std::size_t i = g.begin; i < g.end; ++i)
                n += bins[i].count, sum += bins[i].mean(k) * bins[i].count,
                    squares += bins[i].mean(k) * bins[i].mean(k) * bins[i].count;
            const double error = squares - sum * sum / n;
            if (k == 0 || error > g.error) g.error = error, g.channel = k;
        }
        return g;
    };
    std::vector<Group> groups{judged({0, bins.size()})};
    while (groups.size() < most) {
        const auto worst = std::max_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
            const bool one_a = a.end - a.begin < 2, one_b = b.end - b.begin < 2;
            return one_a != one_b ? one_a : a.error < b.error;
        });
        if (worst->end - worst->begin < 2) break;
        const Group g = *worst;
        std::stable_sort(bins.begin() + std::ptrdiff_t(g.begin), bins.begin() + std::ptrdiff_t(g.end),
                         [&](const Bin& a, const Bin& b) { return a.mean(g.channel) < b.mean(g.channel); });
        double half = 0;
        for (std::size_t i = g.begin; i < g.end; ++i) half += 0.5 * bins[i].count;
        std::size_t cut = g.begin;
        for (double n = 0; cut < g.end && n < half; ++cut) n += bins[cut].count;
        cut = std::clamp(cut, g.begin + 1, g.end - 1);
        *worst = judged({g.begin, cut});
        groups.push_back(judged({cut, g.end}));
    }
    std::vector<Color> colors;
    for (const Group& g : groups) {
        double n = 0, sum[3] = {0, 0, 0};
        for (std::size_t i = g.begin; i < g.end; ++i)
            for (std::size_t k = 0; k < 3; ++k) sum[k] += bins[i].sum[k], n += k == 0 ? bins[i].count : 0;
        colors.push_back({std::uint8_t(std::lround(sum[0] / n)), std::uint8_t(std::lround(sum[1] / n)),
                          std::uint8_t(std::lround(sum[2] / n))});
    }
    return colors;
}

GifWriter::GifWriter(int width, int height, double fps) : width_(width), height_(height), fps_(fps) {
    CHECK(width > 0 && height > 0 && width < 65536 && height < 65536 && fps > 0, width, height, fps);
    bytes_ = "GIF89a";
    put16(bytes_, width), put16(bytes_, height);
    bytes_ += std::string("\x70\0\0", 3);  // no palette for all pictures
    bytes_ += std::string("\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19);
}

void GifWriter::end_last(long long end) {
    if (delay_at_ == 0) return;
    const long long delay = std::clamp<long long>(end - start_, 2, 65535);
    bytes_[delay_at_] = static_cast<char>(delay & 255), bytes_[delay_at_ + 1] = static_cast<char>(delay >> 8);
}

void GifWriter::add(const Image& picture) {
    CHECK(picture.width == width_ && picture.height == height_, picture.width, picture.height);
    const long long start = std::llround(100.0 * seen_++ / fps_);
    if (!before_.empty() && start - start_ < 2) return;
    end_last(start);
    start_ = start;

    const std::vector<Color> colors = median_cut(picture, transparent);
    // The nearest colour of each of 32768, when it is first asked for.
    std::vector<std::int16_t> nearest(32768, -1);
    const auto look_up = [&](int r, int g, int b) {
        std::int16_t& place = nearest[std::size_t(r >> 3) << 10 | std::size_t(g >> 3) << 5 | std::size_t(b >> 3)];
        if (place < 0) {
            int best = 1 << 30;
            for (std::size_t i = 0; i < colors.size(); ++i) {
                const int dr = colors[i][0] - r, dg = colors[i][1] - g, db = colors[i][2] - b;
                const int d = 3 * dr * dr + 6 * dg * dg + db * db;
                if (d < best) best = d, place = std::int16_t(i);
            }
        }
        return std::uint8_t(place);
    };
    std::vector<std::uint8_t> pixels(std::size_t(width_) * std::size_t(height_));
    for (int y = 0; y < height_; ++y)
        for (int x = 0; x < width_; ++x) {
            const std::size_t i = std::size_t(y) * std::size_t(width_) + std::size_t(x);
            const std::uint8_t* p = picture.at(x, y);
            if (!before_.empty() && std::equal(p, p + 3, &before_[3 * i])) {
                pixels[i] = transparent;
                continue;
            }
            const int shake = bayer[y & 3][x & 3] / 2 - 4;  // about a step of the palette
            const auto shaken = [&](int v) { return std::clamp(v + shake, 0, 255); };
            pixels[i] = look_up(shaken(p[0]), shaken(p[1]), shaken(p[2]));
        }
    before_ = picture.rgb;
    bytes_ += std::string("\x21\xF9\x04\x05", 4);  // leave what was there; one colour is transparent
    delay_at_ = bytes_.size();
    put16(bytes_, 2);
    bytes_ += static_cast<char>(transparent);
    bytes_ += '\0';
    bytes_ += ',';
    for (int v : {0, 0, width_, height_}) put16(bytes_, v);
    bytes_ += '\x87';  // a palette of 256 of its own
    for (std::size_t i = 0; i < 256; ++i)
        for (std::size_t k = 0; k < 3; ++k) bytes_ += static_cast<char>(i < colors.size() ? colors[i][k] : 0);
    lzw(pixels, bytes_);
}

std::string GifWriter::take() {
    CHECK(!before_.empty(), width_);
    end_last(std::llround(100.0 * seen_ / fps_));
    bytes_ += ';';
    return std::move(bytes_);
}

}  // namespace pliant
