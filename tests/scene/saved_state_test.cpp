// What a checkpoint holds, for every kind of body: whatever is saved is part of the hash, and what is saved is enough
// to go on to the same bits. Both look at the saved bytes alone, so an array that a list forgets is missed here.

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "pliant/core/bytes.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

/// A small block of a kind that falls to the ground, or on the body of the same world before it.
BodyDesc block(const char* name, const char* kind, double height) {
    BodyDesc body;
    body.name = name;
    body.kind = kind;
    body.surface.shape = box_shape(Vec3(0.2, 0.1, 0.2));
    body.surface.edge = 0.1;
    body.volume.kind = VolumeDesc::Kind::grid;
    body.volume.cells = {2, 1, 2};
    body.material.numbers = {.young = 1e5, .poisson = 0.3, .density = 1000};
    body.pose.translation = {0, height, 0};
    body.velocity = {0.3, -1, 0};
    body.spin = {0, 0.2, 0.1};
    return body;
}

SceneDesc scene_of(std::vector<BodyDesc> bodies) {
    SceneDesc scene;
    scene.file = "saved";
    scene.world = {.dt = 0.005, .duration = 0.1, .fps = 50};
    scene.bodies = std::move(bodies);
    scene.planes.push_back({.name = "ground"});
    return scene;
}

struct Case {
    const char* name;
    SceneDesc (*scene)();
};

SceneDesc flowing() {
    BodyDesc body = block("block", "fem", 0.052);
    body.material.plasticity = PlasticityDesc{.law = "finite_creep", .numbers = {.yield = 1e-4, .rate = 20, .max = 1}};
    body.material.elasticity = "neo_hookean";
    return scene_of({body});
}

SceneDesc creeping_in_heat() {
    BodyDesc body = block("block", "fem", 0.052);
    body.material.plasticity = PlasticityDesc{.law = "creep", .numbers = {.yield = 1e-4, .rate = 20, .max = 1}};
    body.material.heat.emplace();
    SceneDesc scene = scene_of({body});
    scene.heat_sources.push_back({.at = [](double) { return Vec3(0, 0.1, 0); }});
    return scene;
}

SceneDesc breaking() {
    BodyDesc body = block("block", "fem", 0.052);
    body.volume.cells = {1, 1, 1};
    body.material.fracture = MaterialFractureDesc{.strength = 10};
    return scene_of({body});
}

SceneDesc remembering() {
    BodyDesc body = block("block", "fem", 1);  // bdf2 remembers while nothing may touch it
    body.integrator.kind = "bdf2";
    return scene_of({body});
}

SceneDesc explicit_steps() {
    BodyDesc body = block("block", "fem", 0.052);
    body.integrator.kind = "symplectic_euler";
    body.integrator.step = 0;
    return scene_of({body});
}

SceneDesc particles() { return scene_of({block("block", "particle", 0.052)}); }

SceneDesc modes() {
    BodyDesc body = block("block", "modal", 0.052);
    body.modal.modes = 6;
    return scene_of({body});
}

SceneDesc shell() {
    BodyDesc body = block("sheet", "shell", 0.052);
    body.shell.crease_yield = 1e-5;
    return scene_of({body});
}

SceneDesc stones() { return scene_of({block("stone", "rigid", 0.052), block("block", "fem", 0.155)}); }

const Case cases[] = {{"flowing", flowing},
                      {"creeping_in_heat", creeping_in_heat},
                      {"breaking", breaking},
                      {"remembering", remembering},
                      {"explicit", explicit_steps},
                      {"particles", particles},
                      {"modes", modes},
                      {"shell", shell},
                      {"stones", stones}};

class SavedState : public testing::TestWithParam<Case> {
protected:
    std::unique_ptr<World> fresh() const { return build_world(scene, 1); }
    static void go_on(World& w, int steps) {
        for (int i = 0; i < steps; ++i) step(w);
    }
    static std::string saved(const World& w) {
        ByteWriter out;
        save_state(w, out);
        return out.take();
    }
    SceneDesc scene = GetParam().scene();
};

TEST_P(SavedState, IsEnoughToGoOnToTheSameBits) {
    const auto first = fresh();
    go_on(*first, 12);
    const auto second = fresh();
    const std::string bytes = saved(*first);
    ByteReader reader(bytes);
    load_state(*second, reader);
    reader.finish();
    EXPECT_EQ(state_hash(*second), state_hash(*first));
    go_on(*first, 5), go_on(*second, 5);
    EXPECT_EQ(state_hash(*second), state_hash(*first));
}

// One bit of each eight bytes. A state that no longer fits is refused.
TEST_P(SavedState, EveryNumberThatIsSavedIsInTheHash) {
    const auto world = fresh();
    go_on(*world, 12);
    const std::string bytes = saved(*world);
    const std::uint64_t hash = state_hash(*world);
    // Not hashed, as it does not determine the future: what was booked, and how and what is known of each body.
    const std::size_t bodies = world->fem.size() + static_cast<std::size_t>(solved_count(*world));
    const std::size_t booked = sizeof world->steps, after = booked + sizeof world->ledger + 8 * bodies;
    int changed = 0, refused = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        if (at >= booked && at < after) continue;
        std::string other = bytes;
        other[at] ^= 1;
        const auto copy = fresh();
        try {
            ByteReader in(other);
            load_state(*copy, in);
            in.finish();
        } catch (const UserError&) {
            ++refused;
            continue;
        }
        ++changed;
        EXPECT_NE(state_hash(*copy), hash) << "byte " << at << " of " << bytes.size();
    }
    std::printf("%zu bytes: %d numbers changed the hash, %d were refused\n", bytes.size(), changed, refused);
    EXPECT_GT(changed, 20);
}

INSTANTIATE_TEST_SUITE_P(, SavedState, testing::ValuesIn(cases), [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace pliant
