// The end of a substep becomes the present.

#include "pliant/world/bodies.hpp"
#include "pliant/world/mixed_contact.hpp"
#include "pliant/world/modal_step.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

void record_impacts(World& w) {
    for (const ContactImpulse& hit : w.contact.impulses())
        if (hit.impact()) w.events.push_back({"impact", body_name(w, hit.body), w.time, hit.position, hit.impulse});
}

}  // namespace

void commit(World& w, StepContext& c) {
    StageTimer timer(w.times, "update");
    finish_own_contacts(w, c);
    w.contact.finish();
    return_impulses(w, c.dt);
    advance_modal(w, c.dt, std::span(w.scratch->obstacles).first(w.props.size()));
    w.time += c.dt;
    record_impacts(w);
    record_contact_events(w, c.dt);
    for_each_solved(w, [&](auto& body) { commit_step(body, c.dt, *w.threads); });
    for_each_body(w, [](auto& body) { std::swap(body.temperature, body.temperature_next); });
    c.report.contacts = w.contact.stats().touching;
    ++c.report.substeps;
}

}  // namespace pliant
