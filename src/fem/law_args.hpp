#pragma once
// What the pass over the elements of any law (law_pass.hpp) is given.

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

struct LawArgs {
    const double* x;  ///< [node][3] positions, m
    const double* v;  ///< [node][3] velocities, m/s
    const int* node;
    const double* gradient;
    const double* mu;
    const double* lambda;  ///< null: it is ratio·mu
    double ratio;
    const double* numbers;  ///< of the law
    double fill;            ///< share of an element's volume that is material
    double dt, damping;     ///< s: the step, and β
    double* force;
    float* block;           ///< null: forces alone
    double rate_scale = 1;  ///< of the velocity that viscosity sees over v
};

/// Forces and blocks of groups [begin, end).
using LawPass = void (*)(const LawArgs& args, int begin, int end);

/// By the place of a law in the list.
LawPass law_pass(KernelLevel level, int place);

}  // namespace pliant
