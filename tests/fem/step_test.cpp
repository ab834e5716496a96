// Promises of a step: momentum, prescribed nodes, bits, memory.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iostream>

#include "fem/allocation_count.hpp"
#include "fem/scene.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/solve/single_kernels.hpp"

namespace pliant {
namespace {

struct Body {
    TetMesh mesh;
    Solid solid;
    std::vector<Vec3> x, v, force;

    Body(TetMesh m, const SolidOptions& options, std::uint64_t seed)
        : mesh(std::move(m)),
          solid(mesh, random_material(mesh, seed), options),
          x(mesh.rest),
          v(x.size(), Vec3::Zero()),
          force(v) {}
    Vec3 momentum() const {
        Vec3 sum = Vec3::Zero();
        for (std::size_t i = 0; i < v.size(); ++i) sum += solid.mass()[i] * v[i];
        return sum;
    }
    double momentum_size() const {
        double sum = 0;
        for (std::size_t i = 0; i < v.size(); ++i) sum += solid.mass()[i] * v[i].norm();
        return sum;
    }
    void assemble(double dt, Threads& threads, StageTimes& times, std::span<const char> prescribed = {}) {
        solid.assemble(x, v, {.dt = dt, .force = force, .prescribed = prescribed}, threads, times);
    }
    void move(double dt) {
        solid.velocity(v);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += dt * v[i];
    }
};

TEST(Step, MomentumOfAFreeBodyIsConstant) {
    Body b(crumpled(bar_mesh(5, 2, 2, Vec3::Zero(), Vec3(2.5, 1, 1)), 0.2, 1), {.stiffness_damping = 0.002}, 2);
    for (std::size_t i = 0; i < b.v.size(); ++i)
        b.v[i] = Vec3(1, -2, 0.5) + Vec3(0.3, 5, 2).cross(b.x[i]) + 3 * Vec3(b.x[i].y(), 0, 0);
    const Vec3 start = b.momentum();
    const double size = b.momentum_size();
    Threads threads(1);
    StageTimes times;
    Solid* one = &b.solid;
    for (int k = 0; k < 1000; ++k) {
        b.assemble(0.01, threads, times);
        solve({&one, 1}, {}, {.iterations = 5}, threads, times);  // far from converged
        b.move(0.01);
    }
    const double drift = (b.momentum() - start).norm() / size;
    std::cout << "momentum after 1000 steps of 5 iterations changed by " << drift << " of sum m|v|\n";
    EXPECT_LT(drift, 1e-12);
}

// Two bodies on a spring between a point of each: what one loses the other gains.
TEST(Step, CoupledBodiesConserveTheirCommonMomentum) {
    Body a(bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1)), {}, 1),
        b(bar_mesh(3, 2, 2, Vec3(3, 0, 0), Vec3(4.5, 1, 1)), {}, 2);
    for (Vec3& v : a.v) v = Vec3(-3, 1, 0);
    for (Vec3& v : b.v) v = Vec3(2, 0, 4);
    const Vec3 start_a = a.momentum(), start = start_a + b.momentum();
    const double size = a.momentum_size() + b.momentum_size(), dt = 0.01;
    Threads threads(1);
    StageTimes times;
    Solid* both[] = {&a.solid, &b.solid};
    const Tet &ta = a.mesh.tets.back(), &tb = b.mesh.tets.front();
    double given = 0;
    for (int k = 0; k < 300; ++k) {
        a.assemble(dt, threads, times), b.assemble(dt, threads, times);
        Coupling row;
        row.count = 8;
        Vec3 gap = Vec3::Zero();
        for (int i = 0; i < 4; ++i) {
            row.ends[i] = {0, ta[i], 0.25}, row.ends[4 + i] = {1, tb[i], -0.25};
            gap += 0.25 * (a.x[ta[i]] - b.x[tb[i]]);
        }
        const double stiffness = 300 * a.solid.effective_mass(ta[0]) / (dt * dt);
        row.S = dt * dt * stiffness * Mat3::Identity();
        row.s = -dt * stiffness * gap;
        // Two passes, as contact makes them.
        for (int pass = 0; pass < 2; ++pass) solve(both, {&row, 1}, {.iterations = 10}, threads, times);
        a.move(dt), b.move(dt);
        ASSERT_TRUE(a.v[0].allFinite());
        given = std::max(given, (a.momentum() - start_a).norm());
    }
    const double drift = (a.momentum() + b.momentum() - start).norm() / size;
    std::cout << "common momentum changed by " << drift << " of sum m|v|\n";
    EXPECT_LT(drift, 1e-12);
    EXPECT_GT(given, 0.1 * size) << "the spring did not pull";
}

