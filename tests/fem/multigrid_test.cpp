// Multigrid as a preconditioner of the step: exact where it must be, symmetric, the same for any thread count, and
// worth its work on meshes of any kind.

#include "pliant/solve/multigrid.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <iostream>

#include "fem/allocation_count.hpp"
#include "fem/scene.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/fem/solid_parts.hpp"

namespace pliant {
namespace {

struct Held {
    TetMesh mesh;
    Solid solid;
    std::vector<Vec3> x, v, force;
    std::vector<char> fixed;

    /// hold: how many nodes are held, the first ones; the face x = 0 of a bar comes first.
    Held(TetMesh m, const std::vector<ElementMaterial>& material, int hold)
        : mesh(std::move(m)), solid(mesh, material, {}), x(mesh.rest), v(x.size(), Vec3::Zero()), force(x.size()) {
        fixed.assign(x.size(), 0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            force[i] = solid.mass()[i] * Vec3(0, -9.81, 0);
            fixed[i] = static_cast<int>(i) < hold;
        }
    }
    SolveReport step(const SolveOptions& options, Threads& threads, double dt = 0.01,
                     std::span<const Coupling> rows = {}) {
        StageTimes times;
        Solid* one = &solid;
        solid.assemble(x, v, {.dt = dt, .force = force, .prescribed = fixed, .plastic_strain = {}, .solve = options},
                       threads, times);
        const SolveReport report = pliant::solve({&one, 1}, rows, options, threads, times);
        solid.velocity(v);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * v[i];
        return report;
    }
};

std::vector<ElementMaterial> stiff(const TetMesh& mesh, double young = 1e7) {
    return std::vector<ElementMaterial>(mesh.tets.size(), {young, 0.33, 1000});
}

TetMesh bar(int n) { return bar_mesh(4 * n, n, n, Vec3::Zero(), Vec3(4, 1, 1)); }

// Inner nodes moved by up to a fifth of a cell: every element has its own shape, and no grid fits.
TetMesh shaken_bar(int n) {
    TetMesh mesh = bar(n);
    const auto offset = random_vectors(mesh.rest.size(), 0.2 / n, 7);
    for (std::size_t i = 0; i < mesh.rest.size(); ++i) {
        const Vec3& p = mesh.rest[i];
        if (p.x() > 0 && p.x() < 4 && p.y() > 0 && p.y() < 1 && p.z() > 0 && p.z() < 1) mesh.rest[i] += offset[i];
    }
    // Turned, so that no axis of the mesh is one of the grids'.
    const Mat3 R = random_rotation(3);
    for (Vec3& p : mesh.rest) p = R * p;
    return mesh;
}

constexpr Preconditioner jacobi = Preconditioner::jacobi, grids = Preconditioner::multigrid;

TEST(Multigrid, SolvesTheSameSystem) {
    const TetMesh mesh = crumpled(bar_mesh(16, 4, 5, Vec3::Zero(), Vec3(8, 2, 2.5)), 0.2, 3);
    std::vector<ElementMaterial> material = random_material(mesh, 5);
    for (std::size_t t = 0; t < material.size(); ++t) material[t].young *= t % 3 == 0 ? 1000 : 30;
    std::vector<Coupling> rows(6);  // stiff contacts, as hard as a hundred nodes
    for (int k = 0; k < 6; ++k) {
        rows[k].count = 2;
        rows[k].ends[0] = {0, 500 - 31 * k, 0.7}, rows[k].ends[1] = {0, 490 - 31 * k, 0.3};
        const Vec3 n = Vec3(0.3 * k, 1, -0.2 * k).normalized();
        rows[k].S = 3e4 * n * n.transpose(), rows[k].s = 10 * n;
    }
    Threads threads(1);
    for (int hold : {0, 30}) {
        Held a(mesh, material, hold), b(mesh, material, hold);
        for (int step = 0; step < 3; ++step) {
            const int plain = a.step({5000, 1e-11, jacobi}, threads, 0.01, rows).iterations;
            const int fast = b.step({5000, 1e-11, grids}, threads, 0.01, rows).iterations;
            double worst = 0, size = 0;
            for (std::size_t i = 0; i < a.v.size(); ++i)
                worst = std::max(worst, (a.v[i] - b.v[i]).norm()), size = std::max(size, a.v[i].norm());
            std::cout << (hold > 0 ? "held" : "free") << ", step " << step << ": velocities differ by " << worst / size
                      << ", iterations " << plain << " and " << fast << "\n";
            EXPECT_LT(worst, 1e-8 * size);
            EXPECT_LT(fast, plain / 2);
        }
    }
}

TEST(Multigrid, CoarseOperatorIsGalerkinsAndTheCycleSymmetric) {
    const TetMesh mesh = crumpled(bar_mesh(6, 4, 3, Vec3::Zero(), Vec3(3, 2, 1.5)), 0.2, 3);
    Held b(mesh, random_material(mesh, 2), 20);
    Threads threads(2);
    b.step({1, 0, grids}, threads);
    BlockSystem& a = b.solid.parts().system;
    Multigrid& m = *b.solid.parts().multigrid;
    set_operators(m, a, threads);
    const int n = a.rows, coarse = m.levels[1].rows;
    auto dense = [](const BlockSystem& s, auto&& own) {
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * s.rows, 3 * s.rows);
        for (int row = 0; row < s.rows; ++row) {
            A.block<3, 3>(3 * row, 3 * row) += own(row);
            for (int slot = s.slice_begin[row / 8]; slot < s.slice_begin[row / 8 + 1]; ++slot) {
                const int other = s.neighbour(slot, row % 8);
                if (other == row) continue;
                Mat3 K;
                for (int e = 0; e < 9; ++e) K(e / 3, e % 3) = s.block[72L * slot + 8 * e + row % 8];
                A.block<3, 3>(3 * row, 3 * other) += K, A.block<3, 3>(3 * row, 3 * row) -= K;
            }
        }
        return A;
    };
    const Eigen::MatrixXd A = dense(a, [&](int row) { return Mat3(a.inertia[row] * Mat3::Identity()); });
    const Eigen::MatrixXd C = dense(m.levels[1].matrix, [&](int row) {
        const float* c = m.levels[1].anchor.data() + 72L * (row / 8) + row % 8;
        Mat3 S;
        for (int e = 0; e < 9; ++e) S(e / 3, e % 3) = c[8 * e];
        return S;
    });
    Eigen::MatrixXd P = Eigen::MatrixXd::Zero(3 * n, 3 * coarse);
    const Multigrid::Transfer& up = m.levels[0].up;
    for (int i = 0; i < n; ++i)
        for (int k = up.begin[i]; k < up.begin[i + 1]; ++k)
            if (!a.prescribed[i]) P.block<3, 3>(3 * i, 3 * up.row[k]) = weight_unit * up.weight[k] * Mat3::Identity();
    const double off = (P.transpose() * A * P - C).norm() / C.norm();
    std::cout << n << " nodes, " << coarse << " on the grid: PtAP off by " << off << "\n";
    EXPECT_LT(off, 1e-6);

