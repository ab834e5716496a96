// Integrators of bodies of finite elements, through the world's own step: order, energy, what is kept, and how explicit
// steps are chosen and watched. Contact is in integrator_contact_test.cpp.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <iostream>
#include <random>

#include "pliant/body/explicit_step.hpp"
#include "pliant/contact/obstacle.hpp"
#include "pliant/core/bytes.hpp"
#include "pliant/material/laws.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

FemBodyDesc bar_of(const char* integrator, double young = 1e6) {
    FemBodyDesc desc;
    desc.name = "bar";
    desc.mesh = bar_mesh(8, 1, 1, {0, 0, 0}, {1, 0.125, 0.125});
    desc.material = {{young, 0.3, 1000}};
    desc.solve = {2000, 1e-10};
    desc.integrator = find_integrator(integrator);
    CHECK(desc.integrator, integrator);
    return desc;
}

World world_of(FemBodyDesc desc, double dt, int threads = 1) {
    World w(threads);
    w.dt = dt;
    w.gravity.setZero();
    w.fem.push_back(make_fem_body(std::move(desc)));
    return w;
}

double bar_energy(const FemBody& body) { return elastic_energy(body) + kinetic_energy(body); }

/// Positions and velocities of a free bar in the middle of a swing along its length and across it. Long steps of
/// implicit Euler have taken away what is too fast to be followed.
std::pair<std::vector<Vec3>, std::vector<Vec3>> smooth_swing(double across) {
    World w = world_of(bar_of("implicit_euler"), 2e-3);
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        const double shape = std::cos(M_PI * body.mesh.rest[i].x());
        body.v[i] = {0.2 * shape, across * std::cos(2 * M_PI * body.mesh.rest[i].x()), 0};
    }
    for (int i = 0; i < 10; ++i) step(w);
    return {body.x, body.v};
}

// The difference between runs with dt and dt/2 falls by 2 or 4 when dt is halved.
TEST(Integrator, HasTheOrderItClaims) {
    const auto [x, v] = smooth_swing(0.3);
    constexpr double duration = 0.02, longest = 2e-4, frequency = 100;
    for (const Integrator* integrator : integrators()) {
        std::vector<std::vector<Vec3>> ends;
        for (int k = 0; k < 4; ++k) {
            const double dt = std::ldexp(longest, -k);
            FemBodyDesc desc = bar_of(integrator->name);
            if (integrator->is_explicit()) desc.own_step = dt / 8;
            World w = world_of(std::move(desc), dt);
            w.fem[0].x = x, w.fem[0].v = v;
            for (int i = 0; i < std::lround(duration / dt); ++i) step(w);
            ends.push_back(w.fem[0].x);
            for (const Vec3& speed : w.fem[0].v) ends.back().push_back(speed / frequency);
        }
        const auto distance = [&](int k) {
            double sum = 0;
            for (std::size_t i = 0; i < ends[k].size(); ++i) sum += (ends[k][i] - ends[k + 1][i]).squaredNorm();
            return std::sqrt(sum);
        };
        const double order = std::log2(distance(1) / distance(2));
        std::cout << integrator->name << ": order " << order << ", of " << integrator->order << " claimed; differences "
                  << distance(0) << " " << distance(1) << " " << distance(2) << " m\n";
        EXPECT_NEAR(order, integrator->order, 0.1) << integrator->name;
    }
}

FemBodyDesc slender_bar(const char* integrator, const char* law, Element element) {
    FemBodyDesc desc;
    desc.mesh = bar_mesh(20, 1, 1, {0, 0, 0}, {1, 0.05, 0.05});
    desc.material = {{1e6, 0.3, 1000}};
    desc.solve = {2000, 1e-11};
    desc.integrator = find_integrator(integrator);
    desc.solid.law = material_laws().find(law);
    desc.solid.element = element;
    desc.solid.stiffness_damping = 1e-3;
    return desc;
}

