// Symplectic Euler: v₁ = v + h a(x, v), x₁ = x + h v₁. Of first order; without damping its energy swings about the true
// one by a part of h times the frequency and never drifts.

#include "pliant/body/integrator.hpp"

namespace pliant {

extern const Integrator symplectic_euler_integrator;

namespace {

void advance_symplectic_euler(const Substep& s) {
    const std::span<Vec3> a = s.array(0);
    s.forces->accelerations(s.x, s.v, a);
    s.each_node([&](std::size_t i) {
        s.v[i] += s.h * a[i];
        s.x[i] += s.h * s.v[i];
    });
}

}  // namespace

const Integrator symplectic_euler_integrator{
    .name = "symplectic_euler",
    .doc =
        "Symplectic Euler: explicit and cheap per step, stable for short ones only, which it takes inside those of "
        "the world; vibrations keep their energy.",
    .order = 1,
    .advance = advance_symplectic_euler};

}  // namespace pliant
