#pragma once
// The studio: a soft sun, a sky dome, a seamless backdrop, and how wax-like surfaces answer to them. Radiances are
// relative: a white surface in full light is about 1.

#include "pliant/core/types.hpp"
#include "pliant/render/float3.hpp"
#include "pliant/render/scene.hpp"

namespace pliant {

/// Colours of the backdrop, linear RGB; the floor blends into the horizon, the horizon into the top.
struct Backdrop {
    Vec3 floor{0.715, 0.722, 0.735};
    Vec3 horizon{0.470, 0.525, 0.590};
    Vec3 top{0.235, 0.305, 0.390};
};

struct Studio {
    Vec3f to_sun = Vec3f(0.5f, 0.7f, 0.5f).normalized();
    float sun_radius = 0.075f;      ///< radians: how soft shadows are; the real sun has 0.0047
    Vec3f sun{1.0f, 0.93f, 0.83f};  ///< what a white surface facing it sends back
    Vec3f sky_high{0.25f, 0.30f, 0.38f};
    Vec3f sky_low{0.36f, 0.37f, 0.39f};
    Vec3f floor, horizon, top;
    Vec3f across, along;      ///< two directions square to the sun's and to each other
    Vec3f open_sky_light;     ///< per unit albedo, on an open, level ground from the sky alone
    Vec3f open_ground_light;  ///< and from the sun as well

    Studio(const Backdrop& backdrop, const Vec3& direction_to_sun, double softness = 0.075);

    /// Light that arrives from the open sky, and from the ground where there is none to hit.
    Vec3f sky(const Vec3f& direction) const;
    /// What the eye sees in a direction that meets nothing.
    Vec3f backdrop(const Vec3f& direction) const;
    /// Colour of the open ground at this distance from the subject, in its radii: it fades into the horizon.
    Vec3f ground_color(float distance) const;
    /// Albedo for which the open ground shows ground_color().
    Vec3f ground_albedo(float distance) const { return ground_color(distance).cwiseQuotient(open_ground_light); }
    /// A direction to the sun's disc from two uniform numbers.
    Vec3f sun_direction(float u, float v) const;
};

/// Cosine-weighted direction around `normal` from two uniform numbers.
Vec3f cosine_direction(const Vec3f& normal, float u, float v);

/// How a surface mirrors. The one that is here from the start is a rough clear coat with index 1.45: it never becomes a
/// mirror, at grazing angles it stops at 0.4.
struct Mirroring {
    Vec3f straight = Vec3f::Constant(0.034f);  ///< reflectance of light that comes straight down
    Vec3f grazing = Vec3f::Constant(0.4f);     ///< and along the surface
    float roughness = 0.3f;

    /// Of brought materials: metals mirror with their own colour, and the rougher a surface the less of a mirror it is
    /// at grazing angles (Lagarde 2011, "Adopting a physically based shading model").
    Mirroring(const Vec3f& color, float metallic, float of_roughness)
        : straight(mix(Vec3f(Vec3f::Constant(0.034f)), color, metallic)),
          grazing(straight.cwiseMax(1 - of_roughness)),
          roughness(of_roughness) {}
    Mirroring() = default;

    /// Schlick's reflectance for the cosine to the normal.
    Vec3f reflectance(float cosine) const {
        const float m = 1 - std::min(1.0f, std::max(0.0f, cosine)), m2 = m * m;
        return straight + m2 * m2 * m * (grazing - straight);
    }
};

/// Where most of the light comes from that a rough surface mirrors: towards the normal, the rougher it is (Lagarde &
/// de Rousiers 2014, "Moving Frostbite to Physically Based Rendering", section 4.9.3).
Vec3f mirrored_direction(const Vec3f& normal, const Vec3f& to_eye, float roughness);

/// The sun's highlight on a surface (GGX), already times the cosine; per unit of Studio::sun.
Vec3f highlight(const Mirroring& surface, const Vec3f& normal, const Vec3f& to_eye, const Vec3f& to_sun);

}  // namespace pliant
