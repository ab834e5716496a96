#include "pliant/fracture/crack_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "pliant/core/rng.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

/// Tets round a node that cannot reach each other through faces that hold the node.
int hinges(const std::vector<Tet>& tets, int nodes) {
    int found = 0;
    std::vector<std::vector<int>> star(nodes);
    for (int t = 0; t < static_cast<int>(tets.size()); ++t)
        for (int n : tets[t]) star[n].push_back(t);
    for (int node = 0; node < nodes; ++node) {
        if (star[node].empty()) continue;
        std::vector<int> reached{star[node][0]};
        for (std::size_t i = 0; i < reached.size(); ++i)
            for (int t : star[node]) {
                int common = 0;
                for (int n : tets[t]) common += std::count(tets[reached[i]].begin(), tets[reached[i]].end(), n);
                if (common == 3 && std::find(reached.begin(), reached.end(), t) == reached.end()) reached.push_back(t);
            }
        found += reached.size() != star[node].size();
    }
    return found;
}

TEST(PrincipalStress, OfKnownStates) {
    EXPECT_NEAR(largest_principal({3, 5, -9, 0, 0, 0}).size, 5, 1e-14);
    EXPECT_NEAR(std::abs(largest_principal({3, 5, -9, 0, 0, 0}).direction.y()), 1, 1e-14);
    const PrincipalStress shear = largest_principal({0, 0, 0, 2, 0, 0});
    EXPECT_NEAR(shear.size, 2, 1e-14);
    EXPECT_NEAR(std::abs(shear.direction.dot(Vec3(1, 1, 0).normalized())), 1, 1e-12);
    EXPECT_LT(largest_principal({-1, -2, -3, 0, 0, 0}).size, 0) << "pressure pulls nowhere";
}

/// Volumes of the face-connected pieces.
std::vector<double> piece_volumes(const TetMesh& mesh) {
    const auto beside = tet_neighbours(mesh.tets);
    std::vector<char> seen(mesh.tets.size(), 0);
    std::vector<double> volumes;
    for (int seed = 0; seed < mesh.tet_count(); ++seed) {
        if (seen[seed]) continue;
        std::vector<int> reached{seed};
        seen[seed] = 1;
        volumes.push_back(0);
        for (std::size_t i = 0; i < reached.size(); ++i) {
            volumes.back() += signed_volume(mesh.rest, mesh.tets[reached[i]]);
            for (int t : beside[reached[i]])
                if (t >= 0 && !seen[t]) seen[t] = 1, reached.push_back(t);
        }
    }
    return volumes;
}

// Torn in every direction at once, a body comes to crumbs of single tets; but never to smaller pieces than it may.
TEST(CrackRule, NoSmallerPieceComesOffThanAllowed) {
    const TetMesh whole = bar_mesh(6, 3, 3, {0, 0, 0}, {2, 1, 1});
    const double tet = total_volume(whole.rest, whole.tets) / whole.tet_count();
    for (double least : {0.0, 5.5, 20.5}) {
        TetMesh mesh = whole;
        const std::vector<double> strength(mesh.tets.size(), 1.0);
        std::vector<char> tips;
        for (std::uint64_t step = 0; step < 200; ++step) {
            std::vector<Stress6> stress(mesh.tets.size());
            Rng random(7, step);
            for (Stress6& s : stress)
                for (std::size_t k = 0; k < 6; ++k) s[k] = random.uniform(k < 3 ? 0 : -9, 9);
            const CrackProposal p = propose_cracks(mesh, stress, strength, tips,
                                                   {.splits = 8, .least_piece = least * tet, .seed = 3, .step = step});
            if (p.empty()) break;
            apply(mesh, p);
            tips = p.crack_tip;
        }
        const std::vector<double> volumes = piece_volumes(mesh);
        const double smallest = *std::min_element(volumes.begin(), volumes.end()) / tet;
        std::cout << "at least " << least << " tets: " << volumes.size() << " pieces, the smallest of " << smallest
                  << '\n';
        EXPECT_GT(volumes.size(), 1u);
        if (least == 0) {
            EXPECT_LT(smallest, 2) << "nothing to be spared";
        } else {
            EXPECT_GE(smallest, least);
        }
    }
}

