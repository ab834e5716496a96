#include "pliant/body/step_energy.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/material/material.hpp"

namespace pliant {

namespace {

constexpr std::size_t nodes_at_once = 2048;
/// Of an elastic energy, as a part of what a strain of one would cost: a few units in the last place.
constexpr double rounding = 1e-15;

// What bodies of tets and of triangles name differently.
std::span<const double> moved_mass(const FemBody& body) { return body.solid.mass(); }
std::span<const double> moved_mass(const ShellBody& body) { return body.shell.mass(); }
const SolidOptions& damping_of(const FemBody& body) { return body.solid.options(); }
const ShellOptions& damping_of(const ShellBody& body) { return body.shell.options(); }
double unit_strain(const FemBody& body) { return body.solid.stiffness(); }
double unit_strain(const ShellBody& body) { return body.shell.stiffness(); }

/// Sums term(node, its share of the sums) over all nodes, in the order of the chunks.
template <class Body, class Term>
NodeEnergies sum_over_nodes(const Body& body, Threads& threads, const Term& term) {
    std::vector<NodeEnergies>& sums = body.energy_sums;
    sums.assign((body.x.size() + nodes_at_once - 1) / nodes_at_once, {});
    parallel_for(threads, body.x.size(), nodes_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) term(i, sums[begin / nodes_at_once]);
    });
    NodeEnergies total;
    for (const NodeEnergies& sum : sums) total.add(sum);
    return total;
}

/// dt·g of a node, and what it does beside the momentum M w₀: both together are what assemble() was given.
template <class Body>
Vec3 outer_impulse(const Body& body, std::size_t i, double dt) {
    const MovingFrame& frame = body.frame;
    if (!frame.active) return dt * body.force[i];
    return moved_mass(body)[i] * (frame.start[i] - frame.before[i]) + dt * frame.force[i];
}

template <class Body>
const Vec3& velocity_before(const Body& body, std::size_t i) {
    return body.frame.active ? body.frame.before[i] : body.v[i];
}

/// What grips do against the elastic forces at the end of the substep and, with `damping` (s), against those of
/// stiffness damping, J.
template <class Body>
double grip_work(const Body& body, double dt, double damping) {
    return dt * (body.energy.iterate.given_power + damping * body.energy.iterate.given_rate);
}

template <class Body>
Vec3 deforming(const Body& body, int node, const Vec3& v) {
    return body.frame.active ? Vec3(v - body.frame.velocity[node]) : v;
}

template <class Body>
double merit_of(const Body& body, double dt, Threads& threads) {
    const auto& options = damping_of(body);
    const double s = 1 + dt * options.mass_damping;
    const auto mass = moved_mass(body);
    const double inertia = sum_over_nodes(body, threads, [&](std::size_t i, NodeEnergies& sums) {
                               if (body.prescribed[i] || !(mass[i] > 0)) return;
                               const Vec3 aim = (velocity_before(body, i) + outer_impulse(body, i, dt) / mass[i]) / s;
                               const Vec3 w = deforming(body, static_cast<int>(i), body.v_next[i]);
                               sums.kinetic += 0.5 * s * mass[i] * (w - aim).squaredNorm();
                           }).kinetic;
    return inertia + body.energy.iterate.elastic + 0.5 * dt * options.stiffness_damping * body.energy.iterate.rate;
}

template <class Body>
EnergyGain gain_of(Body& body, double dt, double row_work, Threads& threads) {
    const auto mass = moved_mass(body);
    const NodeEnergies n = sum_over_nodes(body, threads, [&](std::size_t i, NodeEnergies& sums) {
        const double m = mass[i], after = m * body.v_next[i].squaredNorm(), before = m * body.v[i].squaredNorm();
        if (body.prescribed[i]) {
            sums.given += 0.5 * (after - before);
            return;
        }
        const Vec3 w = deforming(body, static_cast<int>(i), body.v_next[i]);
        sums.kinetic += 0.5 * m * w.squaredNorm();
        sums.kinetic_before += 0.5 * m * velocity_before(body, i).squaredNorm();
        sums.outer += outer_impulse(body, i, dt).dot(w);
        sums.whole += 0.5 * before;
        sums.outside += dt * body.force[i].dot(body.v_next[i]);
        sums.drag += after;
        sums.gained += m * w.dot(w - velocity_before(body, i));
    });
    body.energy.nodes = n;
    const double grips = grip_work(body, dt, 0);
    const IterateEnergy& end = body.energy.iterate;
    return {end.elastic + n.kinetic - body.energy.start - n.kinetic_before - n.outer - row_work - grips,
            body.energy.start + n.whole + std::abs(n.outer) + std::abs(row_work) + std::abs(grips),
            rounding * unit_strain(body), n.kinetic};
}

