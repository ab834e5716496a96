#pragma once
// From light to bytes: a curve that leaves mid-tones as they are and rolls highlights off, then sRGB.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pliant/render/float3.hpp"

namespace pliant {

inline float srgb_from_linear(float c) {
    c = std::clamp(c, 0.0f, 1.0f);
    return c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}

inline float linear_from_srgb(float c) { return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f); }

/// 0xRRGGBB as people write colours → linear RGB.
inline Vec3f linear_from_hex(unsigned rgb) {
    return Vec3f(linear_from_srgb(float(rgb >> 16 & 255) / 255), linear_from_srgb(float(rgb >> 8 & 255) / 255),
                 linear_from_srgb(float(rgb & 255) / 255));
}

/// Below `knee` nothing changes, so field colours stay those of the colour bar; above it the brightest channel
/// approaches 1 hyperbolically, and what it loses goes toward white, as on film.
inline Vec3f tone_map(const Vec3f& light) {
    constexpr float knee = 0.72f;
    const Vec3f c = light.cwiseMax(0.0f);
    const float peak = c.maxCoeff();
    if (peak <= knee) return c;
    const float room = 1 - knee;
    const float mapped = 1 - room * room / (peak - knee + room);
    const float whiten = 1 - 1 / (0.15f * (peak - mapped) + 1);
    return (c * (mapped / peak)) * (1 - whiten) + Vec3f::Constant(mapped * whiten);
}

inline std::uint8_t to_byte(float srgb) { return std::uint8_t(std::clamp(srgb, 0.0f, 1.0f) * 255 + 0.5f); }

}  // namespace pliant
