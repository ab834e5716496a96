#include "pliant/mesh/mesh_edit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

std::vector<double> lumped(const TetMesh& mesh, const std::vector<double>& density) {
    std::vector<double> mass(mesh.rest.size(), 0);
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int n : mesh.tets[t]) mass[n] += density[t] * signed_volume(mesh.rest, mesh.tets[t]) / 4;
    return mass;
}

Vec3 momentum(const std::vector<double>& mass, const std::vector<Vec3>& v) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < mass.size(); ++i) sum += mass[i] * v[i];
    return sum;
}

struct Body {
    TetMesh mesh = bar_mesh(2, 2, 2, Vec3(0, 0, 0), Vec3(1, 1, 1));
    std::vector<double> density;
    std::vector<Vec3> v;

    Body() {
        for (int t = 0; t < mesh.tet_count(); ++t) density.push_back(1000 + 10 * t), mesh.region.push_back(t % 3);
        for (const Vec3& p : mesh.rest) v.emplace_back(std::sin(7 * p[0]), p[1] * p[2], std::cos(5 * p[2]));
    }
    void edit(const MeshEdit& e) {
        apply(mesh, e);
        follow_nodes(v, e);
        follow_tets(density, e);
    }
};

TEST(MeshEdit, SplittingNodesKeepsMassAndMomentum) {
    Body b;
    const std::vector<double> mass_before = lumped(b.mesh, b.density);
    const Vec3 before = momentum(mass_before, b.v);
    const int nodes = b.mesh.node_count();
    MeshEdit edit;
    for (int node : {13, 4}) {  // the middle of the box and of a side: several tets are re-linked twice
        std::vector<int> around, group;
        for (int t = 0; t < b.mesh.tet_count(); ++t) {
            const Tet& tet = b.mesh.tets[t];
            if (std::find(tet.begin(), tet.end(), node) == tet.end()) continue;
            around.push_back(t);
            group.push_back(static_cast<int>(around.size()) % 3);
        }
        split_node(edit, b.mesh, node, around, group);
    }
    b.edit(edit);
    EXPECT_EQ(b.mesh.revision, 1u);
    EXPECT_EQ(b.mesh.node_count(), nodes + 4);
    EXPECT_EQ(b.v[nodes], b.v[13]);
    EXPECT_EQ(b.mesh.rest[nodes + 3], b.mesh.rest[4]);
    EXPECT_NEAR(total_volume(b.mesh.rest, b.mesh.tets), 1, 1e-14);
    const std::vector<double> mass = lumped(b.mesh, b.density);
    EXPECT_NEAR(mass[13] + mass[nodes] + mass[nodes + 1], mass_before[13], 1e-12 * mass_before[13]);
    EXPECT_GT(mass[nodes], 0);
    const double error = (momentum(mass, b.v) - before).norm() / before.norm();
    std::printf("  momentum error %.1e\n", error);
    EXPECT_LT(error, 1e-14);
}

TEST(MeshEdit, CuttingATetByABlendKeepsMassAndMomentum) {
    Body b;
    const int nodes = b.mesh.node_count(), tets = b.mesh.tet_count();
    double mass_before = 0;
    for (double m : lumped(b.mesh, b.density)) mass_before += m;
    const Vec3 before = momentum(lumped(b.mesh, b.density), b.v);
    // A point inside tet 5 replaces it by four.
    const Tet old = b.mesh.tets[5];
    const double w[4] = {0.1, 0.2, 0.3, 0.4};
    MeshEdit edit;
    edit.new_nodes.push_back({});
    for (int i = 0; i < 4; ++i) {
        edit.new_nodes[0].parents.push_back({old[i], w[i]});
        Tet part = old;
        part[i] = nodes;
        edit.new_tets.push_back({part, {{5, 1.0}}});
    }
    edit.removed_tets = {5};
    const int region_6 = b.mesh.region[6], region_5 = b.mesh.region[5];
    b.edit(edit);
    EXPECT_EQ(b.mesh.tet_count(), tets + 3);
    EXPECT_EQ(b.density.size(), b.mesh.tets.size());
    EXPECT_EQ(b.mesh.region[5], region_6);
    EXPECT_EQ(b.mesh.region.back(), region_5);
    EXPECT_EQ(b.density.back(), 1050);
    EXPECT_NEAR(signed_volume(b.mesh.rest, b.mesh.tets.back()), 0.4 / 48, 1e-15);
    const std::vector<double> mass = lumped(b.mesh, b.density);
    double total = 0;
    for (double m : mass) total += m;
    EXPECT_NEAR(total, mass_before, 1e-12 * mass_before);
    EXPECT_LT((momentum(mass, b.v) - before).norm(), 1e-13 * before.norm());
}

TEST(MeshEdit, NumbersTakeTheHeaviestParentAndOthersBlend) {
    const std::vector<int> label{7, 8, 9};
    const std::vector<double> heat{1, 2, 4};
    EXPECT_EQ(inherited(label, {{0, 0.2}, {2, 0.5}, {1, 0.3}}), 9);
    EXPECT_EQ(inherited(label, {{1, 0.5}, {0, 0.5}}), 8);
    EXPECT_DOUBLE_EQ(inherited(heat, {{0, 0.25}, {2, 0.75}}), 3.25);
}

TEST(MeshEdit, MistakesChangeNothing) {
    Body b;
    const TetMesh before = b.mesh;
    const auto refused = [&](const MeshEdit& edit) {
        EXPECT_THROW(apply(b.mesh, edit), InternalError);
        EXPECT_EQ(b.mesh.tets, before.tets);
        EXPECT_EQ(b.mesh.rest.size(), before.rest.size());
        EXPECT_EQ(b.mesh.revision, before.revision);
    };
    MeshEdit edit;
    edit.relinked = {{0, {0, 1, 2, 999}}};
    refused(edit);
    edit = {};
    edit.new_nodes.push_back({{{0, 0.5}, {1, 0.4}}});
    refused(edit);
    edit = {};
    edit.removed_tets = {4, 3};
    refused(edit);
    edit = {};
    edit.new_tets.push_back({{0, 1, 1, 2}, {{0, 1.0}}});
    refused(edit);
    apply(b.mesh, {});
    EXPECT_EQ(b.mesh.revision, before.revision);
}

}  // namespace
}  // namespace pliant
