#pragma once
// Bodies of all kinds under one numbering: FEM bodies first, then particle bodies, shells and modal bodies, each in the
// order of its vector. A new kind is a struct that derives from DeformableBody (body/deformable_body.hpp) and fulfils
// AnyBody, and SolvedBody if its nodes are unknowns of the common linear system; one line in for_each_body() and
// visit_body(); and a picture_of() in snapshot.cpp.

#include <concepts>
#include <utility>

#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/error.hpp"
#include "pliant/solve/block_system.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

/// What the world asks of a body of any kind.
template <class Body>
concept AnyBody = std::derived_from<Body, DeformableBody> &&
    requires(Body& body, const Body& seen, Threads& threads, const HeatDesc& heat, std::span<const double> temperature,
             ByteWriter& out, ByteReader& in, Hash& hash) {
    { kind_name(seen) } -> std::convertible_to<std::string>;
    { surface_view(seen) } -> std::same_as<SurfaceView>;
    { node_mass(seen) } -> std::same_as<std::span<const double>>;
    // Measures at the present state.
    { volume(seen) } -> std::same_as<double>;
    { mass(seen) } -> std::same_as<double>;
    { center_of_mass(seen) } -> std::same_as<Vec3>;
    { momentum(seen) } -> std::same_as<Vec3>;
    { kinetic_energy(seen) } -> std::same_as<double>;
    { elastic_energy(seen) } -> std::same_as<double>;
    { max_speed(seen) } -> std::same_as<double>;
    { bounds(seen) } -> std::same_as<Box>;
    // Heat: a body gets a temperature, and its material follows it.
    add_heat(body, heat);
    set_material_at(body, temperature);
    // State in and out; then the seen surface follows.
    save_state(seen, out);
    load_state(body, in);
    hash_state(seen, hash);
    update_surface(body, threads);
};

/// What the step asks of a body whose nodes are unknowns of the common linear system, in this order. The step fills
/// force, prescribed, axis_holds and v_next before.
template <class Body>
concept SolvedBody = AnyBody<Body> && std::derived_from<Body, SolvedNodes> &&
    requires(Body& body, const Body& seen, double dt, Threads& threads, StageTimes& times) {
    begin_step(body, dt, threads, times);            // assembles system(body)
    { system(body) } -> std::same_as<BlockSystem&>;  // its rows are nodes
    { system(seen) } -> std::same_as<const BlockSystem&>;
    finish_solve(body, threads);     // v_next from the system
    commit_step(body, dt, threads);  // x and v at the end of the step, and the surface
};

static_assert(SolvedBody<FemBody>);
static_assert(SolvedBody<ParticleBody>);
static_assert(SolvedBody<ShellBody>);
static_assert(AnyBody<ModalBody>);

/// f(body) for every body, in the order of their numbers. W: World or const World.
template <class W, class F>
void for_each_body(W& w, F&& f) {
    for (auto& body : w.fem) f(body);
    for (auto& body : w.particles) f(body);
    for (auto& body : w.shells) f(body);
    for (auto& body : w.modal) f(body);
}

inline int body_count(const World& w) {
    return static_cast<int>(w.fem.size() + w.particles.size() + w.shells.size() + w.modal.size());
}

/// f(body) for one of them. f returns the same type for every kind.
template <class W, class F>
decltype(auto) visit_body(W& w, int number, F&& f) {
    CHECK(number >= 0 && number < body_count(w), number, body_count(w));
    std::size_t i = static_cast<std::size_t>(number);
    if (i < w.fem.size()) return f(w.fem[i]);
    i -= w.fem.size();
    if (i < w.particles.size()) return f(w.particles[i]);
    i -= w.particles.size();
    if (i < w.shells.size()) return f(w.shells[i]);
    i -= w.shells.size();
    return f(w.modal[i]);
}

/// f(body) for every SolvedBody: all but modal ones, which have the last numbers and step by themselves.
template <class W, class F>
void for_each_solved(W& w, F&& f) {
    for (auto& body : w.fem) f(body);
    for (auto& body : w.particles) f(body);
    for (auto& body : w.shells) f(body);
}

inline int solved_count(const World& w) {
    return static_cast<int>(w.fem.size() + w.particles.size() + w.shells.size());
}

template <class W, class F>
decltype(auto) visit_solved(W& w, int number, F&& f) {
    CHECK(number >= 0 && number < solved_count(w), number, solved_count(w));
    std::size_t i = static_cast<std::size_t>(number);
    if (i < w.fem.size()) return f(w.fem[i]);
    i -= w.fem.size();
    if (i < w.particles.size()) return f(w.particles[i]);
    return f(w.shells[i - w.particles.size()]);
}

// What is no deformable body: world/rigid_step.cpp.
void advance_rigid_bodies(World& w, double start, double dt);  ///< from time `start` on
void record_contact_events(World& w, double dt);               ///< of the contacts of deformable bodies in this step

inline const std::string& body_name(const World& w, int number) {
    return visit_body(w, number, [](const auto& body) -> const std::string& { return body.name; });
}

}  // namespace pliant
