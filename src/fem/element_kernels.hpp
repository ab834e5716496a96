#pragma once
// The loop over elements that starts a step. Layouts:
//
//   node, gradient, mu, lambda as in element_input.hpp; rotation [group][4][8] floats (w x y z)
//   line  [tet][4][4] floats, one cache line: the rotated gradients of the four nodes, √(dt(dt+β)·μV)·R∇, and λ/μ as
//         the fourth entry of each; behind the last group comes one more, all zeros
//   force [tet][4][3] doubles: −dt times the elastic force of the element on its nodes

#include "pliant/fem/element_input.hpp"
#include "pliant/fem/flow_numbers.hpp"
#include "pliant/solve/kernel_level.hpp"

namespace pliant {

struct ElementArgs : ElementInput {
    float* rotation = nullptr;        ///< in: where the search starts; out: the rotation found
    const double* plastic = nullptr;  ///< [tet][6] plastic strain that the forces are for, or null
    float* line = nullptr;
    double* force = nullptr;
    int tets = 0;              ///< real ones; the last group may hold copies
    double dt = 0, reach = 0;  ///< reach = dt + β: stress is taken at x + reach·v
    double turn = 0;           ///< s: rotations are those at x + turn·v
    bool corotational = true;
    /// For elements that Newton's method can't do: F (row by row) → unit quaternion w x y z; in: the warm start.
    void (*robust)(const double* F, double* quaternion) = nullptr;
    /// Plastic flow before the forces, see PlasticFlow in solid.hpp; without `flow` the plastic strain is what it is.
    double* flowing = nullptr;  ///< the same memory as `plastic`
    const FlowNumbers* flow_numbers = nullptr;
    bool flow_numbers_differ = false;  ///< one for each group; otherwise the same for all
    bool flow_stops = false;           ///< at the yield strain
    void (*flow)(const void* context, int tet, const double* total, double* plastic) = nullptr;
    const void* flow_context = nullptr;
    /// [tet][6] or null. Not null: only rotations are found, and the total strain at x goes here, xx yy zz xy yz zx.
    double* strain = nullptr;
    /// [tet] or null; room for whole groups. Not null: only rotations are found, and measures of the stress at x go
    /// here, Pa: von Mises', and the largest principal stress.
    float *von_mises = nullptr, *principal = nullptr;
    const double* moduli = nullptr;  ///< for these, [group][2][8]: λ and μ, Pa
    /// [group] or null: elastic energy at x + turn·v goes here, J, beside the forces; without `force` nothing else is
    /// found.
    double* energy = nullptr;
    /// For `power`, with reach = 0 and turn above 0: rotations that the matrix was assembled with.
    const float* assembled = nullptr;
};

/// Rotations, rotated gradients and element forces of groups [begin, end).
using ElementKernel = void (*)(const ElementArgs& args, int begin, int end);

ElementKernel element_kernel(KernelLevel level);

}  // namespace pliant
