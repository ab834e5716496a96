#include "pliant/body/step_energy.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

namespace {

constexpr std::size_t nodes_at_once = 2048;
/// Of an elastic energy, as a part of what a strain of one would cost: a few units in the last place.
constexpr double rounding = 1e-15;

/// Σ over the nodes whose motion is not given, added in the order of the chunks.
template <class Term>
double sum_over_free(const FemBody& body, Threads& threads, const Term& term) {
    std::vector<double>& sums = body.node_sums;
    sums.assign((body.x.size() + nodes_at_once - 1) / nodes_at_once, 0.0);
    parallel_for(threads, body.x.size(), nodes_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            if (!body.prescribed[i]) sums[begin / nodes_at_once] += term(i);
    });
    double total = 0;
    for (const double sum : sums) total += sum;
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
double work_against_elasticity(FemBody& body, double dt, double damping, Threads& threads) {
    bool moving = false;
    for (std::size_t i = 0; i < body.prescribed.size() && !moving; ++i)
        moving = body.prescribed[i] && !body.v_next[i].isZero(0);
    if (!moving) return 0;
    const std::span<const Vec3> w = in_frame(body), from = frame_positions(body);
    body.x_end.resize(body.x.size());
    for (std::size_t i = 0; i < w.size(); ++i) body.x_end[i] = from[i] + dt * w[i];
    return -dt * body.solid.given_power(body.x_end, w, body.prescribed, body.plastic_strain, damping, threads);
}

}  // namespace

Vec3 deforming_velocity(const FemBody& body, int node, const Vec3& v) {
    return body.frame.active ? Vec3(v - body.frame.velocity[node]) : v;
}

void measure_start(FemBody& body, Threads& threads) {
    // Hooke's laws were evaluated at the start; others where the first guess leads, which may be far from there.
    body.energy.start = body.solid.law().hooke && !body.solid.smoothed()
                            ? body.solid.assembled_energy()
                            : body.solid.energy_at(body.x, {}, 0, body.plastic_strain, threads).elastic;
}

void measure_iterate(FemBody& body, double dt, Threads& threads) {
    body.energy.iterate = body.solid.energy_at(frame_positions(body), in_frame(body), dt, body.plastic_strain, threads);
}

double merit(const FemBody& body, double dt, Threads& threads) {
    const SolidOptions& options = body.solid.options();
    const double s = 1 + dt * options.mass_damping;
    const auto mass = body.solid.mass();
    const double inertia = sum_over_free(body, threads, [&](std::size_t i) {
        if (!(mass[i] > 0)) return 0.0;
        const Vec3 aim = (velocity_before(body, i) + outer_impulse(body, i, dt) / mass[i]) / s;
        return 0.5 * s * mass[i] * (deforming_velocity(body, static_cast<int>(i), body.v_next[i]) - aim).squaredNorm();
    });
    return inertia + body.energy.iterate.elastic + 0.5 * dt * options.stiffness_damping * body.energy.iterate.rate;
}

EnergyGain energy_gain(FemBody& body, double dt, double row_work, Threads& threads) {
    const auto mass = body.solid.mass();
    const double kinetic = sum_over_free(body, threads, [&](std::size_t i) {
        return 0.5 * mass[i] * deforming_velocity(body, static_cast<int>(i), body.v_next[i]).squaredNorm();
    });
    const double kinetic_before = sum_over_free(
        body, threads, [&](std::size_t i) { return 0.5 * mass[i] * velocity_before(body, i).squaredNorm(); });
    const double outer_work = sum_over_free(body, threads, [&](std::size_t i) {
        return outer_impulse(body, i, dt).dot(deforming_velocity(body, static_cast<int>(i), body.v_next[i]));
    });
    const double grip_work = work_against_elasticity(body, dt, 0, threads);
    const double whole =
        sum_over_free(body, threads, [&](std::size_t i) { return 0.5 * mass[i] * body.v[i].squaredNorm(); });
    const IterateEnergy& end = body.energy.iterate;
    return {end.elastic + kinetic - body.energy.start - kinetic_before - outer_work - row_work - grip_work,
            body.energy.start + whole + std::abs(outer_work) + std::abs(row_work) + std::abs(grip_work),
            rounding * body.solid.stiffness(), kinetic};
}

StepWork step_work(FemBody& body, double dt, Threads& threads) {
    const auto mass = body.solid.mass();
    const SolidOptions& options = body.solid.options();
    StepWork work;
    work.outside = sum_over_free(body, threads, [&](std::size_t i) { return dt * body.force[i].dot(body.v_next[i]); });
    work.damping = dt * options.stiffness_damping * body.energy.iterate.rate;
    if (options.mass_damping > 0)
        work.damping += dt * options.mass_damping * sum_over_free(body, threads, [&](std::size_t i) {
                            return mass[i] * body.v_next[i].squaredNorm();
                        });
    work.grips = work_against_elasticity(body, dt, options.stiffness_damping, threads);
    for (std::size_t i = 0; i < body.prescribed.size(); ++i)  // their inertia
        if (body.prescribed[i]) work.grips += 0.5 * mass[i] * (body.v_next[i].squaredNorm() - body.v[i].squaredNorm());
    return work;
}

}  // namespace pliant