// Pulled evenly along x, and weak in the middle: it must come apart there, in two.
TEST(CrackRule, APulledBarBreaksInTwo) {
    TetMesh mesh = bar_mesh(8, 2, 2, {0, 0, 0}, {4, 1, 1});
    std::vector<Stress6> stress(mesh.tets.size(), {2e4, 0, 0, 0, 0, 0});
    std::vector<double> strength(mesh.tets.size(), 1e5);
    for (int t = 0; t < mesh.tet_count(); ++t) {
        double x = 0;
        for (int n : mesh.tets[t]) x += 0.25 * mesh.rest[n].x();
        if (x > 2 && x < 2.5) strength[t] = 1e4;
    }
    std::vector<char> tips;
    int rounds = 0;
    const double volume = total_volume(mesh.rest, mesh.tets);
    while (rounds < 100) {
        const CrackProposal p =
            propose_cracks(mesh, stress, strength, tips, {.splits = 2, .seed = 5, .step = std::uint64_t(rounds)});
        if (p.empty()) break;
        apply(mesh, p);
        tips = p.crack_tip;
        ++rounds;
        EXPECT_EQ(hinges(mesh.tets, mesh.node_count()), 0);
        if (connected_pieces(mesh.tets) >= 2) {  // what is apart carries no load any more
            std::fill(stress.begin(), stress.end(), Stress6{});
        }
    }
    std::cout << rounds << " rounds, " << connected_pieces(mesh.tets) << " pieces\n";
    EXPECT_GE(connected_pieces(mesh.tets), 2);
    EXPECT_EQ(mesh.revision, std::uint64_t(rounds));
    EXPECT_DOUBLE_EQ(total_volume(mesh.rest, mesh.tets), volume);
}

TEST(CrackRule, WithoutOverloadNothingHappens) {
    const TetMesh mesh = bar_mesh(3, 2, 2, {0, 0, 0}, {3, 1, 1});
    const std::vector<double> strength(mesh.tets.size(), 1e4);
    EXPECT_TRUE(
        propose_cracks(mesh, std::vector<Stress6>(mesh.tets.size(), {9e3, 0, 0, 0, 0, 0}), strength, {}, {}).empty());
    EXPECT_TRUE(
        propose_cracks(mesh, std::vector<Stress6>(mesh.tets.size(), {-9e9, -9e9, -9e9, 0, 0, 0}), strength, {}, {})
            .empty())
        << "pressure does not tear";
}

TEST(CrackRule, RandomStressNeverLeavesHinges) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        TetMesh mesh = bar_mesh(4, 3, 3, {0, 0, 0}, {1, 1, 1});
        Rng rng(seed);
        std::vector<char> tips;
        int splits = 0;
        for (int round = 0; round < 60; ++round) {
            std::vector<Stress6> stress(mesh.tets.size());
            for (Stress6& s : stress)
                for (double& c : s) c = rng.uniform(-1, 1);
            const std::vector<double> strength(mesh.tets.size(), 0.2);
            const CrackProposal p =
                propose_cracks(mesh, stress, strength, tips, {.splits = 5, .seed = seed, .step = std::uint64_t(round)});
            if (p.empty()) break;
            const TetMesh before = mesh;
            apply(mesh, p);
            tips = p.crack_tip;
            splits += static_cast<int>(p.cracks.size());
            ASSERT_EQ(tips.size(), mesh.rest.size());
            ASSERT_EQ(hinges(mesh.tets, mesh.node_count()), 0) << "seed " << seed << ", round " << round;
            // Exactly the parted pairs lost their face.
            const auto old = tet_neighbours(before.tets), now = tet_neighbours(mesh.tets);
            std::set<std::array<int, 2>> lost, said;
            for (int t = 0; t < mesh.tet_count(); ++t)
                for (int f = 0; f < 4; ++f)
                    if (old[t][f] > t && now[t][f] != old[t][f]) lost.insert({t, old[t][f]});
            for (auto pair : p.parted) said.insert({std::min(pair[0], pair[1]), std::max(pair[0], pair[1])});
            EXPECT_EQ(lost, said);
            for (const Relink& link : p.relinks)
                EXPECT_EQ(before.rest[link.old_node], mesh.rest[link.new_node]) << "copies start where they come from";
        }
        std::cout << "seed " << seed << ": " << splits << " splits, " << connected_pieces(mesh.tets) << " pieces\n";
        EXPECT_GT(splits, 50);
    }
}

// Several threads plan splits ahead. In a small bar most of these plans spoil each other, and must be made anew.
TEST(CrackRule, AnyNumberOfThreadsProposesTheSame) {
    TetMesh mesh = bar_mesh(14, 5, 5, {0, 0, 0}, {3, 1, 1});
    Rng rng(7);
    std::vector<char> tips;
    Threads two(2), three(3);
    std::size_t splits = 0;
    for (int round = 0; round < 12; ++round) {
        std::vector<Stress6> stress(mesh.tets.size());
        for (Stress6& s : stress)
            for (double& c : s) c = rng.uniform(-1, 1);
        const std::vector<double> strength(mesh.tets.size(), 0.2);
        const auto propose = [&](Threads* threads) {
            return propose_cracks(mesh, stress, strength, tips,
                                  {.splits = 70, .propagation = 0.7, .seed = 5, .step = std::uint64_t(round)}, {},
                                  threads);
        };
        const CrackProposal alone = propose(nullptr);
        for (Threads* threads : {&two, &three}) {
            const CrackProposal p = propose(threads);
            const auto same_link = [](const Relink& a, const Relink& b) {
                return a.tet == b.tet && a.old_node == b.old_node && a.new_node == b.new_node;
            };
            const auto same_crack = [](const Crack& a, const Crack& b) {
                return a.tet == b.tet && a.node == b.node && a.stress == b.stress && a.normal == b.normal &&
                       a.area == b.area;
            };
            EXPECT_TRUE(
                std::equal(p.relinks.begin(), p.relinks.end(), alone.relinks.begin(), alone.relinks.end(), same_link));
            EXPECT_TRUE(
                std::equal(p.cracks.begin(), p.cracks.end(), alone.cracks.begin(), alone.cracks.end(), same_crack));
            EXPECT_EQ(p.parents, alone.parents);
            EXPECT_EQ(p.parted, alone.parted);
            EXPECT_EQ(p.crack_tip, alone.crack_tip);
        }
        splits += alone.cracks.size();
        apply(mesh, alone);
        tips = alone.crack_tip;
    }
    std::cout << splits << " splits, " << connected_pieces(mesh.tets) << " pieces\n";
    EXPECT_GT(splits, 500u);
}