/// Holds the end of the bar where x = 0.
void clamp_root(World& w) {
    Grip root;
    root.pose = [](double) { return Pose{}; };
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].x() < 1e-9) root.nodes.push_back(i);
    w.grips.push_back(root);
}

/// Velocities of the bar in the first mode of a beam that is held at one end, 1 at its tip.
double beam_mode(double x) {
    constexpr double root = 1.875104, share = 0.734096;  // cosh β cos β = −1
    const double b = root * x;
    return 0.5 * (std::cosh(b) - std::cos(b) - share * (std::sinh(b) - std::sin(b)));
}

/// The bar after 0.08 s, having set out straight at 6 m/s: damping has taken away what is too fast to be followed.
std::pair<std::vector<Vec3>, std::vector<Vec3>> turning_bar(const char* law, Element element) {
    World w = world_of(slender_bar("implicit_euler", law, element), 5e-4);
    clamp_root(w);
    FemBody& body = w.fem[0];
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v[i] = {0, 6 * beam_mode(body.x[i].x()), 0};
    for (int i = 0; i < 160; ++i) step(w);
    return {body.x, body.v};
}

struct FarSwing {
    double order = 0;
    double angle = 0;  ///< by which the tip has turned, rad
};

/// Goes on for 0.04 s, in steps of dt/2^k.
FarSwing far_swing(const char* integrator, const char* law, Element element) {
    const auto [x, v] = turning_bar(law, element);
    FarSwing result;
    std::vector<std::vector<Vec3>> ends;
    for (int k = 0; k < 4; ++k) {
        FemBodyDesc desc = slender_bar(integrator, law, element);
        const double dt = std::ldexp(5e-4, -k);
        if (desc.integrator->is_explicit()) desc.own_step = dt / 8;
        // newmark takes damping implicitly, which costs it order while β ω² h is not small; seen: 1.6 to 1.9.
        if (desc.integrator->damps_implicitly) desc.solid.stiffness_damping = 0;
        World w = world_of(std::move(desc), dt);
        clamp_root(w);
        FemBody& body = w.fem[0];
        body.x = x, body.v = v;
        for (int i = 0; i < std::lround(0.04 / dt); ++i) step(w);
        ends.push_back(body.x);
        for (const Vec3& speed : body.v) ends.back().push_back(0.1 * speed);
        const Vec3 along = body.x.back() - body.x[body.x.size() - 5];
        result.angle = std::atan2(along.y(), along.x());
    }
    const auto distance = [&](int k) {
        double sum = 0;
        for (std::size_t i = 0; i < ends[k].size(); ++i) sum += (ends[k][i] - ends[k + 1][i]).squaredNorm();
        return std::sqrt(sum);
    };
    result.order = std::log2(distance(1) / distance(2));
    std::cout << integrator << ", " << law << (element == Element::smoothed ? ", smoothed" : "") << ": order "
              << result.order << ", tip turned by " << result.angle << " rad; differences " << distance(0) << " "
              << distance(1) << " " << distance(2) << "\n";
    return result;
}

// The same where elements turn by a large angle and rotations are linearised in every step.
TEST(Integrator, HasItsOrderWhereElementsTurnFar) {
    const auto expect_order = [](const Integrator& integrator, const char* law, Element element) {
        const FarSwing swing = far_swing(integrator.name, law, element);
        EXPECT_GT(swing.angle, 0.5) << integrator.name << " " << law;
        EXPECT_NEAR(swing.order, integrator.order, 0.1) << integrator.name << " " << law;
    };
    for (const Integrator* integrator : integrators()) {
        expect_order(*integrator, "corotational", Element::tet4);
        if (integrator->is_explicit()) continue;
        for (const char* law : {"neo_hookean", "green"}) expect_order(*integrator, law, Element::tet4);
        for (const char* law : {"corotational", "neo_hookean"}) expect_order(*integrator, law, Element::smoothed);
    }
}

