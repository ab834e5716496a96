#pragma once
// Single-precision vectors for light and rays. Scenes are brought to unit size before they become floats, so a
// body of a millimetre and one of a kilometre render alike.

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace pliant {

using Vec3f = Eigen::Vector3f;

inline Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return a + (b - a) * t; }
inline float luminance(const Vec3f& c) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }
inline float smoothstep(float low, float high, float x) {
    const float t = std::min(1.0f, std::max(0.0f, (x - low) / (high - low)));
    return t * t * (3 - 2 * t);
}

}  // namespace pliant
