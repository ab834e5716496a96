// The two-level preconditioner: its coarse matrix against the dense product, its solutions against dense ones, and how
// many iterations it takes where Jacobi takes many.

#include "pliant/solve/coarse_space.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "pliant/solve/coupled_cg.hpp"
#include "truss.hpp"

namespace pliant {
namespace {

const KernelLevel coarse_levels[] = {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4};

/// Rows of stiffness `stiff` along x between nodes of the two systems.
std::vector<Coupling> rods_between(int count, int first_nodes, int second_nodes, double stiff) {
    std::vector<Coupling> rows;
    Rng rng(3);
    for (int k = 0; k < count; ++k) {
        Coupling row;
        row.count = 3;
        row.ends[0] = {0, first_nodes - 1 - k, 0.4}, row.ends[1] = {0, first_nodes - 2 - k, 0.6};
        row.ends[2] = {1, static_cast<int>(rng.below(second_nodes)), -1};
        const Vec3 n = Vec3(1, rng.uniform(-1, 1), rng.uniform(-1, 1)).normalized();
        row.S = stiff * n * n.transpose();
        row.s = 0.1 * row.S * Vec3(1, 0, 0);
        rows.push_back(row);
    }
    return rows;
}

/// All systems and couplings as one dense matrix.
struct Dense {
    Eigen::MatrixXd A;
    Eigen::VectorXd b;
    std::vector<int> offset;

