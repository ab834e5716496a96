#pragma once
// Eigenpairs of K x = λ M x near a shift: block Lanczos on (K − σM)⁻¹M with full orthogonalisation and thick restarts.
// A block of vectors goes through every triangular solve together, so that the factor is read from memory once for all.

#include <cstdint>
#include <functional>
#include <vector>

#include "pliant/solve/kernel_level.hpp"
#include "pliant/solve/node_matrix.hpp"

namespace pliant {

struct ShiftInvert {
    int rows = 0;
    std::function<void(MultiVector&)> solve;                     ///< x = (K − σM)⁻¹ x
    std::function<void(const MultiVector&, MultiVector&)> mass;  ///< y = M x
    std::vector<std::uint8_t> fixed;                             ///< per row: 1 where vectors are zero; may be empty
};

struct LanczosOptions {
    int wanted = 0;           ///< eigenpairs
    int block = 32;           ///< vectors per step, a multiple of 16. Large: fewer, dearer steps and a larger basis.
    int capacity = 0;         ///< vectors kept at most; 0: chosen from `wanted`
    double tolerance = 1e-8;  ///< ‖Ax − θx‖_M / |θ| at which a pair counts as found
    double shift = 0;  ///< σ, rad²/s²; nearer to zero than to it, pairs must be as much better: λ counts, not λ − σ
    std::uint64_t seed = 1;
    int negative =
        -1;  ///< that many of the wanted have θ < 0, as the factor's pivots say; -1: the largest |θ| are wanted
    std::function<bool(double theta)> accept;  ///< which of 1/(λ−σ) are wanted; empty: all
    KernelLevel kernels = best_kernel_level();
};

struct LanczosResult {
    std::vector<double> theta;  ///< 1/(λ − σ), by falling magnitude; at least `wanted` of them when `found`
    MultiVector vectors;        ///< M-orthonormal, one column per theta, then zeros up to a multiple of 16
    bool found = false;
    int steps = 0, restarts = 0;
    int basis = 0;  ///< vectors at the end
};

/// Vectors the basis is never larger than, for the estimate of memory.
int lanczos_capacity(const LanczosOptions& options);

/// `deflated`: M-orthonormal vectors that the search stays orthogonal to (rigid motions); widths multiples of 16, may
/// hold zero columns.
LanczosResult block_lanczos(const ShiftInvert& op, const LanczosOptions& options,
                            const std::vector<MultiVector>& deflated, Threads& threads);

/// basis (rows × k) times the given k × cols matrix (row by row), into `out`; widths multiples of 16.
void combine(const std::vector<const MultiVector*>& basis, const std::vector<double>& weights, int cols,
             MultiVector& out, KernelLevel kernels, Threads& threads);

/// XᵀY, row by row, X.width × Y.width.
std::vector<double> cross(const MultiVector& x, const MultiVector& y, KernelLevel kernels, Threads& threads);

}  // namespace pliant
