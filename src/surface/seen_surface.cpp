#include "pliant/surface/seen_surface.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/surface/skin_attributes.hpp"

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

EmbeddedSurface::EmbeddedSurface(const TetMesh& mesh, const TriMesh& surface)
    : EmbeddedSurface(mesh, surface, inspect(surface)) {}

EmbeddedSurface::EmbeddedSurface(const TetMesh& mesh, const TriMesh& surface, const SurfaceFacts& facts)
    : EmbeddedSurface(surface, facts, embed(mesh, surface.points)) {}

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

std::vector<int> EmbeddedSurface::vertices_after() const {
    std::vector<int> same(surface_.points.size());
    std::iota(same.begin(), same.end(), 0);
    return same;
}

void EmbeddedSurface::save(ByteWriter& out) const {
    const bool changed = revision_ > 0;
    out.vector(changed ? embedding_.tet : std::vector<int>());
    out.vector(changed ? embedding_.weight : std::vector<Vec4>());
}

bool EmbeddedSurface::load(ByteReader& in, const TetMesh& mesh, std::span<const int>, Threads&) {
    Embedding saved{in.vector<int>(), in.vector<Vec4>()};
    if (saved.tet.empty()) {
        if (revision_ > 0) embedding_ = embed(mesh, surface_.points), ++revision_;
        return saved.weight.empty();
    }
    if (saved.size() != surface_.points.size() || saved.weight.size() != saved.size()) return false;
    for (int tet : saved.tet)
        if (tet < 0 || tet >= mesh.tet_count()) return false;
    embedding_ = std::move(saved);
    ++revision_;
    return true;
}

void EmbeddedSurface::hash(Hash& hash) const {
    if (revision_ == 0) return;
    hash.bytes(embedding_.tet.data(), embedding_.tet.size() * sizeof(int));
    hash.bytes(embedding_.weight.data(), embedding_.weight.size() * sizeof(Vec4));
}

std::shared_ptr<const SurfaceAttributes> SkinSurface::attributes() const { return skin_attributes(skin_); }

void SkinSurface::replace(Skin skin) {
    earlier_ = revision() + 1;  // so that the revision goes up, whatever that of the new skin is
    skin_ = std::move(skin);
}

bool SkinSurface::follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) {
    if (!edit.only_splits()) {
        const std::vector<int> tet = numbers_after_removal(
            mesh.tets.size() + edit.removed_tets.size() - edit.new_tets.size(), edit.removed_tets);
        surface_before_ = skin_.surface(), embedding_before_ = skin_.embedding();
        for (int& t : embedding_before_.tet) t = tet[t];
        replace(skin_.edited(mesh, edit, threads));
        return true;
    }
    relinked_.clear();
    for (const MeshEdit::Relink& relink : edit.relinked) relinked_.push_back(relink.tet);
    std::sort(relinked_.begin(), relinked_.end());
    const bool changed = skin_.update(mesh.tets, relinked_, threads);
    if (changed) surface_before_ = {}, embedding_before_ = {};  // the skin itself knows
    return changed;
}

std::vector<int> SkinSurface::vertices_after() const {
    struct VertexKey {
        int tet;
        double x, y, z;
        auto operator<=>(const VertexKey&) const = default;
    };
    const auto key = [](const TriMesh& surface, const Embedding& embedding, int v) {
        const Vec3& p = surface.points[v];
        return VertexKey{embedding.tet[v], p.x(), p.y(), p.z()};
    };
    const bool replaced = !surface_before_.points.empty();
    const TriMesh &before = replaced ? surface_before_ : skin_.surface_before(), &now = skin_.surface();
    const Embedding& hung_before = replaced ? embedding_before_ : skin_.embedding_before();
    // The vertices of the unbroken surface come first in both.
    const int count = static_cast<int>(now.points.size()), had = static_cast<int>(before.points.size());
    int common = 0;
    while (common < std::min(count, had) && now.points[common] == before.points[common]) ++common;
    std::vector<std::pair<VertexKey, int>> known;
    for (int v = common; v < count; ++v) known.emplace_back(key(now, skin_.embedding(), v), v);
    std::sort(known.begin(), known.end());
    std::vector<int> vertex(had, -1);
    for (int v = 0; v < had; ++v) {
        if (v < common) {
            vertex[v] = v;
            continue;
        }
        const VertexKey wanted = key(before, hung_before, v);
        const auto found = std::lower_bound(known.begin(), known.end(), std::pair(wanted, -1));
        if (found != known.end() && found->first == wanted) vertex[v] = found->second;
    }
    return vertex;
}

void SkinSurface::save(ByteWriter& out) const { out.vector(skin_.clip_nodes()); }

bool SkinSurface::load(ByteReader& in, const TetMesh& mesh, std::span<const int> origin, Threads& threads) {
    auto clip_nodes = in.vector<Vec3>();
    TetMesh whole;
    for (std::size_t i = 0; i < origin.size() && origin[i] == static_cast<int>(i); ++i)
        whole.rest.push_back(mesh.rest[i]);
    whole.tets = mesh.tets;
    for (Tet& tet : whole.tets)
        for (int& node : tet) node = origin[node];
    if (!clip_nodes.empty() && clip_nodes.size() != whole.rest.size()) return false;
    if (clip_nodes != skin_.clip_nodes() || whole.tets != skin_.rest_mesh().tets ||
        whole.rest != skin_.rest_mesh().rest)
        replace(skin_.remade(whole, std::move(clip_nodes), threads));
    relinked_.resize(mesh.tets.size());
    std::iota(relinked_.begin(), relinked_.end(), 0);
    skin_.update(mesh.tets, relinked_, threads);
    surface_before_ = {}, embedding_before_ = {};
    return true;
}

void SkinSurface::hash(Hash& hash) const {
    const std::vector<Vec3>& nodes = skin_.clip_nodes();
    hash.bytes(nodes.data(), nodes.size() * sizeof(Vec3));
}

}  // namespace pliant
