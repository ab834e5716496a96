// Modes against closed forms and measurements: bars, chimes, wave speeds, rigid motions, counts.

#include "pliant/modal/decompose.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/structured.hpp"

namespace pliant {
namespace {

const ElasticNumbers aluminium{6.9e10, 0.33, 2700};

ModalBasis modes_of(const ModalSystem& system, int count, ModeReport* report = nullptr, int threads = 1) {
    Threads team(threads);
    ModeRequest request;
    request.count = count;
    return decompose(system, request, team, report);
}

void expect_sound(const ModalBasis& b, int rigid) {
    EXPECT_EQ(b.rigid, rigid);
    std::printf("residual %g\n", b.residual);
    EXPECT_LE(b.residual, 1e-8);
    EXPECT_TRUE(b.complete);
}

// O'Brien, Shen & Gatchalian 2002, table 2: measured frequencies of aluminium tubes.
TEST(Decompose, WindChimesRingAsMeasured) {
    const double lambda = 4.98e10, mu = 2.57e10;
    const ElasticNumbers chime{mu * (3 * lambda + 2 * mu) / (lambda + mu), lambda / (2 * (lambda + mu)), 2700};
    const double length[6] = {.505, .475, .435, .410, .388, .353};
    const double measured[6] = {585.8, 656.0, 781.8, 877.5, 982.5, 1167.0};
    double mean = 0, most = 0;
    for (int i = 0; i < 6; ++i) {
        const ModalSystem s =
            assemble_modal(structured_quadratic(tube_blocks(0.0125, 0.001, length[i], 12, 30)), {&chime, 1});
        const ModalBasis b = modes_of(s, 2);
        expect_sound(b, 6);
        const double error = std::abs(undamped_hz(b, 0) / measured[i] - 1);
        mean += error / 6, most = std::max(most, error);
        std::printf("chime %.3f m: %.2f Hz, measured %.1f, error %.2f %%, residual %.1e\n", length[i],
                    undamped_hz(b, 0), measured[i], 100 * error, b.residual);
    }
    std::printf("mean %.2f %%, largest %.2f %%\n", 100 * mean, 100 * most);
    EXPECT_LE(mean, 0.009);
    EXPECT_LE(most, 0.017);
}

TEST(Decompose, FreeBarHasTheOvertonesOfEulerAndBernoulli) {
    // Slender, so that shear and rotary inertia do not matter; square, so that each bending mode comes twice.
    const ModalSystem s = assemble_modal(structured_quadratic(bar_blocks(Vec3(1, 0.01, 0.01), 36)), {&aluminium, 1});
    const ModalBasis b = modes_of(s, 8);
    expect_sound(b, 6);
    const double ratio[4] = {1, 2.7565, 5.4039, 8.933};
    for (int k = 0; k < 4; ++k) {
        const double found = undamped_hz(b, 2 * k) / undamped_hz(b, 0);
        std::printf("overtone %d: %.4f against %.4f\n", k, found, ratio[k]);
        EXPECT_NEAR(found / ratio[k], 1, 0.01);
    }
    const double first = std::pow(4.73004, 2) / (2 * std::numbers::pi) * std::sqrt(6.9e10 * 1e-4 / 12 / 2700);
    std::printf("first: %.3f Hz against %.3f\n", undamped_hz(b, 0), first);
    EXPECT_NEAR(undamped_hz(b, 0) / first, 1, 0.01);
}

// Standing waves along a bar: f = c/2L. With the sides held against sideways motion the wave is P, across S.
TEST(Decompose, WavesRunAtTheSpeedOfTheBar) {
    auto speed = [](int keep, bool sides, double expected) {
        const double length = 1;
        const QuadraticMesh mesh = structured_quadratic(bar_blocks(Vec3(length, 0.02, 0.02), 24));
        ModalSystem s = assemble_modal(mesh, {&aluminium, 1});
        s.fixed.assign(3 * s.rest.size(), 0);
        for (int i = 0; i < s.nodes(); ++i)
            for (int a = 0; a < 3; ++a) {
                const bool side = sides || std::abs(s.rest[i][a]) < 1e-9;  // a rod: its axis stays straight
                if (a != keep && side) s.fixed[3 * i + a] = 1;
            }
        const ModalBasis b = modes_of(s, 1);
        EXPECT_EQ(b.rigid, 1);
        const double c = undamped_hz(b, 0) * 2 * length;
        std::printf("wave %.1f m/s against %.0f\n", c, expected);
        EXPECT_NEAR(c / expected, 1, 0.01);
    };
    speed(0, true, 6153);  // P
    speed(1, true, 3100);  // S
    const ModalSystem rod = assemble_modal(structured_quadratic(bar_blocks(Vec3(1, 0.04, 0.04), 16)), {&aluminium, 1});
    const ModalBasis b = modes_of(rod, 30);
    // The first longitudinal mode: motion along x alone at the end's middle.
    double found = 0;
    for (int m = 0; m < b.mode_count() && found == 0; ++m) {
        double along = 0, all = 0;
        for (int i = 0; i < b.node_count(); ++i) {
            along += b.mass[i] * std::pow(b.shape_at(i, m)[0], 2);
            all += b.mass[i] * b.shape_at(i, m).squaredNorm();
        }
        if (along > 0.95 * all) found = 2 * undamped_hz(b, m);
    }
    std::printf("rod %.1f m/s against 5055\n", found);
    EXPECT_NEAR(found / 5055, 1, 0.01);
}

TEST(Decompose, SparseAndFullAgreeForAnyThreads) {
    const TetMesh mesh = bar_mesh(10, 5, 4, Vec3::Zero(), Vec3(1, 0.5, 0.35));  // 330 nodes: sparse
    const ModalSystem s = assemble_modal(mesh, {&aluminium, 1}, MassKind::consistent);
    const ModalBasis few = modes_of(s, 12), same = modes_of(s, 12, nullptr, 2), many = modes_of(s, 400);  // full
    expect_sound(few, 6);
    EXPECT_EQ(few.lambda, same.lambda) << "bits differ with the number of threads";
    EXPECT_TRUE(few.shape == same.shape);
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(few.lambda[i] / many.lambda[i], 1, 1e-9);
    ModeRequest request;
    Threads team(1);
    request.below_hz = undamped_hz(many, 7) * 1.0001;
    EXPECT_EQ(decompose(s, request, team).mode_count(), 8);
    request = {};
    request.from_hz = undamped_hz(many, 3) * 0.9999, request.to_hz = undamped_hz(many, 10) * 1.0001;
    const ModalBasis band = decompose(s, request, team);
    ASSERT_EQ(band.mode_count(), 8);
    EXPECT_NEAR(band.lambda[0] / many.lambda[3], 1, 1e-9);
}

TEST(Decompose, TwoPartsHaveTwelveRigidMotions) {
    TetMesh mesh = bar_mesh(6, 4, 3, Vec3::Zero(), Vec3(1, 0.5, 0.3));
    const TetMesh other = bar_mesh(6, 4, 3, Vec3(2, 0, 0), Vec3(3, 0.6, 0.3));
    const int first = mesh.node_count();
    mesh.rest.insert(mesh.rest.end(), other.rest.begin(), other.rest.end());
    for (Tet t : other.tets) mesh.tets.push_back({t[0] + first, t[1] + first, t[2] + first, t[3] + first});
    for (int count : {5, 150}) {
        ModeReport report;
        const ModalBasis b = modes_of(assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped), count, &report);
        expect_sound(b, 12);
        EXPECT_EQ(b.parts, 2);
        ASSERT_FALSE(report.notes.empty());
        EXPECT_NE(report.notes[0].find("2 parts"), std::string::npos) << report.notes[0];
    }
}

// A flat tet glued onto a bar weighs nothing and stiffens nothing: the modes are the bar's, and the tet is named.
TEST(Decompose, ASliverIsNamedAndTheModesAreFoundAllTheSame) {
    TetMesh mesh = bar_mesh(6, 2, 2, Vec3::Zero(), Vec3(0.6, 0.2, 0.2));
    Threads one(1);
    ModeRequest request;
    request.count = 4;
    const ModalBasis whole = decompose(assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped), request, one);
    const Tet t = mesh.tets[0];
    const Vec3 a = mesh.rest[t[0]], b = mesh.rest[t[1]], c = mesh.rest[t[2]];
    mesh.rest.push_back((a + b + c) / 3 + 1e-8 * (b - a).cross(c - a).normalized());
    mesh.tets.push_back({t[0], t[1], t[2], mesh.node_count() - 1});
    orient_tets(mesh);
    ModeReport report;
    const ModalBasis modes = decompose(assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped), request, one, &report);
    ASSERT_FALSE(report.notes.empty());
    EXPECT_NE(report.notes[0].find("tet 144 is a sliver: its quality is"), std::string::npos) << report.notes[0];
    EXPECT_NE(report.notes[0].find("Mesh the shape anew"), std::string::npos) << report.notes[0];
    double worst = 0;
    for (int i = 0; i < 4; ++i) worst = std::max(worst, std::abs(modes.lambda[i] / whole.lambda[i] - 1));
    std::printf("eigenvalues off by %.1e, residual %.1e\n", worst, modes.residual);
    EXPECT_LT(worst, 1e-4);
    EXPECT_LE(modes.residual, 1e-8);
    EXPECT_EQ(modes.rigid, 6);
}

