// Rigid bodies as a part of the step, and the contact events of bodies of any kind.

#include <algorithm>
#include <cmath>

#include "pliant/geometry/polar.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/mixed_contact.hpp"
#include "pliant/world/step_stages.hpp"

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

/// The props that rigid bodies collide with, where they are during the step.
void place_rigid_obstacles(World& w, double start, double dt) {
    std::vector<RigidObstacle>& obstacles = w.rigid.obstacles;
    const auto formed = static_cast<std::size_t>(
        std::count_if(w.props.begin(), w.props.end(), [](const Prop& prop) { return prop.rigid_form.has_value(); }));
    if (obstacles.size() != formed) {
        obstacles.clear();
        for (const Prop& prop : w.props)
            if (prop.rigid_form) obstacles.push_back(*prop.rigid_form);
    }
    std::size_t next = 0;
    for (const Prop& prop : w.props) {
        if (!prop.rigid_form) continue;
        RigidObstacle& obstacle = obstacles[next++];
        if (!prop.motion) continue;
        obstacle.start = prop.motion(start);
        obstacle.end = prop.motion(start + dt);
    }
}

}  // namespace

void record_contact_events(World& w, double dt) {
    if (w.recorded.empty()) return;
    for (const auto& impulses : {w.contact.impulses(), std::span<const ContactImpulse>(w.scratch->impulses)})
        for (const ContactImpulse& hit : impulses) {
            // Both feel it; the normal is towards `body`.
            for (int side = 0; side < 2; ++side) {
                const int number = side == 0 ? hit.body : hit.partner;
                if (number < 0 || !is_recorded(w, number)) continue;
                const Vec3 impulse = (side == 0 ? hit.impulse : -hit.impulse) * hit.normal;
                const double fresh = hit.impulse > 0 ? hit.fresh / hit.impulse : 0;
                visit_body(w, number, [&](const auto& body) {
                    const Pose back = rigid_fit(body).inverse();
                    w.contact_events.push_back(
                        {number, w.time, dt, back * hit.position, back.rotation * impulse, fresh * hit.speed, 0});
                });
            }
        }
}

void advance_rigid_bodies(World& w, double start, double dt) {
    RigidGroup& group = w.rigid;
    if (group.bodies.empty()) return;
    StageTimer timer(w.times, "rigid");
    place_rigid_obstacles(w, start, dt);
    group.solver.step(group.bodies, group.obstacles, group.joints, w.gravity, dt);
    const int first = body_count(w);
    for (const RigidImpulse& hit : group.solver.impulses()) {
        const double time = start + hit.time;
        if (hit.approach > 2 * w.gravity.norm() * hit.interval)  // faster than gravity makes it while it rests
            w.events.push_back(
                {"impact", group.bodies[static_cast<std::size_t>(hit.body)].name, time, hit.point, hit.impulse.norm()});
        for (int side = 0; side < 2; ++side) {
            const int who = side == 0 ? hit.body : hit.partner;
            if (who < 0 || !is_recorded(w, first + who)) continue;
            w.contact_events.push_back(
                {first + who, time, hit.interval, hit.own_point[side], hit.own_impulse[side], hit.approach, hit.slide});
        }
    }
    for (const RigidBody& body : group.bodies)
        if (!body.x.allFinite() || !body.rotation.allFinite() || !body.v.allFinite())
            throw UserError("rigid body '" + body.name + "' left the range of numbers", {},
                            "Look for a speed or a size that is out of proportion");
}

}  // namespace pliant
