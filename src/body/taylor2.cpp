// The second-order Taylor integrator of O'Brien & Hodgins 1999, section 5:
//     x₁ = x + h v + h²/2 a,      v₁ = v + h a + h²/2 ȧ.
// ȧ is taken along the step itself, (a(x₁, v + h a) − a)/h: with it forces that do not depend on velocities give
// velocity Verlet, which is stable up to the limit of symplectic Euler. With ȧ at the start, ∂a/∂x v + …, every
// vibration would grow at any step.

#include "pliant/body/integrator.hpp"

namespace pliant {

extern const Integrator taylor2_integrator;

namespace {

void advance_taylor2(const Substep& s) {
    const std::span<Vec3> a = s.array(0), end = s.array(1), fast = s.array(2);
    s.forces->accelerations(s.x, s.v, a);
    s.each_node([&](std::size_t i) {
        s.x[i] += s.h * s.v[i] + 0.5 * s.h * s.h * a[i];
        fast[i] = s.v[i] + s.h * a[i];
    });
    s.forces->accelerations(s.x, fast, end);
    s.each_node([&](std::size_t i) { s.v[i] += 0.5 * s.h * (a[i] + end[i]); });
}

}  // namespace

const Integrator taylor2_integrator{
    .name = "taylor2",
    .doc =
        "Second-order Taylor steps (O'Brien & Hodgins 1999): explicit, stable for short steps only, which it takes "
        "inside those of the world; twice the cost of symplectic Euler, with far smaller errors.",
    .order = 2,
    .advance = advance_taylor2};

}  // namespace pliant
