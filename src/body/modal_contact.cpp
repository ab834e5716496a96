#include "pliant/body/modal_contact.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/modal/manipulation.hpp"
#include "pliant/solve/lcp.hpp"

namespace pliant {

namespace {

constexpr double recovery = 0.2;  // part of a depth or of a joint's error taken back per step
constexpr int friction_rounds = 4, friction_sweeps = 20;
// Singular values of held points below this part of the largest are left free: many points in one place would otherwise
// pin down, through motions of a hair, modes that move the rest of the body.
constexpr double slack = 0.02;
constexpr int most_parts = 8;  // of a step while something touches

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Jacobian of a point of the surface, 3 × coordinates.
Eigen::MatrixXd surface_jacobian(const ModalBody& b, const Tri& on, const Vec3& weight) {
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(3, b.coordinates());
    for (int k = 0; k < 3; ++k)
        if (weight[k] != 0) j += weight[k] * point_jacobian(b, b.embedding.tet[on[k]], b.embedding.weight[on[k]]);
    return j;
}

Eigen::VectorXd rates(const ModalBody& b) {
    Eigen::VectorXd q(b.coordinates());
    q.head<3>() = b.velocity;
    q.segment<3>(3) = angular_velocity(b);
    for (int i = 0; i < b.basis.mode_count(); ++i) q[6 + i] = b.oscillators.v[i];
    return q;
}

// Rates at the end of the step if nothing else acted: exact for the modes.
Eigen::VectorXd rates_at_end(ModalBody& b, const Eigen::VectorXd& extra, double dt) {
    ModalBody& body = b;
    const std::vector<ModeStep>& steps = steps_for(body.oscillators, dt);
    Eigen::VectorXd q = rates(body);
    Vec3 force = extra.head<3>(), torque = extra.segment<3>(3);
    Eigen::VectorXd local(3 * body.mesh.node_count());
    const Mat3 back = body.frame.rotation.conjugate().toRotationMatrix();
    for (int i = 0; i < body.mesh.node_count(); ++i) {
        force += body.force[i];
        torque += (body.x[i] - body.frame.translation).cross(body.force[i]);
        local.segment<3>(3 * i) = back * body.force[i];
    }
    const Eigen::VectorXd g = body.basis.shape.transpose() * local + extra.tail(body.basis.mode_count());
    if (!body.anchored) {
        q.head<3>() += dt / body.total_mass * force;
        q.segment<3>(3) += dt * (inverse_inertia(body) * torque);
    }
    for (int i = 0; i < body.basis.mode_count(); ++i)
        q[6 + i] = steps[i].vz * body.oscillators.z[i] + steps[i].vv * body.oscillators.v[i] + steps[i].vg * g[i];
    return q;
}

// All rows of contacts (normal, two tangents each) and joints (three each), per body.
struct Rows {
    int contacts = 0, joints = 0;
    std::vector<Eigen::MatrixXd> jacobian;  // per body: rows × coordinates, empty when it has none
    Eigen::VectorXd given;                  // velocity that obstacles bring in
    int count() const { return 3 * (contacts + joints); }
};

void add_rows(Rows& rows, int body, int at, const Eigen::MatrixXd& j, const Mat3& axes, double sign) {
    rows.jacobian[body].middleRows(at, 3) += sign * axes.transpose() * j;
}

Rows make_rows(std::span<const ModalBody> bodies, const std::vector<ModalTouch>& touches,
               std::span<const ModalJoint> joints) {
    Rows rows;
    rows.contacts = static_cast<int>(touches.size()), rows.joints = static_cast<int>(joints.size());
    rows.jacobian.resize(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b)
        rows.jacobian[b] = Eigen::MatrixXd::Zero(rows.count(), bodies[b].coordinates());
    rows.given = Eigen::VectorXd::Zero(rows.count());
    for (int c = 0; c < rows.contacts; ++c) {
        const ModalTouch& t = touches[c];
        Mat3 axes;
        axes.col(0) = t.normal, axes.col(1) = t.normal.unitOrthogonal(), axes.col(2) = t.normal.cross(axes.col(1));
        add_rows(rows, t.body, 3 * c, surface_jacobian(bodies[t.body], {t.vertex, 0, 0}, Vec3(1, 0, 0)), axes, 1);
        if (t.partner >= 0)
            add_rows(rows, t.partner, 3 * c, surface_jacobian(bodies[t.partner], t.on, t.weight), axes, -1);
        else
            rows.given.segment<3>(3 * c) = -(axes.transpose() * t.drift);
    }
    for (int k = 0; k < rows.joints; ++k) {
        const ModalJoint& j = joints[k];
        const int at = 3 * (rows.contacts + k);
        add_rows(rows, j.a, at, point_jacobian(bodies[j.a], j.tet_a, j.weight_a), Mat3::Identity(), 1);
        if (j.b >= 0) add_rows(rows, j.b, at, point_jacobian(bodies[j.b], j.tet_b, j.weight_b), Mat3::Identity(), -1);
    }
    return rows;
}

Vec3 joint_error(std::span<const ModalBody> bodies, const ModalJoint& j) {
    const Vec3 there = j.b >= 0 ? point_position(bodies[j.b], j.tet_b, j.weight_b) : j.anchor;
    return point_position(bodies[j.a], j.tet_a, j.weight_a) - there;
}

// Impulses with: normal ones never negative and complementary to the speeds they leave, friction within the cone and
// opposing (stick where it can), joints exact. `a`: effect of impulses on speeds; `speed`: without them, less targets.
Eigen::VectorXd solve_impulses(const Rows& rows, const Eigen::MatrixXd& a, const Eigen::VectorXd& speed,
                               const std::vector<ModalTouch>& touches, int& pivots) {
    const int contacts = rows.contacts, hard = contacts + 3 * rows.joints;
    std::vector<int> index(hard);
    std::vector<std::uint8_t> bilateral(hard, 0);
    for (int c = 0; c < contacts; ++c) index[c] = 3 * c;
    for (int k = 0; k < 3 * rows.joints; ++k) index[contacts + k] = 3 * contacts + k, bilateral[contacts + k] = 1;
    Eigen::MatrixXd small(hard, hard);
    for (int i = 0; i < hard; ++i)
        for (int j = 0; j < hard; ++j) small(i, j) = a(index[i], index[j]);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(rows.count()), tangential = f;
    for (int round = 0; round < friction_rounds; ++round) {
        const Eigen::VectorXd b = speed + a * tangential;
        Eigen::VectorXd right(hard);
        for (int i = 0; i < hard; ++i) right[i] = b[index[i]];
        const LcpResult r = solve_lcp(small, right, bilateral);
        pivots += r.pivots;
        Eigen::VectorXd normal = Eigen::VectorXd::Zero(rows.count());
        for (int i = 0; i < hard; ++i) normal[index[i]] = r.f[i];
        f = normal + tangential;
        if (round + 1 == friction_rounds) break;
        // Tangential impulses by projected Gauss–Seidel on the discs |f_t| ≤ μ f_n.
        for (int sweep = 0; sweep < friction_sweeps; ++sweep)
            for (int c = 0; c < contacts; ++c) {
                const double limit = touches[c].friction * normal[3 * c];
                Eigen::Vector2d t = f.segment<2>(3 * c + 1);
                const double stiff = std::max(a(3 * c + 1, 3 * c + 1), a(3 * c + 2, 3 * c + 2));
                if (limit > 0 && stiff > 0) {
                    t[0] -= (speed[3 * c + 1] + a.row(3 * c + 1).dot(f)) / stiff;
                    t[1] -= (speed[3 * c + 2] + a.row(3 * c + 2).dot(f)) / stiff;
                    if (t.norm() > limit) t *= limit / t.norm();
                } else {
                    t.setZero();
                }
                f.segment<2>(3 * c + 1) = t;
            }
        for (int c = 0; c < contacts; ++c) tangential.segment<2>(3 * c + 1) = f.segment<2>(3 * c + 1);
    }
    return f;
}

// J · (response) · Jᵀ summed over bodies. `held`: response of the modes to a force over the step, else to an impulse.
Eigen::MatrixXd effect(std::span<ModalBody> bodies, const Rows& rows, double dt, bool held) {
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows.count(), rows.count());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        const Eigen::MatrixXd& j = rows.jacobian[b];
        if (j.isZero(0)) continue;
        Eigen::MatrixXd m = inverse_mass_times(bodies[b], j.transpose());
        if (held) {
            // Beyond half a period a push now is a pull then; a small positive answer keeps the problem convex.
            const std::vector<ModeStep>& steps = steps_for(bodies[b].oscillators, dt);
            for (int i = 0; i < bodies[b].basis.mode_count(); ++i) m.row(6 + i) *= std::max(steps[i].vg / dt, 0.02);
        }
        a += j * m;
    }
    return 0.5 * (a + a.transpose());
}