// What is near and does not touch takes nothing from the order of its neighbour.
TEST(Integrator, SecondOrderBesideWhatItDoesNotTouch) {
    const auto [x, v] = smooth_swing(0.3);
    constexpr double longest = 2e-4;
    std::vector<std::vector<Vec3>> ends;
    for (int k = 0; k < 4; ++k) {
        World w = world_of(bar_of("bdf2"), std::ldexp(longest, -k));
        w.props.push_back({.name = "ground",
                           .obstacle = {.shape = ground_obstacle(-0.012), .start = {}, .end = {}, .friction = 0.5},
                           .motion = {},
                           .surface = {}});
        w.fem[0].x = x, w.fem[0].v = v;
        for (int i = 0; i < 100 << k; ++i) {
            step(w);
            EXPECT_FALSE(w.fem[0].touched);
        }
        EXPECT_FALSE(w.contact.contacts().empty()) << "not near";
        ends.push_back(w.fem[0].x);
    }
    const auto distance = [&](int k) {
        double sum = 0;
        for (std::size_t i = 0; i < ends[k].size(); ++i) sum += (ends[k][i] - ends[k + 1][i]).squaredNorm();
        return std::sqrt(sum);
    };
    const double order = std::log2(distance(1) / distance(2));
    std::cout << "bdf2 beside the ground: order " << order << ", differences " << distance(0) << " " << distance(1)
              << " " << distance(2) << " m\n";
    EXPECT_NEAR(order, 2, 0.1);
}

// Without damping the energy of a swing must not grow, and of second order hardly fall: 10⁴ steps, 100 to a period.
TEST(Integrator, KeepsAnAmplitude) {
    const auto [x, v] = smooth_swing(0);
    const double period = 2 / std::sqrt(1e6 / 1000);  // of a wave along the bar and back
    for (const Integrator* integrator : integrators()) {
        World w = world_of(bar_of(integrator->name), period / 100);
        FemBody& body = w.fem[0];
        body.x = x, body.v = v;
        const double start = bar_energy(body);
        double most = start, halves[2] = {};
        for (int i = 0; i < 10000; ++i) {
            step(w);
            const double now = bar_energy(body);
            most = std::max(most, now), halves[i / 5000] += now / 5000;
        }
        const double left = std::sqrt(halves[1] / halves[0]);  // of half of the run
        std::cout << integrator->name << ": amplitude after 100 periods " << left * left << ", energy at most "
                  << most / start << " of its start\n";
        // The energy of symplectic Euler swings with the step, and the mean of half a run by a little of that.
        EXPECT_LT(halves[1], (1 + 1e-4) * halves[0] + 0.01 * (most - start)) << integrator->name;
        if (!integrator->is_explicit()) {
            EXPECT_LT(most, (1 + 1e-6) * start) << integrator->name;
        }
        if (integrator->is_explicit()) {
            EXPECT_LT(most, 1.2 * start) << integrator->name;  // it swings with h
        }
        if (integrator->order == 2) {
            EXPECT_GT(left * left, 0.95) << integrator->name;
        }
    }
}

Vec3 spin_about_centre(const FemBody& body) {
    const Vec3 centre = center_of_mass(body);
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < body.x.size(); ++i) sum += node_mass(body)[i] * (body.x[i] - centre).cross(body.v[i]);
    return sum;
}

