#pragma once
// The surface of a body that is remeshed: the material's truth. It hangs on the tets and moves with them, keeps its own
// triangles, and stays where it is when the tets below it are replaced (Wojtan & Turk 2008, section 4).

#include "pliant/surface/seen_surface.hpp"

namespace pliant {

class TrackedSurface final : public SeenSurface {
public:
    /// Closed and oriented: see check_tracked().
    TrackedSurface(TriMesh surface, Embedding embedding)
        : surface_(std::move(surface)), embedding_(std::move(embedding)) {}

    const TriMesh& surface() const override { return surface_; }
    const Embedding& embedding() const override { return embedding_; }
    std::uint64_t revision() const override { return revision_; }
    bool watertight() const override { return true; }
    const std::string& remark() const override { return remark_; }
    std::span<const int> piece() const override { return piece_; }
    std::span<const int> vertex_piece() const override { return vertex_piece_; }
    int piece_count() const override { return piece_count_; }

    /// Before an edit in which every tet is new: the surface as it is now, what its vertices hang on afterwards, and
    /// per vertex of before its number now, −1 where it is gone; empty: all keep theirs.
    /// parts: it is a body that may break, and parts of the surface that do not hang together are pieces of it.
    void replace(TriMesh surface, Embedding embedding, std::vector<int> vertices_after, bool parts = false);

    /// Edits in which every tet is new need replace() first; links do not matter to weights within a tet.
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    std::vector<int> vertices_after() const override;
    void save(ByteWriter& out) const override;
    bool load(ByteReader& in, const TetMesh& mesh, std::span<const int> origin, Threads& threads) override;
    void hash(Hash& hash) const override;

private:
    void find_pieces();

    TriMesh surface_;
    Embedding embedding_;
    std::vector<int> after_;
    std::string remark_;
    std::uint64_t revision_ = 0;
    bool parts_ = false;
    std::vector<int> piece_, vertex_piece_;  // empty: it is all one piece
    int piece_count_ = 1;
};

/// Throws UserError where a surface cannot be tracked: it must enclose a volume.
void check_tracked(const std::string& body, const SurfaceFacts& facts);

}  // namespace pliant
