#pragma once
// Animated GIFs (GIF89a): 256 colours per picture, chosen from it by median cut (Heckbert 1982), even dithering that
// does not crawl, and only what changes from picture to picture is written.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pliant/render/image.hpp"

namespace pliant {

class GifWriter {
public:
    /// fps: pictures per second; GIF knows hundredths of a second only, and browsers none shorter than two of them, so
    /// that pictures beyond 50 per second are left out.
    GifWriter(int width, int height, double fps);
    void add(const Image& picture);
    /// The finished file; it repeats for ever. At least one picture must have been added.
    std::string take();

private:
    void end_last(long long end);

    int width_, height_;
    double fps_;
    int seen_ = 0;              ///< pictures so far
    long long start_ = 0;       ///< of the last one that was taken, hundredths of a second
    std::size_t delay_at_ = 0;  ///< where it says how long it lasts
    std::vector<std::uint8_t> before_;
    std::string bytes_;
};

/// Up to `most` colours that stand for all of the picture's, by median cut.
std::vector<std::array<std::uint8_t, 3>> median_cut(const Image& picture, std::size_t most);

}  // namespace pliant
