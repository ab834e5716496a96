// The seen surface of breaking bodies: closed, oriented and of the same volume after every vertex split.

#include "pliant/surface/skin.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <numeric>

#include "pliant/core/rng.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/surface/skin_clip.hpp"
#include "pliant/surface/skin_content.hpp"

namespace pliant {
namespace {

/// A mesh that breaks: node copies are added, tets re-linked, as in Müller & Gross 2004, section 4.
struct Breaking {
    std::vector<Vec3> rest;
    std::vector<Tet> tets;
    std::vector<std::vector<int>> around;  // per node

    explicit Breaking(const TetMesh& mesh) : rest(mesh.rest), tets(mesh.tets), around(mesh.rest.size()) {
        for (int t = 0; t < mesh.tet_count(); ++t)
            for (int n : tets[t]) around[n].push_back(t);
    }

    static bool share_face_at(const Tet& a, const Tet& b) {
        int common = 0;
        for (int i : a) common += std::count(b.begin(), b.end(), i) > 0;
        return common == 3;
    }

    /// Splits a node by a plane through it; every face-connected component on either side gets its own copy.
    bool split(int node, const Vec3& normal) {
        const std::vector<int> star = around[node];
        std::vector<int> label(star.size(), -1);
        std::vector<char> above(star.size());
        for (std::size_t i = 0; i < star.size(); ++i) {
            Vec3 centre = Vec3::Zero();
            for (int n : tets[star[i]]) centre += rest[n] / 4;
            above[i] = (centre - rest[node]).dot(normal) > 0;
        }
        int labels = 0;
        for (std::size_t seed = 0; seed < star.size(); ++seed) {
            if (label[seed] >= 0) continue;
            std::vector<std::size_t> stack{seed};
            label[seed] = labels;
            while (!stack.empty()) {
                const std::size_t i = stack.back();
                stack.pop_back();
                for (std::size_t j = 0; j < star.size(); ++j)
                    if (label[j] < 0 && above[i] == above[j] && share_face_at(tets[star[i]], tets[star[j]]))
                        label[j] = labels, stack.push_back(j);
            }
            ++labels;
        }
        if (labels < 2) return false;
        around[node].clear();
        std::vector<int> copy(labels, node);
        for (int l = 1; l < labels; ++l) {
            copy[l] = static_cast<int>(rest.size());
            rest.push_back(Vec3(rest[node]));
            around.emplace_back();
        }
        for (std::size_t i = 0; i < star.size(); ++i) {
            for (int& n : tets[star[i]])
                if (n == node) n = copy[label[i]];
            around[copy[label[i]]].push_back(star[i]);
        }
        return true;
    }

