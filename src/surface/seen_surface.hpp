#pragma once
// What is seen and touched of a body, behind one door, whatever kind it is: a surface of triangles at rest, on what
// each of its vertices hangs, and how it follows when the tet mesh that carries it is edited. Every deformable body
// owns one, and whoever wants to see or touch the body asks it. A seen surface has a revision of its own: a mesh may
// change without its surface, and the other way round.
//
// Kinds: EmbeddedSurface (any surface hung on tets), SkinSurface (cut and closed along the cracks, surface/skin.hpp),
// MeshBoundary (the outer faces of the tets).

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pliant/mesh/embedding.hpp"
#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/surface/brought_surface.hpp"
#include "pliant/surface/skin.hpp"

namespace pliant {

class ByteReader;
class ByteWriter;
class Hash;
class Threads;

class SeenSurface {
public:
    virtual ~SeenSurface() = default;

    /// At rest, m. References stay good until the surface follows an edit.
    virtual const TriMesh& surface() const = 0;
    /// Per vertex: what it hangs on.
    virtual const Embedding& embedding() const = 0;
    /// Goes up whenever surface() or embedding() change.
    virtual std::uint64_t revision() const = 0;

    /// Per triangle: 1 for faces that a crack or cut has opened, 0 for those of the body as it was made. Empty: no
    /// triangle is a crack face.
    virtual std::span<const std::uint8_t> crack() const { return {}; }
    /// Per triangle: which piece of the body, numbered in order of the lowest tet. Empty: all one piece.
    virtual std::span<const int> piece() const { return {}; }
    /// Per vertex: a number that those share which hang together. Empty: all do.
    virtual std::span<const int> vertex_piece() const { return {}; }
    /// Pieces that can be seen.
    virtual int piece_count() const { return 1; }
    /// Encloses a volume, every piece of it; remark() says why where it does not, or what else the user should know.
    virtual bool watertight() const = 0;
    virtual const std::string& remark() const = 0;
    /// Volume of all pieces against that of the surface as it was made, relative.
    virtual double volume_error() const { return 0; }
    /// What the surface was brought with, for its present triangles; null: nothing.
    virtual std::shared_ptr<const SurfaceAttributes> attributes() const {
        return brought_ ? brought_->on(surface(), crack()) : surface().attributes;
    }
    /// Where what is seen is not the surface that was brought: that one, at rest. Without attributes it is passed over.
    void bring(TriMesh surface) {
        if (surface.attributes) brought_ = std::make_shared<const BroughtSurface>(std::move(surface));
    }

    /// After `edit` was applied, with `mesh` as it is now. True if the surface changed.
    virtual bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) = 0;
    /// Per vertex before the last follow() that changed the surface: its number now, −1 where it is gone.
    virtual std::vector<int> vertices_after() const = 0;

    // State beside the mesh and the surface as it was made: what edits have left that neither tells.
    virtual void save(ByteWriter& out) const = 0;
    /// `mesh`: as it was when it was saved. `origin` per node: the node of the unbroken mesh it is a copy of; those of
    /// the unbroken mesh come first. False where the state is of another mesh.
    virtual bool load(ByteReader& in, const TetMesh& mesh, std::span<const int> origin, Threads& threads) = 0;
    virtual void hash(Hash& hash) const = 0;

private:
    std::shared_ptr<const BroughtSurface> brought_;
};

/// A surface that hangs on the tets and is neither cut nor closed: it follows the tets it hangs on.
class EmbeddedSurface final : public SeenSurface {
public:
    EmbeddedSurface(const TetMesh& mesh, const TriMesh& surface);
    /// The same where it is known: inspect(surface), and embed(mesh, surface.points).
    EmbeddedSurface(const TetMesh& mesh, const TriMesh& surface, const SurfaceFacts& facts);
    EmbeddedSurface(TriMesh surface, const SurfaceFacts& facts, Embedding embedding);
    const TriMesh& surface() const override { return surface_; }
    const Embedding& embedding() const override { return embedding_; }
    std::uint64_t revision() const override { return revision_; }
    bool watertight() const override { return watertight_; }
    const std::string& remark() const override { return remark_; }
    /// Vertices of tets that are gone go to the new tet made of the same material which contains them, or that comes
    /// nearest to it at rest; where there is none, to the tet of the whole mesh that does.
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    std::vector<int> vertices_after() const override;
    void save(ByteWriter& out) const override;
    bool load(ByteReader& in, const TetMesh& mesh, std::span<const int> origin, Threads& threads) override;
    void hash(Hash& hash) const override;

private:
    TriMesh surface_;
    Embedding embedding_;  ///< state, once an edit has changed it
    bool watertight_;
    std::string remark_;
    std::uint64_t revision_ = 0;
};