    // The cycle as a matrix: symmetric, positive definite on what moves, and a good inverse.
    Eigen::MatrixXd M(3 * n, 3 * n);
    for (int k = 0; k < 3 * n; ++k) {
        std::fill(a.r.begin(), a.r.end(), 0);
        a.r[24L * (k / 3 / 8) + 8 * (k % 3) + k / 3 % 8] = 1;
        v_cycle(m, a, Team{});
        for (int i = 0; i < 3 * n; ++i) M(i, k) = m.levels[0].z[4L * (i / 3) + i % 3];
    }
    std::vector<int> moving;
    for (int i = 0; i < 3 * n; ++i)
        if (!a.prescribed[i / 3]) moving.push_back(i);
    const Eigen::MatrixXd Mm = M(moving, moving), Am = A(moving, moving);
    const double skew = (Mm - Mm.transpose()).norm() / Mm.norm();
    const Eigen::MatrixXd L = Am.llt().matrixL();
    const Eigen::VectorXd spectrum =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(L.transpose() * (0.5 * (Mm + Mm.transpose())) * L).eigenvalues();
    std::cout << "cycle: skew part " << skew << ", eigenvalues of M A from " << spectrum.minCoeff() << " to "
              << spectrum.maxCoeff() << "\n";
    EXPECT_LT(skew, 1e-6);
    EXPECT_GT(spectrum.minCoeff(), 0.1);
    EXPECT_LT(spectrum.maxCoeff(), 1.3);
}

std::uint64_t stiff_run_hash(int thread_count, KernelLevel level) {
    const TetMesh mesh = shaken_bar(8);
    Held b(mesh, stiff(mesh), 81);
    set_kernel_level(b.solid, level);
    Threads threads(thread_count);
    for (int k = 0; k < 3; ++k) b.step({200, 1e-6, grids}, threads);
    Hash hash;
    hash.bytes(b.x.data(), b.x.size() * sizeof(Vec3));
    return hash.digest();
}

TEST(Multigrid, SameBitsForAnyNumberOfThreads) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
        if (!kernel_level_available(level)) continue;
        const std::uint64_t one = stiff_run_hash(1, level);
        EXPECT_EQ(one, stiff_run_hash(2, level));
        EXPECT_EQ(one, stiff_run_hash(3, level));
    }
}

