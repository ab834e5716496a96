#pragma once
// Linear complementarity: w = A f + b with f ≥ 0, w ≥ 0, f·w = 0 for unilateral rows, and w = 0 for bilateral ones.
// A is symmetric and positive semi-definite, as contact and joint matrices J·M⁻¹·Jᵀ are.

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

namespace pliant {

struct LcpResult {
    Eigen::VectorXd f;
    int pivots = 0;
    bool solved = false;  ///< complementarity holds to the tolerance
};

/// By an active set that grows row by row and is cut back where it would pull, as Lawson and Hanson do for least
/// squares and Baraff (1994) for contacts: the same solution, that of the convex quadratic programme behind it.
/// `bilateral`: per row 1 where f may have any sign and w must vanish; may be empty. A relative 1e-9 is added to the
/// diagonal so that redundant contacts share the load.
LcpResult solve_lcp(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                    const std::vector<std::uint8_t>& bilateral = {});

}  // namespace pliant
