#pragma once
// Linear complementarity: w = A f + b with f ≥ 0, w ≥ 0, f·w = 0 for unilateral rows, and w = 0 for bilateral ones.
// A is symmetric and positive semi-definite, as contact and joint matrices J·M⁻¹·Jᵀ are.

#include <cstdint>
#include <span>
#include <vector>

namespace pliant {

struct LcpReport {
    int pivots = 0;
    bool solved = false;  ///< complementarity holds to the tolerance
};

/// By an active set that grows row by row and is cut back where it would pull, as Lawson and Hanson do for least
/// squares and Baraff (1994) for contacts: the same solution, that of the convex quadratic programme behind it.
/// Keeps its memory: problems no larger than an earlier one allocate nothing.
class LcpSolver {
public:
    /// `a`: n × n, row by row; `bilateral`: per row 1 where f may have any sign and w must vanish, may be empty; `f`:
    /// the answer. A relative 1e-9 is added to the diagonal so that redundant contacts share the load.
    LcpReport solve(std::span<const double> a, std::span<const double> b, std::span<const std::uint8_t> bilateral,
                    std::span<double> f);

private:
    void factor_from(std::span<const double> a, std::size_t first);
    void forces(std::span<const double> b);

    std::size_t rows_ = 0;
    double added_ = 0;          // to the diagonal
    std::vector<int> passive_;  // rows whose f is free to act and whose w is zero
    std::vector<double> root_;  // Cholesky factor of A among them, rows_ apart
    std::vector<double> trial_, w_;
    std::vector<std::uint8_t> barred_;
};

}  // namespace pliant
