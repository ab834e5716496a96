// Masses by exact clipping (Wojtan & Turk 2008, section 6 and figure 5), and the lattice's own look-ups.

#include "pliant/remesh/contents.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <iostream>

#include "pliant/core/rng.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/moments.hpp"
#include "pliant/remesh/remesh.hpp"

namespace pliant {
namespace {

/// A box between two corners, turned about its middle.
TriMesh turned_box(const Vec3& low, const Vec3& high, const Quat& turn) {
    TriMesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.points.push_back({i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]});
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    const Vec3 middle = 0.5 * (low + high);
    for (Vec3& p : mesh.points) p = middle + turn * (p - middle);
    return mesh;
}

Moments moments_of(const TriMesh& surface) {
    Moments sum;
    sum.origin = surface.points.front();
    for (const Tri& t : surface.triangles) sum.add(surface.points[t[0]], surface.points[t[1]], surface.points[t[2]], 1);
    return sum;
}

struct Compared {
    double volume, center;  ///< how far off, relative to the body
};

/// What the tets hold against what the surface encloses.
Compared compare(const TriMesh& surface, double cell, Threads& threads) {
    const IndexedLattice lattice = indexed_lattice(surface, cell, threads);
    const TetMesh& mesh = lattice.lattice.mesh;
    const Moments whole = moments_of(surface);
    double volume = 0;
    Vec3 first = Vec3::Zero();
    const std::vector<TetContent> contents = lattice_contents(lattice, surface, threads);
    for (std::size_t t = 0; t < contents.size(); ++t) {
        EXPECT_GE(contents[t].volume, 0);
        EXPECT_LE(contents[t].volume, signed_volume(mesh.rest, mesh.tets[t]) * (1 + 1e-9));
        // m_i = m b_i: nodes in their places have the centre of mass of the part (figure 5, right).
        for (int a = 0; a < 4; ++a) {
            volume += contents[t].volume * contents[t].center[a];
            first += contents[t].volume * contents[t].center[a] * (mesh.rest[mesh.tets[t][a]] - whole.origin);
        }
    }
    return {std::abs(volume / whole.volume - 1), (first / volume - whole.first / whole.volume).norm() / cell};
}

TEST(Contents, TetsHoldWhatTheSurfaceEnclosesWhereItIs) {
    Threads threads(2);
    const Quat turn = Quat(0.9, 0.2, -0.3, 0.1).normalized();
    for (const Vec3& size : {Vec3(1, 0.7, 0.5), Vec3(1, 1, 0.003), Vec3(1, 0.002, 0.003)})
        for (double cell : {0.4, 0.13}) {
            const Compared off = compare(turned_box(-0.5 * size, 0.5 * size, turn), cell, threads);
            std::cout << "box " << size.transpose() << ", cell " << cell << ": volume off by " << off.volume
                      << ", centre by " << off.center << " cells\n";
            EXPECT_LT(off.volume, 1e-11);
            EXPECT_LT(off.center, 1e-10);
        }
}

// Figure 5: a strip through a part of one tet. Its mass and centre of mass must be the nodes', unlike those of a
// uniform element.
TEST(Contents, AStripInOneTetHasItsOwnMassAndCentre) {
    Threads threads(1);
    const TriMesh strip = turned_box({0.1, 0.02, 0.03}, {0.16, 0.05, 0.04}, Quat::Identity());
    const IndexedLattice lattice = indexed_lattice(strip, 4, threads);  // the cell is far larger than the strip
    const std::vector<TetContent> contents = lattice_contents(lattice, strip, threads);
    double volume = 0;
    for (const TetContent& c : contents) volume += c.volume;
    EXPECT_NEAR(volume, 0.06 * 0.03 * 0.01, 1e-15);
    const Compared off = compare(strip, 4, threads);
    EXPECT_LT(off.center * 4, 1e-10);
}

TEST(LatticeLookup, FindsTheTetOfEveryPoint) {
    Threads threads(1);
    const TriMesh surface = turned_box({-1, -0.6, -0.5}, {1.1, 0.7, 0.4}, Quat(0.7, 0.1, 0.4, -0.2).normalized());
    const IndexedLattice lattice = indexed_lattice(surface, 0.21, threads);
    const TetMesh& mesh = lattice.lattice.mesh;
    Rng rng(4);
    int outside = 0;
    for (int i = 0; i < 20000; ++i) {
        const int t = static_cast<int>(rng.uniform(0, mesh.tet_count()));
        Vec4 w(rng.uniform(0.01, 1), rng.uniform(0.01, 1), rng.uniform(0.01, 1), rng.uniform(0.01, 1));
        w /= w.sum();
        Vec3 p = Vec3::Zero();
        for (int k = 0; k < 4; ++k) p += w[k] * mesh.rest[mesh.tets[t][k]];
        ASSERT_EQ(lattice.lookup.tet_at(p), t);
        bool found = false;
        Box box;
        box.add(p);
        lattice.lookup.each_tet(box, [&](int near) { found |= near == t; });
        ASSERT_TRUE(found);
        const Vec3 anywhere(rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(-3, 3));
        outside += lattice.lookup.tet_at(anywhere) < 0;
    }
    EXPECT_GT(outside, 10000);
    std::vector<int> seen(mesh.rest.size(), 0);
    lattice.lookup.each_node(mesh.bounds(), [&](int n) { ++seen[n]; });
    for (int count : seen) ASSERT_EQ(count, 1);
    for (std::size_t n = 0; n < mesh.rest.size(); ++n) {
        Box box;
        box.add(mesh.rest[n]);
        lattice.lookup.each_node(box, [&](int found) { ASSERT_EQ(found, static_cast<int>(n)); });
    }
}

TEST(Remesh, TheConditionNumberIsOneForRotationsAndInfiniteForInversion) {
    const Mat3 Q = Quat(0.3, 0.2, 0.7, -0.4).normalized().toRotationMatrix();
    EXPECT_NEAR(condition_number(2.5 * Q), 1, 1e-14);
    EXPECT_GT(condition_number(Vec3(1, 1, 0.1).asDiagonal()), 4);
    EXPECT_TRUE(std::isinf(condition_number(Vec3(1, 1, -1).asDiagonal())));
}

}  // namespace
}  // namespace pliant
