// What Skin knows of the tet mesh at rest: its faces and edges, and the tets and faces round every one of them.

#include <algorithm>
#include <numeric>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/geometry/tet_edges.hpp"
#include "pliant/surface/skin_clip.hpp"

namespace pliant {

std::array<int, 6> SkinClip::entities_of(const TetMesh& mesh, int face) const {
    const SkinFace& f = faces[face];
    const Tet& tet = mesh.tets[f.tet[0]];
    std::array<int, 6> entities{};
    for (int k = 0; k < 3; ++k) {
        entities[k] = edge_entity(edge_of[f.tet[0]][edge_between[f.from_first[k]][f.from_first[(k + 1) % 3]]]);
        entities[3 + k] = node_entity(tet[f.from_first[k]]);
    }
    return entities;
}

namespace {

constexpr std::size_t tets_at_once = 2048;

/// Faces are numbered by the lower of their tets, and are seen from it.
bool sees_face(int tet, int neighbour) { return neighbour < 0 || neighbour > tet; }

void number_faces(SkinClip& clip, const TetMesh& mesh, TetNeighbours neighbours, Threads& threads) {
    clip.face_of.resize(mesh.tets.size());
    int count = 0;
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int f = 0; f < 4; ++f)
            if (sees_face(t, neighbours[t][f])) clip.face_of[t][f] = count++;
    clip.faces.resize(count);
    parallel_for(threads, mesh.tets.size(), tets_at_once, [&](std::size_t first, std::size_t last) {
        for (int t = static_cast<int>(first); t < static_cast<int>(last); ++t)
            for (int f = 0; f < 4; ++f) {
                const int other = neighbours[t][f];
                if (!sees_face(t, other)) continue;
                SkinFace& face = clip.faces[clip.face_of[t][f]];
                const Tet& o = mesh.tets[other < 0 ? t : other];
                int left = 6;  // of the other tet's corners, when those of the face are taken away
                for (int k = 0; k < 3; ++k) {
                    const auto at = std::find(o.begin(), o.end(), mesh.tets[t][tet_faces[f][k]]) - o.begin();
                    face.from_first[k] = static_cast<signed char>(tet_faces[f][k]);
                    face.from_second[k] = static_cast<signed char>(at);
                    left -= static_cast<int>(at);
                }
                face.tet = {t, other}, face.local = {static_cast<signed char>(f), static_cast<signed char>(left)};
                if (other >= 0) clip.face_of[other][left] = clip.face_of[t][f];
            }
    });
}

/// An edge (0 … 5) or node (6 … 9) of a tet.
struct LocalEntity {
    int tet, local;
};

/// What stars are put together from: every tet's edges, then every tet's nodes, those that are the same one after the
/// other.
struct StarUses {
    Lists<int> corners;          // by node: 4·tet + corner
    Lists<std::uint64_t> edges;  // by smaller node: the larger one, 6·tet + edge

    int count() const { return static_cast<int>(edges.items.size() + corners.items.size()); }
    LocalEntity operator[](int i) const {
        const int before = static_cast<int>(edges.items.size());
        if (i < before) return {low_half(edges.items[i]) / 6, low_half(edges.items[i]) % 6};
        return {corners.items[i - before] / 4, 6 + corners.items[i - before] % 4};
    }
};

StarUses number_edges(SkinClip& clip, const TetMesh& mesh, Threads& threads) {
    StarUses uses;
    uses.corners = corners_round_nodes(mesh.node_count(), mesh.tets);
    uses.edges = sorted_keys(mesh.node_count(), threads, [&](int node, auto&& visit) {
        for (int i = uses.corners.begin[node]; i < uses.corners.begin[node + 1]; ++i) {
            const int t = uses.corners.items[i] / 4, a = uses.corners.items[i] % 4;
            for (int b = 0; b < 4; ++b)
                if (const int other = mesh.tets[t][b]; other > node || (other == node && b > a))
                    visit(packed(other, 6 * t + edge_between[a][b]));
        }
    });
    const std::vector<int> first = first_of_lists(uses.edges, threads);
    clip.edge_nodes.resize(first.back());
    clip.edge_of.resize(mesh.tets.size());
    clip.node_count = mesh.node_count();
    // Their stars follow those of the faces, in the order of the uses.
    const int before = static_cast<int>(4 * mesh.tets.size());
    clip.star.begin.resize(clip.node_entity(mesh.node_count()) + 1);
    clip.star.items.resize(before + uses.count());
    parallel_for(threads, uses.edges.count(), lists_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t node = begin; node < end; ++node)
            for (int i = uses.edges.begin[node], edge = first[node] - 1; i < uses.edges.begin[node + 1]; ++i) {
                const int other = high_half(uses.edges.items[i]), use = low_half(uses.edges.items[i]);
                if (i == uses.edges.begin[node] || high_half(uses.edges.items[i - 1]) != other) {
                    clip.edge_nodes[++edge] = {static_cast<int>(node), other};
                    clip.star.begin[clip.edge_entity(edge)] = before + i;
                }
                clip.edge_of[use / 6][use % 6] = edge;
            }
    });
    const int before_nodes = before + static_cast<int>(uses.edges.items.size());
    for (int node = 0; node <= mesh.node_count(); ++node)
        clip.star.begin[clip.node_entity(node)] = before_nodes + uses.corners.begin[node];
    return uses;
}

