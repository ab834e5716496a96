// Solids whose nodes are split: what is mended in a few rows must be what the whole would come to.

#include <gtest/gtest.h>

#include <iostream>
#include <numeric>

#include "pliant/core/rng.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

/// Gives the tets on one side of a plane through the node to a copy of it.
void split(TetMesh& mesh, int node, const Vec3& normal) {
    const int copy = mesh.node_count();
    int moved = 0, kept = 0;
    TetMesh after = mesh;
    for (Tet& tet : after.tets)
        for (int& n : tet) {
            if (n != node) continue;
            Vec3 center = Vec3::Zero();
            for (int k : tet) center += 0.25 * mesh.rest[k == copy ? node : k];
            const bool beyond = normal.dot(center - mesh.rest[node]) > 0;
            if (beyond) n = copy;
            ++(beyond ? moved : kept);
        }
    if (moved == 0 || kept == 0) return;
    after.rest.push_back(mesh.rest[node]);
    mesh = std::move(after);
}

TetMesh torn(TetMesh mesh, int splits, std::uint64_t seed) {
    Rng rng(seed);
    for (int i = 0; i < splits; ++i)
        split(mesh, static_cast<int>(rng.below(mesh.node_count())),
              Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)));
    return mesh;
}

std::vector<ElementMaterial> mixed(int tets) {
    std::vector<ElementMaterial> material;
    for (int t = 0; t < tets; ++t) material.push_back({1e5 + 1e3 * (t % 7), 0.3, 900.0 + t % 11});
    return material;
}

