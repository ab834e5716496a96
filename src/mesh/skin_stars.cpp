// What Skin knows of the tet mesh at rest: its faces and edges, and the tets and faces round every one of them.

#include <algorithm>
#include <numeric>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/tet_edges.hpp"
#include "pliant/mesh/skin_clip.hpp"

namespace pliant {

std::array<int, 6> SkinClip::entities_of(const TetMesh& mesh, int face) const {
    const SkinFace& f = faces[face];
    const Tet& tet = mesh.tets[f.tet[0]];
    std::array<int, 6> entities{};
    for (int k = 0; k < 3; ++k) {
        const auto [from, to] = std::minmax(f.from_first[k], f.from_first[(k + 1) % 3]);
        int m = 0;
        while (tet_edges[m][0] != from || tet_edges[m][1] != to) ++m;
        entities[k] = edge_entity(edge_of[f.tet[0]][m]);
        entities[3 + k] = node_entity(tet[f.from_first[k]]);
    }
    return entities;
}

namespace {

void number_faces(SkinClip& clip, const TetMesh& mesh) {
    const auto neighbours = tet_neighbours(mesh.tets);
    clip.face_of.assign(mesh.tets.size(), {-1, -1, -1, -1});
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int f = 0; f < 4; ++f) {
            const int other = neighbours[t][f];
            if (other >= 0 && other < t) continue;
            SkinFace face;
            face.tet = {t, other}, face.local[0] = f, face.from_first = tet_faces[f];
            if (other >= 0) {
                for (int k = 0; k < 3; ++k) {
                    const Tet& o = mesh.tets[other];
                    const int node = mesh.tets[t][tet_faces[f][k]];
                    face.from_second[k] = static_cast<int>(std::find(o.begin(), o.end(), node) - o.begin());
                }
                face.local[1] = 6 - face.from_second[0] - face.from_second[1] - face.from_second[2];
                clip.face_of[other][face.local[1]] = static_cast<int>(clip.faces.size());
            }
            clip.face_of[t][f] = static_cast<int>(clip.faces.size());
            clip.faces.push_back(face);
        }
}

void number_edges(SkinClip& clip, const TetMesh& mesh, Threads& threads) {
    // Per smaller node: the larger one, and which edge of which tet.
    const auto uses = sorted_keys(mesh.node_count(), threads, [&](auto&& visit) {
        for (int t = 0; t < mesh.tet_count(); ++t)
            for (int m = 0; m < 6; ++m) {
                const int a = mesh.tets[t][tet_edges[m][0]], b = mesh.tets[t][tet_edges[m][1]];
                visit(std::min(a, b), packed(std::max(a, b), 6 * t + m));
            }
    });
    const std::vector<int> first = first_of_lists(uses, threads);
    clip.edge_nodes.resize(first.back());
    clip.edge_of.resize(mesh.tets.size());
    parallel_for(threads, uses.count(), lists_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node)
            for (int i = uses.begin[node], edge = first[node] - 1; i < uses.begin[node + 1]; ++i) {
                const int other = high_half(uses.items[i]), use = low_half(uses.items[i]);
                if (i == uses.begin[node] || high_half(uses.items[i - 1]) != other)
                    clip.edge_nodes[++edge] = {static_cast<int>(node), other};
                clip.edge_of[use / 6][use % 6] = edge;
            }
    });
}

void list_stars(SkinClip& clip, const TetMesh& mesh, Threads& threads) {
    clip.node_count = mesh.node_count();
    std::vector<int>& begin = clip.star.begin;
    begin.assign(clip.node_entity(mesh.node_count()) + 1, 0);
    // Faces, edges and nodes have ranges of their own.
    const auto each_kind = [&](auto&& visit) {
        parallel_for(threads, 3, 1, [&](std::size_t kind, std::size_t) {
            for (int t = mesh.tet_count(); t-- > 0;) {
                if (kind == 0)
                    for (int f : clip.face_of[t]) visit(f, t);
                else if (kind == 1)
                    for (int e : clip.edge_of[t]) visit(clip.edge_entity(e), t);
                else
                    for (int n : mesh.tets[t]) visit(clip.node_entity(n), t);
            }
        });
    };
    each_kind([&](int entity, int) { ++begin[entity]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    clip.star.items.resize(begin.back());
    each_kind([&](int entity, int t) { clip.star.items[--begin[entity]] = t; });
}

void list_star_faces(SkinClip& clip, const TetMesh& mesh, Threads& threads) {
    const auto place = [&](int entity, int tet) {
        const auto begin = clip.star.items.begin() + clip.star.begin[entity];
        const auto at = std::lower_bound(begin, clip.star.items.begin() + clip.star.begin[entity + 1], tet) - begin;
        CHECK(at < 65536, at);
        return static_cast<std::uint16_t>(at);
    };
    parallel_for(threads, clip.faces.size(), 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t f = first; f < last; ++f) {
            SkinFace& face = clip.faces[f];
            const std::array<int, 6> entities = clip.entities_of(mesh, static_cast<int>(f));
            const int second = face.tet[1] < 0 ? face.tet[0] : face.tet[1];
            for (int k = 0; k < 6; ++k) face.place[k] = {place(entities[k], face.tet[0]), place(entities[k], second)};
        }
    });
    Lists<SkinClip::StarFace>& lists = clip.star_faces;
    lists.begin.assign(clip.star.count() + 1, 0);
    for (int f = static_cast<int>(clip.faces.size()); f-- > 0;)
        for (int entity : clip.entities_of(mesh, f)) ++lists.begin[entity];
    std::partial_sum(lists.begin.begin(), lists.begin.end(), lists.begin.begin());
    lists.items.resize(lists.begin.back());
    for (int f = static_cast<int>(clip.faces.size()); f-- > 0;) {
        const std::array<int, 6> entities = clip.entities_of(mesh, f);
        for (int k = 0; k < 6; ++k) {
            const auto& [first, second] = clip.faces[f].place[k];
            lists.items[--lists.begin[entities[k]]] = {f, first, second};
        }
    }
}

}  // namespace

void list_all_stars(SkinClip& clip, const TetMesh& mesh, Threads& threads) {
    number_faces(clip, mesh);
    number_edges(clip, mesh, threads);
    list_stars(clip, mesh, threads);
    list_star_faces(clip, mesh, threads);
}

}  // namespace pliant
