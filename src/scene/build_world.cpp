// SceneDesc → World.

#include <algorithm>

#include "pliant/core/rng.hpp"
#include "pliant/core/text.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/knobs.hpp"

namespace pliant {

namespace {

void add_changes(World& w, const SceneDesc& desc) {
    const std::vector<Knob> list = knobs(w);
    for (const ChangeDesc& change : desc.changes)
        for (const auto& [name, value] : change.numbers) {
            const std::string body = change.body < 0 ? "" : desc.bodies[static_cast<std::size_t>(change.body)].name;
            const auto knob = std::ranges::find_if(
                list, [&, &name = name](const Knob& k) { return k.body == body && k.name == name; });
            if (knob == list.end())
                throw UserError(body.empty() ? "change: the world itself has no '" + name + "'"
                                             : "change: body '" + body + "' has no '" + name + "' that can change",
                                change.where, body.empty() ? "Say which body" : "Leave it out");
            if (!(value >= knob->low && value <= knob->high))
                throw UserError("change: " + name + " must be from " + short_number(knob->low) + " to " +
                                    short_number(knob->high) + " here, not " + short_number(value),
                                change.where, "Beyond that it would not run well");
            w.parameter_changes.push_back({change.at, body, name, value});
        }
    std::ranges::stable_sort(w.parameter_changes, {}, &ParameterChange::at);
}

}  // namespace

std::vector<int> body_numbers(const SceneDesc& desc) {
    std::vector<int> numbers(desc.bodies.size());
    int next = 0;
    for (const char* kind : {"fem", "particle", "shell", "modal", "rigid"})
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (desc.bodies[i].kind == kind) numbers[i] = next++;
    return numbers;
}

std::unique_ptr<World> build_world(const SceneDesc& desc, int threads,
                                   const std::function<void(const std::string&)>& say) {
    auto world = std::make_unique<World>(threads);
    world->dt = step_length(desc.world);
    world->gravity = desc.world.gravity;
    world->seed = desc.world.seed;
    world->barriers = desc.world.barriers;
    for (const std::string& note : desc.notes) world->warnings.add(note);
    const Building building{
        *world->threads, world->warnings, {.seconds = desc.world.patience, .say = say}, desc.world.duration};
    for (std::size_t i = 0; i < desc.bodies.size(); ++i) {
        if (desc.bodies[i].kind == "particle")
            world->particles.push_back(build_particle_body(desc.bodies[i], world->dt, building));
        else if (desc.bodies[i].kind == "shell")
            world->shells.push_back(build_shell_body(desc.bodies[i], building));
        else if (desc.bodies[i].kind == "modal")
            world->modal.push_back(build_modal_body(desc.bodies[i], building));
        else if (desc.bodies[i].kind == "fem")
            world->fem.push_back(
                build_fem_body(desc.bodies[i], Rng(desc.world.seed, i + 1).next(), world->dt, building));
    }
    const std::vector<int> numbers = body_numbers(desc);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] < solved_count(*world) && desc.bodies[i].contact_distance)
            visit_solved(*world, numbers[i],
                         [&](auto& body) { body.contact_distance = desc.bodies[i].contact_distance; });
    add_hands(*world, desc);
    add_loads(*world, desc);
    add_cuts(*world, desc);
    add_heat_sources(*world, desc);
    add_obstacles(*world, desc, building);
    add_rigid_bodies(*world, desc, building);
    add_joints(*world, desc);
    add_ignored(*world, desc);
    add_changes(*world, desc);
    warn_of_proportions(*world, desc);
    return world;
}

}  // namespace pliant