/// The watertight skin of a body whose tets come apart at their faces. Edits that split nodes cost what they touch, all
/// others as much as making the skin.
class SkinSurface final : public SeenSurface {
public:
    explicit SkinSurface(Skin skin) : skin_(std::move(skin)) {}
    const TriMesh& surface() const override { return skin_.surface(); }
    const Embedding& embedding() const override { return skin_.embedding(); }
    std::uint64_t revision() const override { return earlier_ + skin_.revision(); }
    std::span<const std::uint8_t> crack() const override { return skin_.crack(); }
    std::span<const int> piece() const override { return skin_.piece(); }
    std::span<const int> vertex_piece() const override { return skin_.vertex_piece(); }
    int piece_count() const override { return skin_.piece_count(); }
    bool watertight() const override { return skin_.watertight(); }
    const std::string& remark() const override { return skin_.remark(); }
    double volume_error() const override { return skin_.volume_error(); }
    std::shared_ptr<const SurfaceAttributes> attributes() const override;
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    /// A vertex is the same when it has the same place at rest and hangs on the same tet.
    std::vector<int> vertices_after() const override;
    void save(ByteWriter& out) const override;
    bool load(ByteReader& in, const TetMesh& mesh, std::span<const int> origin, Threads& threads) override;
    void hash(Hash& hash) const override;

    /// What only a skin knows: who hangs together by nodes, intact neighbours, how much of each tet it fills.
    Skin& skin() { return skin_; }
    const Skin& skin() const { return skin_; }

private:
    void replace(Skin skin);

    Skin skin_;
    std::uint64_t earlier_ = 0;   // changes of the skins before this one
    TriMesh surface_before_;      // of the skin before this one, until the next change
    Embedding embedding_before_;  // likewise, with the tets' numbers of now, −1 for those that are gone
    std::vector<int> relinked_;   // scratch
};

/// The faces that no two tets share, with nodes for vertices. Made anew after every edit. Where two cracks meet in an
/// edge and leave both its nodes whole, four faces share it: there each side gets a vertex in its middle, so that the
/// surface is closed and every edge of it has two triangles.
class MeshBoundary final : public SeenSurface {
public:
    /// The nodes of the mesh as it was made between which a node lies, then −1 where there are fewer than three.
    /// All −1: more than three, so it is inside.
    using Support = std::array<int, 3>;

    explicit MeshBoundary(const TetMesh& mesh);
    const TriMesh& surface() const override { return surface_; }
    const Embedding& embedding() const override { return embedding_; }
    std::uint64_t revision() const override { return revision_; }
    std::span<const std::uint8_t> crack() const override { return crack_; }
    std::span<const int> piece() const override { return piece_; }
    int piece_count() const override { return piece_count_; }
    bool watertight() const override { return true; }
    const std::string& remark() const override { return remark_; }
    std::span<const int> vertex_piece() const override { return vertex_piece_; }
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    /// Vertices are the same where their nodes are.
    std::vector<int> vertices_after() const override { return vertices_after_; }
    void save(ByteWriter& out) const override;
    bool load(ByteReader& in, const TetMesh& mesh, std::span<const int> origin, Threads& threads) override;
    void hash(Hash& hash) const override;

    /// Per vertex: its node; −1 in the middle of an edge.
    std::span<const int> node() const { return node_; }

private:
    void draw(const TetMesh& mesh);
    bool is_outer(const Tri& nodes) const;

    TriMesh surface_;
    Embedding embedding_;
    std::vector<int> node_, piece_, vertex_piece_;
    std::vector<std::uint8_t> crack_;
    int piece_count_ = 1;
    std::vector<Support> support_;  // per node: tells outer faces from cracks after any edits, and is state
    std::vector<int> vertices_after_;
    std::vector<Support> outer_;  // outer faces of the mesh as it was made, nodes ascending
    std::string remark_;
    std::uint64_t revision_ = 0;
};

}  // namespace pliant
