// The figures of Molino, Bao & Fedkiw 2004 that show how meshes come apart. Cuts are given by numbers at the nodes.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cut_mesh.hpp"

namespace pliant {

namespace {

using Values = std::vector<std::int64_t>;

CutSheet level_sets(std::vector<Values> value) {
    CutSheet sheet{.value = std::move(value), .patches = {}};
    for (std::size_t i = 0; i < sheet.value.size(); ++i) sheet.patches.push_back({.function = static_cast<int>(i)});
    return sheet;
}

/// Cuts off a node half way along its edges; `nodes` in all.
Values round_node(int node, int nodes) {
    Values value(static_cast<std::size_t>(nodes), 1);
    value[static_cast<std::size_t>(node)] = -1;
    return value;
}

TetMesh one_tet() {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.tets = {{0, 1, 2, 3}};
    return mesh;
}

/// Two that share the face of nodes 1, 2, 3.
TetMesh two_tets() {
    TetMesh mesh = one_tet();
    mesh.rest.push_back({1, 1, 1});
    mesh.tets.push_back({1, 2, 3, 4});
    orient_tets(mesh);
    return mesh;
}

/// Eight tets round node 0.
TetMesh one_ring() {
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int x : {1, 2})
        for (int y : {3, 4})
            for (int z : {5, 6}) mesh.tets.push_back({0, x, y, z});
    orient_tets(mesh);
    return mesh;
}

int copies_at(const TetMesh& mesh, const Vec3& place) { return static_cast<int>(std::ranges::count(mesh.rest, place)); }

std::vector<double> shares(const CutMesh& body) {
    std::vector<double> out;
    for (int t = 0; t < body.mesh.tet_count(); ++t) out.push_back(body.share(t));
    std::ranges::sort(out);
    return out;
}

}  // namespace

// A subtetrahedron and a prism, each in a tet of its own with four nodes.
TEST(VirtualNodeFigures, Figure2OneTriangleCut) {
    CutMesh body(one_tet());
    body.cut(level_sets({{-1, -1, -1, 3}}));
    EXPECT_EQ(body.mesh.tet_count(), 2);
    EXPECT_EQ(body.mesh.node_count(), 8);
    EXPECT_EQ(body.surface.piece_count(), 2);
    EXPECT_NEAR(shares(body)[0], 27.0 / 64, 1e-15);
    EXPECT_NEAR(shares(body)[1], 37.0 / 64, 1e-15);
    EXPECT_EQ(open_edges(body.surface.surface()), 0);
}

// A crack through one element up to the next: the face between keeps its nodes, three elements share it, and one
// virtual node lets the crack open.
TEST(VirtualNodeFigures, Figure5PartialCut) {
    CutMesh body(two_tets());
    CutSheet sheet{.value = {{-1, 1, -1, -1, -1}, {-1, 0, 0, 0, 1}}, .patches = {}};
    sheet.patches = {{.function = 0, .within = {{.function = 1}}}};
    const CutPlan plan = body.cut(sheet);
    EXPECT_EQ(plan.elements, 1);
    EXPECT_EQ(body.mesh.tet_count(), 3);
    EXPECT_EQ(body.mesh.node_count(), 6);
    EXPECT_EQ(copies_at(body.mesh, {0, 0, 0}), 2);
    EXPECT_EQ(body.surface.piece_count(), 1);
    EXPECT_EQ(plan.edit.new_nodes.size(), 1u);
    EXPECT_TRUE(plan.edit.new_nodes[0].is_virtual);
    EXPECT_EQ(open_edges(body.surface.surface()), 0);
    EXPECT_NEAR(enclosed(body.surface.surface()), body.volume, 1e-15);
    // The crack goes on: now it parts them.
    body.cut(level_sets({{-1, 1, -1, -1, -1, -1}}));
    EXPECT_EQ(body.surface.piece_count(), 2);
    EXPECT_EQ(body.mesh.tet_count(), 4);
    EXPECT_EQ(body.mesh.node_count(), 10);
}

// Every node of the rim is cut off: each keeps its one-ring, with copies of all its neighbours.
TEST(VirtualNodeFigures, Figure7CompleteFragmentation) {
    for (bool paper : {false, true}) {
        CutMesh body(one_ring(), {.paper = paper});
        std::vector<Values> all;
        for (int node = 1; node <= 6; ++node) all.push_back(round_node(node, 7));
        body.cut(level_sets(all));
        EXPECT_EQ(body.surface.piece_count(), 7);
        EXPECT_EQ(body.mesh.tet_count(), 6 * 4 + 8);
        EXPECT_EQ(body.mesh.node_count(), 6 * 6 + 7);
        const std::vector<int> piece = linked_tets(body.mesh.tets);
        std::vector<std::set<int>> nodes(7);
        for (int t = 0; t < body.mesh.tet_count(); ++t)
            nodes[piece[t]].insert(body.mesh.tets[t].begin(), body.mesh.tets[t].end());
        std::vector<std::size_t> sizes;
        for (const auto& set : nodes) sizes.push_back(set.size());
        std::ranges::sort(sizes);
        EXPECT_EQ(sizes, (std::vector<std::size_t>{6, 6, 6, 6, 6, 6, 7}));
        EXPECT_NEAR(body.material(), body.volume, 1e-15);
        EXPECT_EQ(open_edges(body.surface.surface()), 0);
    }
}

