#include "pliant/solve/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/core/rng.hpp"

namespace pliant {
namespace {

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index cols, Rng& rng) {
    Eigen::MatrixXd m(rows, cols);
    for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = rng.uniform(-1, 1);
    return m;
}

// −1, 2, −1 has eigenvalues 2 − 2 cos(kπ/(n + 1)).
TEST(SymmetricEigen, KnownEigenvalues) {
    const int n = 60;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i) a(i, i) = 2;
    for (int i = 0; i + 1 < n; ++i) a(i + 1, i) = -1;
    SymmetricEigen eigen;
    ASSERT_TRUE(eigen.compute(a));
    double worst = 0;
    for (int k = 0; k < n; ++k)
        worst = std::max(worst, std::abs(eigen.values()[k] - (2 - 2 * std::cos((k + 1) * std::numbers::pi / (n + 1)))));
    std::printf("eigenvalues off by at most %.1e\n", worst);
    EXPECT_LT(worst, 1e-13);
}

TEST(SymmetricEigen, RandomSingularAndGradedMatrices) {
    Rng rng(3);
    SymmetricEigen eigen, tail;
    double worst = 0;
    for (int n : {1, 2, 3, 5, 16, 33, 120})
        for (int kind = 0; kind < 4; ++kind) {
            Eigen::MatrixXd b = random_matrix(n, kind == 1 ? (n + 1) / 2 : n, rng);
            if (kind == 2)
                for (int i = 0; i < n; ++i) b.row(i) *= std::pow(10.0, -12.0 * i / n);
            Eigen::MatrixXd a = b * b.transpose();
            if (kind == 3) a.setIdentity();
            ASSERT_TRUE(eigen.compute(a)) << n << " " << kind;
            const Eigen::MatrixXd v = eigen.vectors();
            const Eigen::VectorXd d = eigen.values();
            const double scale = std::max(1e-300, a.cwiseAbs().maxCoeff());
            worst = std::max(worst, (a * v - v * d.asDiagonal()).cwiseAbs().maxCoeff() / scale);
            worst = std::max(worst, (v.transpose() * v - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff());
            for (int k = 0; k + 1 < n; ++k) EXPECT_LE(d[k], d[k + 1]);
            // The last rows alone are the same numbers.
            ASSERT_TRUE(tail.compute(a, n / 2));
            worst = std::max(worst, (tail.vectors() - v.bottomRows(n - n / 2)).cwiseAbs().maxCoeff());
        }
    std::printf("worst residual, loss of orthogonality or difference %.1e\n", worst);
    EXPECT_LT(worst, 1e-12);
}

TEST(Dense, GeneralisedPairsAndPseudoInverse) {
    Rng rng(5);
    const Eigen::MatrixXd r = random_matrix(20, 20, rng), s = random_matrix(20, 20, rng);
    const Eigen::MatrixXd a = r + r.transpose(), b = s * s.transpose() + Eigen::MatrixXd::Identity(20, 20);
    Eigen::VectorXd d;
    Eigen::MatrixXd v;
    ASSERT_TRUE(generalised_eigen(a, b, d, v));
    EXPECT_LT((a * v - b * v * d.asDiagonal()).cwiseAbs().maxCoeff(), 1e-11);
    EXPECT_LT((v.transpose() * b * v - Eigen::MatrixXd::Identity(20, 20)).cwiseAbs().maxCoeff(), 1e-11);

    // Rank 3: the least solution has no part in the null space.
    const Eigen::MatrixXd low = random_matrix(6, 3, rng) * random_matrix(3, 5, rng);
    const Eigen::VectorXd wanted = low * random_matrix(5, 1, rng), x = pseudo_solve(low, wanted, 1e-10);
    EXPECT_LT((low * x - wanted).norm(), 1e-12);
    const Eigen::MatrixXd null = null_space(low, 1e-10);
    EXPECT_EQ(null.cols(), 2);
    EXPECT_LT((low * null).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((null.transpose() * x).norm(), 1e-12);
}

}  // namespace
}  // namespace pliant
