#include "pliant/body/explicit_step.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant {

namespace {

StableRates stable_rates(FemBody& body) {
    return body.share.empty() ? body.solid.stable_rates(body.material) : body.solid.stable_rates(solid_material(body));
}

/// Of the stable step: element bounds are exact for regular tets at rest, and bodies deform.
constexpr double safe_part = 0.9;
/// Of the body's own steps between two looks at its energy. An instability grows by a factor of order one per step, so
/// that it is seen before it has left the range of numbers.
constexpr int watched_every = 64;
/// Below this mean strain there is only rounding to watch.
constexpr double least_strain = 1e-10;
/// Steps may double when even then the energy they move would be half of what there is: it grows with h².
constexpr double room_to_grow = 0.125;
constexpr int most_halvings = 20;
constexpr std::size_t sum_chunk = 1024;

class ExplicitForces final : public BodyForces {
public:
    ExplicitForces(FemBody& body, Threads& threads) : body_(body), threads_(threads) {}

    void accelerations(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> out) override {
        forces(x, v, out);
        const auto mass = body_.solid.mass();
        parallel_for(threads_, out.size(), 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) out[i] = body_.own.free[i].cwiseProduct(out[i]) / mass[i];
        });
    }
    bool has_inner_damping() const override {
        return body_.solid.options().stiffness_damping > 0 || stable_rates(body_).viscous > 0;
    }

    /// Total forces, N. Plastic strain follows in the first call after begin().
    void forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> out) {
        const FlowContext context{&body_, flow_dt_};
        SolidInput input{.dt = h_, .force = body_.force, .prescribed = body_.prescribed};
        input.plastic_strain = body_.plastic_strain;
        if (flows_) {
            flows_ = false;
            const PlasticFlow flow = plastic_flow(body_, context);
            input.flow = &flow;
            body_.solid.forces(x, v, input, out, threads_);
        } else {
            body_.solid.forces(x, v, input, out, threads_);
        }
    }
    /// Before a step of h; flow_dt: how long plastic strain flows in it, s.
    void begin(double h, double flow_dt) {
        h_ = h, flow_dt_ = flow_dt;
        flows_ = flow_dt > 0 && !body_.plastic_strain.empty();
    }

private:
    FemBody& body_;
    Threads& threads_;
    double h_ = 0, flow_dt_ = 0;
    bool flows_ = false;
};

/// Kinetic energy without that of the body's motion as a whole, J.
double deforming_energy(const FemBody& body) {
    const OwnSteps& own = body.own;
    const auto mass = body.solid.mass();
    PieceSums sums;
    double kinetic = 0;
    for (std::size_t i = 0; i < own.x_trial.size(); ++i) {
        sums.add(mass[i], own.x_trial[i] - own.x_trial[0], own.v_trial[i], Vec3::Zero());
        kinetic += 0.5 * mass[i] * own.v_trial[i].squaredNorm();
    }
    const Vec3 spin = sums.spin_about(sums.centre());
    const double turning = 0.5 * spin.dot(sums.inertia_about(sums.centre()).ldlt().solve(spin));
    const double rigid = 0.5 * sums.momentum.squaredNorm() / sums.mass + (std::isfinite(turning) ? turning : 0);
    return std::max(0.0, kinetic - rigid);
}

/// The larger of two ratios: what a step of h moves of elastic energy over that energy, and of kinetic energy by
/// damping over that of deforming motion. 0 where there is nothing but rounding, infinite where numbers end.
double moved_energy(FemBody& body, ExplicitForces& forces, const Substep& substep, Threads& threads) {
    OwnSteps& own = body.own;
    const double h = substep.h;
    const std::size_t nodes = own.x_trial.size();
    for (std::size_t i = 0; i < nodes; ++i)
        if (!own.x_trial[i].allFinite() || !own.v_trial[i].allFinite()) return INFINITY;
    const std::span<Vec3> still = substep.array(0), elastic_force = substep.array(1), force = substep.array(2);
    std::fill(still.begin(), still.end(), Vec3::Zero());
    forces.forces(own.x_trial, still, elastic_force);
    const auto mass = body.solid.mass();
    const auto moved = [&](auto&& acting) {
        double sum = 0;
        for (std::size_t i = 0; i < nodes; ++i) sum += own.free[i].cwiseProduct(acting(i)).squaredNorm() / mass[i];
        return h * h / 8 * sum;
    };
    const double least = least_strain * least_strain * body.solid.stiffness();
    const auto ratio = [&](double part, double energy) {
        if (!std::isfinite(part)) return double(INFINITY);
        return part > least ? part / energy : 0;
    };
    const double elastic = ratio(moved([&](std::size_t i) -> Vec3 { return elastic_force[i] - body.force[i]; }),
                                 body.solid.elastic_energy_at(own.x_trial, body.plastic_strain, threads));
    if (!forces.has_inner_damping() || body.integrator->damps_implicitly) return elastic;
    forces.forces(own.x_trial, own.v_trial, force);
    const double alpha = body.solid.options().mass_damping;
    const double damping = ratio(
        moved([&](std::size_t i) -> Vec3 { return force[i] - elastic_force[i] + alpha * mass[i] * own.v_trial[i]; }),
        deforming_energy(body));
    return std::max(elastic, damping);
}

