#pragma once
// What is seen and touched of a body, behind one door, whatever kind it is: a surface of triangles at rest, on what
// each of its vertices hangs, and how it follows when the tet mesh that carries it is edited. A seen surface has a
// revision of its own: a mesh may change without its surface, and the other way round.
//
// Kinds: EmbeddedSurface (any surface hung on tets), SkinSurface (cut and closed along the cracks, surface/skin.hpp),
// MeshBoundary (the outer faces of the tets).

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pliant/mesh/embedding.hpp"
#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/surface/skin.hpp"

namespace pliant {

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
    /// Pieces that can be seen.
    virtual int piece_count() const { return 1; }
    /// Encloses a volume, every piece of it; remark() says why where it does not, or what else the user should know.
    virtual bool watertight() const = 0;
    virtual const std::string& remark() const = 0;

    /// After `edit` was applied, with `mesh` as it is now. True if the surface changed.
    virtual bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) = 0;
    /// After a checkpoint: the same tets, linked anyhow to copies of their nodes. `origin` per node: the node of the
    /// unbroken mesh it is a copy of. True if the surface changed.
    virtual bool restore(const TetMesh& mesh, std::span<const int> origin, Threads& threads) = 0;
};

/// A surface that hangs on the tets and is neither cut nor closed: it follows the tets it hangs on.
class EmbeddedSurface final : public SeenSurface {
public:
    EmbeddedSurface(const TetMesh& mesh, TriMesh surface);
    /// The same where the surface is known: inspect(surface), and embed(mesh, surface.points).
    EmbeddedSurface(TriMesh surface, const SurfaceFacts& facts, Embedding embedding);
    const TriMesh& surface() const override { return surface_; }
    const Embedding& embedding() const override { return embedding_; }
    std::uint64_t revision() const override { return revision_; }
    bool watertight() const override { return watertight_; }
    const std::string& remark() const override { return remark_; }
    /// Vertices of tets that are gone go to the new tet made of the same material which contains them, or that comes
    /// nearest to it at rest; where there is none, to the tet of the whole mesh that does.
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    bool restore(const TetMesh&, std::span<const int>, Threads&) override { return false; }

private:
    TriMesh surface_;
    Embedding embedding_;
    bool watertight_;
    std::string remark_;
    std::uint64_t revision_ = 0;
};

/// The watertight skin of a body whose tets come apart at their faces. It does not follow edits that add or remove tets
/// and throws InternalError.
class SkinSurface final : public SeenSurface {
public:
    explicit SkinSurface(Skin skin) : skin_(std::move(skin)) {}
    const TriMesh& surface() const override { return skin_.surface(); }
    const Embedding& embedding() const override { return skin_.embedding(); }
    std::uint64_t revision() const override { return skin_.revision(); }
    std::span<const std::uint8_t> crack() const override { return skin_.crack(); }
    std::span<const int> piece() const override { return skin_.piece(); }
    int piece_count() const override { return skin_.piece_count(); }
    bool watertight() const override { return skin_.watertight(); }
    const std::string& remark() const override { return skin_.remark(); }
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    bool restore(const TetMesh& mesh, std::span<const int> origin, Threads& threads) override;

    /// What only a skin knows: who hangs together by nodes, intact neighbours, how much of each tet it fills.
    Skin& skin() { return skin_; }
    const Skin& skin() const { return skin_; }

private:
    Skin skin_;
    std::vector<int> relinked_;  // scratch
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
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    bool restore(const TetMesh& mesh, std::span<const int> origin, Threads& threads) override;

    /// Per vertex: its node; −1 in the middle of an edge.
    std::span<const int> node() const { return node_; }
    /// Per vertex: its piece.
    std::span<const int> vertex_piece() const { return vertex_piece_; }

    /// Per node: what tells outer faces from cracks after any edits. Part of the state of a body whose mesh changes.
    const std::vector<Support>& support() const { return support_; }
    /// After a checkpoint: any mesh that edits have made of the one at the start. False where the lengths do not fit.
    bool restore(const TetMesh& mesh, std::vector<Support> support);

private:
    void draw(const TetMesh& mesh);
    bool is_outer(const Tri& nodes) const;

    TriMesh surface_;
    Embedding embedding_;
    std::vector<int> node_, piece_, vertex_piece_;
    std::vector<std::uint8_t> crack_;
    int piece_count_ = 1;
    std::vector<Support> support_;  // per node
    std::vector<Support> outer_;    // outer faces of the mesh as it was made, nodes ascending
    std::string remark_;
    std::uint64_t revision_ = 0;
};

}  // namespace pliant
