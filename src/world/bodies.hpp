#pragma once
// Bodies of all kinds under one numbering: FEM bodies first, then particle bodies, then modal
// bodies, each in the order of its vector.
// A new kind is one more line in for_each_body() and visit_body(), and the functions below that they call, each
// an overload beside the body's own struct:
//
//     begin_step(body, dt, threads, times)   ready to be solved: system(body) is assembled
//     system(body)                           its share of the linear system, rows are nodes
//     finish_solve(body)                     v_next from the system
//     commit_step(body, dt, threads)         x and v at the end of the step, and the surface
//     surface_view, volume, mass, center_of_mass, momentum, kinetic_energy, elastic_energy, max_speed, bounds,
//     save_state, load_state, hash_state, update_surface, kind_name, picture_of (snapshot.cpp)
//
//     add_heat, set_material_at (body/warm_bodies.hpp)
//
// and the members name, color, collide, solve, mesh, surface, surface_facts, rest_volume, x, v, force, prescribed,
// v_next, heat, temperature, temperature_next. force, prescribed and v_next are per node and filled by the step before
// begin_step().

#include <utility>

#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/error.hpp"
#include "pliant/world/world.hpp"

namespace pliant {

/// f(body) for every body, in the order of their numbers. W: World or const World.
template <class W, class F>
void for_each_body(W& w, F&& f) {
    for (auto& body : w.fem) f(body);
    for (auto& body : w.particles) f(body);
    for (auto& body : w.modal) f(body);
}

inline int body_count(const World& w) { return static_cast<int>(w.fem.size() + w.particles.size() + w.modal.size()); }

/// f(body) for one of them. f returns the same type for every kind.
template <class W, class F>
decltype(auto) visit_body(W& w, int number, F&& f) {
    CHECK(number >= 0 && number < body_count(w), number, body_count(w));
    std::size_t i = static_cast<std::size_t>(number);
    if (i < w.fem.size()) return f(w.fem[i]);
    i -= w.fem.size();
    if (i < w.particles.size()) return f(w.particles[i]);
    i -= w.particles.size();
    return f(w.modal[i]);
}

// Bodies that are nodes in one linear system: all but modal ones, which come last and step by themselves.
template <class W, class F>
void for_each_solved(W& w, F&& f) {
    for (auto& body : w.fem) f(body);
    for (auto& body : w.particles) f(body);
}

inline int solved_count(const World& w) { return static_cast<int>(w.fem.size() + w.particles.size()); }

template <class W, class F>
decltype(auto) visit_solved(W& w, int number, F&& f) {
    CHECK(number >= 0 && number < solved_count(w), number, solved_count(w));
    std::size_t i = static_cast<std::size_t>(number);
    if (i < w.fem.size()) return f(w.fem[i]);
    return f(w.particles[i - w.fem.size()]);
}

// What is no deformable body: world/rigid_step.cpp.
void advance_rigid_bodies(World& w, double start, double dt);  ///< from time `start` on
void record_blows(World& w, double dt);                        ///< of the contacts of deformable bodies in this step

inline const std::string& body_name(const World& w, int number) {
    return visit_body(w, number, [](const auto& body) -> const std::string& { return body.name; });
}

}  // namespace pliant