void set_freedom(FemBody& body, double h) {
    OwnSteps& own = body.own;
    const std::size_t nodes = body.x.size();
    const auto mass = body.solid.mass();
    own.free.assign(nodes, Vec3::Ones());
    for (std::size_t i = 0; i < nodes; ++i)
        if (body.prescribed[i]) own.free[i].setZero();
    for (const AxisHold& hold : body.axis_holds) own.free[hold.particle][hold.axis] = 0;
    own.yields.resize(3 * nodes);
    for (std::size_t i = 0; i < nodes; ++i)
        for (int c = 0; c < 3; ++c) own.yields[3 * i + c] = own.free[i][c] * h / mass[i];
}

/// From x and v over dt. Returns the energy moved over what there is at the end, or at the first look where it is too
/// much.
double run_steps(FemBody& body, double dt, int steps, Threads& threads) {
    OwnSteps& own = body.own;
    const std::size_t nodes = body.x.size();
    const double h = dt / steps;
    set_freedom(body, h);
    own.x_trial = own.x_start = body.x, own.v_trial = body.v;
    for (std::size_t i = 0; i < nodes; ++i)
        if (body.prescribed[i]) own.v_trial[i] = body.v_next[i];
    for (const AxisHold& hold : body.axis_holds)
        if (!body.prescribed[hold.particle]) own.v_trial[hold.particle][hold.axis] = hold.velocity;
    // Temperatures change once in a step of the world, and what sets with them does, too.
    const bool flows_once = body.heat.has_value();
    if (!body.plastic_strain.empty()) set_flow_numbers(body, flows_once ? dt : h, threads);

    ExplicitForces forces(body, threads);
    const Substep substep{.h = h,
                          .damping = body.solid.options().mass_damping,
                          .x = own.x_trial,
                          .v = own.v_trial,
                          .free = own.free,
                          .mass = body.solid.mass(),
                          .forces = &forces,
                          .threads = &threads,
                          .memory = &own.memory,
                          .sums = &own.sums};
    const TouchRows rows{.x = {own.x_trial.front().data(), 3 * nodes},
                         .v = {own.v_trial.front().data(), 3 * nodes},
                         .scale = own.yields,
                         .h = h,
                         .damping = 1,
                         .stride = 3,
                         .start = {own.x_start.front().data(), own.touches.empty() ? 0 : 3 * nodes}};
    own.touched.resize(own.touches.empty() ? 0 : nodes);
    const int rounds = begin_touches(own.touches, rows, own.touched);
    for (int n = 0; n < steps; ++n) {
        if (!own.touches.empty()) std::copy(own.x_trial.begin(), own.x_trial.end(), own.x_start.begin());
        forces.begin(h, !flows_once ? h : n == 0 ? dt : 0);
        body.integrator->advance(substep);
        if (!own.touches.empty()) stop_touches(own.touches, rows, (n + 1) * h, rounds);
        const bool last = n + 1 == steps;
        if (!last && (n + 1) % watched_every != 0) continue;
        const double moved = moved_energy(body, forces, substep, threads);
        if (last || !(moved <= 1)) return moved;
    }
    return 0;
}

int steps_in(const FemBody& body, double dt, double longest) {
    const double steps = std::ceil(dt / longest - 1e-6);  // a hair more than a whole number of steps is that number
    if (!(steps < 2e9))
        throw UserError("body '" + body.name + "' would take " + short_number(steps) + " steps of " +
                            body.integrator->name + " in one step of the world",
                        {}, "Use a larger dt in " + std::string(body.integrator->name) + ", or implicit_euler { }");
    return std::max(1, static_cast<int>(steps));
}

