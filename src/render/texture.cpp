// Patterns that fill space.

#include <cmath>
#include <cstdint>

#include "pliant/render/scene.hpp"

namespace pliant {

namespace {

/// A number in 0 … 1 that belongs to a corner of the lattice of whole numbers.
float corner_value(int x, int y, int z) {
    std::uint32_t h = std::uint32_t(x) * 0x8DA6B343U ^ std::uint32_t(y) * 0xD8163841U ^ std::uint32_t(z) * 0xCB1AB31FU;
    h = (h ^ h >> 15) * 0x2C1B3C6DU;
    h = (h ^ h >> 12) * 0x297A2D39U;
    return float((h ^ h >> 15) >> 8) * 0x1.0p-24f;
}

/// Smooth between the corners of the lattice.
float lattice_noise(const Vec3f& p) {
    const Vec3f low(std::floor(p[0]), std::floor(p[1]), std::floor(p[2]));
    float t[3], sum = 0;
    for (int k = 0; k < 3; ++k) t[k] = smoothstep(0, 1, p[k] - low[k]);
    for (int i = 0; i < 8; ++i) {
        const int dx = i & 1, dy = i >> 1 & 1, dz = i >> 2;
        const float weight = (dx ? t[0] : 1 - t[0]) * (dy ? t[1] : 1 - t[1]) * (dz ? t[2] : 1 - t[2]);
        sum += weight * corner_value(int(low[0]) + dx, int(low[1]) + dy, int(low[2]) + dz);
    }
    return sum;
}

}  // namespace

float Texture::share(const Vec3f& at) const {
    const Vec3f p = at * (1 / size);
    if (!(p.cwiseAbs().maxCoeff() < 1e6f)) return 0;
    switch (kind) {
        case Kind::none: break;
        case Kind::checker: return float((int(std::floor(p[0])) + int(std::floor(p[1])) + int(std::floor(p[2]))) & 1);
        case Kind::stripes: return float(int(std::floor(p[1])) & 1);
        case Kind::noise:
            return smoothstep(
                0.35f, 0.65f,
                (lattice_noise(p) + 0.5f * lattice_noise(2.03f * p) + 0.25f * lattice_noise(4.1f * p)) / 1.75f);
    }
    return 0;
}

}  // namespace pliant
