#include "pliant/body/modal_contact_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

Quat turned(const Vec3& spin, double dt) {
    const double angle = spin.norm() * dt;
    return angle > 0 ? Quat(Eigen::AngleAxisd(angle, spin.normalized())) : Quat(Quat::Identity());
}

void place_points(ContactBody& m) {
    const Mat3 turn = m.rotation * m.rigid->axes.transpose();
    m.pose = {Quat(turn), m.x - turn * m.rigid->rest.center};
    const std::vector<Vec3>& rest = m.rigid->surface.points;
    m.own_points.resize(rest.size()), m.own_velocities.resize(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const Vec3 lever = turn * (rest[i] - m.rigid->rest.center);
        m.own_points[i] = m.x + lever;
        m.own_velocities[i] = m.v + m.spin.cross(lever);
    }
}

void size_up(ContactBody& m) {
    const TriMesh& surface = m.rigid->surface;
    double edges = 0;
    for (const Tri& t : surface.triangles)
        for (int k = 0; k < 3; ++k) edges += (surface.points[t[k]] - surface.points[t[(k + 1) % 3]]).norm();
    m.spacing = edges / static_cast<double>(3 * surface.triangles.size());
    for (const Vec3& p : surface.points) m.radius = std::max(m.radius, (p - m.rigid->rest.center).norm());
    m.margin = 1e-3 * surface.bounds().diagonal();  // rigid_solver.cpp
}

}  // namespace

void gather_contact_bodies(std::span<ModalBody> bodies, const RigidPartners& rigid, std::span<const ModalJoint> joints,
                           double dt, std::vector<ContactBody>& contact_bodies) {
    const std::size_t count = bodies.size() + rigid.bodies.size();
    if (contact_bodies.size() != count) contact_bodies.clear(), contact_bodies.resize(count);
    for (const ModalJoint& j : joints)
        if (j.b >= static_cast<int>(bodies.size())) contact_bodies[static_cast<std::size_t>(j.b)].joined = true;
    for (std::size_t i = 0; i < count; ++i) {
        ContactBody& m = contact_bodies[i];
        m.modal = i < bodies.size() ? &bodies[i] : nullptr;
        m.rigid = m.modal ? nullptr : &rigid.bodies[i - bodies.size()];
        if (m.normals.empty())
            m.normals = m.modal ? vertex_normals(m.modal->surface().points, m.modal->surface().triangles)
                                : vertex_normals(m.rigid->surface.points, m.rigid->surface.triangles);
        m.friction = m.modal ? m.modal->friction : m.rigid->friction;
        if (m.modal) {
            m.coordinates = m.modal->coordinates();
            m.spacing = m.modal->spacing;
            m.movable = !m.modal->anchored;
            refresh(m);
            continue;
        }
        m.form = rigid.forms[i - bodies.size()].get();
        if (!(m.radius > 0)) size_up(m);
        m.movable = !m.rigid->fixed;
        m.x = m.rigid->x, m.rotation = m.rigid->rotation;
        m.v = m.movable ? m.rigid->v : Vec3::Zero(), m.spin = m.movable ? m.rigid->spin : Vec3::Zero();
        m.fastest = m.v.norm() + m.radius * m.spin.norm() + dt * rigid.gravity.norm();
        const Box own = Box{m.x, m.x}.grown(m.radius + 2 * dt * m.fastest + 0.1 * m.spacing);
        m.near = m.joined;
        for (std::size_t b = 0; b < bodies.size() && !m.near; ++b)
            m.near = bodies[b].collide && own.overlaps(contact_bodies[b].box.grown(2 * dt * contact_bodies[b].fastest +
                                                                                   0.1 * contact_bodies[b].spacing));
        m.impulse.setZero(), m.twist.setZero();
        m.own_pushes = m.rigid->pushes.size(), m.carried = false;
        for (const RigidPush& push : m.rigid->pushes) m.impulse += push.impulse, m.twist += push.twist;
    }
    for (ContactBody& m : contact_bodies) {
        m.present = m.near;
        for (std::size_t i = bodies.size(); i < count && !m.present; ++i)
            m.present = contact_bodies[i].near &&
                        (m.x - contact_bodies[i].x).norm() < 1.1 * (m.radius + contact_bodies[i].radius);
        if (m.rigid && m.present) place_points(m), refresh(m);
        if (m.present)
            for (std::vector<double>* g : {&m.external, &m.extra, &m.rate, &m.end, &m.push})
                g->resize(static_cast<std::size_t>(m.coordinates));
    }
}

