#include "pliant/render/light.hpp"

#include <cmath>
#include <numbers>

namespace pliant {

namespace {
constexpr float pi = std::numbers::pi_v<float>;

// Two unit vectors that complete `n` to a right-handed frame, without a root (Duff et al. 2017).
void tangents(const Vec3f& n, Vec3f& s, Vec3f& t) {
    const float sign = std::copysign(1.0f, n[2]), a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
    s = Vec3f(1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]);
    t = Vec3f(b, sign + n[1] * n[1] * a, -n[1]);
}

struct Turn {
    float cosine, sine;
};

// Of v turns, v in [0, 1), to 3e-7: a quarter of a turn about the nearest axis is left for the series.
Turn turn(float v) {
    const float q = std::floor(4 * v + 0.5f), a = (4 * v - q) * (0.5f * pi), a2 = a * a;
    const float s = a * (1 + a2 * (-1.0f / 6 + a2 * (1.0f / 120 - a2 * (1.0f / 5040))));
    const float c = 1 + a2 * (-0.5f + a2 * (1.0f / 24 + a2 * (-1.0f / 720 + a2 * (1.0f / 40320))));
    switch (int(q) & 3) {
        case 0: return {c, s};
        case 1: return {-s, c};
        case 2: return {-c, -s};
        default: return {s, -c};
    }
}
}  // namespace

Studio::Studio(const Backdrop& backdrop, const Vec3& direction_to_sun, double softness)
    : sun_radius(float(softness)),
      floor(backdrop.floor.cast<float>()),
      horizon(backdrop.horizon.cast<float>()),
      top(backdrop.top.cast<float>()) {
    const Vec3 s = direction_to_sun.stableNormalized();
    if (s.allFinite() && s.squaredNorm() > 0.5) to_sun = s.cast<float>();
    tangents(to_sun, across, along);
    // The cosine-weighted mean of direction.y over the dome is 2/3.
    open_sky_light = mix(sky_low, sky_high, 2.0f / 3);
    open_ground_light = sun * std::max(0.0f, to_sun[1]) + open_sky_light;
}

Vec3f Studio::sky(const Vec3f& direction) const {
    if (direction[1] < 0) return mix(sky_low, 0.55f * floor, std::min(1.0f, -4 * direction[1]));
    return mix(sky_low, sky_high, direction[1]);
}

Vec3f Studio::backdrop(const Vec3f& direction) const { return mix(horizon, top, smoothstep(0, 0.6f, direction[1])); }

Vec3f Studio::ground_color(float distance) const { return mix(floor, horizon, smoothstep(1.5f, 11, distance)); }

Vec3f Studio::sun_direction(float u, float v) const {
    const float r = sun_radius * std::sqrt(u);
    const Turn phi = turn(v);
    return unit(to_sun + r * phi.cosine * across + r * phi.sine * along);
}

Vec3f cosine_direction(const Vec3f& normal, float u, float v) {
    Vec3f s, t;
    tangents(normal, s, t);
    const float r = std::sqrt(u);
    const Turn phi = turn(v);
    return r * phi.cosine * s + r * phi.sine * t + std::sqrt(std::max(0.0f, 1 - u)) * normal;
}

Vec3f mirrored_direction(const Vec3f& normal, const Vec3f& to_eye, float roughness) {
    const Vec3f mirrored = 2 * normal.dot(to_eye) * normal - to_eye;
    const float smooth = 1 - roughness;
    return unit(mix(normal, mirrored, smooth * (std::sqrt(smooth) + roughness)));
}

Vec3f highlight(const Mirroring& surface, const Vec3f& normal, const Vec3f& to_eye, const Vec3f& to_sun) {
    const float nl = normal.dot(to_sun), nv = std::max(0.05f, normal.dot(to_eye));
    if (nl <= 0) return Vec3f::Zero();
    // The sun's own width adds to the roughness.
    const float alpha = surface.roughness * surface.roughness + 0.03f, a2 = alpha * alpha;
    const Vec3f h = unit(to_eye + to_sun);
    const float nh = std::max(0.0f, normal.dot(h)), vh = std::max(0.0f, to_eye.dot(h));
    const float d = nh * nh * (a2 - 1) + 1;
    const float distribution = a2 / (d * d);  // times 1/π, which the sun's unit (white diffuse = 1) takes away
    // Smith's masking and 1 / (4 nl nv), joined as Heitz 2014 has it.
    const float visibility = 0.5f / (nl * std::sqrt(nv * nv * (1 - a2) + a2) + nv * std::sqrt(nl * nl * (1 - a2) + a2));
    return distribution * visibility * nl * surface.reflectance(vh);
}

}  // namespace pliant
