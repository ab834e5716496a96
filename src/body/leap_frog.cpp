#include "pliant/body/leap_frog.hpp"

#include <algorithm>

namespace pliant {

void throw_if_exploded(const ParticleBody& body, double dt, double time) {
    if (const int particle = runaway_particle(body, dt); particle >= 0) throw explosion(body, particle, dt, time);
}

ParticleTouch touch_of(const DeformableBody& body, const Contact& contact, double recovery, double dt) {
    const double kept = contact.offset + contact.integral_offset, inside = std::max(0.0, kept - contact.distance);
    const double height = contact.normal.dot(body.points[contact.vertex]);
    return {.point = body.embedding().point(contact.vertex, body.mesh.tets),
            .normal = contact.normal,
            .level = height - contact.distance + kept - inside,
            .rise = (recovery * inside - contact.motion) / dt,
            .drift = contact.drift,
            .friction = contact.friction};
}

Vec3 mean_velocity(std::span<const Vec3> x, std::span<const Vec3> x_end, const ParticleTouch& touch, double dt) {
    Vec3 displacement = Vec3::Zero();
    for (int k = 0; k < 4; ++k)
        displacement += touch.point.weight[k] * (x_end[touch.point.node[k]] - x[touch.point.node[k]]);
    return displacement / dt;
}

}  // namespace pliant
