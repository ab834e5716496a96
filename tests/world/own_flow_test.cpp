// Plastic flows through whole steps: one that is not in the list of laws, the multiplicative one with every law, and
// what has flowed before the start.

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

/// A free body that comes to rest within two seconds.
World resting_body(FemBodyDesc desc) {
    World w(1);
    w.dt = 0.02;
    w.gravity.setZero();
    desc.material = {{1e6, 0.3, 1000}};
    desc.plastic = {{.yield = 1e9, .rate = 0, .max = 10}};  // goes no further
    desc.solid.mass_damping = 10;
    w.fem.push_back(make_fem_body(std::move(desc)));
    return w;
}

int node_at(const FemBody& body, const Vec3& rest) {
    for (int i = 0; i < body.mesh.node_count(); ++i)
        if ((body.mesh.rest[i] - rest).norm() < 1e-9) return i;
    CHECK(false, rest.x(), rest.y(), rest.z());
    return -1;
}

// A body whose elements have flowed alike before the start takes their shape, and then nothing strains it.
TEST(LastingShape, AFreeBodyTakesTheOneItWasMadeWith) {
    const Vec3 size(1, 0.4, 0.4), wanted(1.2, 0.9, 1);
    for (const PlasticityLaw& flow : plasticity_laws().entries()) {
        FemBodyDesc desc;
        desc.mesh = bar_mesh(5, 2, 2, Vec3::Zero(), size);
        desc.plasticity = &flow;
        desc.lasting = {wanted.asDiagonal()};
        World w = resting_body(std::move(desc));
        const double before = elastic_energy(w.fem[0]);
        for (int i = 0; i < 200; ++i) step(w);
        // Along the three edges that meet in a corner: it may have turned as a whole.
        const Vec3 corner = w.fem[0].x[node_at(w.fem[0], Vec3::Zero())];
        double off = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 end = w.fem[0].x[node_at(w.fem[0], size[axis] * Vec3::Unit(axis))];
            off = std::max(off, std::abs((end - corner).norm() / size[axis] - wanted[axis]));
        }
        const double after = elastic_energy(w.fem[0]);
        std::printf("%-16s stretches off by %.1e, energy %.3g J at the start, %.3g J at rest\n", flow.name.c_str(), off,
                    before, after);
        EXPECT_LT(off, 1e-5) << flow.name;
        EXPECT_LT(after, 1e-8 * before) << flow.name;
    }
}

// A strip that has grown along itself by g·y, with y across its height, fits together without stress when it is bent to
// the curvature g.
TEST(LastingShape, AStripBendsWhenOneSideHasGrownMore) {
    const double length = 1, height = 0.1, gradient = 0.1;
    for (const char* flow : {"creep", "finite_creep"}) {
        FemBodyDesc desc;
        desc.mesh = bar_mesh(40, 4, 1, Vec3::Zero(), Vec3(length, height, height / 4));
        desc.plasticity = &plasticity_laws().get(flow);
        desc.solid.element = Element::smoothed;
        for (const Tet& tet : desc.mesh.tets) {
            double middle = 0;
            for (int node : tet) middle += desc.mesh.rest[node].y() / 4;
            desc.lasting.emplace_back(Vec3(1 + gradient * (middle - height / 2), 1, 1).asDiagonal());
        }
        World w = resting_body(std::move(desc));
        for (int i = 0; i < 100; ++i) step(w);
        // The middle line becomes a circle: three of its nodes tell the curvature.
        const FemBody& body = w.fem[0];
        const auto at = [&](double x) { return body.x[node_at(body, Vec3(x, height / 2, 0))]; };
        const Vec3 a = at(0.25 * length), b = at(0.5 * length), c = at(0.75 * length);
        const double curvature = 2 * (b - a).cross(c - b).norm() / ((b - a).norm() * (c - b).norm() * (c - a).norm());
        std::printf("%s: curvature %.4f 1/m of %.4f, off by %.2f %%\n", flow, curvature, gradient,
                    100 * (curvature / gradient - 1));
        EXPECT_NEAR(curvature, gradient, 0.02 * gradient);
    }
}

}  // namespace
}  // namespace pliant