Eigen::VectorXd speeds(const Rows& rows, const std::vector<Eigen::VectorXd>& q) {
    Eigen::VectorXd v = rows.given;
    for (std::size_t b = 0; b < q.size(); ++b) v += rows.jacobian[b] * q[b];
    return v;
}

// Penalty springs with damping and friction (section 3.4.2), as forces over the step.
void add_penalties(std::span<ModalBody> bodies, const std::vector<ModalTouch>& touches, double dt,
                   std::vector<Eigen::VectorXd>& extra, std::vector<ModalTouch>& acted) {
    for (ModalTouch t : touches) {
        ModalBody& body = bodies[t.body];
        const Eigen::MatrixXd j = surface_jacobian(body, {t.vertex, 0, 0}, Vec3(1, 0, 0));
        const double heavy =
            1 / (t.normal.transpose() * j * inverse_mass_times(body, j.transpose()) * t.normal).value();
        const double k = body.contact.stiffness > 0 ? body.contact.stiffness : 0.1 * heavy / (dt * dt);
        Vec3 speed = body.velocities[t.vertex] - t.drift;
        if (t.partner >= 0)
            for (int q = 0; q < 3; ++q) speed -= t.weight[q] * bodies[t.partner].velocities[t.on[q]];
        const double along = speed.dot(t.normal);
        const double push = std::max(0.0, -k * t.gap - 0.5 * std::sqrt(k * heavy) * along);
        const Vec3 slide = speed - along * t.normal;
        Vec3 force = push * t.normal;
        if (slide.norm() > 0)
            force -= slide.normalized() * std::min(t.friction * push, 0.5 * heavy * slide.norm() / dt);
        extra[t.body] += j.transpose() * force;
        if (t.partner >= 0) extra[t.partner] -= surface_jacobian(bodies[t.partner], t.on, t.weight).transpose() * force;
        t.impulse = push * dt;
        acted.push_back(t);
    }
}