/// Halves the steps until energy does not grow.
void run_watched(FemBody& body, double dt, Threads& threads) {
    OwnSteps& own = body.own;
    if (!body.plastic_strain.empty()) own.plastic_start = body.plastic_strain;
    for (;;) {
        own.steps = steps_in(body, dt, own_step(body));
        own.step = dt / own.steps;
        const double moved = run_steps(body, dt, own.steps, threads);
        if (moved <= 1) {
            if (moved < room_to_grow && own.halvings[0] > 0 && 2 * own.step <= safe_part * stable_step(body))
                --own.halvings[0];
            return;
        }
        if (own.halvings[0] >= most_halvings)
            throw UserError("body '" + body.name + "' exploded: its energy grows even with steps of " +
                                short_number(own.step) + " s",
                            {}, "Use implicit_euler { }, or look for a force or a speed that is out of proportion");
        ++own.halvings[0], ++own.cuts;
        if (!body.plastic_strain.empty()) body.plastic_strain = own.plastic_start;
    }
}

}  // namespace

void follow_own_mesh(FemBody& body) {
    OwnSteps& own = body.own;
    if (own.masses_revision == body.mesh.revision && own.masses.rows == static_cast<int>(body.x.size())) return;
    own.masses_revision = body.mesh.revision;
    own.masses.set_pattern(std::vector<std::vector<int>>(body.x.size()));
    own.mean.resize(body.x.size());
}

std::span<Vec3> Substep::array(int number) const {
    if (memory->size() <= static_cast<std::size_t>(number)) memory->resize(number + 1);
    (*memory)[number].resize(x.size());
    return (*memory)[number];
}

double Substep::dot(std::span<const Vec3> a, std::span<const Vec3> b) const {
    sums->assign((x.size() + sum_chunk - 1) / sum_chunk, 0.0);
    parallel_for(*threads, x.size(), sum_chunk, [&](std::size_t begin, std::size_t end) {
        double& sum = (*sums)[begin / sum_chunk];
        for (std::size_t i = begin; i < end; ++i) sum += mass[i] * a[i].dot(b[i]);
    });
    double total = 0;
    for (const double sum : *sums) total += sum;
    return total;
}

double stable_step(FemBody& body) {
    const StableRates rates = stable_rates(body);
    const SolidOptions& options = body.solid.options();
    const double c = body.integrator->damps_implicitly
                         ? 0
                         : options.mass_damping + options.stiffness_damping * rates.elastic + rates.viscous;
    return 4 / (c + std::sqrt(c * c + 4 * rates.elastic));
}

double own_step(FemBody& body) {
    const double longest = body.own.longest > 0 ? body.own.longest : safe_part * stable_step(body);
    return std::ldexp(longest, -body.own.halvings[0]);
}

void predict_own_steps(FemBody& body, double dt, Threads& threads) {
    OwnSteps& own = body.own;
    follow_own_mesh(body);
    own.cuts = 0;
    run_watched(body, dt, threads);
    BlockSystem& a = own.masses;
    a.reference = 0, a.pending_correction = 0;
    a.pinned = true;  // the sum over the steps is the momentum's own balance
    a.part_coupled.assign(1, 0);
    std::fill(a.r.begin(), a.r.end(), 0.0);
    std::fill(a.v.begin(), a.v.end(), 0.0);
    const auto mass = body.solid.mass();
    for (int row = 0; row < a.rows; ++row) {
        const int i = a.node_of_row[row];
        own.mean[i] = (own.x_trial[i] - body.x[i]) / dt;
        a.inertia[row] = mass[i];
        a.add(a.v, row, own.mean[i]);
        a.prescribed[row] = body.prescribed[i];
        a.reset_preconditioner(row);
    }
}

// What the solve found is the impulse on each node in this step. It acts as a steady force: given at once, it would go
// into the elements beside the node alone. Bodies that touch each other get opposite forces, so that their momentum is
// kept.
void finish_own_steps(FemBody& body, double dt, Threads& threads) {
    OwnSteps& own = body.own;
    bool pushed = false;
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        if (body.prescribed[i] || body.v_next[i] == own.mean[i]) continue;
        body.force[i] += body.solid.mass()[i] / dt * (body.v_next[i] - own.mean[i]);  // the world sets it anew
        pushed = true;
    }
    if (!pushed) return;
    if (!body.plastic_strain.empty()) body.plastic_strain = own.plastic_start;
    run_watched(body, dt, threads);
}

}  // namespace pliant
