#include "pliant/body/modal_rows.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/solve/dense_kernels.hpp"

namespace pliant {

namespace {

constexpr int friction_rounds = 4, friction_sweeps = 20;

using Row = Eigen::Map<Eigen::VectorXd>;
using ConstRow = Eigen::Map<const Eigen::VectorXd>;

// Room for n numbers and half as many more, so that a touch or two on top cost no memory.
template <class Numbers>
void make_room(Numbers& v, std::size_t n) {
    if (v.capacity() < n) v.reserve(n + n / 2);
}

}  // namespace

void build_rows(ModalContactRows& rows, std::span<ContactBody> contact_bodies, std::span<const ModalTouch> touches,
                std::span<const ModalJoint> joints) {
    rows.contacts = static_cast<int>(touches.size()), rows.joints = static_cast<int>(joints.size());
    rows.supports =
        static_cast<int>(std::count_if(touches.begin(), touches.end(), [](const ModalTouch& t) { return t.support; }));
    const std::size_t n = static_cast<std::size_t>(rows.count());
    rows.stride = (n + widest_tile - 1) / widest_tile * widest_tile;
    for (std::vector<double>* v : {&rows.given, &rows.speed, &rows.target, &rows.impulse, &rows.tangential})
        make_room(*v, rows.stride), v->assign(rows.stride, 0.0);
    for (ContactBody& m : contact_bodies) m.jacobian.clear();
    auto columns = [&](int number) {
        ContactBody& m = contact_bodies[static_cast<std::size_t>(number)];
        const std::size_t size = static_cast<std::size_t>(m.coordinates) * rows.stride;
        if (m.jacobian.empty()) make_room(m.jacobian, size), m.jacobian.assign(size, 0.0);
        return m.jacobian.data();
    };
    for (int c = 0; c < rows.contacts; ++c) {
        const ModalTouch& t = touches[static_cast<std::size_t>(c)];
        Mat3 axes;
        axes.col(0) = t.normal, axes.col(1) = t.normal.unitOrthogonal(), axes.col(2) = t.normal.cross(axes.col(1));
        add_jacobian(contact_bodies[static_cast<std::size_t>(t.body)], t, false, axes, 1, columns(t.body), rows.stride,
                     3 * c);
        if (t.partner >= 0)
            add_jacobian(contact_bodies[static_cast<std::size_t>(t.partner)], t, true, axes, -1, columns(t.partner),
                         rows.stride, 3 * c);
        const Vec3 drift = axes.transpose() * t.drift;
        for (int k = 0; k < 3; ++k) rows.given[static_cast<std::size_t>(3 * c + k)] = -drift[k];
    }
    for (int k = 0; k < rows.joints; ++k) {
        const ModalJoint& j = joints[static_cast<std::size_t>(k)];
        const int at = 3 * (rows.contacts + k);
        const ModalBody& a = *contact_bodies[static_cast<std::size_t>(j.a)].modal;
        add_jacobian(a, mesh_point(a, j.on_a), Mat3::Identity(), 1, columns(j.a), rows.stride, at);
        if (j.b < 0) continue;
        const ContactBody& other = contact_bodies[static_cast<std::size_t>(j.b)];
        if (other.modal)
            add_jacobian(*other.modal, mesh_point(*other.modal, j.on_b), Mat3::Identity(), -1, columns(j.b),
                         rows.stride, at);
        else
            add_rigid_jacobian(other, joint_end(contact_bodies, j), Mat3::Identity(), -1, columns(j.b), rows.stride,
                               at);
    }
}

void find_effect(ModalContactRows& rows, std::span<ContactBody> contact_bodies, double dt, bool held) {
    const DenseKernels& kernels = dense_kernels(best_kernel_level());
    const auto stride = static_cast<Eigen::Index>(rows.stride);
    make_room(rows.effect, rows.stride * rows.stride), rows.effect.assign(rows.stride * rows.stride, 0.0);
    for (ContactBody& m : contact_bodies) {
        if (m.jacobian.empty()) continue;
        make_room(m.answer, m.jacobian.size()), m.answer.resize(m.jacobian.size());
        auto from = [&](int k) { return ConstRow(m.jacobian.data() + k * stride, stride); };
        auto to = [&](int k) { return Row(m.answer.data() + k * stride, stride); };
        for (int k = 0; k < 3; ++k) {
            to(k) = m.inverse_mass * from(k);
            to(3 + k) = m.inverse_inertia(k, 0) * from(3) + m.inverse_inertia(k, 1) * from(4) +
                        m.inverse_inertia(k, 2) * from(5);
        }
        for (int k = 6; k < m.coordinates; ++k) {
            // Beyond half a period a push now is a pull then; a small positive answer keeps the problem convex.
            const double share =
                held ? std::max(steps_for(m.modal->oscillators, dt)[static_cast<std::size_t>(k - 6)].vg / dt, 0.02) : 1;
            to(k) = share * from(k);
        }
        kernels.multiply(rows.count(), static_cast<int>(rows.stride), m.coordinates, 1, m.jacobian.data(), stride, true,
                         m.answer.data(), stride, kernels.tile_width, rows.effect.data(), stride);
    }
    // Symmetric to the last bit.
    for (std::size_t i = 0; i < rows.stride; ++i)
        for (std::size_t j = 0; j < i; ++j) {
            double &a = rows.effect[i * rows.stride + j], &b = rows.effect[j * rows.stride + i];
            a = b = 0.5 * (a + b);
        }
}

void find_speeds(ModalContactRows& rows, std::span<const ContactBody> contact_bodies, bool at_end) {
    const auto stride = static_cast<Eigen::Index>(rows.stride);
    Row speed(rows.speed.data(), stride);
    speed = ConstRow(rows.given.data(), stride);
    for (const ContactBody& m : contact_bodies) {
        if (m.jacobian.empty()) continue;
        const std::vector<double>& q = at_end ? m.end : m.rate;
        for (int k = 0; k < m.coordinates; ++k)
            speed += q[static_cast<std::size_t>(k)] * ConstRow(m.jacobian.data() + k * stride, stride);
    }
}

int solve_impulses(ModalContactRows& rows, std::span<const ModalTouch> touches) {
    const std::size_t contacts = static_cast<std::size_t>(rows.contacts),
                      hard = contacts + 3 * static_cast<std::size_t>(rows.joints);
    const auto stride = static_cast<Eigen::Index>(rows.stride);
    make_room(rows.index, hard), make_room(rows.bilateral, hard), make_room(rows.small, hard * hard);
    make_room(rows.right, hard), make_room(rows.answer, hard);
    rows.index.resize(hard), rows.bilateral.assign(hard, 0);
    rows.small.resize(hard * hard), rows.right.resize(hard), rows.answer.resize(hard);
    for (std::size_t c = 0; c < contacts; ++c) rows.index[c] = static_cast<int>(3 * c);
    for (std::size_t k = contacts; k < hard; ++k)
        rows.index[k] = static_cast<int>(2 * contacts + k), rows.bilateral[k] = 1;
    auto row = [&](int i) { return ConstRow(rows.effect.data() + i * stride, stride); };
    for (std::size_t i = 0; i < hard; ++i)
        for (std::size_t j = 0; j < hard; ++j) rows.small[i * hard + j] = row(rows.index[i])[rows.index[j]];
    Row f(rows.impulse.data(), stride), tangential(rows.tangential.data(), stride), speed(rows.speed.data(), stride);
    f.setZero(), tangential.setZero();
    speed -= ConstRow(rows.target.data(), stride);
    int pivots = 0;
    for (int round = 0; round < friction_rounds; ++round) {
        for (std::size_t i = 0; i < hard; ++i) {
            const int at = rows.index[i];
            rows.right[i] = speed[at] + row(at).dot(tangential);
        }
        pivots += rows.lcp.solve(rows.small, rows.right, rows.bilateral, rows.answer).pivots;
        f = tangential;
        for (std::size_t i = 0; i < hard; ++i) f[rows.index[i]] += rows.answer[i];
        if (round + 1 == friction_rounds) break;
        // Tangential impulses by projected Gauss–Seidel on the discs |f_t| ≤ μ f_n.
        for (int sweep = 0; sweep < friction_sweeps; ++sweep)
            for (int c = 0; c < rows.contacts; ++c) {
                const int at = 3 * c + 1;
                const double limit = touches[static_cast<std::size_t>(c)].friction * f[3 * c];
                const double stiff = std::max(row(at)[at], row(at + 1)[at + 1]);
                Eigen::Vector2d t = Eigen::Vector2d::Zero();
                if (limit > 0 && stiff > 0) {
                    t = f.segment<2>(at);
                    t[0] -= (speed[at] + row(at).dot(f)) / stiff;
                    t[1] -= (speed[at + 1] + row(at + 1).dot(f)) / stiff;
                    if (t.norm() > limit) t *= limit / t.norm();
                }
                f.segment<2>(at) = t;
            }
        for (int c = 0; c < rows.contacts; ++c) tangential.segment<2>(3 * c + 1) = f.segment<2>(3 * c + 1);
    }
    return pivots;
}

void generalise(const ModalContactRows& rows, const ContactBody& m, bool supports, std::span<double> out) {
    const auto stride = static_cast<Eigen::Index>(rows.stride);
    std::fill(out.begin(), out.end(), 0.0);
    if (m.jacobian.empty()) return;
    auto add = [&](int from, int till) {
        const ConstRow f(rows.impulse.data() + from, till - from);
        for (int k = 0; k < m.coordinates; ++k)
            out[static_cast<std::size_t>(k)] += ConstRow(m.jacobian.data() + k * stride + from, till - from).dot(f);
    };
    if (supports) return add(0, rows.count());
    add(0, 3 * (rows.contacts - rows.supports));
    add(3 * rows.contacts, rows.count());
}

}  // namespace pliant
