#include "pliant/world/ledger.hpp"

#include <algorithm>

#include "pliant/body/step_energy.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// Of the rows [first, last) of an island: Σ (s − S u)·u.
double work_of_rows(const World& w, const Island& island, std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t r = first; r < last; ++r) {
        const Coupling& row = island.rows[r];
        const Vec3 u = row_velocity(w, island, row);
        sum += (row.s - row.S * u).dot(u);
    }
    return sum;
}

bool counted(const FemBody& body) { return obeys_energy_law(body); }

}  // namespace

void count_work(World& w, const StepContext& c) {
    EnergyLedger& ledger = w.ledger;
    for (FemBody& body : w.fem) {
        if (!counted(body)) continue;
        if (!body.energy.known) {
            ledger.brought += kinetic_energy(body) + body.energy.start;
            body.energy.known = body.energy.start;
        }
        (body.plasticity ? ledger.plastic : ledger.heat) += *body.energy.known - body.energy.start;
        const StepWork work = step_work(body, c.dt);
        ledger.outside += work.outside;
        ledger.grips += work.grips;
        ledger.damping += work.damping;
        ledger.numerical += body.energy.start - body.energy.iterate.elastic + c.dt * body.energy.iterate.power;
    }
    const StepScratch& s = *w.scratch;
    for (std::size_t i = 0; i < s.island_count; ++i) {
        const Island& island = s.islands[i];
        if (std::none_of(island.bodies.begin(), island.bodies.end(),
                         [&](int b) { return b < static_cast<int>(w.fem.size()) && counted(w.fem[b]); }))
            continue;
        ledger.contact += work_of_rows(w, island, 0, island.touch_rows);
        ledger.hands += work_of_rows(w, island, island.contact_rows, island.rows.size());
    }
    const ContactWork pressed = w.contact.work();
    ledger.contact += pressed.normal;
    ledger.friction -= pressed.friction;
}

void count_energies(World& w) {
    for (FemBody& body : w.fem) {
        if (!counted(body)) continue;
        w.ledger.numerical += body.energy.change + body.energy.taken;
        body.energy.known = body.keeps_volume ? body.solid.elastic_energy_at(body.x, body.plastic_strain, *w.threads)
                                              : body.energy.iterate.elastic;
    }
}

void count_edit(World& w, int number, double kinetic) {
    FemBody& body = w.fem[number];
    if (!counted(body) || !body.energy.known) return;
    const double before = kinetic + *body.energy.known;
    body.energy.known = body.solid.elastic_energy_at(body.x, body.plastic_strain, *w.threads);
    w.ledger.fracture += before - kinetic_energy(body) - *body.energy.known;
}

EnergyBalance energy_balance(const World& w) {
    EnergyBalance b;
    const EnergyLedger& l = b.ledger = w.ledger;
    for (const FemBody& body : w.fem) {
        if (!counted(body) || !body.energy.known) continue;
        b.kinetic += kinetic_energy(body);
        b.elastic += *body.energy.known;
    }
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
