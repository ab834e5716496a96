#pragma once
// The boundary of a body whose tets are cut: the outer faces of the mesh as it was made, as far as they are left, and
// both sides of every cut. It knows what each tet holds. Several tets may be copies of one, each with a part of its
// material (Molino, Bao & Fedkiw 2004, section 3); a cut whose two sides hang on the same nodes is not drawn, since
// nothing can open there.
//
// Corners of cells are known exactly (geometry/cut_cells.hpp), and two are one vertex where they hang on the same nodes
// in the same way. Corners that lie on an edge of another polygon become corners of that as well, so that the surface
// is closed and every edge of it is run along as often in one direction as in the other.

#include <memory>
#include <utility>

#include "pliant/geometry/cut_cells.hpp"
#include "pliant/surface/seen_surface.hpp"

namespace pliant {

class CutSurface final : public SeenSurface {
public:
    /// What a tet holds; null: all of it.
    using Content = std::shared_ptr<const CutElement>;

    explicit CutSurface(const TetMesh& mesh);

    const Content& content(int tet) const { return content_[tet]; }
    /// The tet of the mesh as it was made that this one is, or is a copy of.
    int parent(int tet) const { return parent_[tet]; }
    /// What tets hold from now on, by their numbers before an edit, and what those that it adds will hold. To be called
    /// before the edit is applied.
    void set_contents(const std::vector<std::pair<int, Content>>& changed, std::vector<Content> added);

    const TriMesh& surface() const override { return surface_; }
    const Embedding& embedding() const override { return embedding_; }
    std::uint64_t revision() const override { return revision_; }
    std::span<const std::uint8_t> crack() const override { return crack_; }
    std::span<const int> piece() const override { return piece_; }
    std::span<const int> vertex_piece() const override { return vertex_piece_; }
    int piece_count() const override { return piece_count_; }
    bool watertight() const override { return true; }
    const std::string& remark() const override { return remark_; }
    bool follow(const TetMesh& mesh, const MeshEdit& edit, Threads& threads) override;
    /// Vertices are the same where they hang on the same nodes in the same way.
    std::vector<int> vertices_after() const override { return vertices_after_; }
    void save(ByteWriter& out) const override;
    bool load(ByteReader& in, const TetMesh& mesh, std::span<const int> origin, Threads& threads) override;
    void hash(Hash& hash) const override;

    /// A place by the nodes it hangs on, ascending, then −1, and its coordinates in their order.
    struct Site {
        Tet node{-1, -1, -1, -1};
        CutPoint at{};
        bool operator==(const Site&) const = default;
    };

private:
    void draw(const TetMesh& mesh);

    TriMesh surface_;
    Embedding embedding_;
    std::vector<Site> site_;  // per vertex; no node: in the middle of a polygon
    std::vector<std::uint8_t> crack_;
    std::vector<int> piece_, vertex_piece_;
    int piece_count_ = 1;
    std::vector<std::uint8_t> outer_;  // per tet of the mesh as it was made: bit k for an outer face opposite to node k
    std::vector<int> parent_;          // per tet: state
    std::vector<Content> content_;     // per tet: state
    std::vector<Content> added_;       // of the next edit
    std::vector<int> vertices_after_;
    std::string remark_;
    std::uint64_t revision_ = 0;
};

}  // namespace pliant
