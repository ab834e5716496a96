#include "pliant/render/open_ground.hpp"

#include <cmath>

namespace pliant {

OpenGround::OpenGround(const RayScene& scene, const PixelRays& rays, const Vec3f& to_sun, float sun_radius) {
    if (scene.triangles() == 0) return;
    // The picture's plane is where first + x·across + y·down is; this is its normal.
    const Vec3f forward = rays.across.cross(rays.down).normalized();
    const float plane = forward.dot(rays.first), lowest_sun = std::asin(std::min(1.0f, to_sun[1])) - sun_radius;
    for (int corner = 0; corner < 8; ++corner) {
        Vec3f p;
        for (int k = 0; k < 3; ++k) p[k] = corner >> k & 1 ? scene.high()[k] : scene.low()[k];
        const Vec3f d = p - rays.eye;
        const float depth = forward.dot(d) / plane;  // in units of the plane's distance
        if (depth > 1e-3f) {
            const Vec3f at = d / depth - rays.first;
            screen_.add(at.dot(rays.across) / rays.across.squaredNorm(), at.dot(rays.down) / rays.down.squaredNorm(),
                        3);
        } else {
            screen_.fill();
        }
        if (!scene.ground()) continue;
        if (lowest_sun < 0.05f) {
            shade_.fill();
            continue;
        }
        // The shadow of a height h ends at h·cot e for the sun's elevation e, whose derivative is 1/sin² e; across that
        // it is h/sin e times the angle.
        const float height = std::max(0.0f, p[1] - *scene.ground()), sine = std::sin(lowest_sun);
        const Vec3f end = p - height / to_sun[1] * to_sun;
        shade_.add(end[0], end[2], 1.1f * height * sun_radius / (sine * sine));
    }
}

}  // namespace pliant
