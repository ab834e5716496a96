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

/// Jacobian of the vertex of the seen surface that is nearest.
Eigen::MatrixXd jacobian_near(const ModalBody& b, const Vec3& point) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < b.points.size(); ++i) {
        const double d = (b.points[i] - point).squaredNorm();
        if (d < least) least = d, best = i;
    }
    return point_jacobian(b, b.embedding.tet[best], b.embedding.weight[best]);
}

double mobility_of(const ModalBody& b, const Vec3& point, const Vec3& n) {
    const Eigen::VectorXd row = jacobian_near(b, point).transpose() * n;
    return row.dot(inverse_mass_times(b, row).col(0));
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
    TriMesh surface = b.surface;
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
    o.mobility = [&b](const Vec3& p, const Vec3& n) { return mobility_of(b, p, n); };
    return o;
}

}  // namespace

bool listened(const World& w, int number) {
    return number < static_cast<int>(w.listened.size()) && w.listened[static_cast<std::size_t>(number)];
}

Vec3 start_place(const ModalBody& body, const Vec3& point) {
    return body.frame.rotation.conjugate() * (point - body.frame.translation) + body.centre;
}

void add_yielding_obstacles(World& w, double dt, std::vector<Obstacle>& obstacles) {
    if (solved_count(w) == 0) return;
    for (std::size_t i = w.rigid.shapes.size(); i < w.rigid.bodies.size(); ++i)
        w.rigid.shapes.push_back(mesh_obstacle(w.rigid.bodies[i].surface));
    for (std::size_t i = 0; i < w.rigid.bodies.size(); ++i) obstacles.push_back(obstacle_of(w, i, dt));
    for (const ModalBody& body : w.modal)
        if (body.collide) obstacles.push_back(obstacle_of(w, body, dt));
}

void return_impulses(World& w, double dt) {
    const int first_modal = solved_count(w), first_rigid = body_count(w);
    for (const ReturnedImpulse& hit : w.contact.returned()) {
        std::size_t i = static_cast<std::size_t>(hit.obstacle) - w.props.size();
        Blow blow{0, w.time + dt, dt, Vec3::Zero(), Vec3::Zero(), hit.speed, 0};
        if (i < w.rigid.bodies.size()) {
            RigidBody& b = w.rigid.bodies[i];
            b.impulse += hit.impulse;
            b.twist += (hit.point - b.x).cross(hit.impulse);
            const Pose back = pose_of(b).inverse();
            blow.body = first_rigid + static_cast<int>(i);
            blow.point = back * hit.point, blow.impulse = back.rotation * hit.impulse;
        } else {
            i -= w.rigid.bodies.size();
            std::size_t number = 0;
            while (!w.modal[number].collide || i-- > 0) ++number;
            ModalBody& b = w.modal[number];
            apply_generalised(b, jacobian_near(b, hit.point).transpose() * hit.impulse);
            blow.body = first_modal + static_cast<int>(number);
            blow.point = start_place(b, hit.point), blow.impulse = b.frame.rotation.conjugate() * hit.impulse;
        }
        if (listened(w, blow.body)) w.blows.push_back(blow);
    }
}

}  // namespace pliant
