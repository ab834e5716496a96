#pragma once
// Random numbers that are the same on every machine and for every thread count: SplitMix64, whose state is
// one word, so a checkpoint carries it and a (seed, index) pair gives any item its own stream.

#include <cstdint>

namespace pliant {

class Rng {
public:
    explicit Rng(std::uint64_t seed = 0, std::uint64_t stream = 0) : state(seed ^ (stream * 0x9e3779b97f4a7c15ULL)) {}

    std::uint64_t next() {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// Uniform in 0 … n−1.
    std::uint64_t below(std::uint64_t n) {
        return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
    }

    std::uint64_t state;
};

}  // namespace pliant
