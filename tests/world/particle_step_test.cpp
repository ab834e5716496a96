// Bodies of particles in the world: both integrators, grips, contact, checkpoints.

#include <gtest/gtest.h>

#include <iostream>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

World hanging_beam(ParticleModel model, bool implicit) {
    World w(1);
    w.dt = 0.01;
    ParticleBodyDesc desc;
    desc.structure = structure_of_tets(bar_mesh(10, 2, 2, {0, 0, 0}, {1, 0.2, 0.2}));
    desc.model.model = model;
    desc.implicit = implicit;
    desc.solve = {200, 1e-8};
    desc.mass_damping = 4;
    desc.damping = std::exp(-4 * 1e-4);
    w.particles.push_back(make_particle_body(std::move(desc)));
    Grip grip;
    grip.pose = [](double) { return Pose{}; };
    for (int i = 0; i < w.particles[0].mesh.node_count(); ++i)
        if (w.particles[0].mesh.rest[i].x() < 1e-9) grip.nodes.push_back(i);
    w.grips.push_back(grip);
    return w;
}

double particle_tip(const World& w) { return bounds(w.particles[0]).min.y(); }

// Both ways to integrate end in the same equilibrium, the model's own: the implicit step's matrix is only an estimate.
TEST(ParticleStep, ImplicitAndLeapFrogHangAlike) {
    for (ParticleModel model : {ParticleModel::spring, ParticleModel::cmpm2, ParticleModel::cmpm3}) {
        World a = hanging_beam(model, false), b = hanging_beam(model, true);
        for (int i = 0; i < 300; ++i) step(a), step(b);
        std::cout << "model " << int(model) << ": lowest " << particle_tip(a) << " m with leap-frog, "
                  << particle_tip(b) << " m implicit\n";
        EXPECT_LT(particle_tip(a), -0.01);
        EXPECT_NEAR(particle_tip(b), particle_tip(a), 0.02 * std::abs(particle_tip(a)));
    }
}

// Steps too long for the stiffness: said in words before numbers run out, with what to do.
TEST(ParticleStep, ExplosionsAreNamed) {
    for (ParticleModel model : {ParticleModel::spring, ParticleModel::cmpm2, ParticleModel::cmpm3}) {
        World w = hanging_beam(model, false);
        w.particles[0].name = "beam", w.particles[0].step = 0.01;
        try {
            for (int i = 0; i < 300; ++i) step(w);
            ADD_FAILURE() << "model " << int(model) << " did not explode";
        } catch (const UserError& error) {
            std::cout << error.what() << "\n";
            EXPECT_NE(error.message().find("body 'beam' exploded at t = "), std::string::npos) << error.message();
            EXPECT_NE(error.remedy().find("leap_frog { dt }"), std::string::npos) << error.remedy();
        }
        for (const Vec3& x : w.particles[0].x) EXPECT_TRUE(x.allFinite());
    }
}

World block_on_ground(ParticleModel model, double start, double damping) {
    World w(1);
    w.dt = 0.005;
    ParticleBodyDesc desc;
    desc.structure = structure_of_tets(bar_mesh(4, 1, 3, {0, start, 0}, {0.4, start + 0.1, 0.3}));
    desc.model.model = model;
    desc.damping = damping, desc.mass_damping = (1 - damping) / desc.step;
    desc.friction = 0.5;
    w.particles.push_back(make_particle_body(std::move(desc)));
    w.props.push_back({.name = "ground",
                       .obstacle = {.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5},
                       .motion = {},
                       .surface = {}});
    return w;
}

