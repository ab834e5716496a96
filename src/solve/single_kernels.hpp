#pragma once
// The loops of conjugate gradients in single precision (single_cg.cpp), in slices of eight rows. Layouts as in
// solve_kernels.hpp, with floats instead of doubles:
//
//   direction p, correction d   [row][4], the fourth zero: one neighbour is one aligned 16-byte load
//   residual s, product q       [slice][component 3][lane 8]; the preconditioned residual takes the place of q
//
// Large matrices are also packed to 16 bits, because products with them wait for memory:
//
//   packed matrix  [slot] PackedSlot (packed_slot.hpp)
//   near columns   [slot][8] 4·(row of the neighbour − first row of the slice)
//
// Matrix, preconditioner, and the double vectors r and v are those of BlockSystem. Sums are accumulated in double.

#include "pliant/solve/kernel_level.hpp"
#include "pliant/solve/packed_slot.hpp"

namespace pliant {

struct SingleKernels {
    /// The sum of r·(preconditioned r) in double; `softest` becomes the least of inertia × preconditioner over the rows
    /// that move: the inverse of how much stiffer than heavy a row is.
    double (*measure)(const double* r, const float* preconditioner, const double* inertia, double& softest, int begin,
                      int end);
    /// s = scale·r, q = preconditioned s, d = 0; the sum of s·q.
    double (*start)(double scale, const double* r, const float* preconditioner, float* s, float* q, float* d, int begin,
                    int end);
    /// p = q + turn·p. With turn = 0 the old p is not read.
    void (*turn)(double turn, const float* q, float* p, int begin, int end);
    /// q = A p; the sum of p·q. Of the columns of a packed matrix only `near` is read, unless it is null.
    double (*product)(const int* slice_begin, const int* column, const float* block, const double* inertia,
                      const float* p, float* q, int begin, int end);
    double (*packed_product)(const int* slice_begin, const int* column, const short* near, const PackedSlot* block,
                             const double* inertia, const float* p, float* q, int begin, int end);
    /// d += step·p, s −= step·q, q = preconditioned s; the sum of s·q.
    double (*advance)(double step, const float* p, const float* preconditioner, float* q, float* d, float* s, int begin,
                      int end);
    /// Packs slots [begin, end).
    void (*pack)(const float* block, PackedSlot* packed, int begin, int end);
    /// v += scale·d, in double.
    void (*land)(double scale, const float* d, double* v, int begin, int end);
    /// r −= A scale·d, in double.
    void (*subtract)(const int* slice_begin, const int* column, const float* block, const double* inertia, double scale,
                     const float* d, double* r, int begin, int end);
};

const SingleKernels& single_kernels(KernelLevel level);

}  // namespace pliant