    Dense(const std::vector<Truss*>& trusses, const std::vector<Coupling>& rows) {
        int n = 0;
        for (const Truss* truss : trusses) offset.push_back(n), n += 3 * truss->system.rows;
        A = Eigen::MatrixXd::Zero(n, n), b = Eigen::VectorXd::Zero(n);
        for (std::size_t i = 0; i < trusses.size(); ++i) trusses[i]->add_dense(A, b, offset[i]);
        for (const Coupling& row : rows) {
            const auto at = [&](int e) { return offset[row.ends[e].system] + 3 * row.ends[e].node; };
            for (int e = 0; e < row.count; ++e) {
                b.segment<3>(at(e)) += row.ends[e].weight * row.s;
                for (int f = 0; f < row.count; ++f)
                    A.block<3, 3>(at(e), at(f)) += row.ends[e].weight * row.ends[f].weight * row.S;
            }
        }
        for (std::size_t i = 0; i < trusses.size(); ++i) trusses[i]->eliminate(A, b, offset[i]);
    }
};

struct Solved {
    CgReport report;
    double error = 0;  ///< of the velocities against the dense solution, relative, in the norm of the matrix
};

Solved solve(const std::vector<Truss*>& trusses, const std::vector<Coupling>& rows, const CgOptions& options,
             CgScratch& scratch) {
    const Dense dense(trusses, rows);
    std::vector<BlockSystem*> systems;
    for (Truss* truss : trusses) systems.push_back(&truss->system);
    Threads threads(1);
    Solved out;
    out.report = solve_coupled(systems, rows, options, threads, scratch);
    Eigen::VectorXd v(dense.b.size());
    for (std::size_t i = 0; i < trusses.size(); ++i) trusses[i]->solution(v, dense.offset[i]);
    const Eigen::VectorXd exact = dense.A.llt().solve(dense.b), off = v - exact;
    out.error = std::sqrt(off.dot(dense.A * off) / exact.dot(dense.A * exact));
    return out;
}

TEST(Aggregates, AreConnectedAndFew) {
    for (int pieces : {1, 7}) {
        Truss truss({.nx = 20, .ny = 3, .nz = 3, .pieces = pieces});
        BlockSystem& a = truss.system;
        update_aggregates(a);
        const Aggregates& g = a.aggregates;
        EXPECT_GE(g.count, 8 * pieces);
        EXPECT_LE(g.count, 20 * pieces);
        std::vector<int> size(g.count, 0), reached(g.count, 0);
        for (int row = 0; row < a.rows; ++row) {
            ASSERT_GE(g.of_row[row], 0);
            ++size[g.of_row[row]];
        }
        std::vector<char> seen(a.rows, 0);
        std::set<int> started;
        for (int row = 0; row < a.rows; ++row) {
            if (!started.insert(g.of_row[row]).second) continue;
            std::vector<int> queue{row};
            seen[row] = 1;
            for (std::size_t i = 0; i < queue.size(); ++i, ++reached[g.of_row[row]])
                for (int node : truss.neighbours[a.node_of_row[queue[i]]]) {
                    const int other = a.row_of_node[node];
                    if (!seen[other] && g.of_row[other] == g.of_row[row]) seen[other] = 1, queue.push_back(other);
                }
        }
        EXPECT_EQ(size, reached);
    }
}

TEST(CoarseSpace, IsTheProductWithTheRigidModes) {
    for (KernelLevel level : coarse_levels) {
        if (!kernel_level_available(level)) continue;
        for (bool held : {false, true}) {
            Truss first({.nx = 9, .stiffness = 1e5, .held = held}), second({.nx = 7, .stiffness = 1e3});
            const std::vector<Coupling> rows = rods_between(6, first.system.rows, second.system.rows, 1e6);
            std::vector<BlockSystem*> systems{&first.system, &second.system};
            CgScratch s;
            Threads threads(1);
            // One iteration prepares the coarse space; its solution for a given force is compared with a dense one.
            solve_coupled(systems, rows, {.iterations = 1, .tolerance = 0, .kernels = level}, threads, s);
            const Dense dense({&first, &second}, rows);
            const int n = static_cast<int>(dense.b.size()), unknowns = 6 * s.coarse.aggregates;
            Eigen::MatrixXd Z = Eigen::MatrixXd::Zero(n, unknowns);
            int base = 0;
            for (int i = 0; i < 2; ++i) {
                const BlockSystem& a = *systems[i];
                for (int row = 0; row < a.rows; ++row) {
                    if (a.prescribed[row]) continue;
                    const int at = dense.offset[i] + 3 * a.node_of_row[row],
                              column = 6 * (base + a.aggregates.of_row[row]);
                    Z.block<3, 3>(at, column).setIdentity();
                    const Vec3 place = Eigen::Map<const Vec3>(a.place.data() + 4L * row);
                    for (int c = 0; c < 3; ++c) Z.block<3, 1>(at, column + 3 + c) = Vec3::Unit(c).cross(place);
                }
                base += a.aggregates.count;
            }
            // Some residual, and what the coarse space makes of it.
            Eigen::VectorXd r = Eigen::VectorXd::Zero(n);
            Rng rng(5);
            for (int i = 0; i < 2; ++i)
                for (int row = 0; row < systems[i]->rows; ++row) {
                    const Vec3 f(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
                    systems[i]->add(systems[i]->r, row, f - systems[i]->at(systems[i]->r, row));
                    r.segment<3>(dense.offset[i] + 3 * systems[i]->node_of_row[row]) = f;
                }
            const double work = solve_coarse(s.coarse, level, false, Team{});
            // Aggregates whose nodes are all held have no unknowns.
            Eigen::MatrixXd E = Z.transpose() * dense.A * Z;
            for (int k = 0; k < unknowns; ++k)
                if (E(k, k) == 0) E(k, k) = 1;
            const Eigen::VectorXd c = E.ldlt().solve(Z.transpose() * r), z = Z * c;
            EXPECT_NEAR(work / r.dot(z), 1, 1e-9);
            double off = 0;
            for (int i = 0; i < 2; ++i) {
                BlockSystem& a = *systems[i];
                std::fill_n(a.direction(), 4 * a.padded(), 0.0);
                coarse_kernels(level).prolong(coarse_args(a), s.coarse.motion.data() + 8L * s.coarse.first_entry[i],
                                              a.direction(), 0, a.slices);
                for (int row = 0; row < a.rows; ++row)
                    off = std::max(off, (z.segment<3>(dense.offset[i] + 3 * a.node_of_row[row]) -
                                         Eigen::Map<const Vec3>(a.direction() + 4L * row))
                                            .norm());
            }
            std::printf("coarse correction off by %.1e of %.1e\n", off, z.norm());
            EXPECT_LT(off, 1e-9 * z.norm());
        }
    }
}

TEST(CoarseSpace, StiffBodiesTakeFewIterationsAndTheirSolutionIsRight) {
    for (bool held : {false, true})
        for (double stiffness : {1e2, 1e4, 1e6, 1e8}) {
            const TrussDesc desc{.nx = 24, .stiffness = stiffness, .held = held};
            Truss plain(desc, 1, false), two(desc);
            CgScratch s;
            const CgOptions options{.iterations = 20000, .tolerance = 1e-7, .kernels = best_kernel_level()};
            const Solved jacobi = solve({&plain}, {}, options, s), levels = solve({&two}, {}, options, s);
            std::printf("stiffness %.0e%s: Jacobi %d iterations, error %.1e; two levels %d, %.1e\n", stiffness,
                        held ? ", held" : "", jacobi.report.iterations, jacobi.error, levels.report.iterations,
                        levels.error);
            EXPECT_FALSE(levels.report.missed);
            EXPECT_LE(levels.report.residual, 1e-7);
            EXPECT_LT(levels.error, 1e-5);
            EXPECT_LT(levels.report.iterations, 90);
            if (stiffness > 1e3) {
                EXPECT_LT(3 * levels.report.iterations, jacobi.report.iterations);
            }
            for (int row = 0; row < two.system.rows; ++row)
                if (two.system.prescribed[row]) {
                    EXPECT_EQ(two.system.at(two.system.v, row), Vec3::Zero());
                }
        }
}

TEST(CoarseSpace, CoupledBodiesOfVeryDifferentMassShareIt) {
    for (double ratio : {1.0, 1000.0})
        for (double stiffness : {1e3, 1e6})
            for (double harder : {1.0, 100.0}) {  // rows than rods
                const double rows_stiffness = harder * stiffness;
                const TrussDesc light{.nx = 12, .mass = 1, .stiffness = stiffness},
                    heavy{.nx = 9, .mass = ratio, .stiffness = stiffness * ratio};
                int iterations[2];
                for (bool two : {false, true}) {
                    Truss first(light, 1, two), second(heavy, 2, two);
                    const auto rows = rods_between(8, first.system.rows, second.system.rows, rows_stiffness);
                    CgScratch s;
                    const Solved solved =
                        solve({&first, &second}, rows,
                              {.iterations = 20000, .tolerance = 1e-7, .kernels = best_kernel_level()}, s);
                    iterations[two] = solved.report.iterations;
                    EXPECT_LT(solved.error, 1e-4) << two;
                    if (two) {
                        EXPECT_EQ(s.coarse.groups(), 1);
                    }
                }
                std::printf("masses 1:%.0f, stiffness %.0e, rows %.0e: Jacobi %d, two levels %d\n", ratio, stiffness,
                            rows_stiffness, iterations[0], iterations[1]);
                EXPECT_LT(3 * iterations[1], iterations[0]);
            }
}

TEST(CoarseSpace, PiecesHaveTheirOwnAndPilesStayAffordable) {
    // Cubes, each connected with about twelve others.
    for (int pieces : {5, 100}) {
        int iterations[2];
        for (bool two : {false, true}) {
            Truss truss({.nx = 2, .ny = 2, .nz = 2, .pieces = pieces, .stiffness = 1e5}, 1, two);
            std::vector<Coupling> rows;
            Rng rng(9);
            for (int k = 0; k < 6 * pieces; ++k) {
                Coupling row;
                row.count = 2;
                const int a = static_cast<int>(rng.below(pieces)), b = static_cast<int>(rng.below(pieces));
                if (a == b) continue;
                row.ends[0] = {0, 8 * a + static_cast<int>(rng.below(8)), 1};
                row.ends[1] = {0, 8 * b + static_cast<int>(rng.below(8)), -1};
                const Vec3 n = Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)).normalized();
                row.S = 1e5 * n * n.transpose(), row.s = 1e3 * n;
                rows.push_back(row);
            }
            CgScratch s;
            const Solved solved =
                solve({&truss}, rows, {.iterations = 20000, .tolerance = 1e-7, .kernels = best_kernel_level()}, s);
            iterations[two] = solved.report.iterations;
            EXPECT_LT(solved.error, 1e-4);
            if (two) {
                const int separate =
                    static_cast<int>(std::count(s.coarse.separate.begin(), s.coarse.separate.end(), 1));
                std::printf("%d pieces: Jacobi %d iterations, two levels %d, %d aggregates, %d of %d groups in parts\n",
                            pieces, iterations[0], iterations[1], s.coarse.aggregates, separate, s.coarse.groups());
                EXPECT_EQ(separate, pieces == 100);  // the factor of so many connections would be full
            }
        }
        EXPECT_LT(iterations[1], iterations[0]);
    }
}

TEST(CoarseSpace, IsTheSameForAnyNumberOfThreads) {
    for (double stiffness : {1e3, 1e7}) {  // in single and in double precision
        std::vector<double> reference;
        for (int count : {1, 2, 7}) {
            Truss first({.nx = 40, .ny = 5, .nz = 5, .stiffness = stiffness}),
                second({.nx = 9, .ny = 3, .nz = 3, .pieces = 4, .stiffness = stiffness});
            const auto rows = rods_between(10, first.system.rows, second.system.rows, 1e4);
            std::vector<BlockSystem*> systems{&first.system, &second.system};
            CgScratch s;
            Threads threads(count);
            for (int again = 0; again < 2; ++again)
                solve_coupled(systems, rows, {.iterations = 12, .tolerance = 0, .kernels = best_kernel_level()},
                              threads, s);
            std::vector<double> v(first.system.v.begin(), first.system.v.end());
            v.insert(v.end(), second.system.v.begin(), second.system.v.end());
            if (count == 1) reference = v;
            EXPECT_EQ(v, reference) << count;
        }
    }
}

TEST(CoarseSpace, IterationsAreAsManyAsNeededUnlessTheyAreGiven) {
    CgScratch s;
    Truss soft({.nx = 24, .stiffness = 1}, 1, false), stiff({.nx = 24, .stiffness = 1e6});
    const CgOptions automatic{.iterations = 0, .tolerance = 0, .kernels = best_kernel_level()};
    const Solved few = solve({&soft}, {}, automatic, s), many = solve({&stiff}, {}, automatic, s);
    EXPECT_EQ(few.report.iterations, CgOptions::soft_iterations);
    EXPECT_FALSE(many.report.missed);
    EXPECT_GT(many.report.residual, 0);
    EXPECT_LE(many.report.residual, CgOptions::usual_tolerance);
    Truss again({.nx = 24, .stiffness = 1e6});
    const Solved capped = solve({&again}, {}, {.iterations = 3, .tolerance = 1e-9, .kernels = best_kernel_level()}, s);
    EXPECT_TRUE(capped.report.missed);
    EXPECT_EQ(capped.report.iterations, 3);
    EXPECT_GT(capped.report.residual, 1e-9);
    std::printf("soft: residual %.1e; stiff: %d iterations, residual %.1e, error %.1e; cut off: %.1e\n",
                few.report.residual, many.report.iterations, many.report.residual, many.error, capped.report.residual);
}

}  // namespace
}  // namespace pliant
