#include "pliant/fracture/relief.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "pliant/fracture/separation.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

constexpr ReliefMaterial glass{.lambda = 1e8, .mu = 1e8, .density = 2500};

double pull_at(const CrackMesh& mesh, const std::vector<Mat3>& cauchy, int node) {
    std::vector<SplitStress> split;
    std::vector<NodeCorner> corners;
    for (int t : mesh.star(node)) split.push_back(split_stress(cauchy[t]));
    std::size_t i = 0;
    for (int t : mesh.star(node)) {
        const Tet& tet = mesh.tet(t);
        const int c = static_cast<int>(std::find(tet.begin(), tet.end(), node) - tet.begin());
        const auto& f = tet_faces[c];
        const auto x = mesh.x();
        corners.push_back({0.5 * (x[tet[f[1]]] - x[tet[f[0]]]).cross(x[tet[f[2]]] - x[tet[f[0]]]), &split[i++], 1.0});
    }
    return separation_at(corners).stress;
}

/// A block under the same tension along z everywhere, opened across it in its middle, node by node from there outwards.
struct CutBlock {
    TetMesh mesh = bar_mesh(10, 10, 10, {0, 0, 0}, {1, 1, 1});
    CrackMesh cracks{mesh, mesh.rest, mean_edges(mesh)};
    std::vector<Mat3> cauchy = std::vector<Mat3>(mesh.tets.size(), Vec3(0, 0, 1e4).asDiagonal());
    int middle = 0;
    double area = 0, energy = 0;
    std::vector<int> tips;

    /// Opens the nodes within a radius of the middle.
    void open(double radius, double time) {
        std::vector<std::pair<double, int>> order;
        for (int i = 0; i < mesh.node_count(); ++i) {
            const Vec3 r = mesh.rest[i] - Vec3(0.5, 0.5, 0.5);
            if (std::abs(r.z()) < 1e-9 && r.norm() < radius) order.emplace_back(r.norm(), i);
        }
        std::sort(order.begin(), order.end());
        middle = order.front().second;
        for (const auto& [distance, node] : order) {
            const int nodes = cracks.node_count();
            const Opening opening = cracks.cut(node, Vec3::UnitZ());
            ASSERT_TRUE(opening.opened && cracks.tet_count() == mesh.tet_count()) << "its faces lie in the plane";
            energy += relieve(
                          cracks, opening, nodes, cauchy, [](int) { return glass; }, time)
                          .energy;
            area += opening.area;
            tips = opening.tips;
        }
    }
};

// What the crack has passed carries little load, what lies ahead of it carries more, and energy is set free.
TEST(Relief, UnloadsTheFacesAndLoadsTheTips) {
    CutBlock block;
    block.open(0.25, 1);
    const double above = pull_at(block.cracks, block.cauchy, block.middle);
    double ahead = 0;
    for (int tip : block.tips) ahead = std::max(ahead, pull_at(block.cracks, block.cauchy, tip));
    // A round crack of radius a in tension sets free 8 (1 − ν²) σ² a³/(3 E). Neighbourhoods that are held at their
    // border and coarse elements give less.
    const double nu = 0.25, young = 2 * glass.mu * (1 + nu), a = std::sqrt(block.area / M_PI);
    const double exact = 8 * (1 - nu * nu) * 1e8 * a * a * a / (3 * young);
    std::cout << "of 10000 Pa, on the crack's face " << above << " Pa, at its tips up to " << ahead << " Pa; energy "
              << block.energy << " J, of a round crack of that area " << exact << " J\n";
    EXPECT_LT(above, 0.4e4);
    EXPECT_GT(ahead, 1.2e4);
    EXPECT_GT(block.energy, exact / 3);
    EXPECT_LT(block.energy, exact);
}

// In no time nothing can move.
TEST(Relief, TakesTime) {
    CutBlock slow, fast;
    slow.open(0.05, 1);
    fast.open(0.05, 1e-9);
    EXPECT_LT(fast.energy, 1e-6 * slow.energy);
}

}  // namespace
}  // namespace pliant
