// Energy: what a step may not give, and where the ledger says that it went.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/contact/obstacle.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {
namespace {

FemBodyDesc box(const Vec3& from, const Vec3& to, int cells, double young) {
    FemBodyDesc desc;
    const Vec3 size = to - from;
    const double h = size.maxCoeff() / cells;
    const auto count = [&](int axis) { return std::max(1, static_cast<int>(std::lround(size[axis] / h))); };
    desc.mesh = bar_mesh(count(0), count(1), count(2), from, to);
    desc.material = {ElementMaterial{young, 0.3, 1000}};
    return desc;
}

void lay_ground(World& w, double friction) {
    w.props.push_back(
        {.name = "ground", .obstacle = {ground_obstacle(0), {}, {}, friction}, .motion = {}, .surface = {}});
}

/// Nodes of a body whose rest position fulfils a condition.
template <class Where>
std::vector<int> nodes_where(const FemBody& body, const Where& where) {
    std::vector<int> nodes;
    for (int i = 0; i < body.mesh.node_count(); ++i)
        if (where(body.mesh.rest[i])) nodes.push_back(i);
    return nodes;
}

void hold(World& w, int body, std::vector<int> nodes) {
    Grip grip;
    grip.body = body;
    grip.nodes = std::move(nodes);
    grip.pose = [](double) { return Pose{}; };
    w.grips.push_back(std::move(grip));
}

/// A beam of 2 × 0.1 × 0.1 m with a dead load at its tip that bends it by a fifth of its length.
Vec3 resting_tip(double dt, double seconds, const NewtonLimits& limits = {}) {
    World w(1);
    w.scratch->newton = limits;
    w.dt = dt;
    w.gravity.setZero();
    FemBodyDesc desc = box({0, 0, 0}, {2, 0.1, 0.1}, 20, 1e6);
    desc.mesh = bar_mesh(20, 2, 2, {0, 0, 0}, {2, 0.1, 0.1});
    desc.solid.mass_damping = 2;
    const int beam = add_body(w, make_fem_body(std::move(desc)));
    hold(w, beam, nodes_where(w.fem[0], [](const Vec3& x) { return x[0] < 1e-9; }));
    Pull pull;
    pull.body = beam;
    pull.nodes = nodes_where(w.fem[0], [](const Vec3& x) { return x[0] > 2 - 1e-9; });
    pull.force = [](double) { return Vec3(0, -2 * 1e6 * 1e-4 / 12 / 4, 0); };  // PL²/EI = 2
    w.pulls.push_back(pull);
    for (int i = 0; i < std::lround(seconds / dt); ++i) step(w);
    Vec3 tip = Vec3::Zero();
    for (int i : pull.nodes) tip += w.fem[0].x[i] / static_cast<double>(pull.nodes.size());
    return tip;
}

TEST(EnergyLaw, ADeadLoadBendsABeamToTheSameShapeInStepsOfAnyLength) {
    const Vec3 exact = resting_tip(0.02, 40);
    double worst = 0;
    for (double dt : {1e-3, 0.01, 0.05, 0.2, 0.5, 1.0}) {
        const Vec3 tip = resting_tip(dt, dt < 0.005 ? 15 : 60);
        const double off = (tip - exact).norm() / 0.45;
        worst = std::max(worst, off);
        EXPECT_LT(off, 1e-3) << dt;
    }
    std::printf("tip at %.6f %.6f m, off by at most %.1e of its deflection\n", exact[0], exact[1], worst);
}

/// Each number of Newton's method at half and at twice its value.
std::vector<NewtonLimits> halved_and_doubled() {
    std::vector<NewtonLimits> list;
    for (const double factor : {0.5, 2.0}) {
        NewtonLimits limits;
        limits.iterations = static_cast<int>(factor * limits.iterations);
        list.push_back(limits);
        limits = {}, limits.tolerated_gain *= factor;
        list.push_back(limits);
        limits = {}, limits.bearable *= factor;
        list.push_back(limits);
    }
    return list;
}

/// Most energy of a box of neo_hookean that starts from scattered nodes, over that at the start.
double most_of_scattered(double dt, const NewtonLimits& limits) {
    World w(1);
    w.scratch->newton = limits;
    w.dt = dt;
    w.gravity.setZero();
    FemBodyDesc desc = box({0, 0, 0}, {1, 1, 1}, 3, 1e5);
    desc.solid.law = material_laws().find("neo_hookean");
    add_body(w, make_fem_body(std::move(desc)));
    Rng rng(7);
    for (Vec3& x : w.fem[0].x) x = Vec3(rng.uniform(), rng.uniform(), rng.uniform());
    const double start = elastic_energy(w.fem[0]);
    double most = 0;
    for (int i = 0; i < 60; ++i) {
        step(w);
        most = std::max(most, elastic_energy(w.fem[0]) + kinetic_energy(w.fem[0]));
    }
    return most / start;
}

TEST(EnergyLaw, ItsNumbersMayBeHalvedAndDoubled) {
    const Vec3 exact = resting_tip(0.02, 40);
    for (const NewtonLimits& limits : halved_and_doubled()) {
        double off = 0, most = 0;
        for (const double dt : {0.05, 1.0}) off = std::max(off, (resting_tip(dt, 60, limits) - exact).norm() / 0.45);
        for (const double dt : {1e-4, 1e-2, 1.0}) most = std::max(most, most_of_scattered(dt, limits));
        std::printf("%d iterations, gain %g, bearable %g: beam off by %.1e, scattered box at most %.9f\n",
                    limits.iterations, limits.tolerated_gain, limits.bearable, off, most);
        EXPECT_LT(off, 1e-3);
        EXPECT_LT(most, 1 + 1e-6);
    }
}

TEST(EnergyLaw, BodiesOfEveryLawComeBackFromAScatteredStart) {
    for (const MaterialLaw& law : material_laws().entries()) {
        if (!law.objective) continue;
        for (double dt : {1e-4, 1e-2, 1.0}) {
            World w(1);
            w.dt = dt;
            w.gravity.setZero();
            FemBodyDesc desc = box({0, 0, 0}, {1, 1, 1}, 3, 1e5);
            desc.solid.law = &law;
            add_body(w, make_fem_body(std::move(desc)));
            Rng rng(7);
            for (Vec3& x : w.fem[0].x) x = Vec3(rng.uniform(), rng.uniform(), rng.uniform());
            const double start = elastic_energy(w.fem[0]);
            double most = 0;
            for (int i = 0; i < 60; ++i) {
                step(w);
                most = std::max(most, elastic_energy(w.fem[0]) + kinetic_energy(w.fem[0]));
            }
            std::printf("%s, dt %g: %.2e J at the start, %.2e at most, %.2e at the end\n", law.name.c_str(), dt, start,
                        most, elastic_energy(w.fem[0]) + kinetic_energy(w.fem[0]));
            EXPECT_LT(most, start * (1 + 1e-6)) << law.name << " " << dt;
        }
    }
}

/// What the ledger cannot account for, as a part of its largest term.
double unexplained(const EnergyBalance& b) { return std::abs(b.residual) / b.largest(); }

TEST(EnergyLedger, FallAndSlideAreWhatTheFormulasSay) {
    {  // Free fall: gravity's work is what is gained, and implicit Euler takes half a step of gravity.
        World w(1);
        add_body(w, make_fem_body(box({0, 0, 0}, {0.2, 0.2, 0.2}, 2, 1e6)));
        for (int i = 0; i < 50; ++i) step(w);
        const EnergyBalance b = energy_balance(w);
        const double fallen = 0.1 - center_of_mass(w.fem[0])[1], weight = 8 * 9.81;
        std::printf("fall: gravity %.9g of %.9g J, numerical %.2e, unexplained %.1e\n", b.ledger.outside,
                    weight * fallen, b.ledger.numerical, unexplained(b));
        EXPECT_NEAR(b.ledger.outside, weight * fallen, 1e-9 * weight * fallen);
        EXPECT_NEAR(b.ledger.numerical, 0.5 * weight * 9.81 * 0.01 * 0.01 * 50, 1e-6 * b.ledger.outside);
        EXPECT_LT(unexplained(b), 1e-6);
    }
    {  // Sliding on level ground until it rests: friction takes all of it.
        World w(1);
        w.dt = 0.002;
        lay_ground(w, 0.3);
        FemBodyDesc desc = box({0, 0.01, 0}, {0.4, 0.11, 0.4}, 4, 1e7);  // clear of what contact keeps free
        desc.velocity = {2, 0, 0};
        desc.friction = 0.3;
        add_body(w, make_fem_body(std::move(desc)));
        for (int i = 0; i < 700; ++i) step(w);
        const EnergyBalance b = energy_balance(w);
        std::printf("slide: brought %.6g, friction %.6g, contact %.2e, numerical %.2e J, unexplained %.1e\n",
                    b.ledger.brought, b.ledger.friction, b.ledger.contact, b.ledger.numerical, unexplained(b));
        EXPECT_NEAR(b.ledger.friction, b.ledger.brought, 0.05 * b.ledger.brought);
        EXPECT_LT(unexplained(b), 1e-6);
    }
}

/// A bar of 1 m that is held at one end and swings from side to side, with or without damping, for a second.
EnergyBalance swinging_bar(double dt, double damping, const MaterialLaw* law, Element element) {
    World w(1);
    w.dt = dt;
    w.gravity.setZero();
    FemBodyDesc desc = box({0, 0, 0}, {1, 0.1, 0.1}, 10, 1e6);
    desc.solid.stiffness_damping = damping;
    desc.solid.law = law;
    desc.solid.element = element;
    desc.solve = {.iterations = 200, .tolerance = 1e-10};
    add_body(w, make_fem_body(std::move(desc)));
    hold(w, 0, nodes_where(w.fem[0], [](const Vec3& x) { return x[0] < 1e-9; }));
    for (std::size_t i = 0; i < w.fem[0].v.size(); ++i) w.fem[0].v[i] = {0, w.fem[0].x[i][0], 0};
    for (int i = 0; i < std::lround(1 / w.dt); ++i) step(w);
    return energy_balance(w);
}

TEST(EnergyLedger, DampingTakesWhatASwingLoses) {
    double numerical[2];
    for (int fine = 0; fine < 2; ++fine) {
        const EnergyBalance b = swinging_bar(fine ? 0.0005 : 0.001, 0.01, nullptr, Element::tet4);
        numerical[fine] = b.ledger.numerical;
        std::printf("brought %.6g, damping %.6g, left %.2e, numerical %.3e J, unexplained %.1e\n", b.ledger.brought,
                    b.ledger.damping, b.kinetic + b.elastic, b.ledger.numerical, unexplained(b));
        EXPECT_LT(unexplained(b), 1e-6);
    }
    EXPECT_NEAR(numerical[0] / numerical[1], 2, 0.2);  // first order in dt
}

// A bar that a grip shakes by one end, with damping of both kinds: what the grip does is what moves, is strained and is
// taken.
TEST(EnergyLedger, GripsDoTheWorkThatIsThere) {
    for (const char* law : {"corotational", "linear", "neo_hookean"}) {
        World w(1);
        w.dt = 0.002;
        w.gravity.setZero();
        FemBodyDesc desc = box({0, 0, 0}, {1, 0.1, 0.1}, 10, 1e6);
        desc.solid.law = material_laws().find(law);
        desc.solid.mass_damping = 1, desc.solid.stiffness_damping = desc.solid.law->hooke ? 1e-3 : 0;
        desc.solve = {.iterations = 500, .tolerance = 1e-10};
        add_body(w, make_fem_body(std::move(desc)));
        hold(w, 0, nodes_where(w.fem[0], [](const Vec3& x) { return x[0] < 1e-9; }));
        w.grips[0].pose = [](double t) {
            Pose pose;
            pose.translation = {0, 0.05 * std::sin(10 * t), 0};
            pose.rotation = Quat(Eigen::AngleAxisd(0.5 * std::sin(5 * t), Vec3::UnitY()));
            return pose;
        };
        for (int i = 0; i < 500; ++i) step(w);
        const EnergyBalance b = energy_balance(w);
        std::printf("%s: grips %.6g, damping %.6g, left %.4g, numerical %.4g J, unexplained %.1e\n", law,
                    b.ledger.grips, b.ledger.damping, b.kinetic + b.elastic, b.ledger.numerical, unexplained(b));
        EXPECT_GT(b.ledger.grips, 0.1);
        EXPECT_LT(unexplained(b), w.fem[0].solid.law().hooke ? 1e-6 : 1e-3);
    }
}

// Hooke's laws in plain tets are solved exactly with the rotations they have. Others are solved along their tangents,
// and what that leaves over falls with dt².
TEST(EnergyLedger, ClosesForEveryLaw) {
    for (const Element element : {Element::tet4, Element::smoothed})
        for (const MaterialLaw& law : material_laws().entries()) {
            double rest[2], taken[2];
            for (int fine = 0; fine < 2; ++fine) {
                const EnergyBalance b = swinging_bar(fine ? 0.0005 : 0.001, 0, &law, element);
                rest[fine] = unexplained(b), taken[fine] = b.ledger.numerical / b.largest();
            }
            std::printf("%s%s: numerical %.1e and %.1e of the largest term, unexplained %.1e and %.1e\n",
                        law.name.c_str(), element == Element::smoothed ? ", smoothed" : "", taken[0], taken[1], rest[0],
                        rest[1]);
            if (law.hooke && element == Element::tet4) {
                EXPECT_LT(rest[1], 1e-6) << law.name;
            } else {
                EXPECT_LT(rest[0], 1e-3 * taken[0]) << law.name;
                EXPECT_LT(rest[1], 0.5 * rest[0]) << law.name;
            }
        }
}

struct Thrown {
    double lowest = 0;  ///< what a world has lost, as a part of its largest term
    double taken = 0;   ///< the least that `numerical` takes, likewise
    double open = 0;    ///< unexplained
};

/// Boxes that are thrown onto a floor with steps of up to 0.05 s, in which they turn by up to half a radian.
Thrown throw_boxes(int seed, const SolveOptions& solve) {
    Rng rng(static_cast<std::uint64_t>(seed));
    World w(1);
    w.dt = std::pow(10, -3 + rng.uniform() * std::log10(50.0));
    lay_ground(w, rng.uniform());
    const int bodies = 1 + static_cast<int>(3 * rng.uniform());
    for (int k = 0; k < bodies; ++k) {
        const Vec3 at(2.0 * k, 0.3 + rng.uniform(), 0);
        const Vec3 size(0.2 + 0.4 * rng.uniform(), 0.2 + 0.3 * rng.uniform(), 0.2 + 0.3 * rng.uniform());
        FemBodyDesc desc = box(at, at + size, 3, std::pow(10, 4 + 5 * rng.uniform()));
        const auto sign = [&] { return 2 * rng.uniform() - 1; };
        desc.spin = 10 * Vec3(sign(), sign(), sign());
        desc.velocity = 5 * Vec3(0, sign(), sign());
        desc.solve = solve;
        add_body(w, make_fem_body(std::move(desc)));
    }
    const int steps = static_cast<int>(std::min(150.0, 1 / w.dt));
    for (int i = 0; i < steps; ++i) step(w);
    const EnergyBalance b = energy_balance(w);
    return {(b.ledger.numerical + b.residual) / b.largest(), b.ledger.numerical / b.largest(), unexplained(b)};
}

TEST(EnergyLedger, ThrownBodiesLoseEnergyAndNeverGainAny) {
    Thrown worst, exact;
    for (int seed = 1; seed <= 200; ++seed) {
        const Thrown one = throw_boxes(seed, {});
        EXPECT_TRUE(std::isfinite(one.lowest)) << seed;
        EXPECT_GT(one.lowest, -1e-6) << seed;
        EXPECT_GT(one.taken, -1e-6) << seed;
        EXPECT_LT(one.open, 0.01) << seed;
        worst = {std::min(worst.lowest, one.lowest), std::min(worst.taken, one.taken), std::max(worst.open, one.open)};
        if (seed > 20) continue;
        const double open = throw_boxes(seed, {.iterations = 20000, .tolerance = 1e-12}).open;
        EXPECT_LT(open, 1e-4) << seed;
        exact.open = std::max(exact.open, open);
    }
    std::printf(
        "lowest loss %.2e, least numerical %.2e, unexplained at most %.2e of the largest term; %.1e where solved\n",
        worst.lowest, worst.taken, worst.open, exact.open);
}

// A bar that hangs on an edge swings down and strikes the ground: it turns in a frame of its own, and is pressed in it.
TEST(EnergyLedger, WhatHangsMayStrikeTheGround) {
    for (const double young : {1e5, 1e7, 1e9})
        for (const double dt : {0.002, 0.01}) {
            World w(1);
            w.dt = dt;
            lay_ground(w, 0.5);
            FemBodyDesc desc = box({0, 0.3, -0.05}, {0.6, 0.4, 0.05}, 12, young);
            desc.solve = {.iterations = 20000, .tolerance = 1e-12};
            const int bar = add_body(w, make_fem_body(std::move(desc)));
            FemBody& body = w.fem[0];
            hold(w, bar, nodes_where(body, [](const Vec3& x) { return x[0] < 1e-9 && x[1] < 0.3 + 1e-9; }));
            const auto energy = [&] {
                return kinetic_energy(body) + elastic_energy(body) + 9.81 * mass(body) * center_of_mass(body)[1];
            };
            const double start = energy();
            double lowest = start, rise = 0;
            for (int i = 0; i < std::lround(2 / dt); ++i) {
                step(w);
                rise = std::max(rise, energy() - lowest), lowest = std::min(lowest, energy());
            }
            const EnergyBalance b = energy_balance(w);
            std::printf(
                "E %g, dt %g: %.4g of %.4g J left, largest rise %.1e J, fastest node %.1e m/s, unexplained %.1e\n",
                young, dt, energy(), start, rise, max_speed(body), unexplained(b));
            EXPECT_LT(rise, 1e-3 * start) << young << " " << dt;
            EXPECT_LT(unexplained(b), 1e-5) << young << " " << dt;
        }
}

}  // namespace
}  // namespace pliant
