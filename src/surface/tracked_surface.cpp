#include "pliant/surface/tracked_surface.hpp"

#include <numeric>

#include "pliant/core/bytes.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/union_find.hpp"

namespace pliant {

void check_tracked(const std::string& body, const SurfaceFacts& facts) {
    if (facts.closed() && facts.oriented() && facts.volume > 0) return;
    throw UserError("body '" + body + "' is remeshed, so its surface must be closed, and it is not", {},
                    "Close the holes of the surface, or leave out remesh");
}

void TrackedSurface::replace(TriMesh surface, Embedding embedding, std::vector<int> vertices_after, bool parts) {
    CHECK(embedding.size() == surface.points.size(), embedding.size(), surface.points.size());
    surface_ = std::move(surface);
    embedding_ = std::move(embedding);
    after_ = std::move(vertices_after);
    parts_ = parts;
    find_pieces();
    ++revision_;
}

void TrackedSurface::find_pieces() {
    piece_count_ = 1, piece_.clear(), vertex_piece_.clear();
    if (!parts_) return;
    UnionFind linked(static_cast<int>(surface_.points.size()));
    for (const Tri& t : surface_.triangles) linked.join(t[0], t[1]), linked.join(t[0], t[2]);
    piece_count_ = linked.number(vertex_piece_);
    for (const Tri& t : surface_.triangles) piece_.push_back(vertex_piece_[t[0]]);
}

bool TrackedSurface::follow(const TetMesh& mesh, const MeshEdit& edit, Threads&) {
    CHECK(edit.removed_tets.empty() || !edit.new_rest.empty(), edit.removed_tets.size());
    for (int tet : embedding_.tet) CHECK(tet >= 0 && tet < mesh.tet_count(), tet, mesh.tet_count());
    return !edit.new_rest.empty();
}

std::vector<int> TrackedSurface::vertices_after() const {
    if (!after_.empty()) return after_;
    std::vector<int> same(surface_.points.size());
    std::iota(same.begin(), same.end(), 0);
    return same;
}

void TrackedSurface::save(ByteWriter& out) const {
    out.vector(surface_.points);
    out.vector(surface_.triangles);
    out.vector(embedding_.tet);
    out.vector(embedding_.weight);
    save_arrays(surface_.attributes ? *surface_.attributes : SurfaceAttributes{}, out);
}

bool TrackedSurface::load(ByteReader& in, const TetMesh& mesh, std::span<const int>, Threads&) {
    in.vector(surface_.points);
    in.vector(surface_.triangles);
    in.vector(embedding_.tet);
    in.vector(embedding_.weight);
    SurfaceAttributes attributes;
    load_arrays(attributes, in);
    if (surface_.attributes) {  // upkeep changes what triangles have, never the materials
        attributes.materials = surface_.attributes->materials;
        attributes.inside = surface_.attributes->inside, attributes.scene_looks = surface_.attributes->scene_looks;
        surface_.attributes = std::make_shared<const SurfaceAttributes>(std::move(attributes));
    }
    ++revision_;
    const int vertices = static_cast<int>(surface_.points.size());
    bool fits = embedding_.size() == surface_.points.size() && embedding_.weight.size() == embedding_.size();
    for (int tet : embedding_.tet) fits = fits && tet >= 0 && tet < mesh.tet_count();
    for (const Tri& t : surface_.triangles)
        for (int v : t) fits = fits && v >= 0 && v < vertices;
    if (surface_.attributes) fits = fits && attribute_fault(*surface_.attributes, surface_.triangles.size()).empty();
    if (fits) find_pieces();
    return fits;
}

void TrackedSurface::hash(Hash& hash) const {
    hash.bytes(surface_.points.data(), surface_.points.size() * sizeof(Vec3));
    hash.bytes(surface_.triangles.data(), surface_.triangles.size() * sizeof(Tri));
    hash.bytes(embedding_.tet.data(), embedding_.tet.size() * sizeof(int));
    hash.bytes(embedding_.weight.data(), embedding_.weight.size() * sizeof(Vec4));
}

}  // namespace pliant
