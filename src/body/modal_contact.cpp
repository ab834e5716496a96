#include "pliant/body/modal_contact.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "pliant/body/modal_rows.hpp"

namespace pliant {

namespace {

constexpr double recovery = 0.2;  // part of a depth or of a joint's error taken back per step
constexpr int most_parts = 8;     // of a step while something touches

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

auto key(const ModalAnchor& a) { return std::make_tuple(a.body, a.vertex, a.partner); }
bool earlier(const ModalAnchor& a, const ModalAnchor& b) { return key(a) < key(b); }

Vec3 joint_error(std::span<const ContactBody> contact_bodies, const ModalJoint& j) {
    return point_position(*contact_bodies[j.a].modal, j.on_a) - joint_end(contact_bodies, j);
}

// How often a step is cut while something touches: the fastest mode turns by at most a radian in each part.
int parts_of_step(std::span<const ModalBody> bodies, double dt) {
    double fastest = 0;
    for (const ModalBody& b : bodies)
        if (!b.oscillators.lambda.empty()) fastest = std::max(fastest, std::sqrt(b.oscillators.lambda.back()));
    return std::clamp(static_cast<int>(std::ceil(fastest * dt)), 1, most_parts);
}

Vec3 velocity_there(const ContactBody& m, const ModalTouch& t) {
    if (m.rigid) return m.v + m.spin.cross(t.point - m.x);
    Vec3 v = Vec3::Zero();
    for (int k = 0; k < 3; ++k) v += t.weight[k] * m.modal->velocities[t.on[k]];
    return v;
}

// A force at a touch over a part of the step.
void press(ContactBody& m, const ModalTouch& t, bool as_partner, const Vec3& force) {
    if (m.modal) {
        const ModalPoint at = as_partner ? surface_point(*m.modal, t.on, t.weight) : surface_vertex(*m.modal, t.vertex);
        return add_force(*m.modal, at, force, m.extra);
    }
    if (!m.movable) return;
    const Vec3 torque = (t.point - m.x).cross(force);
    for (int k = 0; k < 3; ++k) m.extra[k] += force[k], m.extra[3 + k] += torque[k];
}

}  // namespace

struct ModalSolver::Scratch {
    std::vector<ContactBody> contact_bodies;
    std::vector<ModalTouch> found, pair, touches, springs, acted;
    std::vector<ModalAnchor> anchors;
    std::vector<ModalHold> holds;
    std::vector<Obstacle> obstacles;
    std::vector<double> gathered;
    ModalContactRows rows;

    // What stays the same for a step.
    int modal_count = 0;
    std::span<const ModalJoint> joints;
    Vec3 gravity;
    double step = 0;
    double began = 0;  // the present part, as a part of the step
    ModalStepReport report;

