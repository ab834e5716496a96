#pragma once
// The loops of one multigrid level (multigrid.hpp), in the layouts of solve_kernels.hpp, except that a level's rows add
// up to a symmetric 3×3 block (its anchor) instead of a mass:
//
//   (A d)_i = anchor_i d_i + Σ_j K_ij (d_j − d_i)
//
//   anchor           [slice][9][8] floats, row by row
//   inverse          [slice][6][8] floats xx yy zz xy yz zx: of the diagonal; zero where nothing moves
//   d, z             [row][4] doubles, t and r [slice][3][8] doubles

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

struct LevelArgs {
    const int* slice_begin;
    const int* column;
    const float* block;
    const float* anchor;
    const float* inverse;
};

/// Weights of interpolation are whole multiples of this; those of a row add up to exactly one.
constexpr double weight_unit = 1.0 / 32768;

/// One side of a prolongation: row i takes from `row[k]` with `weight[k]·weight_unit`, k in [begin[i], begin[i + 1]).
struct TransferArgs {
    const int* begin;
    const int* row;
    const unsigned short* weight;
};

struct GalerkinArgs {
    LevelArgs fine;
    TransferArgs up;    ///< from fine rows to coarse ones
    TransferArgs down;  ///< from coarse rows to fine ones
    const int* slice_begin;
    const int* column;
    float* block;   ///< out
    float* anchor;  ///< out
};

struct MultigridKernels {
    /// t = r, d = z = step·D⁻¹r.
    void (*start)(const LevelArgs& a, double step, const double* r, double* t, double* d, double* z, int begin,
                  int end);
    /// t −= A d, next = keep·d + step·D⁻¹t, z += next.
    void (*smooth)(const LevelArgs& a, double keep, double step, const double* d, double* t, double* next, double* z,
                   int begin, int end);
    /// t −= A d, rows = t in rows of four, zero where nothing moves.
    void (*residual)(const LevelArgs& a, const double* d, double* t, double* rows, int begin, int end);
    /// r = Σ weight·rows, for coarse rows [begin, end).
    void (*restrict_rows)(const TransferArgs& down, const double* rows, double* r, int begin, int end);
    /// d = Σ weight·coarse, z += d, for fine rows [begin, end); zero where nothing moves.
    void (*prolong)(const TransferArgs& up, const float* inverse, const double* coarse, double* d, double* z, int begin,
                    int end);
    /// Blocks and anchors of PᵀAP for coarse rows [begin, end). `place` has room for all coarse rows and holds −1,
    /// `sum` has room for 12 doubles per neighbour of a row and two more.
    void (*galerkin)(const GalerkinArgs& a, int begin, int end, int* place, double* sum);
    /// The sum of r·z.
    double (*dot)(const double* r, const double* z, int begin, int end);
    /// p = z + turn·p. With turn = 0 the old p is not read.
    void (*turn)(double turn, const double* z, double* p, int begin, int end);
};

const MultigridKernels& multigrid_kernels(KernelLevel level);

}  // namespace pliant
