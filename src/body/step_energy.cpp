#include "pliant/body/step_energy.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/material/material.hpp"

namespace pliant {

namespace {

constexpr std::size_t nodes_at_once = 2048;
/// Of an elastic energy, as a part of what a strain of one would cost: a few units in the last place.
constexpr double rounding = 1e-15;

/// Sums term(node, its share of the sums) over all nodes, in the order of the chunks.
template <class Term>
NodeEnergies sum_over_nodes(const FemBody& body, Threads& threads, const Term& term) {
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
Vec3 outer_impulse(const FemBody& body, std::size_t i, double dt) {
    const MovingFrame& frame = body.frame;
    if (!frame.active) return dt * body.force[i];
    return body.solid.mass()[i] * (frame.start[i] - frame.before[i]) + dt * frame.force[i];
}

const Vec3& velocity_before(const FemBody& body, std::size_t i) {
    return body.frame.active ? body.frame.before[i] : body.v[i];
}

/// What grips do against the elastic forces at the end of the substep and, with `damping` (s), against those of
/// stiffness damping, J.
double grip_work(const FemBody& body, double dt, double damping) {
    return dt * (body.energy.iterate.given_power + damping * body.energy.iterate.given_rate);
}

}  // namespace

Vec3 deforming_velocity(const FemBody& body, int node, const Vec3& v) {
    return body.frame.active ? Vec3(v - body.frame.velocity[node]) : v;
}

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

double merit(const FemBody& body, double dt, Threads& threads) {
    const SolidOptions& options = body.solid.options();
    const double s = 1 + dt * options.mass_damping;
    const auto mass = body.solid.mass();
    const double inertia = sum_over_nodes(body, threads, [&](std::size_t i, NodeEnergies& sums) {
                               if (body.prescribed[i] || !(mass[i] > 0)) return;
                               const Vec3 aim = (velocity_before(body, i) + outer_impulse(body, i, dt) / mass[i]) / s;
                               const Vec3 w = deforming_velocity(body, static_cast<int>(i), body.v_next[i]);
                               sums.kinetic += 0.5 * s * mass[i] * (w - aim).squaredNorm();
                           }).kinetic;
    return inertia + body.energy.iterate.elastic + 0.5 * dt * options.stiffness_damping * body.energy.iterate.rate;
}

EnergyGain energy_gain(FemBody& body, double dt, double row_work, Threads& threads) {
    const auto mass = body.solid.mass();
    const NodeEnergies n = sum_over_nodes(body, threads, [&](std::size_t i, NodeEnergies& sums) {
        const double m = mass[i], after = m * body.v_next[i].squaredNorm(), before = m * body.v[i].squaredNorm();
        if (body.prescribed[i]) {
            sums.given += 0.5 * (after - before);
            return;
        }
        const Vec3 w = deforming_velocity(body, static_cast<int>(i), body.v_next[i]);
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
            rounding * body.solid.stiffness(), n.kinetic};
}

StepWork step_work(const FemBody& body, double dt) {
    const SolidOptions& options = body.solid.options();
    const NodeEnergies& n = body.energy.nodes;
    return {.outside = n.outside,
            .grips = n.given + grip_work(body, dt, options.stiffness_damping),
            .damping = dt * (options.stiffness_damping * body.energy.iterate.rate + options.mass_damping * n.drag),
            .inertia = n.outside - n.outer + n.gained + n.whole - dt * options.mass_damping * (n.drag - 2 * n.kinetic),
            .elastic = body.energy.start - body.energy.iterate.elastic + dt * body.energy.iterate.power};
}

double slow_free_nodes(FemBody& body, Threads& threads) {
    const double excess = body.energy.excess;
    if (!(excess > 0)) return 0;
    const auto mass = body.solid.mass();
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

}  // namespace pliant
