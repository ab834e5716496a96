// The boundary of a tet mesh as a seen surface.

#include <algorithm>
#include <map>

#include "pliant/core/bytes.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/surface/seen_surface.hpp"

namespace pliant {

MeshBoundary::MeshBoundary(const TetMesh& mesh) {
    support_.resize(mesh.rest.size());
    for (int i = 0; i < mesh.node_count(); ++i) support_[i] = {i, -1, -1};
    const BoundarySurface boundary = boundary_surface(mesh);
    for (const Tri& t : boundary.surface.triangles) {
        Support face{boundary.node[t[0]], boundary.node[t[1]], boundary.node[t[2]]};
        std::sort(face.begin(), face.end());
        outer_.push_back(face);
    }
    std::sort(outer_.begin(), outer_.end());
    draw(mesh);
}

bool MeshBoundary::is_outer(const Tri& nodes) const {
    std::array<int, 9> all;
    int count = 0;
    for (int n : nodes) {
        if (support_[n][0] < 0) return false;
        for (int s : support_[n])
            if (s >= 0 && std::find(all.begin(), all.begin() + count, s) == all.begin() + count) all[count++] = s;
    }
    if (count != 3) return false;  // a triangle on an edge or in a corner has no area
    Support face{all[0], all[1], all[2]};
    std::sort(face.begin(), face.end());
    return std::binary_search(outer_.begin(), outer_.end(), face);
}

namespace {

using EdgeKey = std::array<int, 2>;  // lower node first

EdgeKey edge_key(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

/// Edges of more than two faces of the boundary, ascending.
std::vector<EdgeKey> hinge_edges(const TetMesh& mesh, TetNeighbours neighbours) {
    std::vector<EdgeKey> edges, hinges;
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (neighbours[t][f] >= 0) continue;
            for (int k = 0; k < 3; ++k)
                edges.push_back(edge_key(mesh.tets[t][tet_faces[f][k]], mesh.tets[t][tet_faces[f][(k + 1) % 3]]));
        }
    std::sort(edges.begin(), edges.end());
    for (std::size_t i = 2; i < edges.size(); ++i)
        if (edges[i] == edges[i - 2] && (hinges.empty() || hinges.back() != edges[i])) hinges.push_back(edges[i]);
    return hinges;
}

/// The lowest of the tets that hang together round an edge, by faces with the edge, with tet t whose face f is free.
int lowest_round_edge(const TetMesh& mesh, TetNeighbours neighbours, const EdgeKey& edge, int t, int f) {
    int lowest = t;
    for (;;) {
        // A tet has two faces with the edge: those opposite to the two nodes that are none of its ends.
        int out = -1;
        for (int k = 0; k < 4; ++k)
            if (k != f && mesh.tets[t][k] != edge[0] && mesh.tets[t][k] != edge[1]) out = k;
        const int next = neighbours[t][out];
        if (next < 0) return lowest;
        for (int k = 0; k < 4; ++k)
            if (neighbours[next][k] == t) f = k;
        t = next, lowest = std::min(lowest, t);
    }
}

}  // namespace

void MeshBoundary::draw(const TetMesh& mesh) {
    const auto neighbours = tet_neighbours(mesh.tets);
    const std::vector<EdgeKey> hinges = hinge_edges(mesh, neighbours);
    std::map<std::array<int, 3>, int> middles;  // edge, and the lowest tet on this side of it
    std::vector<int> tet_piece, index(mesh.rest.size(), -1);
    connected_pieces(neighbours, tet_piece);
    surface_ = {}, embedding_ = {}, node_.clear(), piece_.clear(), vertex_piece_.clear(), crack_.clear();
    const auto add_vertex = [&](int node, const Vec3& place, int t, const Vec4& weight) {
        node_.push_back(node);
        surface_.points.push_back(place);
        embedding_.tet.push_back(t), embedding_.weight.push_back(weight);
        vertex_piece_.push_back(tet_piece[t]);
        return static_cast<int>(node_.size()) - 1;
    };
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (neighbours[t][f] >= 0) continue;
            Tri nodes, middle{-1, -1, -1}, triangle;
            for (int k = 0; k < 3; ++k) {
                const int corner = tet_faces[f][k], node = nodes[k] = mesh.tets[t][corner];
                if (index[node] < 0) index[node] = add_vertex(node, mesh.rest[node], t, Vec4::Unit(corner));
                triangle[k] = index[node];
            }
            for (int k = 0; k < 3 && !hinges.empty(); ++k) {
                const EdgeKey edge = edge_key(nodes[k], nodes[(k + 1) % 3]);
                if (!std::binary_search(hinges.begin(), hinges.end(), edge)) continue;
                const auto [at, is_new] = middles.try_emplace(
                    std::array{edge[0], edge[1], lowest_round_edge(mesh, neighbours, edge, t, f)}, -1);
                if (is_new)
                    at->second =
                        add_vertex(-1, 0.5 * (mesh.rest[edge[0]] + mesh.rest[edge[1]]), t,
                                   0.5 * (Vec4::Unit(tet_faces[f][k]) + Vec4::Unit(tet_faces[f][(k + 1) % 3])));
                middle[k] = at->second;
            }
            const std::uint8_t crack = is_outer(nodes) ? 0 : 1;
            const auto add_triangle = [&](int a, int b, int c) {
                surface_.triangles.push_back({a, b, c});
                crack_.push_back(crack), piece_.push_back(tet_piece[t]);
            };
            // Corners between two middles are cut off; a fan from a middle fills the rest.
            std::array<int, 6> rest;
            int count = 0, from = 0;
            for (int k = 0; k < 3; ++k) {
                const int before = middle[(k + 2) % 3], after = middle[k];
                if (before >= 0 && after >= 0)
                    add_triangle(before, triangle[k], after);
                else
                    rest[count++] = triangle[k];
                if (after >= 0) from = count, rest[count++] = after;
            }
            for (int k = 1; k + 1 < count; ++k)
                add_triangle(rest[from], rest[(from + k) % count], rest[(from + k + 1) % count]);
        }
    piece_count_ = tet_piece.empty() ? 0 : 1 + *std::max_element(tet_piece.begin(), tet_piece.end());
}