TEST(CrackRule, SameSeedSameCracks) {
    const TetMesh mesh = bar_mesh(6, 2, 2, {0, 0, 0}, {3, 1, 1});
    const std::vector<Stress6> stress(mesh.tets.size(), {2e4, 1e3, 0, 5e3, 0, 0});
    const std::vector<double> strength = flawed_strength(std::vector<double>(mesh.tets.size(), 1e4), 0.2, 3);
    auto nodes = [&](std::uint64_t seed) {
        std::vector<int> list;
        for (const Crack& c : propose_cracks(mesh, stress, strength, {}, {.splits = 8, .seed = seed}).cracks)
            list.push_back(c.node);
        return list;
    };
    EXPECT_EQ(nodes(1), nodes(1));
    EXPECT_NE(nodes(1), nodes(2));
}

TEST(CrackRule, CrackTipsGoFirst) {
    const TetMesh mesh = bar_mesh(3, 2, 2, {0, 0, 0}, {3, 1, 1});
    int tip = -1;  // in the very middle of a cross-section: any plane across x splits it
    for (int n = 0; n < mesh.node_count(); ++n)
        if ((mesh.rest[n] - Vec3(1, 0.5, 0.5)).norm() < 1e-9) tip = n;
    ASSERT_GE(tip, 0);
    std::vector<char> tips(mesh.rest.size(), 0);
    tips[tip] = 1;
    std::vector<Stress6> stress(mesh.tets.size(), Stress6{});
    for (int t = 0; t < mesh.tet_count(); ++t)
        if (std::count(mesh.tets[t].begin(), mesh.tets[t].end(), tip)) stress[t] = {2, 0, 0, 0, 0, 0};
    for (std::uint64_t seed = 1; seed < 30; ++seed) {
        const CrackProposal p =
            propose_cracks(mesh, stress, std::vector<double>(mesh.tets.size(), 1.0), tips, {.splits = 1, .seed = seed});
        ASSERT_EQ(p.cracks.size(), 1u);
        EXPECT_EQ(p.cracks[0].node, tip);
        EXPECT_GT(std::count(p.crack_tip.begin(), p.crack_tip.end(), 1), 0) << "the crack has ends";
    }
}

// A stress below the strength starts nothing, but drives on a crack that is there.
TEST(CrackRule, CracksRunOnAtTheirShareOfTheStrength) {
    const TetMesh mesh = bar_mesh(3, 2, 2, {0, 0, 0}, {3, 1, 1});
    const std::vector<Stress6> stress(mesh.tets.size(), {0.7, 0, 0, 0, 0, 0});
    const std::vector<double> strength(mesh.tets.size(), 1.0);
    std::vector<char> tips(mesh.rest.size(), 0);
    EXPECT_TRUE(propose_cracks(mesh, stress, strength, tips, {.propagation = 0.5}).empty());
    int tip = -1;
    for (int n = 0; n < mesh.node_count(); ++n)
        if ((mesh.rest[n] - Vec3(1, 0.5, 0.5)).norm() < 1e-9) tip = n;
    ASSERT_GE(tip, 0);
    tips[tip] = 1;
    EXPECT_TRUE(propose_cracks(mesh, stress, strength, tips, {.propagation = 1}).empty());
    const CrackProposal p = propose_cracks(mesh, stress, strength, tips, {.splits = 1, .propagation = 0.5});
    ASSERT_EQ(p.cracks.size(), 1u);
    EXPECT_EQ(p.cracks[0].node, tip);
}

TEST(CrackRule, FlawsStayInTheirRange) {
    const std::vector<double> strength(5000, 2.0), flawed = flawed_strength(strength, 0.25, 7);
    const auto [low, high] = std::minmax_element(flawed.begin(), flawed.end());
    EXPECT_GE(*low, 1.5);
    EXPECT_LE(*high, 2.5);
    EXPECT_LT(*low, 1.51);
    EXPECT_GT(*high, 2.49);
    EXPECT_EQ(flawed_strength(strength, 0, 7), strength);
}

}  // namespace
}  // namespace pliant
