#pragma once
// The loops of the two-level preconditioner (coarse_space.hpp): the coarse matrix ZᵀAZ of one system, Zᵀr and Zc, and
// the factor of that matrix. Rows move by  t + ω×x  with x their place; the six unknowns of an aggregate are t and ω.

#include <cstddef>

#include "pliant/solve/aggregates.hpp"
#include "pliant/solve/kernel_level.hpp"

namespace pliant {

/// A block system as the coarse matrix sees it, in the layouts of solve_kernels.hpp; place [row][4], the fourth zero.
struct CoarseArgs {
    const int* slice_begin;
    const int* column;
    const float* block;
    const double* inertia;
    const double* place;
    const int* entry_of_row;
    const float* same;
};

/// The lower triangle of a symmetric matrix of 6×6 blocks: block row i holds the blocks of columns first[i] … i, its
/// six rows one after the other. Rows of a block take eight places, the last two zero, and so do blocks of vectors.
struct Envelope {
    const int* first;
    const std::size_t* row_begin;
    double* value;

    int length(int i) const { return 8 * (i - first[i] + 1); }
    double* row(int i) const { return value + row_begin[i]; }
    double* block(int i, int j) const { return row(i) + 8 * (j - first[i]); }  ///< rows length(i) apart
};

struct CoarseKernels {
    /// Adds what the rows of slices [begin, end) contribute to the diagonal blocks of their aggregates: to
    /// out[21·entry], the lower triangle of the 6×6 block row by row.
    void (*rows)(const CoarseArgs& args, double* out, int begin, int end);
    /// out[6][6] = Σ Zᵀ K Z over groups [begin, end) of edges: rows belong to `from`, columns to `to`.
    void (*edges)(const CoarseArgs& args, const int* edge_block, const int* from, const int* to, double* out, int begin,
                  int end);
    /// Adds to out[8·entry], as force, 0, torque, 0, those of a blocked vector, [slice][3][8], in slices [begin, end).
    void (*restrict_rows)(const CoarseArgs& args, const double* r, double* out, int begin, int end);
    void (*restrict_single)(const CoarseArgs& args, const float* r, double* out, int begin, int end);
    /// p += Z c for a direction p, [row][4]; c[8·entry] holds t, 0, ω, 0.
    void (*prolong)(const CoarseArgs& args, const double* c, double* p, int begin, int end);
    void (*prolong_single)(const CoarseArgs& args, const double* c, float* p, int begin, int end);
    /// Cholesky's factor in place of the block rows [begin, end), which hang together with no others; its diagonal
    /// blocks are inverted, with rows of zeros for unknowns that depend on others and are left out.
    void (*factor)(const Envelope& matrix, int begin, int end);
    /// x = A⁻¹ x for the same, x [block][8].
    void (*solve)(const Envelope& matrix, double* x, int begin, int end);
};

const CoarseKernels& coarse_kernels(KernelLevel level);

}  // namespace pliant
