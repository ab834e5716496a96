#include "pliant/surface/seen_surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <ranges>

#include "pliant/core/bytes.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/tet_split.hpp"
#include "pliant/mesh/bar_mesh.hpp"

namespace pliant {
namespace {

TetMesh seen_block() { return bar_mesh(3, 2, 2, Vec3::Zero(), Vec3(3, 2, 2)); }

/// A box well inside the block.
TriMesh seen_box() {
    return boundary_surface(bar_mesh(4, 3, 3, Vec3(0.21, 0.17, 0.13), Vec3(2.83, 1.81, 1.77))).surface;
}

/// Every tet by itself round a random node: the plainest way to tear something.
MeshEdit random_split(const TetMesh& mesh, Rng& rng) {
    const int node = static_cast<int>(rng.below(mesh.rest.size()));
    std::vector<int> around, group;
    for (int t = 0; t < mesh.tet_count(); ++t)
        if (std::count(mesh.tets[t].begin(), mesh.tets[t].end(), node) > 0) {
            around.push_back(t);
            group.push_back(static_cast<int>(around.size()) == 1 ? 0 : static_cast<int>(rng.below(3)));
        }
    // Group numbers without gaps, as split_node() wants them.
    std::vector<int> number(3, -1);
    int count = 0;
    for (int& g : group) {
        if (number[g] < 0) number[g] = count++;
        g = number[g];
    }
    MeshEdit edit;
    if (count > 1) split_node(edit, mesh, node, around, group);
    return edit;
}

/// The mesh divided by a plane, new nodes on the edges.
MeshEdit plane_cut(const TetMesh& mesh, const Vec3& normal, double offset) {
    MeshEdit edit;
    std::map<std::pair<int, int>, int> point;
    for (int t = 0; t < mesh.tet_count(); ++t) {
        const Tet& tet = mesh.tets[t];
        std::array<double, 4> d;
        for (int k = 0; k < 4; ++k) d[k] = normal.dot(mesh.rest[tet[k]]) - offset;
        const TetSplit split = split_tet(tet, d);
        if (split.count == 1) continue;
        edit.removed_tets.push_back(t);
        for (int s = 0; s < split.count; ++s) {
            MeshEdit::NewTet part;
            for (int k = 0; k < 4; ++k) {
                const int c = split.tet[s][k];
                if (c < 4) {
                    part.nodes[k] = tet[c];
                    continue;
                }
                const auto [a, b] = std::minmax(tet[tet_edges[c - 4][0]], tet[tet_edges[c - 4][1]]);
                const auto [at, fresh] =
                    point.emplace(std::pair(a, b), mesh.node_count() + static_cast<int>(edit.new_nodes.size()));
                if (fresh) {
                    const double u = normal.dot(mesh.rest[a]) - offset, v = normal.dot(mesh.rest[b]) - offset;
                    edit.new_nodes.push_back({{{a, 1 - u / (u - v)}, {b, u / (u - v)}}});
                }
                part.nodes[k] = at->second;
            }
            part.parents = {{t, 1.0}};
            edit.new_tets.push_back(part);
        }
    }
    return edit;
}

/// What every kind promises at any time. `rest_volume` 0: not asked for.
void keeps_promises(const SeenSurface& seen, const TetMesh& mesh, double rest_volume) {
    const TriMesh& surface = seen.surface();
    const Embedding& embedding = seen.embedding();
    ASSERT_EQ(embedding.size(), surface.points.size());
    ASSERT_TRUE(seen.crack().empty() || seen.crack().size() == surface.triangles.size());
    ASSERT_TRUE(seen.piece().empty() || seen.piece().size() == surface.triangles.size());
    std::vector<Vec3> at(surface.points.size());
    interpolate(embedding, mesh.tets, mesh.rest, at);
    double worst = 0;
    for (std::size_t v = 0; v < at.size(); ++v) worst = std::max(worst, (at[v] - surface.points[v]).norm());
    EXPECT_LT(worst, 1e-12);  // the points hang where they are
    for (int p : seen.piece()) ASSERT_LT(p, seen.piece_count());
    EXPECT_TRUE(seen.watertight()) << seen.remark();
    const double enclosed = enclosed_volume(surface.points, surface.triangles);
    EXPECT_TRUE(rest_volume == 0 || std::abs(enclosed - rest_volume) < 1e-12 * rest_volume) << enclosed;
}

void load_into(SeenSurface& to, const SeenSurface& from, const TetMesh& mesh, std::span<const int> origin) {
    Threads threads(1);
    ByteWriter out;
    from.save(out);
    ByteReader in(out.bytes());
    ASSERT_TRUE(to.load(in, mesh, origin, threads));
    in.finish();
}

TEST(SeenSurface, EveryKindFollowsSplitsOfNodes) {
    Threads threads(2);
    const TetMesh whole = seen_block();
    const TriMesh box = seen_box();
    const double volume = enclosed_volume(box.points, box.triangles);
    const auto make = [&](int kind) -> std::unique_ptr<SeenSurface> {
        if (kind == 0) return std::make_unique<EmbeddedSurface>(whole, box);
        if (kind == 1) return std::make_unique<SkinSurface>(Skin(whole, box));
        return std::make_unique<MeshBoundary>(whole);
    };
    for (int kind = 0; kind < 3; ++kind) {
        const auto seen = make(kind);
        TetMesh mesh = whole;
        std::vector<int> origin(mesh.rest.size());
        for (int i = 0; i < mesh.node_count(); ++i) origin[i] = i;
        Rng rng(41);
        std::uint64_t revision = seen->revision();
        int changes = 0;
        for (int i = 0; i < 60; ++i) {
            const MeshEdit edit = random_split(mesh, rng);
            apply(mesh, edit);
            follow_nodes(origin, edit);
            const bool changed = seen->follow(mesh, edit, threads);
            EXPECT_EQ(changed, seen->revision() != revision);
            revision = seen->revision(), changes += changed;
            keeps_promises(*seen, mesh, kind < 2 ? volume : 12);
        }
        std::printf("kind %d: %d changes, %d pieces, %zu triangles\n", kind, changes, seen->piece_count(),
                    seen->surface().triangles.size());
        // A surface that is put to the same mesh at once is the same.
        const auto again = make(kind);
        load_into(*again, *seen, mesh, origin);
        EXPECT_EQ(again->surface().triangles, seen->surface().triangles);
        EXPECT_EQ(again->embedding().tet, seen->embedding().tet);
        EXPECT_EQ(again->piece_count(), seen->piece_count());
        EXPECT_TRUE(std::ranges::equal(again->crack(), seen->crack()));
        EXPECT_EQ(changes > 0, kind > 0);
    }
}

TEST(SeenSurface, BoundaryTellsCracksFromTheOuterSide) {
    Threads threads(1);
    TetMesh mesh = seen_block();
    MeshBoundary seen(mesh);
    const double area = 2 * (3 * 2 + 2 * 2 + 2 * 3);
    Rng rng(42);
    double worst = 0;
    for (int i = 0; i < 40; ++i) {
        // Planes through the elements and splits of nodes in turn.
        const Vec3 normal(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        const MeshEdit edit =
            i % 8 == 3 ? plane_cut(mesh, normal, normal.dot(Vec3(1.5, 1, 1))) : random_split(mesh, rng);
        apply(mesh, edit);
        seen.follow(mesh, edit, threads);
        keeps_promises(seen, mesh, 12);
        double outer = 0;
        for (std::size_t t = 0; t < seen.surface().triangles.size(); ++t) {
            const Tri& tri = seen.surface().triangles[t];
            const auto& p = seen.surface().points;
            if (!seen.crack()[t]) outer += (p[tri[1]] - p[tri[0]]).cross(p[tri[2]] - p[tri[0]]).norm() / 2;
        }
        worst = std::max(worst, std::abs(outer / area - 1));
    }
    std::printf("%d tets, %d pieces; area of the outer side right to %.1e\n", mesh.tet_count(), seen.piece_count(),
                worst);
    EXPECT_LT(worst, 1e-12);
}

TEST(SeenSurface, EmbeddedVerticesStayWhereTheyAreWhenTetsAreReplaced) {
    Threads threads(1);
    TetMesh mesh = seen_block();
    EmbeddedSurface seen(mesh, seen_box());
    const TriMesh before = seen.surface();
    Rng rng(43);
    for (int i = 0; i < 6; ++i) {
        const Vec3 normal(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
        const MeshEdit edit = plane_cut(mesh, normal, normal.dot(Vec3(rng.uniform(1, 2), 1, 1)));
        apply(mesh, edit);
        EXPECT_TRUE(seen.follow(mesh, edit, threads));
        keeps_promises(seen, mesh, 0);
        EXPECT_EQ(seen.surface().points, before.points);
        double lowest = 0;
        for (const Vec4& w : seen.embedding().weight) lowest = std::min(lowest, w.minCoeff());
        EXPECT_GT(lowest, -1e-9);  // each in a tet that contains it
    }
    EXPECT_EQ(seen.revision(), 6u);
    std::printf("%d tets after six planes\n", mesh.tet_count());
}

/// An edge gets a node in its middle, so that all tets round it become two.
MeshEdit edge_split(const TetMesh& mesh, Rng& rng) {
    const Tet& tet = mesh.tets[rng.below(mesh.tets.size())];
    const int from = static_cast<int>(rng.below(4)), a = tet[from], b = tet[(from + 1 + rng.below(3)) % 4];
    const double share = rng.uniform(0.3, 0.7);
    MeshEdit edit;
    edit.new_nodes.push_back({{{a, share}, {b, 1 - share}}});
    for (int t = 0; t < mesh.tet_count(); ++t) {
        const Tet& old = mesh.tets[t];
        if (std::count(old.begin(), old.end(), a) == 0 || std::count(old.begin(), old.end(), b) == 0) continue;
        edit.removed_tets.push_back(t);
        for (int end : {a, b}) {
            Tet half = old;
            std::replace(half.begin(), half.end(), end, mesh.node_count());
            edit.new_tets.push_back({half, {{t, 1.0}}});
        }
    }
    return edit;
}

/// Volume of the material inside the surface that hangs on each tet mesh piece, by the triangles of the piece.
std::vector<double> piece_volumes(const SeenSurface& seen) {
    std::vector<double> volume(static_cast<std::size_t>(seen.piece_count()), 0);
    const auto& p = seen.surface().points;
    for (std::size_t t = 0; t < seen.surface().triangles.size(); ++t) {
        const Tri& tri = seen.surface().triangles[t];
        volume[static_cast<std::size_t>(seen.piece()[t])] += p[tri[0]].dot(p[tri[1]].cross(p[tri[2]])) / 6;
    }
    std::sort(volume.begin(), volume.end());
    return volume;
}

// Cracks and edits in any order: the sides of a crack then no longer fit together edge by edge.
TEST(SeenSurface, ASkinFollowsEditsAfterItHasCracked) {
    Threads threads(2);
    const TetMesh whole = seen_block();
    const TriMesh on_the_boundary = boundary_surface(whole).surface;
    const TriMesh through_the_nodes = boundary_surface(bar_mesh(6, 4, 4, Vec3::Zero(), Vec3(3, 2, 2))).surface;
    int number = 0;
    for (const TriMesh& given : {seen_box(), on_the_boundary, through_the_nodes}) {
        const double volume = enclosed_volume(given.points, given.triangles);
        SkinSurface seen{Skin(whole, given)};
        TetMesh mesh = whole;
        std::vector<int> origin(mesh.rest.size());
        for (int i = 0; i < mesh.node_count(); ++i) origin[i] = i;
        Rng rng(44);
        double worst_volume = 0, worst_piece = 0;
        int edits = 0;
        for (int i = 0; i < 60; ++i) {
            const bool splits = i % 3 != 2;
            const MeshEdit edit = splits ? random_split(mesh, rng) : edge_split(mesh, rng);
            if (edit.empty()) continue;
            const std::vector<double> before = piece_volumes(seen);
            const std::uint64_t revision = seen.revision();
            apply(mesh, edit);
            follow_nodes(origin, edit);
            const bool changed = seen.follow(mesh, edit, threads);
            EXPECT_EQ(changed, seen.revision() > revision);
            EXPECT_EQ(seen.vertices_after().size() > 0, true);
            keeps_promises(seen, mesh, 0);
            const SurfaceFacts facts = inspect(seen.surface());
            EXPECT_TRUE(facts.closed() && facts.oriented()) << number << " after " << i;
            worst_volume = std::max(worst_volume, std::abs(seen.volume_error()));
            if (splits) continue;
            ++edits;
            for (int k = 0; k < mesh.node_count(); ++k) origin[k] = k;
            const std::vector<double> after = piece_volumes(seen);
            ASSERT_EQ(after.size(), before.size());
            for (std::size_t k = 0; k < after.size(); ++k)
                worst_piece = std::max(worst_piece, std::abs(after[k] - before[k]) / volume);
        }
        std::printf("surface %d: %d edits, %d pieces, %zu triangles; volume of all right to %.1e, of a piece to %.1e\n",
                    number, edits, seen.piece_count(), seen.surface().triangles.size(), worst_volume, worst_piece);
        EXPECT_LT(worst_volume, 1e-12);
        EXPECT_LT(worst_piece, 1e-5);  // nodes are scattered before the first edit of a cracked mesh
        EXPECT_GT(seen.piece_count(), 5);
        SkinSurface again{Skin(whole, given)};
        load_into(again, seen, mesh, origin);
        EXPECT_EQ(again.surface().triangles, seen.surface().triangles);
        EXPECT_EQ(again.surface().points, seen.surface().points);
        EXPECT_EQ(again.embedding().tet, seen.embedding().tet);
        ++number;
    }
}

}  // namespace
}  // namespace pliant
