#include "pliant/render/colormap.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "pliant/render/tone.hpp"

namespace pliant {

namespace {

constexpr unsigned rising_stops[] = {0x2E3192, 0x6B2FA0, 0xB23A8E, 0xE25A66, 0xF79646, 0xF9D962};
constexpr unsigned zero_stops[] = {0x1F4E9C, 0x5F9BD1, 0xEDEBE6, 0xEB9069, 0xA9283A};

// Oklab: B. Ottosson, "A perceptual color space for image processing", 2020.
Vec3f oklab_from_linear(const Vec3f& c) {
    const float l = std::cbrt(0.4122214708f * c[0] + 0.5363325363f * c[1] + 0.0514459929f * c[2]);
    const float m = std::cbrt(0.2119034982f * c[0] + 0.6806995451f * c[1] + 0.1073969566f * c[2]);
    const float s = std::cbrt(0.0883024619f * c[0] + 0.2817188376f * c[1] + 0.6299787005f * c[2]);
    return Vec3f(0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
                 1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
                 0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s);
}

Vec3f linear_from_oklab(const Vec3f& c) {
    const float l = c[0] + 0.3963377774f * c[1] + 0.2158037573f * c[2];
    const float m = c[0] - 0.1055613458f * c[1] - 0.0638541728f * c[2];
    const float s = c[0] - 0.0894841775f * c[1] - 1.2914855480f * c[2];
    const float l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
    const Vec3f rgb(4.0767416621f * l3 - 3.3077115913f * m3 + 0.2309699292f * s3,
                    -1.2684380046f * l3 + 2.6097574011f * m3 - 0.3413193965f * s3,
                    -0.0041960863f * l3 - 0.7034186147f * m3 + 1.7076147010f * s3);
    return rgb.cwiseMax(0.0f).cwiseMin(1.0f);
}

Vec3f blend(std::span<const unsigned> stops, float t) {
    const float at = std::clamp(t, 0.0f, 1.0f) * float(stops.size() - 1);
    const std::size_t i = std::min(std::size_t(at), stops.size() - 2);
    const Vec3f a = oklab_from_linear(linear_from_hex(stops[i])), b = oklab_from_linear(linear_from_hex(stops[i + 1]));
    return linear_from_oklab(mix(a, b, at - float(i)));
}

}  // namespace

Vec3f map_color(Colormap map, float t) {
    if (std::isnan(t)) return Vec3f::Constant(0.3f);
    return map == Colormap::rising ? blend(rising_stops, t) : blend(zero_stops, t);
}

Vec3f label_color(int label) {
    // The golden angle keeps any run of neighbouring labels apart in hue; lightness alternates a little as well.
    const float hue = 0.65f + 2.3999632f * float(label % 100003);
    const float light = 0.68f + 0.06f * float(label % 3 - 1);
    return linear_from_oklab(Vec3f(light, 0.125f * std::cos(hue), 0.125f * std::sin(hue)));
}

}  // namespace pliant