TEST(Decompose, PartsThatShareOneNodeSwivelForFree) {
    TetMesh mesh = bar_mesh(2, 2, 2, Vec3::Zero(), Vec3(1, 1, 1));
    const TetMesh other = bar_mesh(2, 2, 2, Vec3(1, 1, 1), Vec3(2, 2, 2));
    const int first = mesh.node_count();
    int corner = -1;
    for (int i = 0; i < first; ++i)
        if ((mesh.rest[i] - Vec3(1, 1, 1)).norm() < 1e-12) corner = i;
    std::vector<int> number(other.rest.size());
    for (int i = 0; i < other.node_count(); ++i) {
        if ((other.rest[i] - Vec3(1, 1, 1)).norm() < 1e-12) {
            number[i] = corner;
        } else {
            number[i] = mesh.node_count();
            mesh.rest.push_back(other.rest[i]);
        }
    }
    for (const Tet& t : other.tets) mesh.tets.push_back({number[t[0]], number[t[1]], number[t[2]], number[t[3]]});
    ModeReport report;
    const ModalBasis b = modes_of(assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped), 8, &report);
    EXPECT_EQ(b.parts, 1);
    EXPECT_EQ(b.rigid, 9);  // six, and three of the ball joint
    EXPECT_EQ(b.mode_count(), 5);
    std::printf("residual %g\n", b.residual);
    EXPECT_LE(b.residual, 1e-8);
}

