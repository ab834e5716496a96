// Strands that break, films that open, blobs that merge.

#include "pliant/meshing/surface_topology.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/geometry/shape.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/meshing/surface_upkeep.hpp"

namespace pliant {
namespace {

void expect_sound(const TriMesh& surface) {
    const SurfaceFacts facts = inspect(surface);
    EXPECT_TRUE(facts.closed());
    EXPECT_TRUE(facts.oriented());
    EXPECT_EQ(facts.nonmanifold_edges, 0);
}

int parts_of(const TriMesh& surface) {
    int count = 0;
    surface_parts(surface, count);
    return count;
}

/// Handles, 0 for a ball: V − E + F = 2 (parts − handles).
int handles(const TriMesh& surface) {
    const int faces = static_cast<int>(surface.triangles.size()), points = static_cast<int>(surface.points.size());
    return parts_of(surface) - (points - faces / 2) / 2;
}

/// Two balls, and a thread with three sides between them.
TriMesh dumbbell(double width) {
    const Vec3 far(4, 0, 0);
    TriMesh surface =
        shape_surface(*smooth_union_of({capsule_shape(Vec3::Zero(), Vec3::Zero(), 1),
                                        capsule_shape(Vec3::Zero(), far, 0.3), capsule_shape(far, far, 1)},
                                       0.1),
                      0.2);
    for (Vec3& p : surface.points) p.tail<2>() *= std::abs(p.x() - 2) < 0.7 ? width / 0.3 : 1;
    return surface;
}

TEST(SurfaceTopology, AStrandBreaksOnceItIsThinEnough) {
    for (const double width : {0.3, 0.03}) {
        TriMesh surface = dumbbell(width);
        for (int i = 0; i < 3; ++i) surface = keep_surface(surface, 0.2).surface;
        const double before = enclosed_volume(surface.points, surface.triangles);
        const TopologyChanges changes = change_topology(surface, {.breaks = 0.2});
        const double after = enclosed_volume(surface.points, surface.triangles);
        std::printf("radius %g: %d breaks, %d parts, volume off by %.2g\n", width, changes.breaks, parts_of(surface),
                    after / before - 1);
        expect_sound(surface);
        EXPECT_EQ(parts_of(surface), width > 0.1 ? 1 : 2);  // crumbs of the strand are gone
        EXPECT_EQ(changes.breaks > 0, width < 0.1);
        const double crumb = std::numbers::pi / 6 * 0.2 * 0.2 * 0.2;
        EXPECT_LE(std::abs(after - before), 1e-12 * before + std::max(0, changes.breaks - 1) * crumb);
        EXPECT_EQ(handles(surface), 0);
    }
}

TEST(SurfaceTopology, AFilmOpensAndBallsMergeWhereTheyAreNearEnough) {
    TriMesh plate = shape_surface(*box_shape({2, 0.1, 2}, 0.04), 0.25);
    EXPECT_EQ(change_topology(plate, {.opens = 0.05}).holes, 0);
    const double film = enclosed_volume(plate.points, plate.triangles);
    const TopologyChanges opened = change_topology(plate, {.opens = 0.15});
    std::printf("%d holes, %d handles, volume off by %.2g\n", opened.holes, handles(plate),
                enclosed_volume(plate.points, plate.triangles) / film - 1);
    expect_sound(plate);
    EXPECT_GT(opened.holes, 0);
    EXPECT_EQ(handles(plate), opened.holes);
    EXPECT_NEAR(enclosed_volume(plate.points, plate.triangles) / film, 1, 1e-3);

    TriMesh balls = shape_surface(*sphere_shape(1), 0.25);
    const int half = static_cast<int>(balls.points.size());
    for (int v = 0; v < half; ++v) balls.points.push_back(Vec3(2.1, 0, 0) + balls.points[v]);
    for (std::size_t t = 0, n = balls.triangles.size(); t < n; ++t) {
        Tri copy = balls.triangles[t];
        for (int& v : copy) v += half;
        balls.triangles.push_back(copy);
    }
    EXPECT_EQ(parts_of(balls), 2);
    EXPECT_EQ(change_topology(balls, {.merges = 0.05}).merges, 0);
    const double two = enclosed_volume(balls.points, balls.triangles);
    const TopologyChanges merged = change_topology(balls, {.merges = 0.25});
    std::printf("%d merges, volume off by %.2g\n", merged.merges,
                enclosed_volume(balls.points, balls.triangles) / two - 1);
    expect_sound(balls);
    EXPECT_EQ(merged.merges, 1);
    EXPECT_EQ(parts_of(balls), 1);
    EXPECT_NEAR(enclosed_volume(balls.points, balls.triangles) / two, 1, 1e-3);
}

TEST(SurfaceTopology, ACavityBelongsToWhatIsRoundIt) {
    TriMesh shell = shape_surface(*sphere_shape(1), 0.4);
    const int half = static_cast<int>(shell.points.size());
    for (int v = 0; v < half; ++v) shell.points.push_back(0.5 * shell.points[v]);
    for (std::size_t t = 0, n = shell.triangles.size(); t < n; ++t) {
        const Tri& tri = shell.triangles[t];
        shell.triangles.push_back({tri[0] + half, tri[2] + half, tri[1] + half});
    }
    EXPECT_EQ(parts_of(shell), 1);
}

}  // namespace
}  // namespace pliant
