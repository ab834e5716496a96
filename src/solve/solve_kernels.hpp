#pragma once
// The loops of conjugate gradients over one block system, in slices of eight rows. Layouts:
//
//   blocked vectors  [slice][component 3][lane 8] doubles: all but the search direction
//   search direction [row][4] doubles, the fourth zero: one neighbour is one aligned 32-byte load
//   matrix           [slot][entry 9][lane 8] floats, entries row by row; slot k of a slice holds the k-th neighbour of
//                    each of its eight rows. Diagonal blocks are not stored: the product is
//                    q_i = m_i p_i + Σ_j K_ij (p_j − p_i), so a translation costs exactly its inertia although the
//                    blocks are rounded to float, and stiff materials stay positive definite.
//   preconditioner   [slice][6][lane 8] floats xx yy zz xy yz zx: the inverse diagonal; zero where the velocity is
//                    prescribed, which keeps the search direction zero there.
//
// Row 8·slice + lane. Sums are accumulated in double.

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

struct SolveKernels {
    /// q = A p on slices [begin, end); the sum of p·q over them.
    double (*product)(const int* slice_begin, const int* column, const float* block, const double* inertia,
                      const double* p, double* q, int begin, int end);
    /// x += step·p, r −= step·q; the sum of r·(preconditioned r).
    double (*advance)(double step, const double* p, const double* q, const float* preconditioner, double* x, double* r,
                      int begin, int end);
    /// p = preconditioned r + turn·p. With turn = 0 the old p is not read. Returns the sum of r·(preconditioned r).
    double (*turn)(double turn, const double* r, const float* preconditioner, double* p, int begin, int end);
};

const SolveKernels& solve_kernels(KernelLevel level);

}  // namespace pliant
