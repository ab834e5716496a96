// Points of a modal body that are told where to be: equations 14 and 15 of Hauser, Shen & O'Brien 2003 on the rigid
// frame and the modes together.

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/body/modal_contact_bodies.hpp"
#include "pliant/solve/dense_kernels.hpp"

namespace pliant {

namespace {

// Eigenvalues of the product below this part of the largest, per coordinate, are rounding.
constexpr double rounding = std::numeric_limits<double>::epsilon();

using Row = Eigen::Map<Eigen::VectorXd>;
using ConstRow = Eigen::Map<const Eigen::VectorXd>;

ConstRow row_of(const AlignedVector<double>& columns, const HoldRows& h, int coordinate) {
    return {columns.data() + static_cast<std::size_t>(coordinate) * h.stride, static_cast<Eigen::Index>(h.count)};
}

// Responses of the coordinates to an impulse (speeds) or to a force over the step (places), as square roots. Rotations
// are taken in axes where they have one number each.
void scale_rows(ContactBody& m, HoldRows& h, double dt, bool forces) {
    const std::size_t n = static_cast<std::size_t>(m.coordinates);
    h.root.assign(n, 1.0);
    const double frame = forces ? std::sqrt(0.5) * dt : 1;
    for (std::size_t k = 0; k < 3; ++k) h.root[k] = frame * std::sqrt(m.inverse_mass);
    if (forces) {
        const std::vector<ModeStep>& steps = steps_for(m.modal->oscillators, dt);
        for (std::size_t i = 6; i < n; ++i) h.root[i] = std::sqrt(std::max(0.0, steps[i - 6].zg));
    }
    // Lower triangle R with R·Rᵀ = the inverse inertia; rows of the rotation become Rᵀ times themselves.
    Mat3 root = Mat3::Zero();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j <= i; ++j) {
            const double rest = m.inverse_inertia(i, j) - root.row(i).head(j).dot(root.row(j).head(j));
            root(i, j) = i == j ? std::sqrt(std::max(rest, 0.0)) : root(j, j) > 0 ? rest / root(j, j) : 0;
        }
    h.scaled.resize(h.jacobian.size());
    for (int k = 0; k < m.coordinates; ++k) {
        Row out(h.scaled.data() + static_cast<std::size_t>(k) * h.stride, static_cast<Eigen::Index>(h.stride));
        const auto from = [&](int c) {
            return ConstRow(h.jacobian.data() + static_cast<std::size_t>(c) * h.stride,
                            static_cast<Eigen::Index>(h.stride));
        };
        if (k >= 3 && k < 6)
            out = frame * (root(0, k - 3) * from(3) + root(1, k - 3) * from(4) + root(2, k - 3) * from(5));
        else
            out = h.root[static_cast<std::size_t>(k)] * from(k);
    }
}

// Generalised force Jᵀ f, f the least forces at the points that make the best of what is missing: with B = J·√response,
// f = B·V·Λ⁻²·Vᵀ·Bᵀ·missing for BᵀB = V·Λ·Vᵀ. The rank is that of the modes, however many the points.
void answer(const ContactBody& m, HoldRows& h, std::vector<double>& out) {
    const int n = m.coordinates;
    const ConstRow missing(h.missing.data(), static_cast<Eigen::Index>(h.count));
    for (int k = 0; k < n; ++k) h.along[static_cast<std::size_t>(k)] = row_of(h.scaled, h, k).dot(missing);
    const ConstRow along(h.along.data(), n);
    const auto values = h.eigen.values();
    const auto vectors = h.eigen.vectors();
    const double least = rounding * n * values[n - 1];
    Row forces(h.forces.data(), static_cast<Eigen::Index>(h.count)), sum(h.sum.data(), n);
    sum.setZero();
    for (int i = n - 1; i >= 0 && values[i] > least; --i)
        sum += vectors.col(i).dot(along) / (values[i] * values[i]) * vectors.col(i);
    forces.setZero();
    for (int k = 0; k < n; ++k) forces += sum[k] * row_of(h.scaled, h, k);
    for (int k = 0; k < n; ++k) out[static_cast<std::size_t>(k)] = row_of(h.jacobian, h, k).dot(forces);
}

}  // namespace