// Eqs. 14 and 15 on the rigid frame and the modes together: speeds that lead to the targets, then forces that keep
// them.
void hold_points(std::span<ModalBody> bodies, std::span<const ModalHold> holds, double dt,
                 std::vector<Eigen::VectorXd>& extra, bool forces) {
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
        ModalBody& body = bodies[b];
        std::vector<const ModalHold*> own;
        for (const ModalHold& h : holds)
            if (h.body == b) own.push_back(&h);
        if (own.empty()) continue;
        Eigen::MatrixXd rows(3 * own.size(), body.coordinates());
        Eigen::VectorXd wanted(rows.rows());
        for (std::size_t k = 0; k < own.size(); ++k) {
            const auto at = static_cast<Eigen::Index>(3 * k);
            rows.middleRows(at, 3) = point_jacobian(body, own[k]->tet, own[k]->weight);
            wanted.segment<3>(at) = (own[k]->target - point_position(body, own[k]->tet, own[k]->weight)) / dt;
        }
        const Eigen::MatrixXd plain = rows;
        // Rotations in the axes where their inertia is one; the response is then diagonal.
        const Mat3 root = inverse_inertia(body).llt().matrixL();
        rows.middleCols<3>(3) = (rows.middleCols<3>(3) * root).eval();
        Eigen::VectorXd response = Eigen::VectorXd::Ones(body.coordinates());
        response.head<3>().setConstant(1 / body.total_mass);
        if (!forces) {
            const Eigen::VectorXd impulse = solve_rows(rows, rows, response, wanted - plain * rates(body), slack);
            apply_generalised(body, plain.transpose() * impulse);
            continue;
        }
        // Where the free motion over the step would lead, against where it should.
        const std::vector<ModeStep>& steps = steps_for(body.oscillators, dt);
        const Eigen::VectorXd end = rates_at_end(body, extra[b], dt);
        Eigen::VectorXd move = 0.5 * dt * (rates(body) + end);
        response.head<6>() *= 0.5 * dt * dt;
        for (int i = 0; i < body.basis.mode_count(); ++i) {
            const double g =
                steps[i].vg != 0
                    ? (end[6 + i] - steps[i].vz * body.oscillators.z[i] - steps[i].vv * body.oscillators.v[i]) /
                          steps[i].vg
                    : 0;
            move[6 + i] =
                (steps[i].zz - 1) * body.oscillators.z[i] + steps[i].zv * body.oscillators.v[i] + steps[i].zg * g;
            response[6 + i] = steps[i].zg;
        }
        extra[b] += plain.transpose() * solve_rows(rows, rows, response, dt * wanted - plain * move, slack);
    }
}