TEST(Step, PrescribedNodesMoveExactlyAsTold) {
    Body b(bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1)), {.mass_damping = 0.1, .stiffness_damping = 0.01}, 1);
    std::vector<char> prescribed(b.x.size());
    for (std::size_t i = 0; i < prescribed.size(); ++i) prescribed[i] = b.x[i].x() == 0 || b.x[i].x() == 2;
    Threads threads(1);
    StageTimes times;
    Solid* one = &b.solid;
    for (int k = 0; k < 50; ++k) {
        std::vector<Vec3> told(b.x.size());
        for (std::size_t i = 0; i < told.size(); ++i)
            if (prescribed[i])
                b.v[i] = told[i] = b.mesh.rest[i].x() == 0 ? Vec3::Zero() : Vec3(0.1 * k, std::sin(k), -1);
        b.assemble(0.01, threads, times, prescribed);
        Coupling row;  // a row on a prescribed node does not move it either
        row.count = 1, row.ends[0] = {0, 0, 1.0}, row.S = 1e4 * Mat3::Identity(), row.s = Vec3(1e3, 0, 0);
        solve({&one, 1}, {&row, 1}, {}, threads, times);
        b.move(0.01);
        for (std::size_t i = 0; i < told.size(); ++i)
            if (prescribed[i]) {
                ASSERT_EQ(b.v[i], told[i]);
            }
    }
}

std::uint64_t run_hash(int thread_count, KernelLevel level) {
    // Big enough to be shared among threads, and two bodies of different size.
    Body a(bar_mesh(12, 9, 8, Vec3::Zero(), Vec3(3, 2, 2)), {}, 1),
        b(bar_mesh(3, 2, 2, Vec3(3.2, 0, 0), Vec3(4.5, 1, 1)), {}, 2);
    for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] = Vec3(0, 0, 4 * a.x[i].x());
    set_kernel_level(a.solid, level), set_kernel_level(b.solid, level);
    Threads threads(thread_count);
    StageTimes times;
    Solid* both[] = {&a.solid, &b.solid};
    std::vector<Coupling> rows(5);
    for (int k = 0; k < 5; ++k) {
        rows[k].count = 3;
        rows[k].ends[0] = {0, 1100 + k, 0.4}, rows[k].ends[1] = {0, 1090 - 3 * k, 0.6},
        rows[k].ends[2] = {1, 2 * k, -1.0};
        rows[k].S = 0.5 * Mat3::Identity();
    }
    for (int step = 0; step < 4; ++step) {
        a.assemble(0.01, threads, times), b.assemble(0.01, threads, times);
        solve(both, rows, {.iterations = 12}, threads, times);
        a.move(0.01), b.move(0.01);
    }
    Hash hash;
    hash.bytes(a.x.data(), a.x.size() * sizeof(Vec3));
    hash.bytes(a.v.data(), a.v.size() * sizeof(Vec3));
    hash.bytes(b.v.data(), b.v.size() * sizeof(Vec3));
    hash.bytes(a.solid.rotation_state().data(), a.solid.rotation_state().size_bytes());
    return hash.digest();
}

TEST(Step, SameBitsForAnyNumberOfThreads) {
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
        if (!kernel_level_available(level)) continue;
        const std::uint64_t one = run_hash(1, level);
        EXPECT_EQ(one, run_hash(1, level));
        EXPECT_EQ(one, run_hash(2, level));
        EXPECT_EQ(one, run_hash(7, level));
    }
}

// A matrix that does not stay in the cache is packed to 16 bits; residuals are still those of the whole one.
TEST(Step, LargeMatricesArePackedAndSolvedAsWell) {
    std::vector<Vec3> before;
    for (int count : {1, 2}) {
        Body b(bar_mesh(84, 21, 21, Vec3::Zero(), Vec3(4, 1, 1)), {}, 1);
        for (std::size_t i = 0; i < b.v.size(); ++i) b.v[i] = Vec3(0, b.x[i].z(), b.x[i].x());
        Threads threads(count);
        StageTimes times;
        Solid* one = &b.solid;
        b.assemble(0.01, threads, times);
        const SolveReport report = solve({&one, 1}, {}, {.iterations = 300, .tolerance = 1e-8}, threads, times);
        EXPECT_TRUE(b.solid.system().packed_ready);
        EXPECT_FALSE(b.solid.system().near.empty());
        // None more: the residual of what was found, taken in double.
        const SolveReport left = solve({&one, 1}, {}, {.iterations = 1, .tolerance = 1}, threads, times);
        std::cout << count << " threads: " << report.iterations << " iterations, residual " << report.residual << ", "
                  << left.residual << " taken anew\n";
        EXPECT_LT(report.residual, 1e-8);
        EXPECT_NEAR(left.residual, report.residual, 1e-9);
        b.move(0.01);
        if (count == 1) before = b.v;
        EXPECT_EQ(b.v, before);
    }
}

