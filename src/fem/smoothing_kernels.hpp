#pragma once
// The loops of the smoothed element (smoothing.hpp).

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

/// One domain that a row of the system gathers from.
struct RowDomain {
    unsigned domain;
    unsigned own;         ///< the row's node in the stencil, counted over all domains
    unsigned first;       ///< of the stencil
    unsigned pair_begin;  ///< in RowPair; the next one's is the end
};

/// One block: the other node in the stencil, and the slot of the row it goes to. Only pairs with a later row are there.
struct RowPair {
    unsigned short other, slot;
};

struct SmoothArgs {
    // Elements, as in element_kernels.hpp.
    const double *x, *v;  ///< v null: at x alone
    const int* node;
    const double* gradient;
    int tets;
    double dt, damping;  ///< s: the step, and β
    double* force;       ///< [tet][4][3]
    // Domains, as in smoothing.hpp.
    const unsigned *member_begin, *member;
    const double* member_weight;
    const unsigned *tet_domain, *tet_member;  ///< [tet][10]
    const double *lambda, *mu, *volume;
    const double* numbers;  ///< of the law
    const double* plastic;  ///< [domain][6] or null
    int edge_groups;
    double *F, *rate, *stress;
    float* tangent;  ///< [domain][27][4]: entry [3j + … ] see below; null: only stress is wanted
    // Rows of the system.
    int rows;
    const int* slice_begin;
    const unsigned* row_begin;
    const RowDomain* row_domain;
    const RowPair* row_pair;
    const float* slope;
    const unsigned* twin;
    float* block;
    double* energy;         ///< [group of domains]: elastic energy at x + dt·v without plastic strain, J
    double rate_scale = 1;  ///< of the velocity that viscosity sees over v
};

/// F of tets [begin, end) at x + dt·v, and the gradient of v.
using SmoothDeformation = void (*)(const SmoothArgs& args, int begin, int end);
/// Stress and tangent of groups of domains [begin, end), dt(dt + β) C in the layout [domain][j][k][l] of four floats
/// over i: entry ∂P_ij/∂F_kl. The stress has β C:G and viscous stress in it.
using SmoothPass = void (*)(const SmoothArgs& args, int begin, int end);

struct SmoothKernels {
    SmoothDeformation deformation;
    /// −dt times the forces of tets [begin, end) from the stresses of their domains.
    void (*forces)(const SmoothArgs& args, int begin, int end);
    /// Blocks of slices [begin, end) whose column is a later row; the others are zero.
    void (*blocks)(const SmoothArgs& args, int begin, int end);
    /// Then the others, each the transpose of its twin to the last bit.
    void (*mirror)(const SmoothArgs& args, int begin, int end);
    SmoothPass (*pass)(int place);  ///< by the place of a law in the list
};

const SmoothKernels& smooth_kernels(KernelLevel level);

}  // namespace pliant
