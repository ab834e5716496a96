#pragma once
// Sample points of one pixel: the first N points of a (0,2)-sequence (van der Corput × Sobol), so that every power
// of two of them is stratified, scrambled and shuffled per pixel and per purpose. They depend on (seed, pixel,
// sample) alone, never on which thread asks.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "pliant/core/rng.hpp"

namespace pliant {

class PixelSampler {
public:
    enum Purpose { lens, sun, bounce, bounce_sun, purposes };

    /// Samples 0 … first−1 are stratified among themselves, and so are all of 0 … first+more−1. The latter ones can be
    /// had after go_on(): most pixels do without.
    PixelSampler(int first, int more)
        : first_(first), samples_(first + more), order_(std::size_t(first + more) * purposes) {}

    void start_pixel(std::uint64_t seed, std::uint64_t pixel) {
        rng_ = Rng(seed, pixel);
        for (std::uint64_t& scramble : scramble_) scramble = rng_.next();
        shuffle(0, first_);
    }
    void go_on() { shuffle(first_, samples_); }

    /// Two numbers in [0, 1) for sample i of the pixel.
    std::pair<float, float> get(Purpose purpose, int i) const {
        const std::uint32_t n = order_[std::size_t(purpose) * samples_ + i];
        return {unit(reversed(n) ^ std::uint32_t(scramble_[purpose])),
                unit(sobol(n) ^ std::uint32_t(scramble_[purpose] >> 32))};
    }

private:
    void shuffle(int begin, int end) {
        for (int purpose = 0; purpose < purposes; ++purpose) {
            std::uint32_t* order = order_.data() + std::size_t(purpose) * samples_;
            for (int i = begin; i < end; ++i) {
                const auto j = begin + int(rng_.below(std::uint64_t(i - begin) + 1));
                order[i] = order[j];
                order[j] = std::uint32_t(i);
            }
        }
    }
    static float unit(std::uint32_t bits) { return float(bits >> 8) * 0x1.0p-24f; }
    static std::uint32_t reversed(std::uint32_t n) {
        std::uint32_t r = 0;
        for (std::uint32_t bit = 1u << 31; n != 0; n >>= 1, bit >>= 1)
            if (n & 1) r |= bit;
        return r;
    }
    /// Second Sobol dimension: direction numbers follow v ← v ⊕ v/2.
    static std::uint32_t sobol(std::uint32_t n) {
        std::uint32_t r = 0;
        for (std::uint32_t v = 1u << 31; n != 0; n >>= 1, v ^= v >> 1)
            if (n & 1) r ^= v;
        return r;
    }

    Rng rng_{0, 0};
    int first_, samples_;
    std::vector<std::uint32_t> order_;
    std::array<std::uint64_t, purposes> scramble_{};
};

}  // namespace pliant
