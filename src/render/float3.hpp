#pragma once
// Single-precision vectors for light and rays. Scenes are brought to unit size before they become floats, so a
// body of a millimetre and one of a kilometre render alike.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant {

using Vec3f = Eigen::Vector3f;

inline Vec3f mix(const Vec3f& a, const Vec3f& b, float t) { return a + (b - a) * t; }
/// Of length one; `v` is neither zero nor near the ends of what a float can hold.
inline Vec3f unit(const Vec3f& v) { return v * (1 / std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])); }
inline float luminance(const Vec3f& c) { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }
inline float smoothstep(float low, float high, float x) {
    const float t = std::min(1.0f, std::max(0.0f, (x - low) / (high - low)));
    return t * t * (3 - 2 * t);
}

}  // namespace pliant
