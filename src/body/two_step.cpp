// Implicit integrators that reach over one or two steps.

#include "pliant/body/integrator.hpp"

namespace pliant {

extern const Integrator implicit_euler_integrator, bdf2_integrator;

const Integrator implicit_euler_integrator{.name = "implicit_euler",
                                           .doc = "Implicit Euler: stable for any step; large steps damp vibrations.",
                                           .order = 1,
                                           .formula = [](double) { return TwoStep{}; }};

// The backward difference formula of second order for steps of different length (Hairer & Wanner, Solving Ordinary
// Differential Equations II, section V.5); for equal ones (3x₁ − 4x + x₋₁)/2 = dt v₁.
const Integrator bdf2_integrator{
    .name = "bdf2",
    .doc =
        "Second-order backward differences: as stable as implicit Euler and hardly dearer, and vibrations last; "
        "while a body touches something or is pulled by a hand it moves by implicit Euler.",
    .order = 2,
    .formula = [](double ratio) {
        return TwoStep{(1 + ratio) / (1 + 2 * ratio), ratio * ratio / (1 + 2 * ratio)};
    }};

}  // namespace pliant
