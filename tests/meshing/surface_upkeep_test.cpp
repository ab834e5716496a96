// Upkeep of a surface that flows: what it must keep.

#include "pliant/meshing/surface_upkeep.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "pliant/core/rng.hpp"
#include "pliant/geometry/crossing.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/meshing/shape_surface.hpp"

namespace pliant {
namespace {

double longest_edge(const TriMesh& mesh) {
    double most = 0;
    for (const Tri& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) most = std::max(most, (mesh.points[t[k]] - mesh.points[t[(k + 1) % 3]]).norm());
    return most;
}

TEST(SurfaceUpkeep, StretchAndSqueezeLeaveTheVolumeAsItIs) {
    const double edge = 0.05;
    TriMesh mesh =
        shape_surface(*smooth_union_of({sphere_shape(0.4), capsule_shape({0, 0, 0}, {0.7, 0.2, 0}, 0.15)}, 0.05), edge);
    int splits = 0, collapses = 0, flips = 0;
    for (int step = 0; step < 40; ++step) {
        const double f = step < 20 ? 1.08 : 1 / 1.08;
        for (Vec3& p : mesh.points) p = Vec3(f * p[0], p[1] / f, p[2] + 0.05 * (f - 1) * std::sin(5 * p[0]));
        const double before = enclosed_volume(mesh.points, mesh.triangles);
        const KeptSurface kept = keep_surface(mesh, edge);
        const double after = enclosed_volume(kept.surface.points, kept.surface.triangles);
        EXPECT_LT(std::abs(after / before - 1), 1e-6);
        const SurfaceFacts facts = inspect(kept.surface);
        ASSERT_TRUE(facts.closed() && facts.oriented());
        EXPECT_LE(longest_edge(kept.surface), 1.6 * edge * (1 + 1e-12));
        ASSERT_EQ(kept.source.size(), kept.surface.triangles.size());
        mesh = kept.surface;
        splits += kept.splits, collapses += kept.collapses, flips += kept.flips;
    }
    std::printf("%d splits, %d collapses, %d flips, %zu triangles\n", splits, collapses, flips, mesh.triangles.size());
    EXPECT_GT(splits, 100);
    EXPECT_GT(collapses, 100);
}

TEST(SurfaceUpkeep, WhatNeedsNothingStaysToTheBit) {
    const TriMesh mesh = shape_surface(*sphere_shape(0.5), 0.06);
    const KeptSurface kept = keep_surface(mesh, 0.06);
    int same = 0;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        const int now = kept.vertices_after[v];
        if (now >= 0 && kept.surface.points[now] == mesh.points[v]) ++same;
    }
    std::printf("%d of %zu vertices stay\n", same, mesh.points.size());
    EXPECT_GT(same, 0.98 * static_cast<double>(mesh.points.size()));
}

// A sheet a hundred times thinner than its edges are long: no collapse may push one side through the other.
TEST(SurfaceUpkeep, AThinSheetNeverGoesThroughItself) {
    const double edge = 0.05;
    TriMesh mesh = shape_surface(*box_shape({1, 0.2, 1}), edge);
    for (Vec3& p : mesh.points) p = Vec3(0.3 * p[0], 0.0025 * p[1] + 0.02 * std::sin(9 * p[0]), 0.3 * p[2]);
    const double before = enclosed_volume(mesh.points, mesh.triangles);
    const KeptSurface kept = keep_surface(mesh, edge);
    const double after = enclosed_volume(kept.surface.points, kept.surface.triangles);
    std::printf("%d collapses, volume off by %.2g\n", kept.collapses, after / before - 1);
    EXPECT_GT(kept.collapses, 10);
    EXPECT_NEAR(after / before, 1, 1e-6);
    int crossing = 0;
    const TriMesh& s = kept.surface;
    for (std::size_t a = 0; a < s.triangles.size(); ++a)
        for (std::size_t b = 0; b < s.triangles.size(); ++b) {
            bool shares = false;
            for (int i : s.triangles[a])
                for (int j : s.triangles[b]) shares |= i == j;
            if (shares) continue;
            const std::array<Vec3, 3> other{s.points[s.triangles[b][0]], s.points[s.triangles[b][1]],
                                            s.points[s.triangles[b][2]]};
            for (int k = 0; k < 3; ++k)
                crossing +=
                    classify_crossing(s.points[s.triangles[a][k]], s.points[s.triangles[a][(k + 1) % 3]], other).kind !=
                    Crossing::miss;
        }
    EXPECT_EQ(crossing, 0);
}

}  // namespace
}  // namespace pliant
