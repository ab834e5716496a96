// Numbers that become others while the world runs.

#include <gtest/gtest.h>

#include <iostream>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/knobs.hpp"

namespace pliant {
namespace {

/// A bar that lies on the ground, of elements and of particles, which become softer on the way.
World softening_bars() {
    World w(1);
    FemBodyDesc fem;
    fem.name = "fem";
    fem.mesh = bar_mesh(4, 2, 2, {0, 0, 0}, {0.4, 0.2, 0.2});
    fem.material = {ElementMaterial{1e5, 0.3, 1000}};
    w.fem.push_back(make_fem_body(std::move(fem)));
    ParticleBodyDesc particles;
    particles.name = "particles";
    particles.structure = structure_of_tets(bar_mesh(4, 2, 2, {1, 0, 0}, {1.4, 0.2, 0.2}));
    particles.material = {ParticleMaterial{.young = 1e5, .shear = 4e4}};
    particles.model.model = ParticleModel::cmpm2;
    particles.implicit = true;
    w.particles.push_back(make_particle_body(std::move(particles)));
    w.props.push_back({.name = "ground",
                       .obstacle = {.shape = ground_obstacle(0), .start = {}, .end = {}, .friction = 0.5},
                       .motion = {},
                       .surface = {}});
    w.parameter_changes = {
        {0.105, "fem", "young", 2e4}, {0.105, "particles", "young", 2e4}, {0.255, "", "gravity", 20}};
    return w;
}

TEST(Turns, HoldFromTheFirstStepThatEndsThenOrLater) {
    World w = softening_bars();
    for (int i = 0; i < 10; ++i) step(w);
    EXPECT_EQ(w.changes_done, 0u);
    EXPECT_EQ(w.fem[0].material[0].young, 1e5);
    step(w);
    EXPECT_EQ(w.changes_done, 2u);
    EXPECT_NEAR(w.fem[0].material[0].young, 2e4, 1e-9);
    EXPECT_NEAR(w.particles[0].material[0].shear, 8e3, 1e-9);
    for (int i = 0; i < 20; ++i) step(w);
    EXPECT_NEAR(w.gravity.norm(), 20, 1e-12);
}

TEST(Turns, AResumedWorldHasMadeThem) {
    World whole = softening_bars();
    for (int i = 0; i < 40; ++i) step(whole);
    for (int till : {5, 11, 20, 30}) {
        World first = softening_bars(), second = softening_bars();
        for (int i = 0; i < till; ++i) step(first);
        ByteWriter out;
        save_state(first, out);
        ByteReader in(out.bytes());
        load_state(second, in);
        EXPECT_EQ(second.changes_done, first.changes_done);
        for (int i = till; i < 40; ++i) step(second);
        EXPECT_EQ(state_hash(second), state_hash(whole)) << "resumed after " << till << " steps";
    }
}

}  // namespace
}  // namespace pliant
