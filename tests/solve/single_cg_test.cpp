// Conjugate gradients in single precision: each loop against a plain one, for every vector unit, and what the whole
// promises.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <iostream>

#include "pliant/solve/coupled_cg.hpp"
#include "pliant/solve/single_kernels.hpp"
#include "ring.hpp"

namespace pliant {
namespace {

// Random vectors in the layouts of the kernels, and the same as plain ones, row by row.
struct SingleCase {
    Ring ring{45, 7, true};
    BlockSystem& a = ring.system;
    AlignedVector<float> p = AlignedVector<float>(4 * a.padded()), d = p, q = AlignedVector<float>(3 * a.padded()),
                         s = q;
    std::vector<Vec3> plain_p = std::vector<Vec3>(a.rows), plain_d = plain_p, plain_s = plain_p, plain_q = plain_p;

    SingleCase() {
        Rng rng(11);
        const auto number = [&] { return float(rng.uniform(-1, 1)); };
        for (int row = 0; row < a.rows; ++row)
            for (int c = 0; c < 3; ++c) {
                const std::size_t lane = 24 * std::size_t(row / 8) + 8 * c + row % 8;
                plain_p[row][c] = p[4 * row + c] = number(), plain_d[row][c] = d[4 * row + c] = number();
                plain_s[row][c] = s[lane] = number(), plain_q[row][c] = q[lane] = number();
            }
    }
    Mat3 block(int slot, int lane) const {
        Mat3 K;
        for (int e = 0; e < 9; ++e) K(e / 3, e % 3) = a.block[72L * slot + 8 * e + lane];
        return K;
    }
    std::vector<Vec3> times(const std::vector<Vec3>& x, const auto& block_of) const {
        std::vector<Vec3> y(a.rows);
        for (int row = 0; row < a.rows; ++row) {
            y[row] = a.inertia[row] * x[row];
            for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot)
                y[row] += block_of(slot, row % 8) * (x[a.neighbour(slot, row % 8)] - x[row]);
        }
        return y;
    }
    Vec3 preconditioned(int row, const Vec3& x) const {
        const float* c = a.preconditioner.data() + 48L * (row / 8) + row % 8;
        return {c[0] * x[0], c[8] * x[1], c[16] * x[2]};
    }
    static Vec3 lanes(const AlignedVector<float>& v, int row) {
        const float* e = v.data() + 24L * (row / 8) + row % 8;
        return {e[0], e[8], e[16]};
    }
    static Vec3 rows(const AlignedVector<float>& v, int row) { return {v[4 * row], v[4 * row + 1], v[4 * row + 2]}; }
};

TEST(SingleKernels, LoopsAgreeWithPlainOnes) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
        if (!kernel_level_available(level)) continue;
        const SingleKernels& kernels = single_kernels(level);
        SingleCase t;
        BlockSystem& a = t.a;
        double worst = 0;
        const auto compare = [&](const Vec3& found, const Vec3& plain) {
            worst = std::max(worst, (found - plain).norm());
        };

        double softest = 1;
        const double rz = kernels.measure(a.r.data(), a.preconditioner.data(), a.inertia.data(), softest, 0, a.slices);
        double plain_rz = 0, plain_softest = 1;
        for (int row = 0; row < a.rows; ++row) {
            const Vec3 r = a.at(a.r, row), z = t.preconditioned(row, r);
            plain_rz += r.dot(z);
            for (int c = 0; c < 3; ++c)
                if (!a.prescribed[row])
                    plain_softest = std::min(plain_softest, a.inertia[row] * t.preconditioned(row, Vec3::Ones())[c]);
        }
        EXPECT_NEAR(rz, plain_rz, 1e-12 * plain_rz);
        EXPECT_NEAR(softest, plain_softest, 1e-12);

        const auto plain_Ap = t.times(t.plain_p, [&](int slot, int lane) { return t.block(slot, lane); });
        AlignedVector<float> q = t.q;
        const double pq = kernels.product(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(),
                                          t.p.data(), q.data(), 0, a.slices);
        double plain_pq = 0;
        for (int row = 0; row < a.rows; ++row)
            compare(t.lanes(q, row), plain_Ap[row]), plain_pq += t.plain_p[row].dot(plain_Ap[row]);
        EXPECT_NEAR(pq, plain_pq, 1e-6 * plain_pq);

