// Rigid bodies as a part of the step, and the blows that bodies of any kind receive.

#include <cmath>

#include "pliant/geometry/polar.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/mixed_contact.hpp"

namespace pliant {

namespace {

/// The rigid motion that takes the nodes from where they rest to where they are, as nearly as one can.
template <class Body>
Pose rigid_fit(const Body& body) {
    const auto& rest = body.mesh.rest;
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    const double share = 1.0 / static_cast<double>(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) from += share * rest[i], to += share * body.x[i];
    Mat3 product = Mat3::Zero();
    for (std::size_t i = 0; i < rest.size(); ++i) product += (body.x[i] - to) * (rest[i] - from).transpose();
    const Mat3 turn = closest_rotation(product).toRotationMatrix();
    return {Quat(turn), to - turn * from};
}

}  // namespace

void record_blows(World& w, double dt) {
    if (w.listened.empty()) return;
    for (const ContactImpulse& hit : w.contact.impulses()) {
        // Both feel it; the normal is towards `body`.
        for (int side = 0; side < 2; ++side) {
            const int number = side == 0 ? hit.body : hit.partner;
            if (number < 0 || !listened(w, number)) continue;
            const Vec3 impulse = (side == 0 ? hit.impulse : -hit.impulse) * hit.normal;
            const double fresh = hit.impulse > 0 ? hit.fresh / hit.impulse : 0;
            visit_body(w, number, [&](const auto& body) {
                const Pose back = rigid_fit(body).inverse();
                w.blows.push_back(
                    {number, w.time, dt, back * hit.position, back.rotation * impulse, fresh * hit.speed, 0});
            });
        }
    }
}

void advance_rigid_bodies(World& w, double start, double dt) {
    RigidGroup& group = w.rigid;
    if (group.bodies.empty()) return;
    StageTimer timer(w.times, "rigid");
    for (std::size_t i = 0; i < group.obstacles.size(); ++i)
        if (w.props[i].motion) {
            group.obstacles[i].start = w.props[i].motion(start);
            group.obstacles[i].end = w.props[i].motion(start + dt);
        }
    group.solver.step(group.bodies, group.obstacles, group.joints, w.gravity, dt);
    const int first = body_count(w);
    for (const RigidImpulse& hit : group.solver.impulses()) {
        const double time = start + hit.time;
        if (hit.approach > 2 * w.gravity.norm() * hit.interval)  // faster than gravity makes it while it rests
            w.events.push_back(
                {"impact", group.bodies[static_cast<std::size_t>(hit.body)].name, time, hit.point, hit.impulse.norm()});
        for (int side = 0; side < 2; ++side) {
            const int who = side == 0 ? hit.body : hit.partner;
            if (who < 0 || !listened(w, first + who)) continue;
            w.blows.push_back(
                {first + who, time, hit.interval, hit.own_point[side], hit.own_impulse[side], hit.approach, hit.slide});
        }
    }
    for (const RigidBody& body : group.bodies)
        if (!body.x.allFinite() || !body.rotation.allFinite() || !body.v.allFinite())
            throw UserError("rigid body '" + body.name + "' left the range of numbers", {},
                            "Look for a speed or a size that is out of proportion");
}

}  // namespace pliant
