// Conjugate gradients over block systems: against dense solutions, for every vector unit.

#include "pliant/solve/coupled_cg.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <iostream>

#include "ring.hpp"

namespace pliant {
namespace {

const KernelLevel levels[] = {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4};

TEST(BlockSystem, DiagonalBlocksFollowFromTheOthers) {
    const Ring ring(45, 1, false);
    for (int i = 0; i < 45; ++i)
        EXPECT_LT((ring.system.diagonal(ring.system.row_of_node[i]) - ring.A.block<3, 3>(3 * i, 3 * i)).norm(), 1e-12);
}

TEST(BlockSystem, RowsAreAPermutation) {
    const Ring ring(45, 1, false);
    EXPECT_EQ(ring.system.slices, 6);
    for (int i = 0; i < 45; ++i) EXPECT_EQ(ring.system.node_of_row[ring.system.row_of_node[i]], i);
    for (int row = 45; row < 48; ++row) EXPECT_EQ(ring.system.node_of_row[row], -1);
}

TEST(CoupledCg, AgreesWithADenseSolution) {
    for (KernelLevel level : levels) {
        if (!kernel_level_available(level)) continue;
        for (bool fix : {false, true})
            for (double stiff : {0.0, 1.0, 1e3}) {
                Ring first(45, 1, fix), second(30, 2, false);
                std::vector<Coupling> rows;
                Rng rng(3);
                for (int k = 0; stiff > 0 && k < 6; ++k) {
                    Coupling row;
                    row.count = 4;
                    row.ends[0] = {0, int(rng.below(45)), 0.3}, row.ends[1] = {0, int(rng.below(45)), 0.7};
                    row.ends[2] = {1, int(rng.below(30)), -0.6}, row.ends[3] = {1, int(rng.below(30)), -0.4};
                    const Vec3 n = Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)).normalized();
                    row.S = stiff * n * n.transpose();
                    row.s = stiff * 0.1 * n;
                    rows.push_back(row);
                }
                const int n1 = 135, n = n1 + 90;
                Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
                Eigen::VectorXd b(n);
                A.topLeftCorner(n1, n1) = first.A, A.bottomRightCorner(90, 90) = second.A;
                b << first.b, second.b;
                for (const Coupling& row : rows) {
                    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, n);
                    for (int e = 0; e < row.count; ++e)
                        J.block<3, 3>(0, (row.ends[e].system ? n1 : 0) + 3 * row.ends[e].node) +=
                            row.ends[e].weight * Mat3::Identity();
                    A += J.transpose() * row.S * J, b += J.transpose() * row.s;
                }
                first.eliminate(A, b, 0), second.eliminate(A, b, n1);
                const Eigen::VectorXd exact = A.ldlt().solve(b);

                Threads threads(1);
                CgScratch scratch;
                BlockSystem* both[] = {&first.system, &second.system};
                const CgReport report = solve_coupled(
                    both, rows, {.iterations = 2000, .tolerance = 1e-12, .kernels = level}, threads, scratch);
                Eigen::VectorXd found(n);
                found << first.solution(), second.solution();
                const double error = (found - exact).norm() / exact.norm();
                std::cout << "x86-64-v" << 2 + int(level) << (fix ? ", fixed nodes" : "") << ", rows " << stiff << ": "
                          << report.iterations << " iterations, error " << error << "\n";
                EXPECT_LT(error, 1e-9);
                EXPECT_LT(report.iterations, 400);
                // The residual left behind is the one without couplings: taking up other rows starts from the right
                // place.
                for (int i = 0; i < 30; ++i) {
                    const Vec3 r = second.b.segment<3>(3 * i) - second.A.middleRows<3>(3 * i) * found.tail(90);
                    EXPECT_LT((second.system.at(second.system.r, second.system.row_of_node[i]) - r).norm(),
                              1e-6 * (1 + stiff));
                }
            }
    }
}

// However few iterations: each free body has the momentum that the impulses on it give.
TEST(CoupledCg, MomentumIsExactAfterThreeIterations) {
    Ring first(45, 1, false), second(30, 2, false);
    Coupling row;
    row.count = 2, row.ends[0] = {0, 4, 1.0}, row.ends[1] = {1, 9, -1.0};
    row.S = 1e3 * Mat3::Identity(), row.s = Vec3(1, 2, 3);
    Threads threads(1);
    CgScratch scratch;
    BlockSystem* both[] = {&first.system, &second.system};
    solve_coupled(both, {&row, 1}, {.iterations = 3}, threads, scratch);
    auto momentum = [](const BlockSystem& a) {
        Vec3 sum = Vec3::Zero();
        for (int r = 0; r < a.rows; ++r) sum += a.inertia[r] * a.at(a.v, r);
        return sum;
    };
    const Vec3 u = first.system.at(first.system.v, first.system.row_of_node[4]) -
                   second.system.at(second.system.v, second.system.row_of_node[9]);
    const Vec3 impulse = row.s - row.S * u;
    EXPECT_LT((momentum(first.system) - first.system.momentum - impulse).norm(), 1e-11);
    EXPECT_LT((momentum(second.system) - second.system.momentum + impulse).norm(), 1e-11);
    EXPECT_GT(impulse.norm(), 1e-3);
}

TEST(CoupledCg, NothingToDoIsNoTrouble) {
    Ring ring(20, 1, false);
    std::fill(ring.system.r.begin(), ring.system.r.end(), 0.0);
    ring.system.momentum.setZero();
    Threads threads(1);
    CgScratch scratch;
    BlockSystem* one[] = {&ring.system};
    const CgReport report = solve_coupled(one, {}, {.iterations = 20}, threads, scratch);
    EXPECT_EQ(report.iterations, 0);
    EXPECT_EQ(report.residual, 0);
    EXPECT_EQ(ring.solution().norm(), 0);
}

}  // namespace
}  // namespace pliant