// Every scoop out of the ring gets a copy of the node in its middle.
TEST(VirtualNodeFigures, Figure8Scoops) {
    CutMesh one(one_ring()), two(one_ring());
    one.cut(level_sets({round_node(1, 7)}));
    EXPECT_EQ(copies_at(one.mesh, Vec3::Zero()), 2);
    two.cut(level_sets({round_node(1, 7), round_node(2, 7)}));
    EXPECT_EQ(copies_at(two.mesh, Vec3::Zero()), 3);
    // One after the other comes to the same.
    one.cut(level_sets({[&] {
        Values value;
        for (const Vec3& p : one.mesh.rest) value.push_back(p.x() < -0.5 ? -1 : 1);
        return value;
    }()}));
    EXPECT_EQ(one.mesh.node_count(), two.mesh.node_count());
    EXPECT_EQ(one.mesh.tet_count(), two.mesh.tet_count());
}

// Three corners cut off, or a quadrilateral and a corner of each half; the paper takes no fourth cut.
TEST(VirtualNodeFigures, Figure11MaximalSplits) {
    const std::vector<Values> corners{round_node(0, 4), round_node(1, 4), round_node(2, 4), round_node(3, 4)};
    for (bool paper : {false, true}) {
        CutMesh body(one_tet(), {.paper = paper});
        body.cut(level_sets({corners[0], corners[1], corners[2]}));
        EXPECT_EQ(body.surface.piece_count(), 4);
        CutSheet fourth{.value = {{}}, .patches = {{.function = 0}}};
        for (const Vec3& p : body.mesh.rest) fourth.value[0].push_back(p.z() > 0.5 ? -1 : 1);
        EXPECT_EQ(body.cut(fourth).empty(), paper);
        EXPECT_EQ(body.surface.piece_count(), paper ? 4 : 5);
    }
    // The corners cut off meet the quadrilateral at its points: at 1/3 and 2/3 of the edges they share with it.
    CutMesh body(one_tet(), {.paper = true});
    body.cut(level_sets({{-1, -1, 1, 1}}));
    EXPECT_EQ(body.surface.piece_count(), 2);
    CutSheet second{.value = {{}, {}}, .patches = {{.function = 0}, {.function = 1}}};
    for (const Vec3& p : body.mesh.rest) {
        second.value[0].push_back(p.isZero() ? -1 : 1);
        second.value[1].push_back(p.z() > 0.5 ? -1 : 1);
    }
    body.cut(second);
    EXPECT_EQ(body.surface.piece_count(), 4);
    EXPECT_NEAR(body.material(), body.volume, 1e-15);
    EXPECT_EQ(open_edges(body.surface.surface()), 0);
}

// Any number of cuts across one edge: nine slices of a tet.
TEST(VirtualNode, ManyCutsAcrossAnEdge) {
    CutMesh body(one_tet());
    for (int i = 1; i < 9; ++i) {
        Values value;
        for (const Vec3& p : body.mesh.rest) value.push_back(p.x() > 0.5 ? 9 - i : -i);
        body.cut(level_sets({value}));
        EXPECT_EQ(body.surface.piece_count(), i + 1);
    }
    EXPECT_EQ(body.mesh.tet_count(), 9);
    EXPECT_NEAR(body.material(), body.volume, 1e-15);
}

// What is carved away is gone, and what is left is closed.
TEST(VirtualNode, CarvingTakesMaterialAway) {
    CutMesh body(one_ring());
    CutSheet sheet = level_sets({round_node(1, 7)});
    sheet.patches[0].carves = true;
    body.cut(sheet);
    EXPECT_NEAR(body.material(), body.volume * (1 - 4.0 / 8 / 8), 1e-15);
    EXPECT_NEAR(enclosed(body.surface.surface()), body.material(), 1e-15);
    EXPECT_EQ(open_edges(body.surface.surface()), 0);
    EXPECT_EQ(body.surface.piece_count(), 1);
}

// A blade with a thickness, round a corner: both sides are as far apart as it is thick.
TEST(VirtualNode, ThickBlade) {
    CutMesh body(one_ring());
    const Blade blade{.path = {{-2, 2, 0.1}, {0.1, 2, 0.07}, {2, 2, 0.2}}, .depth = 10, .thickness = 0.01};
    body.cut(blade_sheet(blade));
    EXPECT_EQ(body.surface.piece_count(), 2);
    EXPECT_LT(body.material(), body.volume);
    EXPECT_NEAR(enclosed(body.surface.surface()), body.material(), 1e-14);
    EXPECT_EQ(open_edges(body.surface.surface()), 0);
}

TEST(VirtualNode, BladesThatCannotCut) {
    EXPECT_THROW(blade_sheet({.path = {{0, 1, 0}}, .depth = 1}), UserError);
    EXPECT_THROW(blade_sheet({.path = {{0, 1, 0}, {0, 1, 0}}, .depth = 1}), UserError);
    EXPECT_THROW(blade_sheet({.path = {{0, 1, 0}, {0, 0, 0}}, .depth = 1}), UserError);
    EXPECT_THROW(blade_sheet({.path = {{0, 1, 0}, {1, 0, 0}}, .depth = 0}), UserError);
    CutMesh body(one_tet());
    EXPECT_TRUE(body.cut(plane_sheet({0, 5, 0}, {0, 1, 0})).empty());
}

}  // namespace pliant