// One step in which every mode turns by less than about a radian, so that a push at its start still is one at its end.
void substep(std::span<ModalBody> bodies, const std::vector<ModalTouch>& all, std::span<const ModalJoint> joints,
             std::span<const ModalHold> holds, double dt, Threads& threads, std::vector<ModalTouch>& touches,
             ModalStepReport& report) {
    std::vector<ModalTouch> springs;
    touches.clear();
    for (const ModalTouch& t : all) (bodies[t.body].contact.penalty ? springs : touches).push_back(t);

    std::vector<Eigen::VectorXd> extra, q(bodies.size());
    for (const ModalBody& b : bodies) extra.push_back(Eigen::VectorXd::Zero(b.coordinates()));
    hold_points(bodies, holds, dt, extra, false);
    std::vector<ModalTouch> pressed;
    add_penalties(bodies, springs, dt, extra, pressed);

    const Rows rows = make_rows(bodies, touches, joints);
    if (rows.count() > 0) {
        // Speeds first: what comes in is stopped, or slowed to just arrive.
        Eigen::VectorXd target = Eigen::VectorXd::Zero(rows.count());
        for (int c = 0; c < rows.contacts; ++c) {
            const double gap = touches[c].gap;
            target[3 * c] = gap > 0 ? -gap / dt : recovery * -gap / dt;
        }
        for (int k = 0; k < rows.joints; ++k)
            target.segment<3>(3 * (rows.contacts + k)) = -recovery / dt * joint_error(bodies, joints[k]);
        for (std::size_t b = 0; b < bodies.size(); ++b) q[b] = rates(bodies[b]);
        const Eigen::VectorXd hit =
            solve_impulses(rows, effect(bodies, rows, dt, false), speeds(rows, q) - target, touches, report.pivots);
        for (std::size_t b = 0; b < bodies.size(); ++b)
            apply_generalised(bodies[b], rows.jacobian[b].transpose() * hit);
        for (int c = 0; c < rows.contacts; ++c) touches[c].impulse = hit[3 * c];
        hold_points(bodies, holds, dt, extra, false);  // hands are the stronger
    }
    hold_points(bodies, holds, dt, extra, true);
    if (rows.count() > 0) {
        // Then accelerations: forces over the step that keep gravity and elasticity from undoing it.
        Eigen::VectorXd target = Eigen::VectorXd::Zero(rows.count());
        for (int c = 0; c < rows.contacts; ++c) target[3 * c] = touches[c].gap > 0 ? -touches[c].gap / dt : 0;
        for (std::size_t b = 0; b < bodies.size(); ++b) q[b] = rates_at_end(bodies[b], extra[b], dt);
        const Eigen::VectorXd push =
            solve_impulses(rows, effect(bodies, rows, dt, true), speeds(rows, q) - target, touches, report.pivots);
        for (std::size_t b = 0; b < bodies.size(); ++b) extra[b] += rows.jacobian[b].transpose() * push / dt;
        for (int c = 0; c < rows.contacts; ++c) touches[c].impulse += push[3 * c];
        hold_points(bodies, holds, dt, extra, true);
    }
    touches.insert(touches.end(), pressed.begin(), pressed.end());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        advance(bodies[b], dt, extra[b]);
        update_surface(bodies[b], threads);
    }
    report.touches = std::max(report.touches, static_cast<int>(touches.size()));
}

