// The body of CONTRIBUTING.md does what its page asks of a body.

#include "world/falling_body.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

FallingBody falling_block() {
    FallingBodyDesc desc;
    desc.mesh = bar_mesh(2, 1, 1, Vec3::Zero(), Vec3(0.2, 0.1, 0.1));
    desc.velocity = Vec3(1, 2, 0);
    return make_falling_body(std::move(desc));
}

std::uint64_t hash_of(const FallingBody& body) {
    Hash hash;
    hash_state(body, hash);
    return hash.digest();
}

TEST(FallingBody, FallsAsFarAsItShould) {
    Threads threads(1);
    FallingBody body = falling_block();
    EXPECT_NEAR(mass(body), 2, 1e-12);
    const Vec3 gravity(0, -9.81, 0), start = center_of_mass(body);
    for (int i = 0; i < 100; ++i) fall(body, gravity, 0.01, threads);
    const Vec3 exact = start + Vec3(1, 2 - 9.81 / 2, 0);
    std::printf("centre of mass off by %.1e m after 1 s\n", (center_of_mass(body) - exact).norm());
    EXPECT_LT((center_of_mass(body) - exact).norm(), 1e-12);
    EXPECT_LT((momentum(body) - 2 * Vec3(1, 2 - 9.81, 0)).norm(), 1e-12);
    EXPECT_NEAR(volume(body), 0.002, 1e-15);
    EXPECT_LT((bounds(body).center() - center_of_mass(body)).norm(), 1e-12) << "the seen surface goes along";
}

TEST(FallingBody, GoesOnFromASavedState) {
    Threads threads(2);
    FallingBody whole = falling_block(), resumed = falling_block();
    const Vec3 gravity(0, -9.81, 0);
    for (int i = 0; i < 10; ++i) fall(whole, gravity, 0.01, threads);
    ByteWriter out;
    save_state(whole, out);
    ByteReader in(out.bytes());
    load_state(resumed, in);
    in.finish();
    EXPECT_EQ(hash_of(resumed), hash_of(whole));
    for (int i = 0; i < 10; ++i) fall(whole, gravity, 0.01, threads), fall(resumed, gravity, 0.01, threads);
    EXPECT_EQ(hash_of(resumed), hash_of(whole));
    resumed.fallen += 1;
    EXPECT_NE(hash_of(resumed), hash_of(whole)) << "what the list names is hashed";
}

}  // namespace
}  // namespace pliant