    bool split_at_random(Rng& rng) {
        const int node = static_cast<int>(rng.below(rest.size()));
        const Vec3 normal(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        return around[node].size() > 1 && split(node, normal);
    }
};

double worst_volume_error = 0;
long long total_splits = 0;

/// The check of everything that is promised; returns false at the first broken promise.
bool sound(const Skin& skin, const char* name, int splits) {
    const SurfaceFacts facts = inspect(skin.surface());
    const double error = skin.volume_error();
    worst_volume_error = std::max(worst_volume_error, error);
    EXPECT_EQ(facts.boundary_edges, 0) << name << " after " << splits;
    EXPECT_EQ(facts.nonmanifold_edges, 0) << name << " after " << splits;
    EXPECT_EQ(facts.misoriented_edges, 0) << name << " after " << splits;
    EXPECT_LE(error, 1e-9) << name << " after " << splits;
    EXPECT_EQ(skin.crack().size(), skin.surface().triangles.size());
    EXPECT_EQ(skin.piece().size(), skin.surface().triangles.size());
    EXPECT_EQ(skin.embedding().size(), skin.surface().points.size());
    EXPECT_TRUE(skin.watertight()) << skin.remark();
    return facts.closed() && facts.oriented() && error <= 1e-9 && skin.watertight();
}

void torture(const char* name, const TetMesh& mesh, const TriMesh& surface, int splits, std::uint64_t seed) {
    Skin skin(mesh, surface);
    ASSERT_TRUE(sound(skin, name, 0));
    Breaking body(mesh);
    Rng rng(seed);
    int done = 0;
    double slowest = 0, total = 0;
    for (int attempt = 0; done < splits && attempt < 60 * splits; ++attempt) {
        if (!body.split_at_random(rng)) continue;
        ++done;
        const std::clock_t start = std::clock();  // processor time: other programs do not count
        skin.update(body.tets);                   // a split along old cracks changes nothing that is seen
        const double ms = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        if (done > 1) slowest = std::max(slowest, ms), total += ms;
        ASSERT_TRUE(sound(skin, name, done));
    }
    EXPECT_FALSE(skin.update(body.tets));
    total_splits += done;
    // Rest positions and weights say the same.
    std::vector<Vec3> again(skin.surface().points.size());
    interpolate(skin.embedding(), body.tets, body.rest, again);
    double off = 0;
    for (std::size_t i = 0; i < again.size(); ++i) off = std::max(off, (again[i] - skin.surface().points[i]).norm());
    EXPECT_LT(off, 1e-12 * mesh.bounds().diagonal()) << name;
    std::printf(
        "  %-14s %6zu tets %6zu → %7zu triangles, %5d splits, %4d pieces, update %.3f ms (worst %.2f), volume error "
        "%.1e\n",
        name, mesh.tets.size(), surface.triangles.size(), skin.surface().triangles.size(), done, skin.piece_count(),
        total / std::max(1, done - 1), slowest, worst_volume_error);
}

struct Case {
    const char* name;
    TetMesh mesh;
    TriMesh surface;
};

Case shape_case(const char* name, const ShapePtr& shape, double edge, double cell) {
    Threads threads(1);
    Case out{name, {}, shape_surface(*shape, edge)};
    LatticeOptions options;
    options.cell = cell;
    out.mesh = lattice(out.surface, options, threads).mesh;
    return out;
}

/// A box whose faces, edges and vertices lie exactly on planes, edges and nodes inside a larger lattice of cubes.
Case aligned_box(int subdivisions) {
    Case out{"aligned box", bar_mesh(4, 4, 4, Vec3(0, 0, 0), Vec3(4, 4, 4)), {}};
    const TetMesh inner = bar_mesh(2 * subdivisions, 2 * subdivisions, 2 * subdivisions, Vec3(1, 1, 1), Vec3(3, 3, 3));
    out.surface = boundary_surface(inner).surface;
    return out;
}

/// The surface is the mesh's own boundary.
Case conforming_box() {
    Case out{"conforming", bar_mesh(4, 3, 3, Vec3(0, 0, 0), Vec3(4, 3, 3)), {}};
    out.surface = boundary_surface(out.mesh).surface;
    return out;
}

TEST(Skin, NothingChangesUntilSomethingBreaks) {
    const Case c = aligned_box(1);
    Skin skin(c.mesh, c.surface);
    EXPECT_FALSE(skin.update(c.mesh.tets));
    EXPECT_EQ(skin.surface().triangles, c.surface.triangles);
    EXPECT_EQ(skin.piece_count(), 1);
    EXPECT_EQ(skin.revision(), 0u);
}

TEST(Skin, ClippedPiecesCoverTheSurfaceAndFillItsVolume) {
    for (const Case& c :
         {aligned_box(1), aligned_box(3), conforming_box(), shape_case("torus", torus_shape(1, 0.4), 0.15, 0.45)}) {
        Threads threads(2);
        SkinClip clip = clip_surface(c.mesh, c.surface, tet_neighbours(c.mesh.tets), threads);
        ASSERT_TRUE(clip.sound && clip.closed && clip.contained) << c.name;
        const SurfaceFacts facts = inspect(c.surface);
        // Every tet's share of the surface, closed by the inside parts of its faces.
        double area = 0, volume = 0, least = 0;
        std::vector<double> tet_volume(c.mesh.tets.size(), 0);
        const auto add = [&](int tet, const Vec3& p, const Vec3& q, const Vec3& r) {
            const Vec3& o = c.mesh.rest[c.mesh.tets[tet][0]];
            tet_volume[tet] += (p - o).dot((q - o).cross(r - o)) / 6;
        };
        for (const SkinClip::Piece& piece : clip.pieces.items)
            for (int k = 1; k + 1 < piece.corners; ++k) {
                const auto x = [&](int i) { return clip.points[clip.corners[piece.first_corner + i].point].x; };
                area += 0.5 * (x(k) - x(0)).cross(x(k + 1) - x(0)).norm();
                add(piece.tet, x(0), x(k), x(k + 1));
            }
        for (int f = 0; f < static_cast<int>(clip.faces.size()); ++f) {
            const std::vector<CapTriangle> cap = fill_face(clip, c.mesh.rest, c.mesh.tets, f);
            for (const CapTriangle& t : cap) {
                const Vec3 p = clip.points[t.point[0]].x, q = clip.points[t.point[1]].x, r = clip.points[t.point[2]].x;
                add(clip.faces[f].tet[0], p, q, r);
                if (clip.faces[f].tet[1] >= 0) add(clip.faces[f].tet[1], r, q, p);
            }
        }
        for (std::size_t t = 0; t < tet_volume.size(); ++t) {
            volume += tet_volume[t];
            least = std::min(least, tet_volume[t]);
            EXPECT_LE(tet_volume[t], signed_volume(c.mesh.rest, c.mesh.tets[t]) * 1.01) << c.name;
        }
        std::printf("  %s: area error %.1e, volume error %.1e, least volume in a tet %.1e\n", c.name,
                    std::abs(area - facts.area) / facts.area, std::abs(volume - facts.volume) / facts.volume, least);
        EXPECT_NEAR(area, facts.area, 1e-12 * facts.area) << c.name;
        EXPECT_NEAR(volume, facts.volume, 1e-12 * facts.volume) << c.name;
        EXPECT_GE(least, -1e-13 * facts.volume) << c.name;
        // The same without triangles over the faces, and where each share has its centre. Where faces of tets lie in
        // the surface their outlines are not quite flat: tets may differ then, by as much on both sides of a face.
        Threads two(2), alone(1);
        const std::vector<TetContent> contents = tet_contents(clip, c.mesh, two),
                                      same = tet_contents(clip, c.mesh, alone);
        for (std::size_t t = 0; t < contents.size(); ++t)
            EXPECT_TRUE(contents[t].volume == same[t].volume && contents[t].center == same[t].center) << c.name << t;
        Vec3 first = Vec3::Zero(), whole_first = Vec3::Zero();
        double worst = 0, sum = 0;
        for (std::size_t t = 0; t < contents.size(); ++t) {
            worst = std::max(worst, std::abs(contents[t].volume - std::max(0.0, tet_volume[t])) /
                                        signed_volume(c.mesh.rest, c.mesh.tets[t]));
            sum += contents[t].volume;
            for (int a = 0; a < 4; ++a)
                first += contents[t].volume * contents[t].center[a] * c.mesh.rest[c.mesh.tets[t][a]];
        }
        for (const Tri& t : c.surface.triangles) {
            const Vec3 &p = c.surface.points[t[0]], &q = c.surface.points[t[1]], &r = c.surface.points[t[2]];
            whole_first += p.dot(q.cross(r)) / 24 * (p + q + r);
        }
        std::printf("  %s: contents off by %.1e of a tet, in all %.1e, first moment by %.1e m4\n", c.name, worst,
                    std::abs(sum - facts.volume) / facts.volume, (first - whole_first).norm());
        EXPECT_LE(worst, 1e-3) << c.name;
        EXPECT_NEAR(sum, facts.volume, 1e-12 * facts.volume) << c.name;
        EXPECT_LE((first - whole_first).norm(), 1e-12 * facts.volume) << c.name;
    }
}

TEST(Skin, TwoTetsComeApart) {
    // A small sphere across the common face of two tets: two closed halves, tagged, told apart.
    TetMesh mesh;
    mesh.rest = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 3}, {1, 1, -3}};
    mesh.tets = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    TriMesh sphere = shape_surface(*sphere_shape(0.5), 0.2);
    for (Vec3& p : sphere.points) p += Vec3(1, 1, 0);
    Skin skin(mesh, sphere);
    std::vector<Tet> apart = mesh.tets;
    apart[1] = {0, 2, 5, 4};
    ASSERT_TRUE(skin.update(apart));
    EXPECT_TRUE(sound(skin, "two tets", 1));
    EXPECT_EQ(inspect(skin.surface()).components, 2);
    EXPECT_EQ(skin.piece_count(), 2);
    double crack_area = 0;
    for (std::size_t i = 0; i < skin.crack().size(); ++i) {
        if (!skin.crack()[i]) continue;
        const Tri& t = skin.surface().triangles[i];
        const auto& x = skin.surface().points;
        crack_area += 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm();
    }
    EXPECT_NEAR(crack_area, 2 * M_PI * 0.25, 0.1);
    // Together again: as before.
    ASSERT_TRUE(skin.update(mesh.tets));
    EXPECT_EQ(skin.surface().triangles, sphere.triangles);
}

TEST(Skin, DependsOnTheCracksAndNotOnTheirOrder) {
    const Case c = aligned_box(2);
    Breaking body(c.mesh);
    Rng rng(4);
    Skin step_by_step(c.mesh, c.surface), at_once(c.mesh, c.surface);
    for (int i = 0; i < 30; ++i)
        if (body.split_at_random(rng)) step_by_step.update(body.tets);
    at_once.update(body.tets);
    EXPECT_EQ(step_by_step.surface().triangles, at_once.surface().triangles);
    EXPECT_EQ(step_by_step.embedding().tet, at_once.embedding().tet);
}

/// Every array that a skin shows.
void expect_same(const Skin& a, const Skin& b, const char* name, int updates) {
    const auto equal = [](const auto& one, const auto& other) { return std::ranges::equal(one, other); };
    EXPECT_TRUE(equal(a.surface().points, b.surface().points)) << name << " after " << updates;
    EXPECT_TRUE(equal(a.surface().triangles, b.surface().triangles)) << name << " after " << updates;
    EXPECT_TRUE(equal(a.embedding().tet, b.embedding().tet)) << name << " after " << updates;
    EXPECT_TRUE(equal(a.embedding().weight, b.embedding().weight)) << name << " after " << updates;
    EXPECT_TRUE(equal(a.crack(), b.crack())) << name << " after " << updates;
    EXPECT_TRUE(equal(a.piece(), b.piece())) << name << " after " << updates;
    EXPECT_TRUE(equal(a.vertex_piece(), b.vertex_piece())) << name << " after " << updates;
    EXPECT_TRUE(equal(a.tet_linked(), b.tet_linked())) << name << " after " << updates;
    EXPECT_EQ(a.piece_count(), b.piece_count()) << name << " after " << updates;
}

/// A skin that follows split after split against one that comes from the unbroken state each time, and one that is
/// made for the occasion; and pieces against a search through all tets.
void compare_histories(const Case& c, int updates, std::uint64_t seed) {
    Skin follows(c.mesh, c.surface), jumps(c.mesh, c.surface);
    Breaking body(c.mesh);
    std::vector<Tet> earlier;
    Rng rng(seed);
    int done = 0, compared = 0;
    for (int attempt = 0; done < updates && attempt < 40 * updates && !::testing::Test::HasFailure(); ++attempt) {
        bool split = false;
        for (std::uint64_t k = 0; k <= rng.below(4); ++k) split |= body.split_at_random(rng);
        if (!split) continue;
        ++done;
        follows.update(body.tets);
        if (done == updates / 3) earlier = body.tets;
        if (done % 3 == 0) {
            if (done % 2 == 0) jumps.update(c.mesh.tets);
            jumps.update(body.tets);
            expect_same(follows, jumps, c.name, done), ++compared;
            std::vector<int> piece;
            std::vector<std::array<int, 4>> neighbours = tet_neighbours(body.tets);
            connected_pieces(neighbours, piece);
            const std::vector<int> linked = linked_tets(body.tets, piece);
            EXPECT_TRUE(std::ranges::equal(follows.tet_linked(), linked)) << c.name << " after " << done;
        }
        if (done % 24 == 0) {
            Skin made(c.mesh, c.surface);
            made.update(body.tets);
            expect_same(follows, made, c.name, done), ++compared;
        }
    }
    follows.update(earlier);
    Skin made(c.mesh, c.surface);
    made.update(earlier);
    expect_same(follows, made, c.name, -1);
    std::printf("  %s: %d updates, %d pieces, compared %d times\n", c.name, done, jumps.piece_count(), compared + 1);
}

TEST(Skin, OpenSurfacesAreCutAndSaidToBeOpen) {
    Case c = shape_case("open", sphere_shape(1), 0.2, 0.5);
    c.surface.triangles.erase(c.surface.triangles.begin() + 10, c.surface.triangles.begin() + 14);
    c.surface.triangles.push_back(c.surface.triangles[50]);
    const long long holes = inspect(c.surface).boundary_edges;
    Skin skin(c.mesh, c.surface);
    Breaking body(c.mesh);
    Rng rng(9);
    for (int i = 0; i < 400; ++i)
        if (body.split_at_random(rng)) skin.update(body.tets);
    EXPECT_FALSE(skin.watertight());
    EXPECT_FALSE(skin.remark().empty());
    // The rims of the hole may be cut into more edges; nothing else is open.
    EXPECT_LT(inspect(skin.surface()).boundary_edges, 12 * holes);
    EXPECT_GT(skin.piece_count(), 1);
}

/// A hollow box whose walls are thinner than a tet.
Case hollow_box() {
    Case out{"thin walls", bar_mesh(5, 5, 5, Vec3(0, 0, 0), Vec3(5, 5, 5)), {}};
    out.surface = boundary_surface(bar_mesh(3, 3, 3, Vec3(0.7, 0.7, 0.7), Vec3(4.2, 4.2, 4.2))).surface;
    const TriMesh inner = boundary_surface(bar_mesh(3, 3, 3, Vec3(0.75, 0.75, 0.75), Vec3(4.15, 4.15, 4.15))).surface;
    const int first = static_cast<int>(out.surface.points.size());
    out.surface.points.insert(out.surface.points.end(), inner.points.begin(), inner.points.end());
    for (const Tri& t : inner.triangles) out.surface.triangles.push_back({first + t[0], first + t[2], first + t[1]});
    return out;
}

/// Two boxes that overlap, as one surface: it winds twice round their common part.
Case overlapping() {
    Case out{"overlapping", bar_mesh(4, 4, 4, Vec3(0, 0, 0), Vec3(4, 4, 4)), {}};
    out.surface = boundary_surface(bar_mesh(2, 2, 2, Vec3(0.4, 0.4, 0.4), Vec3(2.6, 2.7, 2.8))).surface;
    const TriMesh other = boundary_surface(bar_mesh(2, 2, 2, Vec3(1, 1, 1), Vec3(3.5, 3.4, 3.6))).surface;
    const int first = static_cast<int>(out.surface.points.size());
    out.surface.points.insert(out.surface.points.end(), other.points.begin(), other.points.end());
    for (const Tri& t : other.triangles) out.surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    return out;
}

TEST(Skin, SurfacesThatCrossThemselvesStayClosed) {
    const Case c = overlapping();
    torture(c.name, c.mesh, c.surface, 400, 50);
}

TEST(Skin, WhatSticksOutIsCutOffAndReported) {
    const Case c{"sticking out", bar_mesh(3, 3, 3, Vec3(0, 0, 0), Vec3(3, 3, 3)),
                 boundary_surface(bar_mesh(4, 4, 4, Vec3(1, 1, 1), Vec3(8, 2, 2))).surface};
    Skin skin(c.mesh, c.surface);
    Breaking body(c.mesh);
    Rng rng(12);
    for (int i = 0; i < 200; ++i)
        if (body.split_at_random(rng)) skin.update(body.tets);
    const SurfaceFacts facts = inspect(skin.surface());
    EXPECT_TRUE(facts.closed() && facts.oriented());
    EXPECT_GT(skin.volume_error(), 0.5);
    EXPECT_NE(skin.remark().find("outside"), std::string::npos);
}

TEST(Skin, EveryArrayIsTheSameByWhateverWayItCame) {
    compare_histories(aligned_box(3), 120, 60);
    compare_histories(conforming_box(), 90, 61);
    compare_histories(overlapping(), 120, 62);
    compare_histories(hollow_box(), 150, 63);
    compare_histories(shape_case("torus", torus_shape(1, 0.4), 0.2, 0.5), 120, 64);
    compare_histories({"sticking out", bar_mesh(3, 3, 3, Vec3(0, 0, 0), Vec3(3, 3, 3)),
                       boundary_surface(bar_mesh(4, 4, 4, Vec3(1, 1, 1), Vec3(8, 2, 2))).surface},
                      60, 65);
    Case open = shape_case("open", sphere_shape(1), 0.2, 0.5);
    open.surface.triangles.erase(open.surface.triangles.begin() + 10, open.surface.triangles.begin() + 14);
    open.surface.triangles.push_back(open.surface.triangles[50]);
    compare_histories(open, 90, 66);
    Case apart = aligned_box(2);  // two bodies in one
    const int nodes = apart.mesh.node_count(), tets = apart.mesh.tet_count();
    for (int i = 0; i < nodes; ++i) apart.mesh.rest.push_back(apart.mesh.rest[i] + Vec3(10, 0, 0));
    for (int t = 0; t < tets; ++t) {
        Tet other = apart.mesh.tets[t];
        for (int& n : other) n += nodes;
        apart.mesh.tets.push_back(other);
    }
    compare_histories(apart, 60, 67);
}

// Over ten thousand splits in all, counting both tests; the surface is looked at after each.
TEST(Skin, TortureDegenerate) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Case box = aligned_box(1);
        torture(box.name, box.mesh, box.surface, 800, seed);
        box = aligned_box(3);
        torture("aligned fine", box.mesh, box.surface, 700, seed + 10);
        box = conforming_box();
        torture(box.name, box.mesh, box.surface, 400, seed + 20);
        // A thin plate whose two sides are within one layer of tets, one of them exactly on its plane.
        Case plate{"thin plate", bar_mesh(6, 2, 6, Vec3(0, 0, 0), Vec3(6, 2, 6)), {}};
        plate.surface = boundary_surface(bar_mesh(10, 1, 10, Vec3(0.5, 1, 0.5), Vec3(5.5, 1.01, 5.5))).surface;
        torture(plate.name, plate.mesh, plate.surface, 800, seed + 30);
    }
    const Case walls = hollow_box();
    torture(walls.name, walls.mesh, walls.surface, 1000, 40);
}