TEST(Integrator, SecondOrderKeepsASpin) {
    double worst_spin = 0, worst_energy = 0;
    for (const double young : {1e5, 1e7, 1e9})
        for (const double dt : {0.001, 0.01, 0.05})
            for (const int axis : {0, 1, 2}) {
                FemBodyDesc desc;
                desc.mesh = bar_mesh(6, 3, 2, {0, 0, 0}, {0.6, 0.3, 0.1});
                desc.material = {{young, 0.33, 1000}};
                desc.integrator = find_integrator("bdf2");
                desc.spin = 2 * M_PI * Vec3::Unit(axis) + Vec3(0.1, 0.05, 0.02);
                World w = world_of(std::move(desc), dt);
                const FemBody& body = w.fem[0];
                const double start = bar_energy(body);
                const Vec3 spin = spin_about_centre(body);
                const int steps = std::min(1000, static_cast<int>(10 / dt));
                for (int i = 0; i < steps; ++i) {
                    step(w);
                    if (i % 5 == 4) worst_energy = std::max(worst_energy, bar_energy(body) / start - 1);
                }
                const double drift = (spin_about_centre(body) - spin).norm() / spin.norm();
                worst_spin = std::max(worst_spin, drift);
                EXPECT_GT(bar_energy(body), 0.98 * start) << young << " " << dt << " " << axis;
            }
    std::cout << "spin changes by " << worst_spin << ", energy at most " << worst_energy << " above its start\n";
    EXPECT_LT(worst_spin, 1e-6);
    EXPECT_LT(worst_energy, 1e-6);
}

// Constant forces and no contact: parabolas.
TEST(Integrator, SecondOrderFallsExactly) {
    World w = world_of(bar_of("bdf2"), 0.01);
    w.gravity = {0, -9.81, 0};
    const double start = center_of_mass(w.fem[0]).y();
    for (int i = 0; i < 100; ++i) step(w);
    const double error = center_of_mass(w.fem[0]).y() - start + 0.5 * 9.81;
    std::cout << "after 1 s of fall, off by " << error << " m\n";
    EXPECT_LT(std::abs(error), 1e-9);
}

/// All frequencies at once.
void shake(FemBody& body, double speed) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-speed, speed);
    for (Vec3& v : body.v) v = {uniform(random), uniform(random), uniform(random)};
}

// 0.9 of the step that element bounds allow.
TEST(Integrator, ExplicitStepsAreStable) {
    for (const char* name : {"symplectic_euler", "taylor2", "newmark"})
        for (const double beta : {0.0, 1e-3}) {
            FemBodyDesc desc = bar_of(name);
            desc.solid.stiffness_damping = beta;
            World w = world_of(std::move(desc), 5e-3);
            FemBody& body = w.fem[0];
            shake(body, 0.01);
            const double start = bar_energy(body);
            double most = 0;
            int cuts = 0;
            for (int i = 0; i < 1000; ++i) {
                cuts += step(w).own_cuts;
                most = std::max(most, bar_energy(body) / start);
            }
            std::cout << name << ", β " << beta << " s: " << body.own.steps << " steps of " << body.own.step
                      << " s, energy at most " << most << " of its start\n";
            EXPECT_EQ(cuts, 0) << name;
            // A vibration at 0.9 of the limit shows up to 1/(1 − 0.9²) of its energy at times, twice with velocities
            // that are half a step late.
            EXPECT_LT(most, 2 / (1 - 0.81)) << name;
        }
}

TEST(Integrator, EnergyIsWatchedWhereStepsAreTooLong) {
    for (const char* name : {"symplectic_euler", "taylor2", "newmark"})
        for (const double times : {2.0, 5.0, 20.0}) {
            FemBodyDesc desc = bar_of(name);
            World w = world_of(std::move(desc), 0.02);
            FemBody& body = w.fem[0];
            const double stable = stable_step(body);
            body.own.longest = times * stable;
            shake(body, 0.01);
            const double start = bar_energy(body);
            int cuts = 0;
            double most = 0;
            for (int i = 0; i < 200; ++i) {
                cuts += step(w).own_cuts;
                most = std::max(most, bar_energy(body) / start);
            }
            std::cout << name << " asked for " << times << " of the stable step: halved " << cuts << " times to "
                      << body.own.step / stable << " of it, energy at most " << most << " of its start\n";
            EXPECT_GT(cuts, 0) << name;
            EXPECT_LT(most, 2 / (1 - 0.81)) << name;  // as in a stable run
        }
}

