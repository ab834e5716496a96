#include "pliant/world/ledger.hpp"

#include <algorithm>

#include "pliant/body/leap_frog.hpp"
#include "pliant/body/pooled_work.hpp"
#include "pliant/body/step_energy.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// Each substep of the body is accounted for; others are pooled.
bool followed(const FemBody& body) { return obeys_energy_law(body); }
template <class Body>
bool followed(const Body&) {
    return false;
}

/// Mean velocity of a node over the substep, before it is committed.
template <class Body>
Vec3 mean_velocity(const Body& body, std::size_t node, double dt) {
    if constexpr (requires { trial_positions(body); })
        if (steps_itself(body)) return (trial_positions(body)[node] - body.x[node]) / dt;
    return body.v_next[node];
}

/// The velocity that rows of the common solve found a body with steps of its own at.
const std::vector<Vec3>& own_mean_velocity(const FemBody& body) { return body.own.mean; }
const std::vector<Vec3>& own_mean_velocity(const ParticleBody& body) { return body.mean; }

/// Of the nodes that move freely, J.
double free_kinetic_energy(const FemBody& body) {
    const auto mass = body.solid.mass();
    double sum = 0;
    for (std::size_t i = 0; i < body.v.size(); ++i)
        if (!body.prescribed[i]) sum += 0.5 * mass[i] * body.v[i].squaredNorm();
    return sum;
}

/// Done by rows of the common solve, J.
struct RowWork {
    double all = 0;
    double carried = 0;  ///< on followed bodies, by the motion of their frames
    double given = 0;    ///< on nodes whose motion is given
    double pooled = 0;   ///< on pooled bodies
};

/// Σ p·J u over the rows [first, last) of an island.
RowWork work_of_rows(const World& w, const Island& island, std::size_t first, std::size_t last, double dt) {
    RowWork sum;
    for (std::size_t r = first; r < last; ++r) {
        const Coupling& row = island.rows[r];
        const Vec3 impulse = row.s - row.S * row_velocity(w, island, row);
        for (int e = 0; e < row.count; ++e) {
            const Coupling::End& end = row.ends[e];
            visit_solved(w, island.bodies[end.system], [&](const auto& body) {
                const auto node = static_cast<std::size_t>(end.node);
                const Vec3 push = end.weight * impulse;
                const double work = push.dot(mean_velocity(body, node, dt));
                sum.all += work;
                if (body.prescribed[node]) sum.given += work;
                if (!followed(body))
                    sum.pooled += work;
                else if constexpr (requires { body.frame.active; })
                    if (body.frame.active && !body.prescribed[node]) sum.carried += push.dot(body.frame.velocity[node]);
            });
        }
    }
    return sum;
}

void follow(World& w, FemBody& body, double dt) {
    EnergyLedger& ledger = w.ledger;
    if (body.pooled) {  // its integrator was changed
        ledger.pool -= kinetic_energy(body) + body.energy.start;
        body.pooled = false, body.energy.known = body.energy.start;
    }
    if (!body.energy.known) {
        ledger.brought += kinetic_energy(body) + body.energy.start;
        body.energy.known = body.energy.start;
    }
    (body.plasticity ? ledger.plastic : ledger.heat) += *body.energy.known - body.energy.start;
    const StepWork work = step_work(body, dt);
    ledger.outside += work.outside;
    ledger.grips += work.grips;
    ledger.damping += work.damping;
    ledger.numerical += work.elastic + work.inertia;
}

/// What the obstacles did that stop a body in steps of its own.
template <class Body>
void count_own_touches(EnergyLedger& ledger, Body& body, double dt) {
    if constexpr (requires { touches(body); }) {
        if (!steps_itself(body)) return;
        for (const ParticleTouch& touch : touches(body)) {
            const Vec3 u = mean_velocity(body.x, trial_positions(body), touch, dt);
            const double along = touch.normal.dot(touch.impulse) * touch.normal.dot(u);
            const double across = touch.impulse.dot(u) - along;
            ledger.contact += along, ledger.friction -= across;
            ledger.pool += along + across;
        }
    }
}

/// Of nodes whose motion is given, against inertia and elasticity.
template <class Body>
double work_of_grips(Body& body, double dt, Threads& threads) {
    const auto mass = node_mass(body);
    double sum = 0;
    bool moves = false;
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        if (!body.prescribed[i]) continue;
        sum += 0.5 * mass[i] * (body.v_next[i].squaredNorm() - body.v[i].squaredNorm());
        moves = moves || !body.v_next[i].isZero(0);
    }
    return moves ? sum + work_against_elasticity(body, dt, threads) : sum;
}

