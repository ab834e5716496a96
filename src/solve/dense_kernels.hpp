#pragma once
// Dense blocks of a sparse factor and of tall bases: products and small triangular factors. All matrices are row by
// row.

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

/// Columns are worked on in tiles; widths of right-hand sides are multiples of the widest of them.
constexpr int widest_tile = 16;
/// Diagonal blocks of a factor are this wide; their inverses are stored in their place.
constexpr int diagonal_block = 16;

struct DenseKernels {
    int tile_width;  ///< columns of a packed strip

    /// C (rows × cols) += sign · A · B. A(i, k) is a[i·lda + k], or a[k·lda + i] when `transposed`; row k of strip s
    /// of B starts at b[s·strip + k·ldb]. B has whole strips; C is written up to `cols` only.
    void (*multiply)(int rows, int cols, int depth, double sign, const double* a, long lda, bool transposed,
                     const double* b, long ldb, long strip, double* c, long ldc);

    /// Packs D·Lᵀ into strips of tile_width: B(k, j) = d[k]·l[j·ldl + k] for k < depth, j < cols; zero beyond.
    void (*pack)(int cols, int depth, const double* l, long ldl, const double* d, double* b);

    /// Lower triangle of A (n ≤ diagonal_block) → unit L strictly below the diagonal and D on it. No pivoting.
    void (*factor_diagonal)(int n, double* a, long lda);
    /// Replaces the strict lower triangle of a unit L by that of its inverse.
    void (*invert_unit)(int n, double* l, long ldl);
    /// X (n × cols) = L⁻¹ X, or L⁻ᵀ X when `transposed`, from the strict lower triangle of L⁻¹.
    void (*apply_unit_inverse)(int n, int cols, const double* inverse, long ld, bool transposed, double* x, long ldx);
};

const DenseKernels& dense_kernels(KernelLevel level);

}  // namespace pliant