void prepare_hold(ContactBody& m, std::span<const ModalHold> holds, int number, double dt, bool forces) {
    HoldRows& h = m.held[forces];
    h.count = 3 * static_cast<std::size_t>(
                      std::count_if(holds.begin(), holds.end(), [&](const ModalHold& p) { return p.body == number; }));
    if (h.count == 0) return;
    h.stride = (h.count + widest_tile - 1) / widest_tile * widest_tile;
    const std::size_t n = static_cast<std::size_t>(m.coordinates);
    h.jacobian.assign(n * h.stride, 0.0);
    h.missing.resize(h.count), h.forces.resize(h.count), h.along.resize(n), h.sum.resize(n);
    int at = 0;
    for (const ModalHold& p : holds) {
        if (p.body != number) continue;
        const ModalPoint point = mesh_point(*m.modal, p.point);
        add_jacobian(*m.modal, point, Mat3::Identity(), 1, h.jacobian.data(), h.stride, at);
        // Along the axes where it is free the point has rows of zeros, which ask for nothing.
        for (int k = 0; k < 3 && p.axis >= 0; ++k)
            for (std::size_t c = 0; k != p.axis && c < n; ++c)
                h.jacobian[c * h.stride + static_cast<std::size_t>(at + k)] = 0;
        at += 3;
    }
    scale_rows(m, h, dt, forces);
    h.product.resize(m.coordinates, m.coordinates);
    for (int i = 0; i < m.coordinates; ++i)
        for (int j = 0; j <= i; ++j) h.product(i, j) = row_of(h.scaled, h, i).dot(row_of(h.scaled, h, j));
    h.eigen.compute(h.product);
}

namespace {

void find_ways(ContactBody& m, HoldRows& h, std::span<const ModalHold> holds, int number) {
    std::size_t at = 0;
    for (const ModalHold& p : holds) {
        if (p.body != number) continue;
        const Vec3 offset = p.target - point_position(*m.modal, p.point);
        for (int k = 0; k < 3; ++k) h.missing[at++] = p.axis < 0 || p.axis == k ? offset[k] : 0;
    }
}

}  // namespace

void hold_speeds(ContactBody& m, std::span<const ModalHold> holds, int number, double dt) {
    HoldRows& h = m.held[0];
    if (h.count == 0) return;
    find_ways(m, h, holds, number);
    find_rates(m);
    Row missing(h.missing.data(), static_cast<Eigen::Index>(h.count));
    missing /= dt;
    for (int k = 0; k < m.coordinates; ++k) missing -= m.rate[static_cast<std::size_t>(k)] * row_of(h.jacobian, h, k);
    answer(m, h, m.push);
    apply_generalised(*m.modal, m.push);
}

void hold_places(ContactBody& m, std::span<const ModalHold> holds, int number, double dt) {
    HoldRows& h = m.held[1];
    if (h.count == 0) return;
    // Where the motion over the step would lead, against where it should.
    find_end(m, dt);
    find_ways(m, h, holds, number);
    Row missing(h.missing.data(), static_cast<Eigen::Index>(h.count));
    Oscillators& o = m.modal->oscillators;
    const std::vector<ModeStep>& steps = steps_for(o, dt);
    for (int k = 0; k < m.coordinates; ++k) {
        const std::size_t at = static_cast<std::size_t>(k), i = at - 6;
        const double move =
            k < 6 ? 0.5 * dt * (m.rate[at] + m.end[at])
                  : (steps[i].zz - 1) * o.z[i] + steps[i].zv * o.v[i] + steps[i].zg * (m.external[at] + m.extra[at]);
        missing -= move * row_of(h.jacobian, h, k);
    }
    answer(m, h, m.push);
    for (std::size_t k = 0; k < m.push.size(); ++k) m.extra[k] += m.push[k];
    // What the forces do not reach: missing − B·Bᵀ·f.
    const ConstRow forces(h.forces.data(), static_cast<Eigen::Index>(h.count));
    for (int k = 0; k < m.coordinates; ++k) missing -= row_of(h.scaled, h, k).dot(forces) * row_of(h.scaled, h, k);
    h.off = missing.lpNorm<Eigen::Infinity>();
}

}  // namespace pliant