template <class Body>
double slow(Body& body, Threads& threads) {
    const double excess = body.energy.excess;
    if (!(excess > 0)) return 0;
    const auto mass = moved_mass(body);
    const double kinetic = sum_over_nodes(body, threads, [&](std::size_t i, NodeEnergies& sums) {
                               if (!body.prescribed[i]) sums.kinetic += 0.5 * mass[i] * body.v[i].squaredNorm();
                           }).kinetic;
    if (!(kinetic > 0)) return excess;
    const double share = std::sqrt(std::max(0.0, 1 - excess / kinetic));
    parallel_for(threads, body.v.size(), nodes_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (!body.prescribed[i]) body.v[i] *= share;
    });
    return std::max(0.0, excess - kinetic);
}

}  // namespace

void NodeEnergies::add(const NodeEnergies& other) {
    kinetic += other.kinetic, kinetic_before += other.kinetic_before, outer += other.outer, whole += other.whole;
    outside += other.outside, drag += other.drag, given += other.given, gained += other.gained;
}

void measure_start(FemBody& body, double dt, Threads& threads) {
    // Hooke's laws were evaluated at the start; others where the first guess leads, which may be far from there.
    body.energy.start = body.solid.law().hooke && !body.solid.smoothed() && !turns_ahead(body, dt)
                            ? body.solid.assembled_energy()
                            : body.solid.elastic_energy_at(body.x, body.plastic_strain, threads);
}

void measure_iterate(FemBody& body, double dt, Threads& threads) {
    body.energy.iterate =
        body.solid.energy_at(frame_positions(body), in_frame(body), dt, body.plastic_strain, body.prescribed, threads);
}

void measure_start(ShellBody& body, double, Threads&) { body.energy.start = body.shell.last_energy(); }

void measure_iterate(ShellBody& body, double dt, Threads& threads) {
    const std::span<const Vec3> from = frame_positions(body), w = in_frame(body);
    body.work_x.resize(body.x.size()), body.work_force.resize(body.x.size());
    for (std::size_t i = 0; i < body.x.size(); ++i) body.work_x[i] = from[i] + dt * w[i];
    body.shell.forces(body.work_x, body.work_force, threads);
    IterateEnergy& at = body.energy.iterate;
    at = {.elastic = body.shell.last_energy()};
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (body.prescribed[i]) at.given_power -= body.work_force[i].dot(w[i]);
    if (damping_of(body).stiffness_damping > 0) at.rate = body.shell.rate(w);
}

Vec3 deforming_velocity(const FemBody& body, int node, const Vec3& v) { return deforming(body, node, v); }
Vec3 deforming_velocity(const ShellBody& body, int node, const Vec3& v) { return deforming(body, node, v); }
double merit(const FemBody& body, double dt, Threads& threads) { return merit_of(body, dt, threads); }
double merit(const ShellBody& body, double dt, Threads& threads) { return merit_of(body, dt, threads); }
EnergyGain energy_gain(FemBody& body, double dt, double row_work, Threads& threads) {
    return gain_of(body, dt, row_work, threads);
}
EnergyGain energy_gain(ShellBody& body, double dt, double row_work, Threads& threads) {
    return gain_of(body, dt, row_work, threads);
}
double slow_free_nodes(FemBody& body, Threads& threads) { return slow(body, threads); }
double slow_free_nodes(ShellBody& body, Threads& threads) { return slow(body, threads); }

StepWork step_work(const FemBody& body, double dt) {
    const SolidOptions& options = body.solid.options();
    const NodeEnergies& n = body.energy.nodes;
    return {.outside = n.outside,
            .grips = n.given + grip_work(body, dt, options.stiffness_damping),
            .damping = dt * (options.stiffness_damping * body.energy.iterate.rate + options.mass_damping * n.drag),
            .inertia = n.outside - n.outer + n.gained + n.whole - dt * options.mass_damping * (n.drag - 2 * n.kinetic),
            .elastic = body.energy.start - body.energy.iterate.elastic + dt * body.energy.iterate.power};
}

}  // namespace pliant
