#include "pliant/surface/seen_surface.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"

namespace pliant {

namespace {

/// Barycentric weights of a point in a tet at rest; not finite in a flat one.
Vec4 weights_in(const TetMesh& mesh, int tet, const Vec3& p) {
    const Tet& t = mesh.tets[tet];
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = mesh.rest[t[k + 1]] - mesh.rest[t[0]];
    const Vec3 w = edges.inverse() * (p - mesh.rest[t[0]]);
    return {1 - w.sum(), w[0], w[1], w[2]};
}

}  // namespace

EmbeddedSurface::EmbeddedSurface(const TetMesh& mesh, TriMesh surface)
    : EmbeddedSurface(surface, inspect(surface), embed(mesh, surface.points)) {}

EmbeddedSurface::EmbeddedSurface(TriMesh surface, const SurfaceFacts& facts, Embedding embedding)
    : surface_(std::move(surface)), embedding_(std::move(embedding)), watertight_(facts.closed() && facts.oriented()) {
    if (!watertight_) remark_ = "the surface is not closed";
}

bool EmbeddedSurface::follow(const TetMesh& mesh, const MeshEdit& edit, Threads&) {
    if (edit.removed_tets.empty()) return false;  // links do not matter to weights within a tet
    // Which new tets are made of each removed one; numbers of those that stay move up.
    const int added = static_cast<int>(edit.new_tets.size()), first_new = mesh.tet_count() - added;
    std::vector<std::array<int, 2>> heirs;  // removed tet, new tet
    for (int i = 0; i < added; ++i)
        for (const Parent& parent : edit.new_tets[i].parents) heirs.push_back({parent.index, first_new + i});
    std::sort(heirs.begin(), heirs.end());
    std::vector<int> lost;
    for (std::size_t v = 0; v < embedding_.size(); ++v) {
        int& tet = embedding_.tet[v];
        const auto removed = std::lower_bound(edit.removed_tets.begin(), edit.removed_tets.end(), tet);
        if (removed == edit.removed_tets.end() || *removed != tet) {
            tet -= static_cast<int>(removed - edit.removed_tets.begin());
            continue;
        }
        double best = -1e300;
        int heir = -1;
        for (auto h = std::lower_bound(heirs.begin(), heirs.end(), std::array{tet, -1});
             h != heirs.end() && (*h)[0] == tet; ++h) {
            const Vec4 w = weights_in(mesh, (*h)[1], surface_.points[v]);
            if (w.allFinite() && w.minCoeff() > best) best = w.minCoeff(), heir = (*h)[1], embedding_.weight[v] = w;
        }
        if (heir < 0) lost.push_back(static_cast<int>(v));
        tet = heir;
    }
    if (!lost.empty()) {
        std::vector<Vec3> points;
        for (int v : lost) points.push_back(surface_.points[v]);
        const Embedding found = embed(mesh, points);
        for (std::size_t i = 0; i < lost.size(); ++i)
            embedding_.tet[lost[i]] = found.tet[i], embedding_.weight[lost[i]] = found.weight[i];
    }
    ++revision_;
    return true;
}

bool SkinSurface::follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) {
    CHECK(edit.removed_tets.empty() && edit.new_tets.empty(), edit.removed_tets.size(), edit.new_tets.size());
    relinked_.clear();
    for (const MeshEdit::Relink& relink : edit.relinked) relinked_.push_back(relink.tet);
    return skin_.update(mesh.tets, relinked_, threads);
}

bool SkinSurface::restore(const TetMesh& mesh, std::span<const int>, Threads& threads) {
    relinked_.resize(mesh.tets.size());
    std::iota(relinked_.begin(), relinked_.end(), 0);
    return skin_.update(mesh.tets, relinked_, threads);
}

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

void MeshBoundary::draw(const TetMesh& mesh) {
    const auto neighbours = tet_neighbours(mesh.tets);
    std::vector<int> tet_piece, index(mesh.rest.size(), -1);
    connected_pieces(neighbours, tet_piece);
    surface_ = {}, embedding_ = {}, node_.clear(), piece_.clear(), crack_.clear();
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (neighbours[t][f] >= 0) continue;
            Tri triangle, nodes;
            for (int k = 0; k < 3; ++k) {
                const int corner = tet_faces[f][k], node = nodes[k] = mesh.tets[t][corner];
                if (index[node] < 0) {
                    index[node] = static_cast<int>(node_.size());
                    node_.push_back(node);
                    surface_.points.push_back(mesh.rest[node]);
                    embedding_.tet.push_back(t), embedding_.weight.push_back(Vec4::Unit(corner));
                }
                triangle[k] = index[node];
            }
            surface_.triangles.push_back(triangle);
            crack_.push_back(is_outer(nodes) ? 0 : 1);
            piece_.push_back(tet_piece[t]);
        }
    piece_count_ = tet_piece.empty() ? 0 : 1 + *std::max_element(tet_piece.begin(), tet_piece.end());
}

bool MeshBoundary::follow(const TetMesh& mesh, const MeshEdit& edit, Threads&) {
    if (edit.empty()) return false;
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
    return true;
}

bool MeshBoundary::restore(const TetMesh& mesh, std::span<const int> origin, Threads&) {
    support_.resize(mesh.rest.size());
    for (int i = 0; i < mesh.node_count(); ++i) support_[i] = {origin[i], -1, -1};
    draw(mesh);
    ++revision_;
    return true;
}

}  // namespace pliant