        // Vectors as they are before `advance`: q and s random, p and d random.
        q = t.q;
        AlignedVector<float> s = t.s, d = t.d, p = t.p;
        const double after =
            kernels.advance(0.375, p.data(), a.preconditioner.data(), q.data(), d.data(), s.data(), 0, a.slices);
        double plain_after = 0;
        for (int row = 0; row < a.rows; ++row) {
            const Vec3 left = t.plain_s[row] - 0.375 * t.plain_q[row], z = t.preconditioned(row, left);
            compare(t.rows(d, row), t.plain_d[row] + 0.375 * t.plain_p[row]);
            compare(t.lanes(s, row), left), compare(t.lanes(q, row), z);
            plain_after += left.dot(z);
        }
        EXPECT_NEAR(after, plain_after, 1e-6 * plain_after);
        kernels.turn(0.625, q.data(), p.data(), 0, a.slices);
        for (int row = 0; row < a.rows; ++row) {
            compare(t.rows(p, row), t.lanes(q, row) + 0.625 * t.plain_p[row]);
            EXPECT_EQ(p[4 * row + 3], 0);
        }
        kernels.turn(0, q.data(), p.data(), 0, a.slices);
        for (int row = 0; row < a.rows; ++row) compare(t.rows(p, row), t.lanes(q, row));
        kernels.start(0.5, a.r.data(), a.preconditioner.data(), s.data(), q.data(), d.data(), 0, a.slices);
        for (int row = 0; row < a.rows; ++row) {
            compare(t.lanes(s, row), 0.5 * a.at(a.r, row)), compare(t.rows(d, row), Vec3::Zero());
            compare(t.lanes(q, row), t.preconditioned(row, 0.5 * a.at(a.r, row)));
        }
        std::cout << "x86-64-v" << 2 + int(level) << ": largest error " << worst << "\n";
        EXPECT_LT(worst, 2e-6);

        // In double: exact to its rounding.
        AlignedVector<double> v = a.v, r = a.r;
        kernels.land(0.25, t.d.data(), v.data(), 0, a.slices);
        kernels.subtract(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(), 0.25, t.d.data(),
                         r.data(), 0, a.slices);
        const auto plain_Ad = t.times(t.plain_d, [&](int slot, int lane) { return t.block(slot, lane); });
        for (int row = 0; row < a.rows; ++row) {
            EXPECT_LT((a.at(v, row) - a.at(a.v, row) - 0.25 * t.plain_d[row]).norm(), 1e-15);
            EXPECT_LT((a.at(r, row) - a.at(a.r, row) + 0.25 * plain_Ad[row]).norm(), 1e-13);
        }
    }
}

// 15 bits and a sign: wrong by at most 1/32768 of a block's largest entry.
TEST(SingleKernels, PackedBlocksAreNear) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
        if (!kernel_level_available(level)) continue;
        const SingleKernels& kernels = single_kernels(level);
        SingleCase t;
        BlockSystem& a = t.a;
        for (int lane = 0; lane < 8; ++lane)  // a block of zeros, and one too small for an exponent
            for (int e = 0; e < 9; ++e) a.block[8 * e + lane] *= lane == 2 ? 0.f : lane == 3 ? 1e-37f : 1.f;
        std::vector<PackedSlot> packed(a.slots() + 32);  // products look a little ahead
        kernels.pack(a.block.data(), packed.data(), 0, a.slots());
        const auto unpacked = [&](int slot, int lane) {
            Mat3 K;
            const int last = packed[slot].last[lane];
            for (int e = 0; e < 9; ++e) {
                const int word = e < 8 ? packed[slot].pair[e / 2][lane] : last;
                K(e / 3, e % 3) = std::ldexp(e % 2 == 0 ? word : word << 16, (last & 0xffff) - 127);
            }
            return K;
        };
        double worst = 0;
        for (int slot = 0; slot < a.slots(); ++slot)
            for (int lane = 0; lane < 8; ++lane) {
                const Mat3 K = t.block(slot, lane), P = unpacked(slot, lane);
                const double largest = K.cwiseAbs().maxCoeff();
                if (largest < 1e-30) continue;
                worst = std::max(worst, (K - P).cwiseAbs().maxCoeff() / largest);
            }
        std::cout << "x86-64-v" << 2 + int(level) << ": largest error " << worst << " of a block's largest entry\n";
        EXPECT_LE(worst, 1.0 / 32768);
        EXPECT_GT(worst, 0);

        const auto plain = t.times(t.plain_p, unpacked);
        a.prepare_packed();
        ASSERT_FALSE(a.near.empty());
        for (bool wide : {false, true}) {
            AlignedVector<float> q(3 * a.padded());
            kernels.packed_product(a.slice_begin.data(), a.column.data(), wide ? nullptr : a.near.data(), packed.data(),
                                   a.inertia.data(), t.p.data(), q.data(), 0, a.slices);
            for (int row = 0; row < a.rows; ++row) EXPECT_LT((t.lanes(q, row) - plain[row]).norm(), 2e-6);
        }
    }
}

