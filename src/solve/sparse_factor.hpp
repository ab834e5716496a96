#pragma once
// A = L·D·Lᵀ of a sparse symmetric matrix, by supernodes (multifrontal), and solves for many right-hand sides at once.
// No pivoting: meant for matrices K − σM of meshes, positive definite for σ below the spectrum and, for other shifts,
// safe unless σ hits an eigenvalue of a leading block (callers check a residual). The same bits for any number of
// threads.

#include <memory>

#include "pliant/solve/aligned.hpp"
#include "pliant/solve/factor_plan.hpp"
#include "pliant/solve/kernel_level.hpp"

namespace pliant {

class SparseFactor {
public:
    explicit SparseFactor(std::shared_ptr<const FactorPlan> plan, KernelLevel kernels = best_kernel_level());

    /// False when a pivot was zero or not finite: shift a little and try again.
    bool factor(const NodeMatrix& a, Threads& threads);

    /// Eigenvalues of A below zero (Sylvester): pivots below zero.
    int negative_pivots() const { return negative_; }

    /// x = A⁻¹ x in the numbering of the matrix; rows left out of the plan become zero. Widths are multiples of 16.
    void solve(MultiVector& x, Threads& threads) const;

    const FactorPlan& plan() const { return *plan_; }

private:
    struct Scratch;
    void assemble(const Supernode& s, const NodeMatrix& a, Scratch& scratch);
    template <class ForChunks>
    void eliminate(int number, const NodeMatrix& a, Scratch& scratch, ForChunks&& for_chunks);
    template <class ForChunks>
    void forward(const Supernode& s, double* top, double* below, int width, ForChunks&& for_chunks) const;
    template <class ForChunks>
    void backward(const Supernode& s, double* top, const double* below, int width, ForChunks&& for_chunks) const;

    std::shared_ptr<const FactorPlan> plan_;
    KernelLevel kernels_;
    AlignedVector<double> values_;
    std::vector<int> unknown_at_;                   // position → unknown of the matrix
    std::vector<std::unique_ptr<double[]>> schur_;  // contribution blocks waiting for their parents
    int negative_ = 0;
};

}  // namespace pliant