    void add_penalties(double dt, const std::vector<ModalAnchor>& before);
    void set_targets(double dt, double depth_taken_back);
    void hand_over(ContactBody& m, double from, double till);
    void hit(double dt);
    void keep(double dt);
    void part(double dt, Threads& threads, std::vector<ModalAnchor>& anchors_of_body);
    void record();
    void hold(double dt, bool forces, bool prepare);
};

// Penalty springs with damping (section 3.4.2), as forces over the part. Along the surface a spring from where the
// point stuck, which a force beyond the friction cone drags along: what rests does not creep.
void ModalSolver::Scratch::add_penalties(double dt, const std::vector<ModalAnchor>& before) {
    anchors.clear();
    for (ModalTouch& t : springs) {
        ContactBody& m = contact_bodies[t.body];
        ContactBody* mate = t.partner >= 0 ? &contact_bodies[t.partner] : nullptr;
        const double heavy = 1 / (mobility(m, t, false, t.normal) + (mate ? mobility(*mate, t, true, t.normal) : 0.0));
        const ModalContactOptions& options = (m.modal ? m : *mate).modal->contact;
        const double k = options.stiffness > 0 ? options.stiffness : 0.1 * heavy / (dt * dt);
        const double damping = 0.5 * std::sqrt(k * heavy);
        const Vec3 speed = m.velocities()[t.vertex] - (mate ? velocity_there(*mate, t) : t.drift);
        const double along = speed.dot(t.normal);
        const double push = std::max(0.0, -k * t.gap - damping * along);
        const Vec3 slide = speed - along * t.normal;
        ModalAnchor anchor{t.body, t.vertex, t.partner, 0, {}};
        Vec3 elongation = dt * slide;
        const auto old = std::lower_bound(before.begin(), before.end(), anchor, earlier);
        if (old != before.end() && key(*old) == key(anchor)) {
            const Vec3 was(old->elongation[0], old->elongation[1], old->elongation[2]);
            elongation += was - was.dot(t.normal) * t.normal;
        }
        Vec3 friction = -k * elongation - damping * slide;
        const double limit = t.friction * push;
        if (friction.norm() > limit) {
            friction *= limit / friction.norm();
            elongation = -(friction + damping * slide) / k;
        }
        anchor.elongation = {elongation[0], elongation[1], elongation[2]};
        anchors.push_back(anchor);
        const Vec3 force = push * t.normal + friction;
        press(m, t, false, force);
        if (mate) press(*mate, t, true, -force);
        t.impulse = push * dt;
    }
    std::sort(anchors.begin(), anchors.end(), earlier);
}

// Speeds that just reach a surface ahead, or take back a part of a depth.
void ModalSolver::Scratch::set_targets(double dt, double taken_back) {
    for (std::size_t c = 0; c < touches.size(); ++c) {
        const double gap = touches[c].gap;
        rows.target[3 * c] = gap > 0 ? -gap / dt : -taken_back * gap / step;
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
        const Vec3 error = joint_error(contact_bodies, joints[j]);
        for (int k = 0; k < 3; ++k)
            rows.target[3 * (touches.size() + j) + static_cast<std::size_t>(k)] = -taken_back / dt * error[k];
    }
}

// What contacts with modal bodies and joints to them do to a rigid one, over a part of its own step; what carries it is
// Bullet's.
void ModalSolver::Scratch::hand_over(ContactBody& m, double from, double till) {
    generalise(rows, m, false, m.push);
    m.rigid->pushes.push_back({from, till, {m.push[0], m.push[1], m.push[2]}, {m.push[3], m.push[4], m.push[5]}});
}

// Speeds: what comes in is stopped, or slowed to just arrive.
void ModalSolver::Scratch::hit(double dt) {
    for (ContactBody& m : contact_bodies)
        if (!m.jacobian.empty()) find_rates(m);
    set_targets(dt, recovery);
    find_effect(rows, contact_bodies, dt, false);
    find_speeds(rows, contact_bodies, false);
    report.pivots += solve_impulses(rows, touches);
    for (ContactBody& m : contact_bodies) {
        if (m.jacobian.empty()) continue;
        if (m.rigid && m.movable) hand_over(m, began, began);
        generalise(rows, m, true, m.push);
        strike(m, m.push);
    }
    for (std::size_t c = 0; c < touches.size(); ++c) touches[c].impulse = rows.impulse[3 * c];
}

// Accelerations: forces over the part that keep gravity and elasticity from undoing it.
void ModalSolver::Scratch::keep(double dt) {
    for (ContactBody& m : contact_bodies)
        if (!m.jacobian.empty()) find_end(m, dt);
    set_targets(dt, 0);
    find_effect(rows, contact_bodies, dt, true);
    find_speeds(rows, contact_bodies, true);
    report.pivots += solve_impulses(rows, touches);
    for (ContactBody& m : contact_bodies) {
        if (m.jacobian.empty()) continue;
        if (m.rigid && m.movable) hand_over(m, began, began + dt / step);
        generalise(rows, m, true, m.push);
        for (std::size_t k = 0; k < m.push.size(); ++k) m.extra[k] += m.push[k] / dt;
    }
    for (std::size_t c = 0; c < touches.size(); ++c) touches[c].impulse += rows.impulse[3 * c];
}

void ModalSolver::Scratch::hold(double dt, bool forces, bool prepare) {
    if (holds.empty()) return;
    for (int b = 0; b < modal_count; ++b) {
        if (prepare) prepare_hold(contact_bodies[b], holds, b, dt, forces);
        forces ? hold_places(contact_bodies[b], holds, b, dt) : hold_speeds(contact_bodies[b], holds, b, dt);
        const HoldRows& h = contact_bodies[b].held[1];
        if (forces && h.count > 0 && h.off > report.held_off) report.held_off = h.off, report.held_off_body = b;
    }
}

// One part of a step, in which every mode turns by less than about a radian, so that a push at its start still is one
// at its end. Hands are stronger than contacts, and so have the last word.
void ModalSolver::Scratch::part(double dt, Threads& threads, std::vector<ModalAnchor>& before) {
    springs.clear(), touches.clear();
    for (const ModalTouch& t : found) {
        const ContactBody& m =
            contact_bodies[t.body].modal || t.partner < 0 ? contact_bodies[t.body] : contact_bodies[t.partner];
        (m.modal && m.modal->contact.penalty ? springs : touches).push_back(t);
    }
    for (ContactBody& m : contact_bodies) std::fill(m.extra.begin(), m.extra.end(), 0.0);
    hold(dt, false, true);
    add_penalties(dt, before);
    before.swap(anchors);
    for (ContactBody& m : contact_bodies)
        if (m.rigid && m.present && m.movable && !springs.empty()) {
            const std::vector<double>& g = m.extra;
            m.rigid->pushes.push_back(
                {began, began + dt / step, dt * Vec3(g[0], g[1], g[2]), dt * Vec3(g[3], g[4], g[5])});
        }
    build_rows(rows, contact_bodies, touches, joints);
    if (rows.count() > 0) {
        hit(dt);
        hold(dt, false, false);
    }
    for (ContactBody& m : contact_bodies)
        if (m.present) find_external(m, gravity, step, gathered);
    hold(dt, true, true);
    if (rows.count() > 0) {
        keep(dt);
        hold(dt, true, false);
    }
    for (ContactBody& m : contact_bodies)
        if (m.present) advance(m, dt, threads);
    report.touches = std::max(report.touches, static_cast<int>(touches.size() + springs.size()) - rows.supports);
}

// One entry per point and step, impulses added up.
void ModalSolver::Scratch::record() {
    for (const std::vector<ModalTouch>* list : {&touches, &springs})
        for (const ModalTouch& t : *list) {
            if (t.support || !(t.impulse > 0)) continue;
            const auto same = std::find_if(acted.begin(), acted.end(), [&](const ModalTouch& u) {
                return u.body == t.body && u.vertex == t.vertex && u.partner == t.partner;
            });
            if (same == acted.end()) {
                acted.push_back(t);
                for (int who : {t.body, t.partner})
                    if (who >= 0 && who < modal_count && (who == t.body || t.body >= modal_count))
                        ++contact_bodies[who].modal->touching;
            } else {
                same->impulse += t.impulse, same->approach = std::max(same->approach, t.approach);
            }
        }
}

ModalSolver::ModalSolver() : scratch_(std::make_unique<Scratch>()) {}
ModalSolver::~ModalSolver() = default;
ModalSolver::ModalSolver(ModalSolver&&) noexcept = default;
ModalSolver& ModalSolver::operator=(ModalSolver&&) noexcept = default;

std::span<const ModalTouch> ModalSolver::touches() const { return scratch_->acted; }

ModalStepReport ModalSolver::step(std::span<ModalBody> bodies, const RigidPartners& rigid,
                                  std::span<const Obstacle> obstacles, std::span<const ModalJoint> joints, double dt,
                                  Threads& threads) {
    Scratch& s = *scratch_;
    s.report = {};
    s.modal_count = static_cast<int>(bodies.size());
    s.joints = joints, s.gravity = rigid.gravity, s.step = dt;
    s.acted.clear();
    for (ModalBody& b : bodies) b.touching = 0;
    double start = seconds();
    gather_contact_bodies(bodies, rigid, joints, dt, s.contact_bodies);
    s.report.candidates = find_touches(s.contact_bodies, s.modal_count, obstacles, dt, s.found, s.pair);
    for (ContactBody& m : s.contact_bodies) quiet_down(m, 3 * rigid.gravity.norm() * dt / rigid.substeps);
    const int parts = s.found.empty() && joints.empty() ? 1 : parts_of_step(bodies, dt);
    s.holds = holds, s.obstacles.assign(obstacles.begin(), obstacles.end());
    for (int part = 0; part < parts; ++part) {
        const double h = dt / parts, done = static_cast<double>(part) / parts, end = (part + 1.0) / parts;
        if (parts > 1) {
            for (std::size_t o = 0; o < obstacles.size(); ++o) {
                const Obstacle& whole = obstacles[o];
                auto between = [&](double u) {
                    return Pose{whole.start.rotation.slerp(u, whole.end.rotation),
                                (1 - u) * whole.start.translation + u * whole.end.translation};
                };
                s.obstacles[o].start = between(done), s.obstacles[o].end = between(end);
            }
            if (part > 0)
                for (ContactBody& m : s.contact_bodies)
                    if (m.present) refresh(m);
            find_touches(s.contact_bodies, s.modal_count, s.obstacles, h, s.found, s.pair);
            for (std::size_t k = 0; k < holds.size(); ++k) {
                const Vec3 at = point_position(bodies[holds[k].body], holds[k].point);
                s.holds[k].target = at + (holds[k].target - at) / (parts - part);
            }
        }
        s.report.detect_s += seconds() - start, start = seconds();
        s.began = done;
        s.part(h, threads, anchors_);
        s.report.solve_s += seconds() - start, start = seconds();
        s.record();
    }
    for (ContactBody& m : s.contact_bodies)
        if (m.rigid) merge_pushes(m, rigid.gravity, rigid.substeps, dt);
    return s.report;
}

}  // namespace pliant