// Columns of a packed matrix are 16 bits where all neighbours are within 8191 rows.
TEST(BlockSystem, NearColumnsAreForNearNeighbours) {
    for (int away : {8000, 9000}) {
        std::vector<std::vector<int>> neighbours(10000);
        neighbours[0] = {away}, neighbours[away] = {0};
        BlockSystem a;
        a.set_pattern(neighbours);
        a.prepare_packed();
        EXPECT_EQ(a.near.empty(), away == 9000);
        for (int s = 0; s < a.slices && !a.near.empty(); ++s)
            for (int at = 8 * a.slice_begin[s]; at < 8 * a.slice_begin[s + 1]; ++at)
                EXPECT_EQ(a.near[at] + 32 * s, a.column[at]);
    }
}

// A body of a nanogram is solved as well as one of a ton: vectors are scaled by a power of two.
TEST(SingleCg, ScalesDoNotMatter) {
    Threads threads(1);
    CgScratch scratch;
    const auto solve = [&](double scale) {
        Ring ring(45, 1, false);
        for (double& r : ring.system.r) r *= scale;
        ring.system.momentum *= scale;
        BlockSystem* one[] = {&ring.system};
        solve_coupled(one, {}, {.iterations = 12}, threads, scratch);
        return ring.solution();
    };
    const Eigen::VectorXd one = solve(1);
    for (int exponent : {-120, -60, 60, 120}) EXPECT_EQ(std::exp2(-exponent) * solve(std::exp2(exponent)), one);
}

// A second solve with other rows starts from the true residual, although the first left it behind.
TEST(SingleCg, GoesOnFromWhereItStopped) {
    Ring ring(45, 3, false);
    Coupling row;
    row.count = 2, row.ends[0] = {0, 4, 1.0}, row.ends[1] = {0, 30, -1.0};
    row.S = 5 * Mat3::Identity(), row.s = Vec3(1, 2, 3);
    Threads threads(1);
    CgScratch scratch;
    BlockSystem* one[] = {&ring.system};
    solve_coupled(one, {&row, 1}, {.iterations = 4}, threads, scratch);
    EXPECT_NE(ring.system.pending_correction, 0);
    solve_coupled(one, {}, {.iterations = 500, .tolerance = 1e-12}, threads, scratch);
    const Eigen::VectorXd exact = ring.A.ldlt().solve(ring.b);
    const double error = (ring.solution() - exact).norm() / exact.norm();
    std::cout << "error " << error << "\n";
    EXPECT_LT(error, 1e-10);
}

// Rows a million times stiffer than heavy are left to double precision.
TEST(SingleCg, StiffRowsAreSolvedInDouble) {
    Ring ring(45, 3, true);
    for (int node = 1; node < 45; node += 11) {
        const int at = ring.system.row_of_node[node];
        ring.A.block<3, 3>(3 * node, 3 * node) -= (ring.system.inertia[at] - 1e-7) * Mat3::Identity();
        ring.system.inertia[at] = 1e-7;
        ring.system.reset_preconditioner(at);
    }
    Threads threads(1);
    CgScratch scratch;
    BlockSystem* one[] = {&ring.system};
    solve_coupled(one, {}, {.iterations = 2000, .tolerance = 1e-12}, threads, scratch);
    EXPECT_EQ(ring.system.pending_correction, 0);
    ring.eliminate(ring.A, ring.b, 0);
    const Eigen::VectorXd exact = ring.A.ldlt().solve(ring.b);
    EXPECT_LT((ring.solution() - exact).norm() / exact.norm(), 1e-9);
}

}  // namespace
}  // namespace pliant
