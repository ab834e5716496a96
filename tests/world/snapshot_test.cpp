// What pictures of a world hold: stresses against Hooke's law, connectivity that is shared while it stays the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "pliant/core/bytes.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

constexpr double young = 1e5, poisson = 0.3;

World shown_block() {
    World w(1);
    FemBodyDesc desc;
    desc.name = "block";
    desc.mesh = bar_mesh(2, 2, 2, {0, 0, 0}, {0.4, 0.4, 0.4});
    desc.material = {ElementMaterial{young, poisson, 1000}};
    w.fem.push_back(make_fem_body(std::move(desc)));
    return w;
}

const Field& field(const Frame& frame, const std::string& name) {
    const auto& fields = frame.bodies[0].fields;
    return *std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
}

// σ = λ tr ε + 2 μ ε for even strains without rotation; its greatest principal value by hand.
TEST(Snapshot, TheLargestPrincipalStressIsThatOfHookesLaw) {
    const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
    struct Case {
        Vec3 stretch;
        double shear;  ///< ε_xy
    };
    double worst = 0;
    for (const Case& c : {Case{{1e-3, 0, 0}, 0}, Case{{-2e-3, -1e-3, -3e-3}, 0}, Case{{1e-3, 1e-3, -1e-3}, 0},
                          Case{{0, 0, 0}, 2e-3}, Case{{1e-3, -2e-3, 5e-4}, 7e-4}, Case{{1e-3, 1e-3, 1e-3}, 0}}) {
        World w = shown_block();
        Mat3 strain = c.stretch.asDiagonal();
        strain(0, 1) = strain(1, 0) = c.shear;
        for (Vec3& x : w.fem[0].x) x += strain * x;
        const Frame frame = snapshot(w, 0);
        const double middle = 0.5 * (c.stretch[0] + c.stretch[1]);
        const double reach = std::hypot(0.5 * (c.stretch[0] - c.stretch[1]), c.shear);
        const double expected = lambda * c.stretch.sum() + 2 * mu * std::max(middle + reach, c.stretch[2]);
        for (float value : field(frame, "principal_stress").values)
            worst = std::max(worst, std::abs(value - expected) / (young * 1e-3));
    }
    std::cout << "off by at most " << worst << " of a typical stress\n";
    EXPECT_LT(worst, 1e-5);
}

TEST(Snapshot, FramesShareWhatDoesNotChange) {
    World w = shown_block();
    const Frame first = snapshot(w, 0);
    step(w);
    const Frame second = snapshot(w, 1);
    EXPECT_EQ(first.bodies[0].triangles, second.bodies[0].triangles);
    EXPECT_EQ(first.bodies[0].tets, second.bodies[0].tets);
    EXPECT_EQ(*second.bodies[0].tets, w.fem[0].mesh.tets);
    // Another state may have other connectivity with the same revision.
    ByteWriter out;
    save_state(w, out);
    const std::string bytes = out.take();
    ByteReader in(bytes);
    load_state(w, in);
    EXPECT_NE(snapshot(w, 2).bodies[0].tets, second.bodies[0].tets);
    // A body that breaks shows its new connectivity, and older frames keep theirs.
    std::swap(w.fem[0].mesh.tets[0], w.fem[0].mesh.tets[1]);
    ++w.fem[0].mesh.revision;
    EXPECT_EQ(*snapshot(w, 3).bodies[0].tets, w.fem[0].mesh.tets);
    EXPECT_NE(*second.bodies[0].tets, w.fem[0].mesh.tets);
}

}  // namespace
}  // namespace pliant