// How often a step is cut while something touches: the fastest mode turns by at most a radian in each part.
int parts_of_step(std::span<const ModalBody> bodies, double dt) {
    double fastest = 0;
    for (const ModalBody& b : bodies)
        if (!b.oscillators.lambda.empty()) fastest = std::max(fastest, std::sqrt(b.oscillators.lambda.back()));
    return std::clamp(static_cast<int>(std::ceil(fastest * dt)), 1, most_parts);
}

}  // namespace

ModalStepReport step_modal(std::span<ModalBody> bodies, std::span<const Obstacle> obstacles,
                           std::span<const ModalJoint> joints, std::span<const ModalHold> holds, double dt,
                           Threads& threads, std::vector<ModalTouch>& touches) {
    ModalStepReport report;
    touches.clear();
    for (ModalBody& b : bodies) b.touching = 0;
    double start = seconds();
    std::vector<ModalTouch> near = find_touches(bodies, obstacles, dt, &report.candidates), acted;
    const int parts = near.empty() && joints.empty() ? 1 : parts_of_step(bodies, dt);
    std::vector<ModalHold> now(holds.begin(), holds.end());
    std::vector<Obstacle> moving(obstacles.begin(), obstacles.end());
    for (int part = 0; part < parts; ++part) {
        const double h = dt / parts, done = static_cast<double>(part) / parts, end = (part + 1.0) / parts;
        if (parts > 1) {
            for (std::size_t o = 0; o < moving.size(); ++o) {
                const Obstacle& whole = obstacles[o];
                auto between = [&](double s) {
                    return Pose{whole.start.rotation.slerp(s, whole.end.rotation),
                                (1 - s) * whole.start.translation + s * whole.end.translation};
                };
                moving[o].start = between(done), moving[o].end = between(end);
            }
            near = find_touches(bodies, moving, h);
            for (std::size_t k = 0; k < now.size(); ++k) {
                const Vec3 at = point_position(bodies[now[k].body], now[k].tet, now[k].weight);
                now[k].target = at + (holds[k].target - at) / (parts - part);
            }
        }
        report.detect_s += seconds() - start, start = seconds();
        substep(bodies, near, joints, now, h, threads, acted, report);
        report.solve_s += seconds() - start, start = seconds();
        for (const ModalTouch& t : acted) {
            if (!(t.impulse > 0)) continue;
            // One entry per point and step, impulses added up.
            const auto same = std::find_if(touches.begin(), touches.end(), [&](const ModalTouch& u) {
                return u.body == t.body && u.vertex == t.vertex && u.partner == t.partner;
            });
            if (same == touches.end()) {
                touches.push_back(t), ++bodies[t.body].touching;
            } else {
                same->impulse += t.impulse, same->approach = std::max(same->approach, t.approach);
            }
        }
    }
    return report;
}

}  // namespace pliant