TEST(ParticleStep, FallsOnTheGroundAndRests) {
    for (bool implicit : {false, true}) {
        World w(1);
        w.dt = 0.005;
        ParticleBodyDesc desc;
        desc.structure = structure_of_tets(bar_mesh(3, 3, 3, {0, 0.1, 0}, {0.5, 0.6, 0.5}));
        desc.model.model = ParticleModel::cmpm3;
        desc.implicit = implicit;
        desc.damping = 0.9995, desc.mass_damping = 2;
        w.particles.push_back(make_particle_body(std::move(desc)));
        w.props.push_back({.name = "ground",
                           .obstacle = {.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5},
                           .motion = {},
                           .surface = {}});
        for (int i = 0; i < 400; ++i) step(w);
        const Box box = bounds(w.particles[0]);
        std::cout << (implicit ? "implicit" : "leap-frog") << ": rests at " << box.min.y() << " m, speed "
                  << max_speed(w.particles[0]) << " m/s\n";
        EXPECT_NEAR(box.min.y(), 0, 0.02);
        EXPECT_GT(box.max.y(), 0.45);
        // Its own swings after the fall die away as exp(-2.5 t) with this damping: 0.6 m/s to 4 mm/s.
        EXPECT_LT(max_speed(w.particles[0]), implicit ? 1e-3 : 0.01);
    }
}

// What lies still moves by less than a tenth of the speed that gravity gives in a single one of its steps.
TEST(ParticleStep, LeapFrogBodiesRestOnTheGround) {
    for (ParticleModel model : {ParticleModel::spring, ParticleModel::cmpm2, ParticleModel::cmpm3}) {
        World w = block_on_ground(model, 0, 0.999);
        for (int i = 0; i < 400; ++i) step(w);
        const ParticleBody& body = w.particles[0];
        const double one_step = 9.81 * body.step;
        double pushed = 0;
        for (const ContactImpulse& hit : w.contact.impulses()) pushed += hit.impulse / w.dt;
        std::cout << "model " << int(model) << ": speed " << max_speed(body) / one_step
                  << " of what one step of gravity gives, the ground bears " << pushed / (9.81 * mass(body))
                  << " of the weight\n";
        EXPECT_LT(max_speed(body), 0.1 * one_step);
        EXPECT_NEAR(pushed, 9.81 * mass(body), 1e-3 * 9.81 * mass(body));
    }
}

// On a slope of angle a (gravity leans instead) a sliding block gains g (sin a − μ cos a), and one that lies still
// stays where tan a < μ. Damping brakes it too, by the rate c: dv/dt = a − c v. Where parts of the base
// swing back faster than the block slides, they are rubbed the other way for a while, and all of it less than μ times
// its load.
TEST(ParticleStep, LeapFrogBodiesSlideAndStickByCoulombsLaw) {
    const double mu = 0.5, g = 9.81;
    auto tilt = [&](World& w, double a) { w.gravity = g * Vec3(std::sin(a), -std::cos(a), 0); };
    auto speed = [](const World& w) { return momentum(w.particles[0]).x() / mass(w.particles[0]); };
    const double degree = std::acos(-1.0) / 180;
    for (ParticleModel model : {ParticleModel::spring, ParticleModel::cmpm2, ParticleModel::cmpm3}) {
        for (double degrees : {40.0, 50.0}) {
            World w = block_on_ground(model, 0, 0.9992);
            const double c = -std::log(0.9992) / w.particles[0].step;
            tilt(w, degrees * degree);
            for (int i = 0; i < 120; ++i) step(w);
            const double v = speed(w), x = center_of_mass(w.particles[0]).x();
            for (int i = 0; i < 120; ++i) step(w);
            const double way = center_of_mass(w.particles[0]).x() - x;
            const double found = (speed(w) - v + c * way) / (120 * w.dt);
            const double expected = g * (std::sin(degrees * degree) - mu * std::cos(degrees * degree));
            std::cout << "model " << int(model) << ", " << degrees << " degrees: " << found << " m/s², expected "
                      << expected << "\n";
            EXPECT_NEAR(found, expected, 0.02 * std::abs(expected));
        }
        World w = block_on_ground(model, 0, 0.998);
        tilt(w, 22 * degree);
        for (int i = 0; i < 80; ++i) step(w);
        const double x = bounds(w.particles[0]).min.x();
        for (int i = 0; i < 40; ++i) step(w);
        const double crept = bounds(w.particles[0]).min.x() - x;
        std::cout << "model " << int(model) << ", 22 degrees: creeps " << crept << " m in 0.2 s\n";
        EXPECT_LT(std::abs(crept), 1e-5);
    }
}