template <class Body>
void pool(World& w, Body& body, double dt) {
    EnergyLedger& ledger = w.ledger;
    if (!body.pooled) {
        const double energy = kinetic_energy(body) + elastic_energy(body);
        bool brings = true;
        if constexpr (requires { body.energy.known; }) {  // its integrator was changed
            brings = !body.energy.known;
            body.energy.known.reset();
        }
        if (brings) ledger.brought += energy;
        ledger.pool += energy, body.pooled = true;
    }
    const auto mass = node_mass(body);
    double outside = 0, drag = 0;
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        if (body.prescribed[i]) continue;
        const Vec3 u = mean_velocity(body, i, dt);
        outside += dt * body.force[i].dot(u), drag += mass[i] * u.squaredNorm();
        if constexpr (requires { own_mean_velocity(body); })  // what rows did is a force like others there
            if (steps_itself(body)) outside -= mass[i] * (body.v_next[i] - own_mean_velocity(body)[i]).dot(u);
    }
    const double grips = work_of_grips(body, dt, *w.threads), damping = dt * mass_damping(body) * drag;
    ledger.outside += outside, ledger.grips += grips, ledger.damping += damping;
    ledger.pool += outside + grips - damping;
    count_own_touches(ledger, body, dt);
}

}  // namespace

void count_work(World& w, const StepContext& c) {
    EnergyLedger& ledger = w.ledger;
    for_each_solved(w, [&](auto& body) {
        if constexpr (std::same_as<std::remove_reference_t<decltype(body)>, FemBody>)
            if (followed(body)) return follow(w, body, c.dt);
        pool(w, body, c.dt);
    });
    const StepScratch& s = *w.scratch;
    for (std::size_t i = 0; i < s.island_count; ++i) {
        const Island& island = s.islands[i];
        const RowWork pressed = work_of_rows(w, island, 0, island.contact_rows, c.dt);
        const RowWork held = work_of_rows(w, island, island.contact_rows, island.rows.size(), c.dt);
        ledger.contact += pressed.all, ledger.hands += held.all;
        ledger.numerical += pressed.carried + held.carried;
        ledger.grips -= pressed.given + held.given;
        ledger.pool += pressed.pooled + held.pooled;
    }
    const double rubbed = w.contact.work().friction;
    ledger.friction -= rubbed, ledger.contact -= rubbed;
}

void count_energies(World& w) {
    for (FemBody& body : w.fem) {
        if (!followed(body)) continue;
        w.ledger.numerical -= free_kinetic_energy(body);
        body.energy.known = body.energy.iterate.elastic;
        if (!body.keeps_volume) continue;
        body.energy.known = body.solid.elastic_energy_at(body.x, body.plastic_strain, *w.threads);
        w.ledger.numerical -= *body.energy.known - body.energy.iterate.elastic;
    }
}

void count_edit(World& w, int number, double kinetic) {
    FemBody& body = w.fem[number];
    if (!followed(body) || !body.energy.known) return;
    const double before = kinetic + *body.energy.known;
    body.energy.known = body.solid.elastic_energy_at(body.x, body.plastic_strain, *w.threads);
    w.ledger.fracture += before - kinetic_energy(body) - *body.energy.known;
}

EnergyBalance energy_balance(const World& w) {
    EnergyBalance b;
    b.ledger = w.ledger;
    EnergyLedger& l = b.ledger;
    double pooled = 0;
    for_each_solved(w, [&](const auto& body) {
        double elastic = 0;
        if (body.pooled) {
            elastic = elastic_energy(body);
            pooled += kinetic_energy(body) + elastic;
        } else if constexpr (requires { body.energy.known; }) {
            if (!body.energy.known) return;
            elastic = *body.energy.known;
        } else {
            return;
        }
        b.kinetic += kinetic_energy(body), b.elastic += elastic;
    });
    l.numerical += l.pool - pooled;
    b.residual = l.brought + l.outside + l.grips + l.hands + l.contact - l.friction - l.damping - l.plastic - l.heat -
                 l.fracture - l.numerical - b.kinetic - b.elastic;
    return b;
}

double EnergyBalance::largest() const {
    double most = 0;
    for_each_term(*this, [&](const char*, double joules) { most = std::max(most, std::abs(joules)); });
    return most;
}

}  // namespace pliant
