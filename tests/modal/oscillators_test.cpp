// Oscillators against closed forms and against themselves at other step sizes; manipulation constraints.

#include "pliant/modal/oscillators.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "pliant/core/rng.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/modal/decompose.hpp"
#include "pliant/modal/manipulation.hpp"

namespace pliant {
namespace {

ModalBasis jelly(int modes, bool hold_end, double beta = 2e-3) {
    const ElasticNumbers numbers{2e4, 0.4, 1050};
    ModalSystem s = assemble_modal(bar_mesh(8, 3, 3, Vec3::Zero(), Vec3(1, 0.3, 0.3)), {&numbers, 1}, MassKind::lumped);
    if (hold_end) {
        std::vector<int> end;
        for (int i = 0; i < s.nodes(); ++i)
            if (s.rest[i][0] < 1e-9) end.push_back(i);
        fix_nodes(s, end);
    }
    Threads one(1);
    ModeRequest request;
    request.count = modes;
    request.damping = {0.3, beta};
    return decompose(s, request, one);
}

TEST(Oscillators, StepSizeDoesNotMatter) {
    for (double beta : {0.0, 2e-3, 0.3}) {  // swinging; damped; most modes creep
        const ModalBasis basis = jelly(40, false, beta);
        Oscillators coarse = make_oscillators(basis), fine = coarse;
        Rng rng(5);
        std::vector<double> g(40);
        for (int i = 0; i < 40; ++i) coarse.z[i] = fine.z[i] = rng.uniform(-1, 1), g[i] = rng.uniform(-100, 100);
        for (int s = 0; s < 60; ++s) advance(coarse, 1.0 / 60, g);
        for (int s = 0; s < 6000; ++s) advance(fine, 1.0 / 6000, g);
        double worst = 0, scale = 0;
        for (int i = 0; i < 40; ++i) {
            worst = std::max(worst, std::abs(coarse.z[i] - fine.z[i]));
            worst = std::max(worst, std::abs(coarse.v[i] - fine.v[i]) / std::sqrt(coarse.lambda[i]));
            scale = std::max(scale, std::abs(coarse.z[i]));
        }
        std::printf("beta %g: difference %.2e of %.2e\n", beta, worst, scale);
        EXPECT_LT(worst, 1e-10);
    }
}

TEST(Oscillators, FollowClosedForms) {
    // A unit impulse gives z = sin(ωt)/ω with decay; no factor of two.
    const double lambda = 400, c = 2, w = std::sqrt(lambda - 1);
    Oscillators o;
    o.lambda = {lambda}, o.damping = {c}, o.z = {0}, o.v = {0};
    const double one = 1;
    add_impulse(o, {&one, 1});
    advance(o, 0.37);
    EXPECT_NEAR(o.z[0], std::exp(-0.37) * std::sin(w * 0.37) / w, 1e-15);
    // Critical: eqs. 7, 10 and 11.
    ModeStep m = mode_step(25, 10, 0.2);
    EXPECT_NEAR(m.zz, std::exp(-1.0) * (1 + 5 * 0.2), 1e-15);
    EXPECT_NEAR(m.zv, std::exp(-1.0) * 0.2, 1e-15);
    // A constant force for ever: z = g/λ.
    m = mode_step(25, 3, 100);
    EXPECT_NEAR(m.zg, 1.0 / 25, 1e-15);
    // No damping, a million steps: the energy stays.
    o.damping = {0}, o.z = {1}, o.v = {0};
    const double before = energy(o);
    for (int i = 0; i < 1000000; ++i) advance(o, 0.01);
    std::printf("energy drift over 1e6 steps: %.1e\n", energy(o) / before - 1);
    EXPECT_NEAR(energy(o) / before, 1, 1e-9);
}

TEST(Oscillators, InitialConditionsComeBack) {
    const ModalBasis basis = jelly(20, false);
    Oscillators o = make_oscillators(basis);
    std::vector<Vec3> d(basis.rest.size()), v(basis.rest.size(), Vec3::Zero());
    for (int i = 0; i < basis.node_count(); ++i) d[i] = 0.3 * basis.shape_at(i, 4) - 0.1 * basis.shape_at(i, 11);
    set_state(o, basis, d, v);
    for (int i = 0; i < 20; ++i) EXPECT_NEAR(o.z[i], i == 4 ? 0.3 : i == 11 ? -0.1 : 0, 1e-10);
}

TEST(Manipulation, PointsAreWhereTheyWereAskedToBe) {
    const ModalBasis basis = jelly(40, true);
    Oscillators o = make_oscillators(basis);
    Rng rng(9);
    for (double& v : o.v) v = rng.uniform(-0.1, 0.1);
    const std::vector<int> held{130, 90, 75}, pushed{140, 60, 44, 101};  // different sets
    const ModalRows psi = rows_of_nodes(basis, held), phi = rows_of_nodes(basis, pushed);
    Eigen::VectorXd wanted(9);
    for (int i = 0; i < 9; ++i) wanted[i] = rng.uniform(-0.1, 0.1);

    const Eigen::VectorXd accelerating = force_for_acceleration(o, psi, phi, wanted);
    const std::vector<double> a = acceleration(o, modal_force(phi, accelerating));
    EXPECT_LT((psi.shape * Eigen::Map<const Eigen::VectorXd>(a.data(), 40) - wanted).cwiseAbs().maxCoeff(), 1e-10);

    Oscillators kicked = o;
    add_impulse(kicked, modal_force(phi, impulse_for_velocity(o, psi, phi, wanted)));
    EXPECT_LT((psi.shape * Eigen::Map<const Eigen::VectorXd>(kicked.v.data(), 40) - wanted).cwiseAbs().maxCoeff(),
              1e-10);

    for (double dt : {1.0 / 600, 1.0 / 60, 0.25}) {
        Oscillators moved = o;
        advance(moved, dt, modal_force(phi, force_for_position(moved, dt, psi, phi, wanted)));
        const double miss =
            (psi.shape * Eigen::Map<const Eigen::VectorXd>(moved.z.data(), 40) - wanted).cwiseAbs().maxCoeff();
        std::printf("dt %g: off by %.1e m\n", dt, miss);
        EXPECT_LT(miss, 1e-10);
    }
}

TEST(Manipulation, AHundredPointsGiveTheBestTheModesCan) {
    const ModalBasis basis = jelly(40, true);
    Oscillators o = make_oscillators(basis);
    std::vector<int> nodes;
    for (int i = 0; i < basis.node_count() && nodes.size() < 100; ++i)
        if (!basis.held[i]) nodes.push_back(i);
    const ModalRows rows = rows_of_nodes(basis, nodes);
    // A deformation the modes can make is reached exactly even though 300 rows share 40 modes.
    Eigen::VectorXd z = Eigen::VectorXd::Zero(40);
    z[1] = 0.02, z[5] = -0.01, z[33] = 0.002;
    const Eigen::VectorXd wanted = rows.shape * z;
    const auto start = std::chrono::steady_clock::now();
    const Eigen::VectorXd f = force_for_position(o, 1.0 / 60, rows, rows, wanted);
    const double ms = 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    advance(o, 1.0 / 60, modal_force(rows, f));
    const double miss = (rows.shape * Eigen::Map<const Eigen::VectorXd>(o.z.data(), 40) - wanted).cwiseAbs().maxCoeff();
    std::printf("100 points, 40 modes: %.2f ms, off by %.1e m\n", ms, miss);
    EXPECT_LT(miss, 1e-10);
}

TEST(Oscillators, UnobservableModesAreDropped) {
    const ModalBasis basis = jelly(60, false);
    const std::vector<int> weak = observable_modes(basis, {.max_force = 4, .min_displacement = 1e-3});
    const std::vector<int> strong = observable_modes(basis, {.max_force = 1e4, .min_displacement = 1e-4});
    EXPECT_LT(weak.size(), strong.size());
    EXPECT_GT(weak.size(), 0u);
    EXPECT_EQ(strong.size(), 60u);
    for (int m : observable_modes(basis, {.max_hz = 30})) EXPECT_LE(frequency_hz(basis, m), 30);
}

}  // namespace
}  // namespace pliant