// A soft cube hits a stiff one: what one loses the other gains.
TEST(ParticleStep, BodiesThatCollideKeepTheirMomentum) {
    World w(1);
    w.dt = 0.005;
    w.gravity.setZero();
    for (int i = 0; i < 2; ++i) {
        ParticleBodyDesc desc;
        desc.name = i ? "stiff" : "soft";
        desc.structure =
            structure_of_tets(bar_mesh(3, 3, 3, Vec3(0.55 * i, 0.03 * i, 0), Vec3(0.55 * i + 0.5, 0.5, 0.5)));
        desc.material = {{.young = i ? 1e7 : 1e6, .poisson = 0.3, .density = i ? 400.0 : 1000.0}};
        desc.model.model = ParticleModel::cmpm3;
        desc.velocity = {i ? 0.0 : 2.0, 0, 0};
        w.particles.push_back(make_particle_body(std::move(desc)));
    }
    const Vec3 before = momentum(w.particles[0]);
    const double energy = kinetic_energy(w.particles[0]);
    for (int i = 0; i < 80; ++i) step(w);
    const Vec3 a = momentum(w.particles[0]), b = momentum(w.particles[1]);
    const double after = kinetic_energy(w.particles[0]) + kinetic_energy(w.particles[1]);
    std::cout << "momentum " << a.x() << " + " << b.x() << " of " << before.x() << " kg m/s, kinetic energy " << after
              << " of " << energy << " J\n";
    EXPECT_LT((a + b - before).norm(), 1e-6 * before.norm());
    EXPECT_GT(b.x(), 0.2 * before.x());
    EXPECT_LT(after, energy);
}

TEST(ParticleStep, GoesOnFromACheckpointWithTheSameBits) {
    for (bool implicit : {false, true}) {
        World a = hanging_beam(ParticleModel::cmpm3, implicit), b = hanging_beam(ParticleModel::cmpm3, implicit);
        for (int i = 0; i < 10; ++i) step(a);
        ByteWriter out;
        save_state(a, out);
        const std::string bytes = out.take();
        for (int i = 0; i < 10; ++i) step(a);
        ByteReader in(bytes, "test");
        load_state(b, in);
        for (int i = 0; i < 10; ++i) step(b);
        EXPECT_EQ(state_hash(a), state_hash(b));
    }
}

// A FEM body whose top is pushed down along one axis only: the axis is kept, the volume is kept, the rest is free.
TEST(ParticleStep, FemBodyHeldAlongOneAxisKeepsItsVolume) {
    World w(1);
    w.dt = 0.01;
    w.gravity.setZero();
    FemBodyDesc desc;
    desc.mesh = bar_mesh(3, 3, 3, {0, 0, 0}, {1, 1, 1});
    desc.material = {{3e6, 0.1, 1200}};
    desc.solid.mass_damping = 5;
    desc.solve = {200, 1e-9};
    desc.keeps_volume = VolumeConstraintOptions{.newton = 3};
    w.fem.push_back(make_fem_body(std::move(desc)));
    for (int side = 0; side < 2; ++side) {
        Grip grip;
        grip.axis = 1;
        grip.pose = [side](double t) { return Pose{Quat::Identity(), Vec3(0, side ? -0.4 * t : 0, 0)}; };
        for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
            if (std::abs(w.fem[0].mesh.rest[i].y() - side) < 1e-9) grip.nodes.push_back(i);
        w.grips.push_back(grip);
    }
    double drift = 0;
    for (int i = 0; i < 50; ++i) {
        step(w);
        drift = std::max(drift, std::abs(total_volume(w.fem[0].x, w.fem[0].mesh.tets) - 1));
    }
    const Box box = bounds(w.fem[0]);
    std::cout << "volume drift " << drift << ", height " << box.max.y() - box.min.y() << ", width "
              << box.max.x() - box.min.x() << "\n";
    EXPECT_LT(drift, 1e-6);
    EXPECT_NEAR(box.max.y() - box.min.y(), 0.8, 1e-4);
    EXPECT_GT(box.max.x() - box.min.x(), 1.08);
    const Flux flux = flux_through(w.fem[0], 1, 0.4);
    std::cout << "force through the middle " << flux.elastic.transpose() << "\n";
    EXPECT_LT(flux.elastic.y(), -1e5);
}

}  // namespace
}  // namespace pliant
