// Newmark's method as Molino, Bao & Fedkiw 2004, section 5, use it (after Bridson et al. 2003): explicit in elastic
// forces, implicit in damping.
//     v½ = v + h/2 a(x, v½)                  x₁ = x + h v½
//     v₁ = v + h/2 (a(x, v) + a(x₁, v₁))
// Damping D is linear in the velocities, and (1 − h/2 D) is symmetric and positive in the product of masses, so both
// implicit equations are solved by conjugate gradients that need nothing but forces.

#include <algorithm>
#include <cmath>

#include "pliant/body/integrator.hpp"

namespace pliant {

extern const Integrator newmark_integrator;

namespace {

/// Of the residual over its right side. What is left in velocities is far below the error of the step.
constexpr double newmark_tolerance = 1e-9;
/// Where damping is so strong that more are needed, what is missing damps a little less.
constexpr int newmark_iterations = 100;

/// Solves u − h/2 a(x, u) = v + h/2 push, where `still` is a(x, 0), for u; in: a first guess. Arrays from 4 on are
/// used.
void solve_damping(const Substep& s, std::span<const Vec3> x, std::span<const Vec3> v, std::span<const Vec3> push,
                   std::span<const Vec3> still, std::span<Vec3> u) {
    const double half = 0.5 * s.h;
    if (!s.forces->has_inner_damping()) {
        s.each_node([&](std::size_t i) {
            const Vec3 end = (v[i] + half * (push[i] + still[i])) / (1 + half * s.damping);
            u[i] = v[i] + s.free[i].cwiseProduct(end - v[i]);
        });
        return;
    }
    const std::span<Vec3> r = s.array(4), p = s.array(5), q = s.array(6);
    s.forces->accelerations(x, u, q);
    s.each_node([&](std::size_t i) { p[i] = r[i] = v[i] + half * (push[i] + q[i]) - u[i]; });
    double square = s.dot(r, r);
    const double enough = newmark_tolerance * newmark_tolerance * s.dot(v, v);
    for (int k = 0; k < newmark_iterations && square > enough; ++k) {
        s.forces->accelerations(x, p, q);
        s.each_node([&](std::size_t i) { q[i] = p[i] - half * (q[i] - still[i]); });
        const double along = s.dot(p, q);
        if (!(along > 0)) break;
        const double step = square / along;
        s.each_node([&](std::size_t i) { u[i] += step * p[i], r[i] -= step * q[i]; });
        const double before = square;
        square = s.dot(r, r);
        s.each_node([&](std::size_t i) { p[i] = r[i] + square / before * p[i]; });
    }
}

void advance_newmark(const Substep& s) {
    const std::span<Vec3> still = s.array(0), start = s.array(1), zero = s.array(2), u = s.array(3);
    std::fill(zero.begin(), zero.end(), Vec3::Zero());
    s.forces->accelerations(s.x, zero, still);
    s.forces->accelerations(s.x, s.v, start);
    std::copy(s.v.begin(), s.v.end(), u.begin());
    solve_damping(s, s.x, s.v, zero, still, u);
    s.each_node([&](std::size_t i) { s.x[i] += s.h * u[i]; });
    s.forces->accelerations(s.x, zero, still);
    solve_damping(s, s.x, s.v, start, still, u);
    std::copy(u.begin(), u.end(), s.v.begin());
}

}  // namespace

const Integrator newmark_integrator{
    .name = "newmark",
    .doc =
        "Newmark as in Molino, Bao & Fedkiw 2004: explicit in elasticity, whose waves limit its steps inside those "
        "of the world, and implicit in damping, which does not.",
    .order = 2,
    .advance = advance_newmark,
    .damps_implicitly = true};

}  // namespace pliant