void refresh(ContactBody& m) {
    if (m.modal) {
        m.inverse_mass = m.movable ? 1 / m.modal->total_mass : 0;
        m.inverse_inertia = m.movable ? inverse_inertia(*m.modal) : Mat3(Mat3::Zero());
    } else {
        m.inverse_mass = m.movable ? 1 / m.rigid->rest.mass : 0;
        m.inverse_inertia =
            m.movable ? Mat3(m.rotation * m.rigid->principal.cwiseInverse().asDiagonal() * m.rotation.transpose())
                      : Mat3(Mat3::Zero());
    }
    m.box = Box{}, m.fastest = 0;
    for (const Vec3& p : m.points()) m.box.add(p);
    for (const Vec3& v : m.velocities()) m.fastest = std::max(m.fastest, v.squaredNorm());
    m.fastest = std::sqrt(m.fastest);
}

void find_rates(ContactBody& m) {
    const Vec3 v = m.modal ? m.modal->velocity : m.v, spin = m.modal ? angular_velocity(*m.modal) : m.spin;
    for (int k = 0; k < 3; ++k) m.rate[k] = v[k], m.rate[3 + k] = spin[k];
    if (m.modal) std::copy(m.modal->oscillators.v.begin(), m.modal->oscillators.v.end(), m.rate.begin() + 6);
}

void find_external(ContactBody& m, const Vec3& gravity, double step, std::vector<double>& scratch) {
    if (m.modal) return external_force(*m.modal, m.external, scratch);
    if (!m.touched) return m.external.assign(6, 0.0);  // what carries it is not known: it goes on as it does
    const Vec3 force = m.rigid->rest.mass * gravity + m.impulse / step, torque = m.twist / step;
    for (int k = 0; k < 3; ++k) m.external[k] = force[k], m.external[3 + k] = torque[k];
}

void find_end(ContactBody& m, double dt) {
    find_rates(m);
    auto total = [&](int k) { return m.external[k] + m.extra[k]; };
    const Vec3 turn = m.inverse_inertia * Vec3(total(3), total(4), total(5));
    for (int k = 0; k < 3; ++k) {
        m.end[k] = m.rate[k] + dt * m.inverse_mass * total(k);
        m.end[3 + k] = m.rate[3 + k] + dt * turn[k];
    }
    if (!m.modal) return;
    Oscillators& o = m.modal->oscillators;
    const std::vector<ModeStep>& steps = steps_for(o, dt);
    for (int i = 0; i < o.count(); ++i)
        m.end[6 + i] = steps[i].vz * o.z[i] + steps[i].vv * o.v[i] + steps[i].vg * total(6 + i);
}

void strike(ContactBody& m, std::span<const double> impulse) {
    if (m.modal) return apply_generalised(*m.modal, impulse);
    m.v += m.inverse_mass * Vec3(impulse[0], impulse[1], impulse[2]);
    m.spin += m.inverse_inertia * Vec3(impulse[3], impulse[4], impulse[5]);
}

void advance(ContactBody& m, double dt, Threads& threads) {
    std::vector<double>& g = m.push;
    for (int k = 0; k < m.coordinates; ++k) g[k] = m.external[k] + m.extra[k];
    if (m.modal) {
        advance(*m.modal, dt, g);
        update_surface(*m.modal, threads);
        return;
    }
    if (!m.movable) return;
    const Vec3 speed_up = dt * m.inverse_mass * Vec3(g[0], g[1], g[2]);
    const Vec3 twist = dt * (m.inverse_inertia * Vec3(g[3], g[4], g[5]));
    m.x += dt * (m.v + 0.5 * speed_up);
    m.rotation = turned(m.spin + 0.5 * twist, dt).toRotationMatrix() * m.rotation;
    m.v += speed_up, m.spin += twist;
    place_points(m);
}

