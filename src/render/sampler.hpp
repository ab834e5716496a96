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

    /// Samples 0 … first−1 are stratified among themselves, and so are all of 0 … first+more−1.
    PixelSampler(int first, int more)
        : first_(first), samples_(first + more), order_(std::size_t(first + more) * purposes) {}

    void start_pixel(std::uint64_t seed, std::uint64_t pixel) {
        Rng rng(seed, pixel);
        for (int purpose = 0; purpose < purposes; ++purpose) {
            scramble_[purpose] = rng.next();
            std::uint32_t* order = order_.data() + std::size_t(purpose) * samples_;
            for (int i = 0; i < samples_; ++i) {
                const int block = i < first_ ? 0 : first_;
                const auto j = block + int(rng.below(std::uint64_t(i - block) + 1));
                order[i] = order[j];
                order[j] = std::uint32_t(i);
            }
        }
    }

    /// Two numbers in [0, 1) for sample i of the pixel.
    std::pair<float, float> get(Purpose purpose, int i) const {
        const std::uint32_t n = order_[std::size_t(purpose) * samples_ + i];
        return {unit(reversed(n) ^ std::uint32_t(scramble_[purpose])),
                unit(sobol(n) ^ std::uint32_t(scramble_[purpose] >> 32))};
    }

private:
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

    int first_, samples_;
    std::vector<std::uint32_t> order_;
    std::array<std::uint64_t, purposes> scramble_{};
};

}  // namespace pliant
