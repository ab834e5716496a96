// Newton's method for the elastic forces of bodies of tets and of shells. Its first iteration is the linear solve of
// every substep; the others are for substeps that one linearisation does not do.
//
// Müller & Gross 2004 freeze the rotations of elements at the start of a step, and other laws are linearised there.
// Where steps are long, or forces large, such a step may end with more energy than it was given. So the end of each
// substep is held against the energy law of body/step_energy.hpp. An island in which some body breaks it goes on from
// where it is, or from as far back as Φ is smaller than before. What is left of the gain is taken from the velocities
// of deformation, and if these do not have it the substep is repeated in halves.

#include <algorithm>
#include <cmath>

#include "pliant/body/step_energy.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// The line search gives up below this part of an iteration.
constexpr double least_share = 1.0 / 1024;

/// f(body) if Newton's method sees to the energy of that body.
template <class W, class F>
void visit_obedient(W& w, int number, F&& f) {
    visit_solved(w, number, [&](auto& body) {
        if constexpr (requires { obeys_energy_law(body); })
            if (obeys_energy_law(body)) f(body);
    });
}

/// Bodies that Newton's method goes on with.
template <class F>
void for_each_obedient(World& w, const Island& island, F&& f) {
    for (int body : island.bodies) visit_obedient(w, body, f);
}

/// Of a body whose elements keep no plastic strain: its forces are the gradient of its energy.
bool conserves(const FemBody& body) { return body.plastic_strain.empty(); }
bool conserves(const ShellBody&) { return true; }

double lag_of(const FemBody& body, double dt) { return rotation_lag(body, dt); }
double lag_of(const ShellBody&, double) { return 0; }  // nothing of its elements is frozen

/// Σ ½ u·S u − s·u, J.
double row_potential(const World& w, const Island& island) {
    double sum = 0;
    for (const Coupling& row : island.rows) {
        const Vec3 u = row_velocity(w, island, row);
        sum += u.dot(0.5 * row.S * u - row.s);
    }
    return sum;
}

/// What the rows of an island do to each of its bodies: Σ p·J w with p = s − S u.
void sum_row_work(World& w, const Island& island) {
    StepScratch& s = *w.scratch;
    for (int body : island.bodies) s.row_work[body] = 0;
    for (const Coupling& row : island.rows) {
        const Vec3 impulse = row.s - row.S * row_velocity(w, island, row);
        for (int e = 0; e < row.count; ++e) {
            const Coupling::End& end = row.ends[e];
            const int number = island.bodies[end.system];
            visit_obedient(w, number, [&](const auto& body) {
                if (body.prescribed[end.node]) return;
                s.row_work[number] +=
                    end.weight * impulse.dot(deforming_velocity(body, end.node, body.v_next[end.node]));
            });
        }
    }
}

double merit(World& w, const Island& island, double dt) {
    double sum = row_potential(w, island);
    for_each_obedient(w, island, [&](auto& body) { sum += merit(body, dt, *w.threads); });
    return sum;
}

struct IslandGain {
    double excess = 0;  ///< J beyond what is tolerated
    bool bearable = true;
};

/// What the bodies of an island have gained where v_next leads. Adds to c.energy_gain what they cannot give back.
IslandGain measure_gain(World& w, StepContext& c, const Island& island) {
    StageTimer timer(w.times, "energy");
    sum_row_work(w, island);
    IslandGain sum;
    for (int number : island.bodies) {
        visit_solved(w, number, [](auto& body) {
            if constexpr (requires { body.energy.excess; }) body.energy.excess = 0;
        });
        visit_obedient(w, number, [&](auto& body) {
            measure_iterate(body, c.dt, *w.threads);
            const EnergyGain gain = energy_gain(body, c.dt, w.scratch->row_work[number], *w.threads);
            if (!(gain.excess > gain.noise)) return;
            body.energy.excess = gain.excess;
            // Forces with plastic strain are no gradient of the energy: their axes turn with the element. What they
            // give is taken back, and no iteration would change it. Nor does one help where barriers hold a motion
            // back.
            if (!conserves(body)) return;
            if (!(gain.excess > w.scratch->newton.tolerated_gain * gain.scale + gain.noise)) return;
            sum.excess += gain.excess;
            if (gain.excess > w.scratch->newton.bearable * gain.kinetic)
                sum.bearable = false, c.energy_gain += gain.excess;
        });
    }
    return sum;
}