void quiet_down(ContactBody& m, double slow) {
    if (!m.rigid || !m.present || (m.touched && !m.carried) || m.v.norm() + m.radius * m.spin.norm() > slow) return;
    m.v.setZero(), m.spin.setZero();
    std::fill(m.own_velocities.begin(), m.own_velocities.end(), Vec3::Zero());
}

void merge_pushes(ContactBody& m, const Vec3& gravity, int substeps, double dt) {
    std::vector<RigidPush>& pushes = m.rigid->pushes;
    if (pushes.size() == m.own_pushes || !m.movable || substeps < 2) return;
    Vec3 impulse = Vec3::Zero(), twist = Vec3::Zero(), turning = Vec3::Zero();
    for (std::size_t i = m.own_pushes; i < pushes.size(); ++i) {
        const RigidPush& p = pushes[i];
        impulse += p.impulse, twist += p.twist, turning += (1 - 0.5 * (p.from + p.till)) * p.twist;
    }
    // A blow J at the start moves it by J·dt/m until the end, an even push by c·J·dt/m.
    const double c = 0.5 * (1 + 1.0 / substeps), mass = m.rigid->rest.mass;
    const Vec3 moving = mass * ((m.x - m.rigid->x) / dt - m.rigid->v) - c * (dt * mass * gravity + m.impulse);
    Vec3 even = (impulse - moving) / (1 - c), even_twist = (twist - turning) / (1 - c);
    if (m.carried) even = impulse, even_twist = twist;
    pushes.resize(m.own_pushes);
    pushes.push_back({0, 0, impulse - even, twist - even_twist});
    pushes.push_back({0, 1, even, even_twist});
}

Vec3 joint_end(std::span<const ContactBody> contact_bodies, const ModalJoint& j) {
    if (j.b < 0) return j.anchor;
    const ContactBody& m = contact_bodies[static_cast<std::size_t>(j.b)];
    return m.modal ? point_position(*m.modal, j.on_b) : m.pose * j.anchor;
}

void add_rigid_jacobian(const ContactBody& m, const Vec3& point, const Mat3& axes, double scale, double* columns,
                        std::size_t stride, int at) {
    if (!m.movable) return;
    for (int c = 0; c < 3; ++c) {
        const Vec3 axis = scale * axes.col(c), turn = (point - m.x).cross(axis);
        for (int k = 0; k < 3; ++k) {
            columns[static_cast<std::size_t>(k) * stride + at + c] += axis[k];
            columns[static_cast<std::size_t>(3 + k) * stride + at + c] += turn[k];
        }
    }
}

namespace {

ModalPoint place_of(const ModalBody& b, const ModalTouch& t, bool as_partner) {
    return as_partner ? surface_point(b, t.on, t.weight) : surface_vertex(b, t.vertex);
}

}  // namespace

void add_jacobian(const ContactBody& m, const ModalTouch& t, bool as_partner, const Mat3& axes, double scale,
                  double* columns, std::size_t stride, int at) {
    if (m.modal) return add_jacobian(*m.modal, place_of(*m.modal, t, as_partner), axes, scale, columns, stride, at);
    add_rigid_jacobian(m, t.point, axes, scale, columns, stride, at);
}

double mobility(const ContactBody& m, const ModalTouch& t, bool as_partner, const Vec3& direction) {
    if (m.modal) return mobility(*m.modal, place_of(*m.modal, t, as_partner), direction);
    const Vec3 lever = (t.point - m.x).cross(direction);
    return m.inverse_mass + lever.dot(m.inverse_inertia * lever);
}

}  // namespace pliant