TEST(Skin, TortureShapes) {
    Case c = shape_case("sphere", sphere_shape(1), 0.3, 0.6);
    torture(c.name, c.mesh, c.surface, 600, 5);
    c = shape_case("torus", torus_shape(1, 0.4), 0.2, 0.5);
    torture(c.name, c.mesh, c.surface, 800, 6);
    c = shape_case("text", text_shape("8", 1, 0.2), 0.12, 0.25);
    torture(c.name, c.mesh, c.surface, 500, 8);
    std::printf("  %lld splits in all, worst volume error %.1e\n", total_splits, worst_volume_error);
}

TEST(Skin, UpdatesAreQuickAtThePapersSize) {
    // A creature of the paper: about a thousand tets, ten thousand triangles (Müller & Gross 2004, table 1).
    const Case c = shape_case("paper's size", torus_shape(1, 0.4), 0.06, 0.42);
    Skin skin(c.mesh, c.surface);
    Breaking body(c.mesh);
    Rng rng(3);
    while (!body.split_at_random(rng)) continue;
    std::clock_t start = std::clock();
    skin.update(body.tets);
    const double first = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    double total = 0;
    int updates = 0;
    for (int i = 0; updates < 100 && i < 10000; ++i) {
        if (!body.split_at_random(rng)) continue;
        start = std::clock();
        updates += skin.update(body.tets);
        total += 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    std::printf("  %zu tets, %zu → %zu triangles: clipping %.1f ms once, then %.2f ms per update\n", c.mesh.tets.size(),
                c.surface.triangles.size(), skin.surface().triangles.size(), first, total / updates);
    EXPECT_TRUE(sound(skin, c.name, updates));
    EXPECT_LT(total / updates, 20);  // ten times what is meant, so that only a real loss fails on a busy machine
}

TEST(SoakSkin, TenThousandSplitsEachChecked) {
    for (std::uint64_t seed = 100; seed < 104; ++seed) {
        const Case box = aligned_box(2);
        torture(box.name, box.mesh, box.surface, 1000, seed);
        const Case torus = shape_case("torus", torus_shape(1, 0.4), 0.15, 0.35);
        torture(torus.name, torus.mesh, torus.surface, 4000, seed);
        const Case shell = shape_case("thin shell", shell_of(sphere_shape(1), 0.02), 0.12, 0.3);
        torture(shell.name, shell.mesh, shell.surface, 4000, seed);
    }
}

}  // namespace
}  // namespace pliant