std::vector<int> all_tets(const TetMesh& mesh) {
    std::vector<int> all(mesh.tets.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

void relink(Solid& solid, const TetMesh& mesh, const std::vector<ElementMaterial>& material, int threads = 1) {
    Threads team(threads);
    solid.relink(mesh, material, all_tets(mesh), team);
    solid.set_parts(linked_tets(mesh.tets), team);
}

std::vector<Vec3> velocity_after_step(Solid& solid, const TetMesh& mesh) {
    std::vector<Vec3> x = mesh.rest, v(x.size()), force(x.size(), Vec3(0, -1, 0));
    for (std::size_t i = 0; i < x.size(); ++i) v[i] = Vec3(std::sin(3.0 * i), std::cos(5.0 * i), std::sin(7.0 * i));
    Threads threads(1);
    StageTimes times;
    solid.assemble(x, v, {.dt = 0.01, .force = force, .prescribed = {}, .plastic_strain = {}, .solve = {}}, threads,
                   times);
    Solid* one = &solid;
    solve({&one, 1}, {}, {}, threads, times);
    solid.velocity(v);
    return v;
}

/// Of all slices, one after the other.
std::vector<unsigned> pairs_in_order(const Solid::Parts& p) {
    std::vector<unsigned> pairs;
    for (int s = 0; s < p.system.slices; ++s) {
        const auto steps = p.pair_steps.begin();
        const int count = 8 * std::accumulate(steps + p.system.slice_begin[s], steps + p.system.slice_begin[s + 1], 0);
        const auto first = p.pair.begin() + p.pair_begin[s];
        pairs.insert(pairs.end(), first, first + count);
    }
    return pairs;
}

TEST(Relink, SplittingStepByStepEqualsBuildingAnew) {
    const TetMesh whole = bar_mesh(12, 4, 5, Vec3::Zero(), Vec3(3, 1, 1.2));
    const std::vector<ElementMaterial> material = mixed(whole.tet_count());
    const SolidOptions options{};
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        // Nine times a few splits, among them splits of copies.
        Solid mended(whole, material, options);
        TetMesh mesh = whole;
        for (int round = 0; round < 9; ++round) {
            mesh = torn(std::move(mesh), 3 + 2 * round, 100 * seed + round);
            relink(mended, mesh, material, 1 + round % 2);
        }
        // From another breaking there is no way but to build everything anew.
        Solid anew(whole, material, options);
        Threads threads(1);
        ASSERT_TRUE(anew.parts().split_gathering(torn(whole, 5, seed), all_tets(whole), threads));
        relink(anew, torn(whole, 60, 977 * seed), material);
        ASSERT_FALSE(anew.parts().split_gathering(mesh, all_tets(mesh), threads));
        relink(anew, mesh, material);

        const Solid::Parts &a = mended.parts(), &b = anew.parts();
        EXPECT_EQ(a.nodes, mesh.node_count());
        EXPECT_TRUE(std::equal(a.node.begin(), a.node.end(), b.node.begin(), b.node.end()));
        EXPECT_EQ(a.incident_begin, b.incident_begin);
        EXPECT_EQ(a.incident, b.incident);
        EXPECT_EQ(a.pair_steps, b.pair_steps);
        EXPECT_EQ(pairs_in_order(a), pairs_in_order(b));
        EXPECT_EQ(a.system.node_of_row, b.system.node_of_row);
        EXPECT_EQ(a.system.row_of_node, b.system.row_of_node);
        EXPECT_EQ(a.system.slice_begin, b.system.slice_begin);
        EXPECT_TRUE(
            std::equal(a.system.column.begin(), a.system.column.end(), b.system.column.begin(), b.system.column.end()));
        EXPECT_EQ(a.system.part, b.system.part);
        double mass = 0, expected = 0;
        for (double m : a.mass) mass += m;
        for (int t = 0; t < mesh.tet_count(); ++t) expected += material[t].density * a.volume(t);
        EXPECT_NEAR(mass, expected, 1e-12 * expected);
        for (int i = 0; i < a.nodes; ++i) EXPECT_NEAR(a.mass[i], b.mass[i], 1e-14 * a.mass[i]) << i;

        const std::vector<Vec3> fast = velocity_after_step(mended, mesh), slow = velocity_after_step(anew, mesh);
        EXPECT_TRUE(fast == slow) << "a step has other bits";
        std::cout << mesh.node_count() - whole.node_count() << " copies, " << a.system.parts() << " parts\n";
    }
}

TEST(Relink, BackToTheUnbrokenMeshIsTheSolidAsMade) {
    const TetMesh whole = bar_mesh(6, 3, 4, Vec3::Zero(), Vec3(2, 1, 1));
    const std::vector<ElementMaterial> material = mixed(whole.tet_count());
    Solid made(whole, material, {}), mended(whole, material, {});
    const TetMesh broken = torn(whole, 30, 7);
    relink(mended, broken, material);
    velocity_after_step(mended, broken);
    relink(mended, whole, material);
    const BlockSystem& system = mended.parts().system;
    ASSERT_NE(system.rows % 8, 0);  // the last slice has empty rows
    for (int row = system.rows; row < 8 * system.slices; ++row) {
        EXPECT_EQ(system.inertia[row], 0);
        EXPECT_EQ(system.at(system.r, row), Vec3(0, 0, 0));
    }
    EXPECT_TRUE(velocity_after_step(made, whole) == velocity_after_step(mended, whole));
}

// Copies of nodes gather from tets anywhere, also from those that other threads see to. What a thread reads too early
// is from the pass before: two states in turn, so that the two differ. (The first passes still find the rotations.)
TEST(Relink, BrokenBodiesGatherTheSameWithTwoThreads) {
    const TetMesh whole = bar_mesh(24, 12, 2, Vec3::Zero(), Vec3(2, 1, 0.2));
    const std::vector<ElementMaterial> material = mixed(whole.tet_count());
    const TetMesh mesh = torn(whole, 150, 3);
    const std::size_t nodes = mesh.rest.size();
    std::array<std::vector<Vec3>, 2> x{mesh.rest, mesh.rest};
    for (std::size_t i = 0; i < nodes; ++i) x[0][i] *= 1.1, x[1][i] *= 0.9;
    const std::vector<Vec3> v(nodes, Vec3::Zero());
    int passes = 0, differ = 0;
    const auto residuals = [&](int count, const auto& use) {
        Solid solid(whole, material, {});
        relink(solid, mesh, material);
        Threads threads(count);
        StageTimes times;
        for (int pass = 0; pass < 3000; ++pass) {
            solid.assemble(x[pass % 2], v,
                           {.dt = 0.01, .force = v, .prescribed = {}, .plastic_strain = {}, .solve = {}}, threads,
                           times);
            use(pass, solid.parts().system.r);
        }
    };
    std::array<AlignedVector<double>, 2> alone;
    residuals(1, [&](int pass, const AlignedVector<double>& r) { alone[pass % 2] = r; });
    residuals(2,
              [&](int pass, const AlignedVector<double>& r) { ++passes, differ += pass > 1 && r != alone[pass % 2]; });
    EXPECT_EQ(differ, 0) << "of " << passes;
}

}  // namespace
}  // namespace pliant