// Once a solve has wanted it, assembly writes the packed matrix beside the blocks.
TEST(Step, AssemblyPacksWhatASolveWouldPack) {
    Body b(bar_mesh(84, 21, 21, Vec3::Zero(), Vec3(4, 1, 1)), {}, 1);
    for (std::size_t i = 0; i < b.v.size(); ++i) b.v[i] = Vec3(0, b.x[i].z(), b.x[i].x());
    Threads threads(2);
    StageTimes times;
    Solid* one = &b.solid;
    const BlockSystem& a = b.solid.system();
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4}) {
        if (!kernel_level_available(level)) continue;
        set_kernel_level(b.solid, level);
        b.assemble(0.01, threads, times);
        solve({&one, 1}, {}, {.iterations = 3}, threads, times);
        EXPECT_TRUE(a.packs);
        b.move(0.01);
        b.assemble(0.01, threads, times);
        ASSERT_TRUE(a.packed_ready);
        AlignedVector<PackedSlot> packed(a.slots());
        single_kernels(level).pack(a.block.data(), packed.data(), 0, a.slots());
        EXPECT_EQ(0, std::memcmp(packed.data(), a.packed.data(), packed.size() * sizeof(PackedSlot)));
    }
}

TEST(Step, RotationStateIsAllThatAStepRemembers) {
    Body a(bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1)), {}, 1);
    for (std::size_t i = 0; i < a.v.size(); ++i) a.v[i] = Vec3(0, 0, 4 * a.x[i].x());
    Threads threads(1);
    StageTimes times;
    auto step = [&](Body& b) {
        Solid* one = &b.solid;
        b.assemble(0.01, threads, times);
        solve({&one, 1}, {}, {}, threads, times);
        b.move(0.01);
    };
    for (int k = 0; k < 10; ++k) step(a);
    Body b(bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1)), {}, 1);
    b.x = a.x, b.v = a.v;
    std::copy(a.solid.rotation_state().begin(), a.solid.rotation_state().end(), b.solid.rotation_state().begin());
    for (int k = 0; k < 10; ++k) step(a), step(b);
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.v, b.v);
}

TEST(Step, AllocatesNothingAfterTheFirst) {
    Body b(bar_mesh(12, 9, 8, Vec3::Zero(), Vec3(3, 2, 2)), {}, 1);
    Threads threads(2);
    StageTimes times;
    Solid* one = &b.solid;
    std::vector<Coupling> rows(3);
    for (int k = 0; k < 3; ++k) {
        rows[k].count = 2;
        rows[k].ends[0] = {0, 10 * k, 1.0}, rows[k].ends[1] = {0, 500 + k, -1.0};
        rows[k].S = Mat3::Identity();
    }
    long after_first = 0;
    for (int k = 0; k < 4; ++k) {
        b.assemble(0.01, threads, times);
        solve({&one, 1}, rows, {}, threads, times);
        b.move(0.01);
        if (k == 0) after_first = allocation_count();
    }
    EXPECT_EQ(allocation_count() - after_first, 0);
    EXPECT_GT(after_first, 0) << "the counter does not count";
}

TEST(Step, TimesItsStages) {
    Body b(bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1)), {}, 1);
    Threads threads(1);
    StageTimes times;
    Solid* one = &b.solid;
    b.assemble(0.01, threads, times);
    solve({&one, 1}, {}, {}, threads, times);
    for (const char* stage : {"rotations", "forces", "assembly", "solve"}) EXPECT_GT(times.of(stage), 0) << stage;
}

TEST(Step, ToleranceStopsEarly) {
    Body b(bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(2, 1, 1)), {}, 1);
    b.force.assign(b.x.size(), Vec3(0, -1, 0));
    std::vector<char> prescribed(b.x.size());
    for (std::size_t i = 0; i < prescribed.size(); ++i) prescribed[i] = b.x[i].x() == 0;
    Threads threads(1);
    StageTimes times;
    Solid* one = &b.solid;
    b.assemble(0.01, threads, times, prescribed);
    const SolveReport report = solve({&one, 1}, {}, {.iterations = 1000, .tolerance = 1e-6}, threads, times);
    EXPECT_LT(report.iterations, 200);
    EXPECT_GT(report.iterations, 2);
    EXPECT_LE(report.residual, 1e-6);
    // Nothing left to do: the second call knows.
    EXPECT_LE(solve({&one, 1}, {}, {.iterations = 1000, .tolerance = 1e-6}, threads, times).iterations, 1);
}

}  // namespace
}  // namespace pliant
