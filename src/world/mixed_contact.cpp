#include "pliant/world/mixed_contact.hpp"

#include <limits>

#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// `start` after dt of this motion of a centre at x.
Pose moved(const Pose& start, const Vec3& x, const Vec3& v, const Vec3& spin, double dt) {
    const double angle = spin.norm() * dt;
    const Quat turn = angle > 0 ? Quat(Eigen::AngleAxisd(angle, spin.normalized())) : Quat(Quat::Identity());
    return {(turn * start.rotation).normalized(), x + dt * v + turn * (start.translation - x)};
}

Mat3 inverse_inertia(const RigidBody& b) {
    return b.rotation * b.principal.cwiseInverse().asDiagonal() * b.rotation.transpose();
}

double mobility_of(const RigidBody& b, const Vec3& point, const Vec3& n) {
    if (b.fixed) return 0;
    const Vec3 lever = (point - b.x).cross(n);
    return 1 / b.rest.mass + lever.dot(inverse_inertia(b) * lever);
}

/// The vertex of the seen surface that is nearest.
ModalPoint vertex_near(const ModalBody& b, const Vec3& point) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < b.points.size(); ++i) {
        const double d = (b.points[i] - point).squaredNorm();
        if (d < least) least = d, best = i;
    }
    return surface_vertex(b, static_cast<int>(best));
}

Obstacle obstacle_of(World& w, std::size_t index, double dt) {
    const RigidBody& b = w.rigid.bodies[index];
    Obstacle o;
    o.shape = w.rigid.shapes[index];
    o.start = o.end = pose_of(b);
    o.friction = b.friction;
    if (!b.fixed) o.end = moved(o.start, b.x, b.v + dt * w.gravity, b.spin, dt);
    o.mobility = [&b](const Vec3& p, const Vec3& n) { return mobility_of(b, p, n); };
    return o;
}

// The frame moves the obstacle; what the modes do within the step is in its shape.
Obstacle obstacle_of(World& w, const ModalBody& b, double dt) {
    TriMesh surface = b.surface();
    const Vec3 spin = b.anchored ? Vec3::Zero() : angular_velocity(b);
    const Vec3 drift = b.anchored ? Vec3::Zero() : b.velocity;
    for (std::size_t i = 0; i < surface.points.size(); ++i) {
        const Vec3 frame = drift + spin.cross(b.points[i] - b.frame.translation);
        surface.points[i] = b.points[i] + dt * (b.velocities[i] - frame);
    }
    Obstacle o;
    o.shape = mesh_obstacle(std::move(surface));
    o.friction = b.friction;
    if (!b.anchored) o.end = moved(o.start, b.frame.translation, drift + dt * w.gravity, spin, dt);
    o.mobility = [&b](const Vec3& p, const Vec3& n) { return mobility(b, vertex_near(b, p), n); };
    return o;
}

}  // namespace

bool is_recorded(const World& w, int number) {
    return number < static_cast<int>(w.recorded.size()) && w.recorded[static_cast<std::size_t>(number)];
}

Vec3 start_place(const ModalBody& body, const Vec3& point) {
    return body.frame.rotation.conjugate() * (point - body.frame.translation) + body.centre;
}

void make_rigid_forms(World& w) {
    for (std::size_t i = w.rigid.shapes.size(); i < w.rigid.bodies.size(); ++i)
        w.rigid.shapes.push_back(mesh_obstacle(w.rigid.bodies[i].surface));
}

void add_contact_event(World& w, double end, double dt, int modal, int rigid, const Vec3& point, const Vec3& impulse,
                       double speed) {
    ContactEvent event{0, end, dt, Vec3::Zero(), Vec3::Zero(), speed, 0};
    if (modal >= 0) {
        const ModalBody& b = w.modal[static_cast<std::size_t>(modal)];
        event.body = solved_count(w) + modal;
        event.point = start_place(b, point), event.impulse = b.frame.rotation.conjugate() * impulse;
    } else {
        const Pose back = pose_of(w.rigid.bodies[static_cast<std::size_t>(rigid)]).inverse();
        event.body = body_count(w) + rigid;
        event.point = back * point, event.impulse = back.rotation * impulse;
    }
    if (is_recorded(w, event.body)) w.contact_events.push_back(event);
}

void add_yielding_obstacles(World& w, double dt, std::vector<Obstacle>& obstacles) {
    if (solved_count(w) == 0) return;
    make_rigid_forms(w);
    for (std::size_t i = 0; i < w.rigid.bodies.size(); ++i) obstacles.push_back(obstacle_of(w, i, dt));
    for (const ModalBody& body : w.modal)
        if (body.collide) obstacles.push_back(obstacle_of(w, body, dt));
}

void return_impulses(World& w, double dt) {
    const double end = w.time + dt;
    for (const ReturnedImpulse& hit : w.contact.returned()) {
        std::size_t i = static_cast<std::size_t>(hit.obstacle) - w.props.size();
        if (i < w.rigid.bodies.size()) {
            RigidBody& b = w.rigid.bodies[i];
            b.pushes.push_back({0, 1, hit.impulse, (hit.point - b.x).cross(hit.impulse)});
            add_contact_event(w, end, dt, -1, static_cast<int>(i), hit.point, hit.impulse, hit.speed);
        } else {
            i -= w.rigid.bodies.size();
            std::size_t number = 0;
            while (!w.modal[number].collide || i-- > 0) ++number;
            ModalBody& b = w.modal[number];
            apply_impulse(b, vertex_near(b, hit.point), hit.impulse);
            add_contact_event(w, end, dt, static_cast<int>(number), -1, hit.point, hit.impulse, hit.speed);
        }
    }
}

}  // namespace pliant