TEST(Multigrid, WhatItKeepsIsPartOfTheState) {
    const TetMesh mesh = bar(4);
    Threads threads(1);
    Held a(mesh, stiff(mesh), 25);
    for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] = Vec3(0, 0, a.x[i].x());
    auto step = [&](Held& b, int k) {
        b.fixed[b.fixed.size() - 1] = k >= 26;  // a grip takes hold
        b.step({200, 1e-6, grids}, threads);
    };
    for (int k = 0; k < 22; ++k) step(a, k);  // the hierarchy is of the 17th
    Held b(mesh, stiff(mesh), 25);
    b.x = a.x, b.v = a.v;
    std::copy(a.solid.rotation_state().begin(), a.solid.rotation_state().end(), b.solid.rotation_state().begin());
    ASSERT_TRUE(b.solid.set_kept_state(a.solid.kept_state()));
    for (int k = 22; k < 36; ++k) {
        step(a, k), step(b, k);
        ASSERT_EQ(a.x, b.x) << k;
    }
    EXPECT_FALSE(Held(bar(3), stiff(bar(3)), 16).solid.set_kept_state(a.solid.kept_state()));
}

TEST(Multigrid, AllocatesNothingAfterTheFirstStep) {
    const TetMesh mesh = bar(5);
    Held b(mesh, stiff(mesh), 36);
    Threads threads(2);
    StageTimes times;
    Solid* one = &b.solid;
    const SolveOptions options{100, 1e-6, grids};
    long after_first = 0;
    for (int k = 0; k < 20; ++k) {
        b.solid.assemble(b.x, b.v,
                         {.dt = 0.01, .force = b.force, .prescribed = b.fixed, .plastic_strain = {}, .solve = options},
                         threads, times);
        pliant::solve({&one, 1}, {}, options, threads, times);
        if (k == 0) after_first = allocation_count();
    }
    EXPECT_EQ(allocation_count() - after_first, 0);
}

// AVX-512 loads eight doubles at once and stops the program where they do not fill a cache line. Vectors lie one behind
// the other in memory that is spent otherwise; with an odd number of slices, half a line too many would show here on
// any machine.
TEST(Multigrid, VectorsOfDoublesBeginWithACacheLine) {
    const TetMesh mesh = bar_mesh(12, 5, 5, Vec3::Zero(), Vec3(3, 1, 1));
    Held b(mesh, stiff(mesh), 6);
    Threads threads(1);
    b.step({20, 1e-3, grids}, threads);
    Solid::Parts& p = b.solid.parts();
    BlockSystem& a = p.system;
    ASSERT_EQ(a.slices % 2, 1);
    ASSERT_TRUE(a.has_spare());
    ASSERT_NE(a.multigrid, nullptr);
    ASSERT_TRUE(a.multigrid->memory.empty()) << "no longer in the spare memory";
    std::vector<const double*> begins{p.gradient.data(), p.mu.data(),   a.inertia.data(), a.v.data(),
                                      a.r.data(),        a.direction(), a.product()};
    for (const Multigrid::Level& l : a.multigrid->levels)
        begins.insert(begins.end(), {l.r.data(), l.t.data(), l.d.data(), l.e.data(), l.z.data()});
    for (std::size_t i = 0; i < begins.size(); ++i)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begins[i]) % 64, 0u) << "vector " << i;
}

TEST(Multigrid, IsChosenWhereItWins) {
    const TetMesh mesh = bar(8);
    Held soft(mesh, stiff(mesh, 1e5), 81), hard(mesh, stiff(mesh, 1e8), 81);
    Threads threads(1);
    soft.step({1000, 1e-6, Preconditioner::automatic}, threads);
    hard.step({1000, 1e-6, Preconditioner::automatic}, threads);
    EXPECT_EQ(soft.solid.parts().system.multigrid, nullptr);
    EXPECT_NE(hard.solid.parts().system.multigrid, nullptr);
    hard.step({20, 0, Preconditioner::automatic}, threads);  // a fixed number of iterations is for others
    EXPECT_EQ(hard.solid.parts().system.multigrid, nullptr);
}

int iterations(const TetMesh& mesh, int hold, Preconditioner preconditioner) {
    Held b(mesh, stiff(mesh), hold);
    Threads threads(1);
    const int count = b.step({3000, 1e-6, preconditioner}, threads).iterations;
    std::cout << "  " << mesh.tet_count() << " tets: " << count << " iterations\n";
    return count;
}

TEST(Multigrid, IterationsHardlyGrowWithTheMesh) {
    for (auto make : {bar, shaken_bar}) {
        const int few = iterations(make(5), 36, grids), more = iterations(make(10), 121, grids);
        EXPECT_LE(more, 1.5 * few);
        EXPECT_LT(more, 30);
    }
}

// The claim in full: from 10,000 to 500,000 tets.
TEST(SoakMultigrid, IterationsHardlyGrowFromTenThousandToHalfAMillionTets) {
    for (auto make : {bar, shaken_bar}) {
        const int few = iterations(make(7), 64, grids), more = iterations(make(28), 841, grids);
        EXPECT_LE(more, 1.5 * few);
    }
}

}  // namespace
}  // namespace pliant
