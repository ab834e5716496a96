// Plastic flows through whole steps: one that is not in the list of laws, and the multiplicative one with every law.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <cstdio>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/world/edit_mesh.hpp"
#include "pliant/world/world.hpp"

namespace pliant {
namespace {

/// A bar that is held at one end and hangs down.
World hanging_bar(const PlasticityLaw& flow, const MaterialLaw& law, int threads) {
    World w(threads);
    FemBodyDesc desc;
    desc.name = "bar";
    desc.mesh = bar_mesh(2, 6, 2, Vec3(0, -0.6, 0), Vec3(0.2, 0, 0.2));
    desc.material = {{2e5, 0.4, 1000}};
    desc.solid.law = &law;
    desc.plasticity = &flow;
    desc.plastic = {{0.01, 5, 1}};
    w.fem.push_back(make_fem_body(std::move(desc)));
    Grip grip{0, {}, [](double) { return Pose{}; }, {}};
    for (int i = 0; i < w.fem[0].mesh.node_count(); ++i)
        if (w.fem[0].mesh.rest[i].y() == 0) grip.nodes.push_back(i);
    w.grips.push_back(grip);
    return w;
}

double length_of(const World& w) { return bounds(w.fem[0]).size().y(); }

// All that a flow needs: a function, and a line that names it.
void give_way_at_once(const PlasticNumbers& numbers, const Mat3& elastic, double, Mat3& plastic) {
    if ((elastic.transpose() * elastic - Mat3::Identity()).norm() < 2 * numbers.yield) return;
    plastic = elastic * plastic;
    plastic /= std::cbrt(plastic.determinant());
}
const PlasticityLaw at_once{.name = "at_once", .doc = "keeps every shape it gets", .finite_flow = give_way_at_once};

TEST(OwnFlow, AFunctionAndALineMakeAFlow) {
    World w = hanging_bar(at_once, material_laws().get("corotational"), 1);
    for (int i = 0; i < 20; ++i) step(w);
    std::printf("hangs down %.3f m, lasting strain %.3f\n", length_of(w), mean_plastic_strain(w.fem[0]));
    EXPECT_GT(mean_plastic_strain(w.fem[0]), 0.01);
    ASSERT_TRUE(!first_nonfinite(w.fem[0]));
}

// Under its weight the bar grows by flow that no elastic law stops; volumes of shapes stay, bits do not depend on
// threads, and a state that is loaded goes on alike.
TEST(OwnFlow, FiniteCreepGoesWithEveryLaw) {
    const PlasticityLaw& flow = plasticity_laws().get("finite_creep");
    for (const MaterialLaw& law : material_laws().entries()) {
        std::uint64_t hash = 0;
        double grown = 0, off = 0;
        for (int threads : {1, 2, 7}) {
            World w = hanging_bar(flow, law, threads);
            for (int i = 0; i < 30; ++i) step(w);
            ByteWriter out;
            save_state(w, out);
            World again = hanging_bar(flow, law, 1);
            ByteReader in(out.bytes());
            load_state(again, in);
            for (int i = 0; i < 10; ++i) step(w), step(again);
            ASSERT_TRUE(!first_nonfinite(w.fem[0])) << law.name;
            EXPECT_EQ(state_hash(w), state_hash(again)) << law.name << ", " << threads << " threads";
            if (threads == 1) hash = state_hash(w);
            EXPECT_EQ(state_hash(w), hash) << law.name << ", " << threads << " threads";
            grown = length_of(w) / 0.6;
            for (const Mat3& shape : w.fem[0].plastic_deformation)
                off = std::max(off, std::abs(shape.determinant() - 1));
        }
        std::printf("%-13s %.4f times as long, lasting volumes off by %.1e\n", law.name.c_str(), grown, off);
        EXPECT_GT(grown, 1.01) << law.name;
        EXPECT_LT(off, 1e-12) << law.name;
    }
}

// What has flowed follows an edit: the tet is as free of stress as before.
TEST(OwnFlow, LastingShapesFollowAnEdit) {
    World w = hanging_bar(plasticity_laws().get("finite_creep"), material_laws().get("neo_hookean"), 1);
    for (int i = 0; i < 30; ++i) step(w);
    const FemBody& body = w.fem[0];
    const double energy = elastic_energy(body), lasting = mean_plastic_strain(body);
    MeshEdit edit;
    const Tet tet = body.mesh.tets[20];
    edit.new_nodes = {{{{tet[0], 0.25}, {tet[1], 0.25}, {tet[2], 0.25}, {tet[3], 0.25}}}};
    edit.removed_tets = {20};
    for (int k = 0; k < 4; ++k) {
        Tet part = tet;
        part[k] = body.mesh.node_count();
        edit.new_tets.push_back({part, {{20, 1.0}}});
    }
    edit_mesh(w, 0, edit);
    std::printf("energy %.6e J, then %.6e J\n", energy, elastic_energy(body));
    EXPECT_NEAR(elastic_energy(body), energy, 1e-10 * energy);
    EXPECT_NEAR(mean_plastic_strain(body), lasting, 1e-12);
}

}  // namespace
}  // namespace pliant