// Where steps were halved for a while, they grow back.
TEST(Integrator, StepsGrowBack) {
    World w = world_of(bar_of("taylor2"), 0.01);
    FemBody& body = w.fem[0];
    body.own.halvings[0] = 4;
    body.v[0] = {0.01, 0, 0};
    for (int i = 0; i < 20; ++i) step(w);
    EXPECT_EQ(body.own.halvings[0], 0);
}

// Laws, viscosity, damping, plastic flow and grips: all integrators come to hang alike.
TEST(Integrator, AllHangAlike) {
    struct Case {
        const char *name, *law;
        std::vector<double> numbers;
        bool plastic, smoothed;
    };
    const Case cases[] = {{"corotational", nullptr, {}, false, false},
                          {"green with viscosity", "green", {20, 20}, false, false},
                          {"neo_hookean", "neo_hookean", {}, false, false},
                          {"creep", nullptr, {}, true, false},
                          {"smoothed", nullptr, {}, false, true}};
    for (const Case& c : cases) {
        double reference = 0;
        for (const Integrator* integrator : integrators()) {
            FemBodyDesc desc = bar_of(integrator->name, 2e5);
            desc.mesh = bar_mesh(6, 1, 1, {0, 0, 0}, {0.6, 0.1, 0.1});
            desc.solid.mass_damping = 8, desc.solid.stiffness_damping = 2e-3;
            if (c.law) {
                desc.solid.law = material_laws().find(c.law);
                if (!c.numbers.empty()) desc.solid.law_numbers = c.numbers;
            }
            if (c.plastic) {
                desc.plasticity = plasticity_laws().find("creep");
                desc.plastic = {{.yield = 0.01, .rate = 5, .max = 0.05}};
            }
            if (c.smoothed) desc.solid.element = Element::smoothed;
            World w = world_of(std::move(desc), 0.01);
            w.gravity = {0, -2, 0};
            Grip grip;
            grip.pose = [](double) { return Pose{}; };
            for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
                if (w.fem[0].mesh.rest[i].x() < 1e-9) grip.nodes.push_back(i);
            w.grips.push_back(grip);
            for (int i = 0; i < 300; ++i) step(w);
            const double sag = -bounds(w.fem[0]).min.y();
            if (reference == 0) reference = sag;
            std::cout << c.name << ", " << integrator->name << ": lowest at " << -sag << " m\n";
            EXPECT_NEAR(sag, reference, 0.01 * reference) << c.name << " " << integrator->name;
        }
    }
}

// The state that an integrator keeps is saved, and threads change nothing.
TEST(Integrator, SameBitsForThreadsAndResumedRuns) {
    for (const Integrator* integrator : integrators()) {
        const auto make = [&](int threads) {
            FemBodyDesc desc = bar_of(integrator->name, 1e5);
            desc.mesh = bar_mesh(12, 5, 5, {0, 0.02, 0}, {0.6, 0.27, 0.25});
            desc.solve = {};
            desc.solid.stiffness_damping = 1e-4;
            desc.spin = {0, 0, 1};
            World w = world_of(std::move(desc), 0.005, threads);
            w.gravity = {0, -9.81, 0};
            w.props.push_back({.name = "ground",
                               .obstacle = {.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5},
                               .motion = {},
                               .surface = {}});
            return w;
        };
        std::uint64_t hash = 0;
        for (const int threads : {1, 2, 7}) {
            World w = make(threads);
            for (int i = 0; i < 40; ++i) step(w);
            if (threads == 1) hash = state_hash(w);
            EXPECT_EQ(state_hash(w), hash) << integrator->name << " " << threads;
        }
        World a = make(1), b = make(2);
        for (int i = 0; i < 17; ++i) step(a);
        ByteWriter out;
        save_state(a, out);
        const std::string saved = out.take();
        ByteReader in(saved, "the test");
        load_state(b, in);
        for (int i = 17; i < 40; ++i) step(b);
        EXPECT_EQ(state_hash(b), hash) << integrator->name;
    }
}

}  // namespace
}  // namespace pliant
