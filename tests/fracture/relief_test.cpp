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

/// A block under the same tension along z everywhere, cut across it in its middle.
struct CutBlock {
    TetMesh mesh = bar_mesh(6, 6, 6, {0, 0, 0}, {1, 1, 1});
    CrackMesh cracks{mesh, mesh.rest, mean_edges(mesh)};
    std::vector<Mat3> cauchy;
    Opening opening;
    int node = 0;

    CutBlock() {
        for (int i = 0; i < mesh.node_count(); ++i)
            if ((mesh.rest[i] - Vec3(0.5, 0.5, 0.5)).norm() < 1e-9) node = i;
        opening = cracks.cut(node, Vec3::UnitZ());
        cauchy.assign(cracks.tet_count(), Mat3::Zero());
        for (Mat3& s : cauchy) s(2, 2) = 1e4;
    }
    Relief relieve(double time) {
        return pliant::relieve(
            cracks, opening, mesh.node_count(), cauchy, [](int) { return glass; }, time);
    }
};

// What the crack has passed carries no load any more, what lies ahead of it carries more; energy is set free.
TEST(Relief, UnloadsTheFacesAndLoadsTheTips) {
    CutBlock block;
    ASSERT_TRUE(block.opening.opened);
    const Relief relief = block.relieve(1);
    const double above = pull_at(block.cracks, block.cauchy, block.opening.sides[1]);
    double tips = 0;
    for (int tip : block.opening.tips) tips = std::max(tips, pull_at(block.cracks, block.cauchy, tip));
    // A round crack of radius a in tension sets free 8 (1 − ν²) σ² a³/(3 E); a = √(area/π).
    const double nu = 0.25, young = 2 * glass.mu * (1 + nu), a = std::sqrt(block.opening.area / M_PI);
    const double exact = 8 * (1 - nu * nu) * 1e8 * a * a * a / (3 * young);
    std::cout << "of 10000 Pa, on the crack's face " << above << " Pa, at its tips up to " << tips << " Pa; energy "
              << relief.energy << " J, of a round crack of that area " << exact << " J\n";
    EXPECT_LT(above, 0.5 * 1e4);
    EXPECT_GT(tips, 1.1 * 1e4);
    EXPECT_GT(relief.energy, 0.2 * exact);
    EXPECT_LT(relief.energy, 2 * exact);
    EXPECT_TRUE(std::is_sorted(relief.nodes.begin(), relief.nodes.end()));
}

// In no time nothing can move.
TEST(Relief, TakesTime) {
    CutBlock slow, fast;
    const double in_the_end = slow.relieve(1).energy, at_once = fast.relieve(1e-9).energy;
    EXPECT_LT(at_once, 1e-6 * in_the_end);
}

}  // namespace
}  // namespace pliant
