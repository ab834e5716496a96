#include "pliant/solve/lcp.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdio>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

struct Answer : LcpReport {
    Eigen::VectorXd f;
};

Answer solve(LcpSolver& solver, const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
             std::span<const std::uint8_t> bilateral = {}) {
    Answer answer;
    const std::size_t n = static_cast<std::size_t>(b.size());
    answer.f.resize(b.size());
    static_cast<LcpReport&>(answer) = solver.solve({a.data(), n * n}, {b.data(), n}, bilateral, {answer.f.data(), n});
    return answer;
}

TEST(Lcp, ComplementarityOnRandomContacts) {
    Rng rng(4);
    LcpSolver solver;
    double worst = 0;
    int pivots = 0;
    for (int round = 0; round < 300; ++round) {
        const int rows = 1 + static_cast<int>(rng.below(40)), dofs = 3 + static_cast<int>(rng.below(30));
        Eigen::MatrixXd j(rows, dofs);
        for (int i = 0; i < rows; ++i)
            for (int k = 0; k < dofs; ++k) j(i, k) = rng.uniform(-1, 1);
        // Solvable by construction, also when rows are redundant: b = J·u is the velocity of something that can stop.
        Eigen::VectorXd u(dofs);
        for (int k = 0; k < dofs; ++k) u[k] = rng.uniform(-1, 1);
        const Eigen::MatrixXd a = j * j.transpose();
        const Eigen::VectorXd b = j * u;
        std::vector<std::uint8_t> bilateral(rows, 0);
        for (int i = 0; i < rows / 8; ++i) bilateral[i] = 1;
        const Answer r = solve(solver, a, b, bilateral);
        EXPECT_TRUE(r.solved) << rows << " rows, " << dofs << " dofs";
        const Eigen::VectorXd w = a * r.f + b;
        for (int i = 0; i < rows; ++i) {
            if (bilateral[i]) {
                worst = std::max(worst, std::abs(w[i]));
                continue;
            }
            EXPECT_GE(r.f[i], 0);
            worst = std::max({worst, -w[i], r.f[i] * std::abs(w[i]) / (1 + r.f.maxCoeff())});
        }
        pivots = std::max(pivots, r.pivots);
    }
    std::printf("worst violation %.1e, at most %d pivots\n", worst, pivots);
    EXPECT_LT(worst, 1e-6);
}

TEST(Lcp, ByHand) {
    // Two blocks on each other under gravity: the lower contact carries both.
    Eigen::MatrixXd a(2, 2);
    a << 1, -1, -1, 2;  // unit masses: ground–lower, lower–upper
    const Eigen::VectorXd b = Eigen::Vector2d(-9.81, 0);
    LcpSolver solver;
    const Answer r = solve(solver, a, b);
    EXPECT_NEAR(r.f[0], 2 * 9.81, 1e-7);
    EXPECT_NEAR(r.f[1], 9.81, 1e-7);
}

}  // namespace
}  // namespace pliant
