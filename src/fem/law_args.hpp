#pragma once
// What the pass over the elements of any law (law_pass.hpp) is given.

#include "pliant/fem/element_input.hpp"
#include "pliant/solve/kernel_level.hpp"

namespace pliant {

struct LawArgs : ElementInput {
    const double* numbers = nullptr;  ///< of the law
    double fill = 1;                  ///< share of an element's volume that is material
    double dt = 0, damping = 0;       ///< s: the step, and β
    double* force = nullptr;
    float* block = nullptr;  ///< null: forces alone
    /// [group]: elastic energy at x + dt·v goes here, J. Without `force` nothing but that and `power` is found; `v` may
    /// be null then.
    double* energy = nullptr;
    double rate_scale = 1;  ///< of the velocity that viscosity sees over v
};

/// Forces and blocks of groups [begin, end).
using LawPass = void (*)(const LawArgs& args, int begin, int end);

/// By the place of a law in the list.
LawPass law_pass(KernelLevel level, int place);

}  // namespace pliant