TEST(Decompose, RefusesWhatMakesNoSense) {
    TetMesh mesh = bar_mesh(2, 1, 1, Vec3::Zero(), Vec3(1, 0.5, 0.5));
    const ModalSystem s = assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped);
    EXPECT_THROW(modes_of(s, 31), UserError);  // 36 unknowns, 30 elastic
    EXPECT_EQ(modes_of(s, 30).mode_count(), 30);
    mesh.rest[mesh.tets[0][0]] = mesh.rest[mesh.tets[0][1]];
    EXPECT_THROW(assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped), UserError);
}

TEST(Decompose, RescalingIsANewDecomposition) {
    const TetMesh mesh = bar_mesh(4, 2, 2, Vec3::Zero(), Vec3(1, 0.4, 0.3));
    const ElasticNumbers other{3 * aluminium.young, aluminium.poisson, 5400};
    const ModalBasis a = modes_of(assemble_modal(mesh, {&aluminium, 1}, MassKind::lumped), 10);
    const ModalBasis b = modes_of(assemble_modal(mesh, {&other, 1}, MassKind::lumped), 10);
    const ModalBasis c = rescaled(a, 5400, 3, {0.5, 1e-6});
    for (int i = 0; i < 10; ++i) EXPECT_NEAR(c.lambda[i] / b.lambda[i], 1, 1e-10);
    EXPECT_NEAR(c.shape.col(0).norm() / b.shape.col(0).norm(), 1, 1e-8);
    EXPECT_EQ(c.alpha, 0.5);
    EXPECT_NEAR(c.mass[0] / b.mass[0], 1, 1e-12);
}

}  // namespace
}  // namespace pliant