bool MeshBoundary::follow(const TetMesh& mesh, const MeshEdit& edit, Threads&) {
    if (edit.empty()) return false;
    const std::vector<int> before = node_, number = numbers_after_removal(support_.size(), edit.removed_nodes);
    for (const MeshEdit::NewNode& node : edit.new_nodes) {
        Support out{-1, -1, -1};
        int count = 0;
        for (const Parent& parent : node.parents) {
            const Support& from = support_[parent.index];
            if (from[0] < 0) count = 4;  // from inside
            for (int s : from) {
                if (s < 0 || std::find(out.begin(), out.end(), s) != out.end()) continue;
                if (count < 3) out[count] = s;
                ++count;
            }
        }
        if (count > 3) out = {-1, -1, -1};
        support_.push_back(out);
    }
    remove_items(support_, edit.removed_nodes);
    CHECK(support_.size() == mesh.rest.size(), support_.size(), mesh.rest.size());
    draw(mesh);
    ++revision_;
    std::vector<int> vertex_of(mesh.rest.size(), -1);
    for (std::size_t v = 0; v < node_.size(); ++v)
        if (node_[v] >= 0) vertex_of[node_[v]] = static_cast<int>(v);
    vertices_after_.clear();
    for (int node : before) {
        const int now = node < 0 ? -1 : number[node];
        vertices_after_.push_back(now < 0 ? -1 : vertex_of[now]);
    }
    return true;
}

void MeshBoundary::save(ByteWriter& out) const { out.vector(support_); }

bool MeshBoundary::load(ByteReader& in, const TetMesh& mesh, std::span<const int>, Threads&) {
    auto support = in.vector<Support>();
    if (support.size() != mesh.rest.size()) return false;
    support_ = std::move(support);
    draw(mesh);
    ++revision_;
    return true;
}

void MeshBoundary::hash(Hash& hash) const { hash.bytes(support_.data(), support_.size() * sizeof(Support)); }

}  // namespace pliant
