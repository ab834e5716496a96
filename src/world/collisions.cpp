// Finding who may touch whom in a substep, and the contacts that bodies handle in steps of their own.

#include "pliant/body/leap_frog.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/mixed_contact.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

void place_obstacles(World& w, const StepContext& c) {
    std::vector<Obstacle>& obstacles = w.scratch->obstacles;
    obstacles.clear();
    for (Prop& prop : w.props) {
        if (prop.motion) {
            prop.obstacle.start = prop.motion(w.time);
            prop.obstacle.end = prop.motion(c.end);
        }
        obstacles.push_back(prop.obstacle);
    }
    add_yielding_obstacles(w, c.dt, obstacles);
}

/// The leap-frog body that meets this contact in its own steps; null: the contact has a row of the common solve.
ParticleBody* own_contact_body(World& w, const Contact& contact) {
    if (!contact.on_obstacle() || w.scratch->obstacles[contact.obstacle()].mobility) return nullptr;
    if (contact.body < static_cast<int>(w.fem.size())) return nullptr;
    ParticleBody& body = w.particles[contact.body - w.fem.size()];
    return body.implicit ? nullptr : &body;
}

void exclude_own_contacts(World& w, const StepContext& c) {
    std::vector<int>& own = w.scratch->own_contacts;
    own.clear();
    for (ParticleBody& body : w.particles) body.touches.clear();
    const auto contacts = w.contact.contacts();
    for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
        ParticleBody* body = own_contact_body(w, contacts[i]);
        if (!body) continue;
        add_touch(*body, contacts[i], w.contact.options.recovery, c.dt);
        w.contact.exclude(i);
        own.push_back(i);
    }
}

}  // namespace

void find_collisions(World& w, const StepContext& c) {
    {
        StageTimer timer(w.times, "contacts");
        StepScratch& scratch = *w.scratch;
        scratch.views.clear();
        for_each_solved(w, [&](auto& body) { scratch.views.push_back(surface_view(body)); });
        place_obstacles(w, c);
        w.contact.detect(scratch.views, scratch.obstacles, c.dt, *w.threads, w.gravity);
    }
    exclude_own_contacts(w, c);
}

void finish_own_contacts(World& w, const StepContext& c) {
    for (ParticleBody& body : w.particles) finish_own_steps(body, c.dt, *w.threads);
    StepScratch& scratch = *w.scratch;
    scratch.next_touch.assign(w.particles.size(), 0);
    for (int i : scratch.own_contacts) {
        const std::size_t particle_body = w.contact.contacts()[i].body - w.fem.size();
        const ParticleBody& body = w.particles[particle_body];
        const ParticleTouch& touch = body.touches[scratch.next_touch[particle_body]++];
        w.contact.finish_excluded(i, touch.impulse.dot(touch.normal), mean_velocity(body, touch, c.dt));
    }
}

}  // namespace pliant
