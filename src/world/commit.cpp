// The end of a substep becomes the present.

#include <algorithm>
#include <array>

#include "pliant/world/bodies.hpp"
#include "pliant/world/ledger.hpp"
#include "pliant/world/mixed_contact.hpp"
#include "pliant/world/modal_step.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

void record_impacts(World& w) {
    for (const auto& impulses : {w.contact.impulses(), std::span<const ContactImpulse>(w.scratch->impulses)})
        for (const ContactImpulse& hit : impulses)
            if (hit.impact()) w.events.push_back({"impact", body_name(w, hit.body), w.time, hit.position, hit.impulse});
}

/// All that two partners did to each other.
void sum_impulses(World& w, double dt) {
    std::vector<ContactImpulse>& impulses = w.scratch->impulses;
    impulses.clear();
    for (const ContactForce& f : w.touch.forces()) {
        const bool turned = f.owner < 0 || (f.partner >= 0 && f.partner < f.owner);
        const int body = turned ? f.partner : f.owner, partner = turned ? f.owner : f.partner;
        auto at = std::find_if(impulses.begin(), impulses.end(),
                               [&](const ContactImpulse& i) { return i.body == body && i.partner == partner; });
        if (at == impulses.end()) {
            ContactImpulse fresh{};
            fresh.body = body, fresh.partner = partner;
            fresh.position.setZero(), fresh.normal.setZero();
            at = impulses.insert(impulses.end(), fresh);
        }
        const double j = f.force * dt;
        at->impulse += j;
        at->position += j * f.point;
        at->normal += (turned ? -j : j) * f.normal;
        ++at->contacts;
        if (f.fresh) at->fresh += j, at->speed = std::max(at->speed, f.approach);
    }
    for (ContactImpulse& pair : impulses) {
        if (pair.impulse > 0) pair.position /= pair.impulse;
        pair.normal = pair.normal.stableNormalized();
    }
}

}  // namespace

void commit(World& w, StepContext& c) {
    StageTimer timer(w.times, "update");
    finish_own_contacts(w, c);
    count_work(w, c);
    w.contact.finish();
    w.touch.finish();
    sum_impulses(w, c.dt);
    return_impulses(w, c.dt);
    advance_modal(w, c.dt, std::span(w.scratch->obstacles).first(w.props.size()));
    w.time += c.dt;
    record_impacts(w);
    record_contact_events(w, c.dt);
    for_each_solved(w, [&](auto& body) { commit_step(body, c.dt, *w.threads); });
    count_energies(w);
    for (const FemBody& body : w.fem) c.report.energy_gain += body.energy.excess;
    for (const ShellBody& body : w.shells) c.report.energy_gain += body.energy.excess;
    for_each_body(w, [](auto& body) { std::swap(body.temperature, body.temperature_next); });
    for (const FemBody& body : w.fem) {
        if (!body.integrator->is_explicit()) continue;
        c.report.own_steps = std::max(c.report.own_steps, body.own.steps);
        if (c.report.own_step == 0 || body.own.step < c.report.own_step) c.report.own_step = body.own.step;
        c.report.own_cuts += body.own.cuts;
    }
    c.report.contacts = w.contact.stats().touching + w.touch.stats().touching;
    c.report.residual = std::max(c.report.residual, c.residual);
    c.report.missed += c.missed;
    c.report.limited += w.touch.stats().lost > 0;
    ++c.report.substeps;
}

}  // namespace pliant
