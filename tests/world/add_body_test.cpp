// Bodies that join a world: numbers go by kind, and whatever names a body by its number follows.

#include <gtest/gtest.h>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {
namespace {

TetMesh small_bar(double x) { return bar_mesh(2, 1, 1, Vec3(x, 0, 0), Vec3(x + 0.2, 0.1, 0.1)); }

ModalBody named_modal(const std::string& name, double x) {
    ModalBodyDesc desc;
    desc.name = name;
    desc.mesh = small_bar(x);
    desc.material = {{1e6, 0.3, 1000}};
    desc.modes = 3;
    Threads one(1);
    return make_modal_body(std::move(desc), one);
}

FemBody named_fem(const std::string& name, double x) {
    FemBodyDesc desc;
    desc.name = name;
    desc.mesh = small_bar(x);
    return make_fem_body(std::move(desc));
}

TEST(AddBody, WhatHoldsABodyFollowsItsNumber) {
    World w(1);
    w.gravity.setZero();
    const int chime = add_body(w, named_modal("chime", 0));
    EXPECT_EQ(chime, 0);
    w.grips.push_back({chime, {0}, [](double) { return Pose{}; }, {}});
    record_contacts(w, chime);
    EXPECT_EQ(add_body(w, named_fem("jelly", 1)), 0) << "FEM bodies have the first numbers";
    EXPECT_EQ(add_body(w, named_fem("dough", 2)), 1);
    EXPECT_EQ(body_name(w, 0), "jelly");
    EXPECT_EQ(body_name(w, 2), "chime");
    ASSERT_EQ(w.grips[0].body, 2);
    ASSERT_EQ(w.recorded.size(), 3u);
    EXPECT_EQ(w.recorded[2], 1);
    EXPECT_EQ(w.recorded[0] + w.recorded[1], 0);
    const Frame before = snapshot(w, 0);
    EXPECT_EQ(before.bodies.size(), 3u);
    add_body(w, named_modal("bell", 3));
    for (int i = 0; i < 3; ++i) step(w);
    const Frame after = snapshot(w, 1);
    ASSERT_EQ(after.bodies.size(), 4u);
    for (std::size_t b = 0; b < 4; ++b) {
        ASSERT_TRUE(after.bodies[b].carriers) << b;
        EXPECT_EQ(after.bodies[b].carriers->size(), after.bodies[b].points.size()) << b;
    }
    EXPECT_EQ(after.bodies[3].name, "bell");
}

}  // namespace
}  // namespace pliant