/// Per tet: its places in the stars of its edges and nodes.
using StarPlaces = std::vector<std::array<std::uint16_t, 10>>;

StarPlaces list_stars(SkinClip& clip, const TetMesh& mesh, const StarUses& uses, Threads& threads) {
    int before = 0;
    for (std::size_t f = 0; f < clip.faces.size(); ++f) {
        clip.star.begin[f] = before;
        for (int t : clip.faces[f].tet)
            if (t >= 0) clip.star.items[before++] = t;
    }
    StarPlaces places(mesh.tets.size());
    parallel_for(threads, uses.count(), 16384, [&](std::size_t begin, std::size_t end) {
        for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
            const auto [t, local] = uses[i];
            clip.star.items[before + i] = t;
            const int entity =
                local < 6 ? clip.edge_entity(clip.edge_of[t][local]) : clip.node_entity(mesh.tets[t][local - 6]);
            const int place = before + i - clip.star.begin[entity];
            CHECK(place < 65536, place);
            places[t][local] = static_cast<std::uint16_t>(place);
        }
    });
    return places;
}

/// By face of a tet: which of its edges and nodes (in the order of SkinClip::entities_of()) is an edge or node of the
/// tet; −1 for those that it does not have.
constexpr std::array<std::array<int, 10>, 4> slots_in_face = [] {
    std::array<std::array<int, 10>, 4> slots{};
    for (int f = 0; f < 4; ++f) {
        for (int& slot : slots[f]) slot = -1;
        for (int k = 0; k < 3; ++k) {
            slots[f][edge_between[tet_faces[f][k]][tet_faces[f][(k + 1) % 3]]] = k;
            slots[f][6 + tet_faces[f][k]] = 3 + k;
        }
    }
    return slots;
}();

void list_star_faces(SkinClip& clip, const TetMesh& mesh, const StarUses& uses, TetNeighbours neighbours,
                     Threads& threads) {
    const StarPlaces places = list_stars(clip, mesh, uses, threads);
    parallel_for(threads, clip.faces.size(), 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t f = first; f < last; ++f) {
            SkinFace& face = clip.faces[f];
            for (int side = 0; side < 2; ++side) {
                const auto& corner = side == 0 ? face.from_first : face.from_second;
                const auto& place = places[face.tet[side] < 0 ? face.tet[0] : face.tet[side]];
                for (int k = 0; k < 3; ++k) {
                    face.place[k][side] = place[edge_between[corner[k]][corner[(k + 1) % 3]]];
                    face.place[3 + k][side] = place[6 + corner[k]];
                }
            }
        }
    });
    const int first_entity = clip.edge_entity(0), before = clip.star.begin[first_entity];
    clip.star_faces = make_lists<SkinClip::StarFace>(clip.star.count(), threads, [&](int entity, auto&& visit) {
        if (entity < first_entity) return;
        // A star's tets ascend, and so do the faces that they see.
        for (int i = clip.star.begin[entity]; i < clip.star.begin[entity + 1]; ++i) {
            const auto [t, local] = uses[i - before];
            for (int f = 0; f < 4; ++f) {
                const int slot = slots_in_face[f][local];
                if (slot < 0 || !sees_face(t, neighbours[t][f])) continue;
                const auto& [first, second] = clip.faces[clip.face_of[t][f]].place[slot];
                visit({clip.face_of[t][f], first, second});
            }
        }
    });
}

}  // namespace

void list_all_stars(SkinClip& clip, const TetMesh& mesh, TetNeighbours neighbours, Threads& threads) {
    number_faces(clip, mesh, neighbours, threads);
    const StarUses uses = number_edges(clip, mesh, threads);
    list_star_faces(clip, mesh, uses, neighbours, threads);
}

}  // namespace pliant