/// Whether an island needs another iteration.
bool judge(World& w, StepContext& c, Island& island, bool first) {
    const IslandGain gain = measure_gain(w, c, island);
    double lag = 0;
    for_each_obedient(w, island, [&](auto& body) { lag = std::max(lag, lag_of(body, c.dt)); });
    // Each iteration should do much for the gain, and something for the lag.
    const bool gains = gain.excess > 0 && (first || !gain.bearable || gain.excess < 0.5 * island.excess);
    const bool lags = lag > 1 && (first || lag < island.lag);
    island.lag = lag, island.excess = gain.excess;
    return gains || lags;
}

/// The iterate that the first solve started from.
template <class Body>
void save_start(Body& body) {
    body.v_saved = body.v_next;
    for (std::size_t i = 0; i < body.v.size(); ++i)
        if (body.frame.active)
            body.v_saved[i] = body.frame.velocity[i] + body.frame.start[i];
        else if (!body.prescribed[i])
            body.v_saved[i] = body.v[i];
}

/// Goes back from v_next towards v_saved until the merit is below the one there.
void search_line(World& w, Island& island, double dt) {
    const auto go = [&](double share) {
        for_each_obedient(w, island, [&](auto& body) {
            for (std::size_t i = 0; i < body.v_next.size(); ++i)
                body.v_next[i] = body.v_saved[i] + share * (body.v_reached[i] - body.v_saved[i]);
            measure_iterate(body, dt, *w.threads);
        });
        return merit(w, island, dt);
    };
    const double reached = merit(w, island, dt);
    for_each_obedient(w, island, [&](auto& body) { body.v_reached = body.v_next; });
    const double before = go(0);
    if (reached < before) {
        for_each_obedient(w, island, [&](auto& body) { body.v_next = body.v_reached; });
        return;
    }
    for (double share = 0.5; share >= least_share; share *= 0.5)
        if (go(share) < before) return;
    go(0);
}

}  // namespace

Vec3 row_velocity(const World& w, const Island& island, const Coupling& row) {
    Vec3 u = Vec3::Zero();
    for (int e = 0; e < row.count; ++e)
        u += row.ends[e].weight * visit_solved(w, island.bodies[row.ends[e].system],
                                               [&](const auto& body) { return body.v_next[row.ends[e].node]; });
    return u;
}

void newton_iterations(World& w, StepContext& c) {
    StepScratch& s = *w.scratch;
    s.row_work.resize(static_cast<std::size_t>(solved_count(w)));
    w.contact.final = [&s](int body) { return s.islands[s.island_of[body]].converged; };
    for (int iteration = 1; all_finite(w); ++iteration) {
        c.energy_gain = 0;
        bool again = false;
        for (std::size_t i = 0; i < s.island_count; ++i) {
            Island& island = s.islands[i];
            if (island.converged) continue;
            // Where contact had to hold a motion back, shorter steps are what helps.
            const bool held = w.touch.stats().lost > 0;
            island.converged = !judge(w, c, island, iteration == 1) || held;
            if (island.converged) continue;
            if (iteration == 1) for_each_obedient(w, island, [](auto& body) { save_start(body); });
            // Barriers have moved the iterate as far as nothing is crossed; the way back is not one of theirs.
            if (!w.barriers) search_line(w, island, c.dt);
            if (iteration == s.newton.iterations) {
                measure_gain(w, c, island);
                continue;
            }
            again = true;
            for_each_obedient(w, island, [&](auto& body) {
                body.v_saved = body.v_next;
                newton_iteration(body, c.dt, *w.threads, w.times);
            });
            // What is left over counts against the first residual, which later iterations should get below.
            if (iteration > 1 && !(island.options.iterations > 0))
                island.options.tolerance =
                    0.1 * (island.options.tolerance > 0 ? island.options.tolerance : CgOptions::usual_tolerance);
        }
        if (!again) return;
        ++c.report.newton;
        solve_with_contacts(w, c);
    }
}

}  // namespace pliant
