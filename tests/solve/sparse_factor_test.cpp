// L·D·Lᵀ by supernodes against dense algebra, with unknowns left out, for every vector unit and thread count.

#include "pliant/solve/sparse_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "pliant/core/rng.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

struct Sample {
    NodeMatrix a;
    Eigen::MatrixXd dense;
    std::vector<std::uint8_t> fixed;
    std::vector<int> free;
};

// A random symmetric matrix on the graph of a bar, with `shift` on the diagonal.
Sample sample(int cells, double shift, bool leave_out) {
    const TetMesh mesh = bar_mesh(cells, 3, 3, Vec3::Zero(), Vec3(1, 1, 1));
    Sample s;
    std::vector<std::vector<int>> near(mesh.node_count());
    for (const Tet& t : mesh.tets)
        for (int i : t)
            for (int j : t) near[i].push_back(j);
    s.a.pattern.begin.push_back(0);
    for (auto& n : near) {
        std::sort(n.begin(), n.end());
        n.erase(std::unique(n.begin(), n.end()), n.end());
        s.a.pattern.column.insert(s.a.pattern.column.end(), n.begin(), n.end());
        s.a.pattern.begin.push_back(static_cast<int>(s.a.pattern.column.size()));
    }
    const int n = 3 * mesh.node_count();
    s.a.block.resize(9 * s.a.pattern.column.size());
    s.dense = Eigen::MatrixXd::Zero(n, n);
    Rng rng(7);
    for (int i = 0; i < mesh.node_count(); ++i)
        for (int e = s.a.pattern.begin[i]; e < s.a.pattern.begin[i + 1]; ++e)
            for (int q = 0; q < 9; ++q) {
                const int row = 3 * i + q / 3, col = 3 * s.a.pattern.column[e] + q % 3;
                if (col < row) continue;
                const double v = rng.uniform(-1, 1) + (row == col ? shift : 0);
                s.dense(row, col) = s.dense(col, row) = v;
            }
    for (int i = 0; i < mesh.node_count(); ++i)
        for (int e = s.a.pattern.begin[i]; e < s.a.pattern.begin[i + 1]; ++e)
            for (int q = 0; q < 9; ++q)
                s.a.block[9 * e + q] = s.dense(3 * i + q / 3, 3 * s.a.pattern.column[e] + q % 3);
    s.fixed.assign(n, 0);
    if (leave_out)
        for (int u = 0; u < n; u += 7) s.fixed[u] = 1;
    for (int u = 0; u < n; ++u)
        if (!s.fixed[u]) s.free.push_back(u);
    return s;
}

double error_of_solve(const Sample& s, KernelLevel level, int threads, int* negative, MultiVector* solution) {
    const auto plan = std::make_shared<const FactorPlan>(plan_factor(s.a.pattern, s.fixed));
    SparseFactor factor(plan, level);
    Threads team(threads);
    EXPECT_TRUE(factor.factor(s.a, team));
    *negative = factor.negative_pivots();
    MultiVector x;
    x.resize(static_cast<int>(s.dense.rows()), 32);
    Rng rng(3);
    for (double& v : x.value) v = rng.uniform(-1, 1);
    const MultiVector b = x;
    factor.solve(x, team);
    double worst = 0;
    for (int c = 0; c < 32; ++c) {
        double miss = 0, scale = 0;
        for (int i : s.free) {
            double sum = 0;
            for (int j : s.free) sum += s.dense(i, j) * x.row(j)[c];
            miss = std::max(miss, std::abs(sum - b.row(i)[c])), scale = std::max(scale, std::abs(b.row(i)[c]));
        }
        worst = std::max(worst, miss / scale);
    }
    *solution = x;
    return worst;
}

TEST(SparseFactor, SolvesAsDenseAlgebraDoes) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
        if (!kernel_level_available(level)) continue;
        for (bool leave_out : {false, true}) {
            const Sample s = sample(12, 40, leave_out);
            MultiVector one, two;
            int negative = -1;
            EXPECT_LT(error_of_solve(s, level, 1, &negative, &one), 1e-13);
            EXPECT_EQ(negative, 0);
            error_of_solve(s, level, 2, &negative, &two);
            EXPECT_EQ(one.value, two.value) << "bits differ with the number of threads";
            if (leave_out) {
                EXPECT_EQ(one.row(7)[3], 0.0);
            }
        }
    }
}

TEST(SparseFactor, CountsNegativeEigenvalues) {
    const Sample s = sample(9, 3, true);  // the spectrum reaches below zero
    Eigen::MatrixXd part(s.free.size(), s.free.size());
    for (std::size_t i = 0; i < s.free.size(); ++i)
        for (std::size_t j = 0; j < s.free.size(); ++j) part(i, j) = s.dense(s.free[i], s.free[j]);
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(part, Eigen::EigenvaluesOnly).eigenvalues();
    const int expected = static_cast<int>((values.array() < 0).count());
    ASSERT_GT(expected, 10);
    int negative = -1;
    MultiVector x;
    const double error = error_of_solve(s, best_kernel_level(), 1, &negative, &x);
    EXPECT_EQ(negative, expected);
    RecordProperty("relative_error", std::to_string(error));
    EXPECT_LT(error, 1e-8);
}

}  // namespace
}  // namespace pliant
