#pragma once
// The loops over block rows that gather what the elements left (element_kernels.hpp) into the system of
// solve_kernels.hpp. Every row sums its own contributions in a fixed order: no thread ever writes another's row.

#include "pliant/solve/kernel_level.hpp"
#include "pliant/solve/packed_slot.hpp"

namespace pliant {

struct RowArgs {
    int rows;
    const int* slice_begin;            ///< in slots
    const unsigned* pair_begin;        ///< per slice, into `pair`
    const unsigned* pair;              ///< [slice][step][8] 16·tet + 4·a + b, or of a line of zeros
    const unsigned short* pair_steps;  ///< [slot]: the largest number of tets round an edge of it
    const unsigned* incident_begin;    ///< per row, into `incident`
    const unsigned* incident;          ///< 4·tet + a
    const int* node_of_row;
    const float* line;
    const float* law_block;  ///< of law_pass.hpp, for law_blocks()
    bool same_ratio;         ///< all tets have the same λ/μ,
    float ratio;             ///< this one
    const double* force;
    const double* external;  ///< [node][3] N
    const double* v;         ///< [node][3] m/s
    const double* mass;      ///< [node] kg
    const double* inertia;   ///< [row] kg
    const char* prescribed;  ///< [row]
    float* block;
    PackedSlot* packed;  ///< null: not wanted
    float* preconditioner;
    double *out_v, *out_r;
    double dt, mass_damping;
};

struct RowKernels {
    /// Residual and velocity of slices [begin, end); adds Σ m v + dt f to momentum[3].
    void (*residual)(const RowArgs& args, int begin, int end, double* momentum);
    /// Matrix blocks and preconditioner of slices [begin, end).
    void (*blocks)(const RowArgs& args, int begin, int end);
    /// The same from the blocks that law_pass.hpp left.
    void (*law_blocks)(const RowArgs& args, int begin, int end);
};

const RowKernels& row_kernels(KernelLevel level);

}  // namespace pliant
