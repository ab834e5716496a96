#pragma once
// The seen surface of a body that breaks (Müller & Gross 2004, section 5.2): cut along every face at which two tets
// have separated, with both new sides closed, so that a closed surface stays closed, every piece of it. All in rest
// coordinates: the surface is clipped to the tets once, and what is drawn depends only on which faces are separated
// now, not on the order in which they came apart. An update draws anew what is round the faces that came apart; the
// rest is moved to its new place.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pliant/mesh/embedding.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

struct MeshEdit;
struct SkinState;
class Threads;
struct TetContent;

class Skin {
public:
    /// The mesh at rest, before anything broke, should contain the surface; where the surface reaches its boundary or
    /// a little beyond, it is treated as if it were inside. Cheap: the clipping waits for prepare().
    Skin(const TetMesh& rest_mesh, const TriMesh& surface);
    /// The same where the surface is known: inspect(surface), and embed(rest_mesh, surface.points).
    Skin(const TetMesh& rest_mesh, const TriMesh& surface, const SurfaceFacts& facts, Embedding embedding);
    ~Skin();
    Skin(Skin&&) noexcept;
    Skin& operator=(Skin&&) noexcept;

    /// Clips the surface to the tets: a quarter of a second for 100,000 tets and as many triangles. The first update()
    /// does it unless it was called before.
    void prepare(Threads& threads);

    /// How much of each tet is inside the surface, and where (tet_contents() of the clipped surface).
    std::vector<TetContent> contents(Threads& threads);

    /// `current`: the same tets in the same order, some linked to copies of their nodes. True if the surface changed.
    bool update(const std::vector<Tet>& current);
    /// The same where it is known which tets may be linked otherwise than at the last update: the others are not looked
    /// at.
    bool update(const std::vector<Tet>& current, std::span<const int> relinked, Threads& threads);

    /// The same surface for the mesh as `edit` has left it, with nodes and tets added and removed since the last
    /// update. Cracks that are there become slits of the mesh that the new skin starts with.
    Skin edited(const TetMesh& now, const MeshEdit& edit, Threads& threads) const;
    /// The same surface for a mesh that was read from a file, with the clip_nodes() that belong to it.
    Skin remade(const TetMesh& mesh, std::vector<Vec3> clip_nodes, Threads& threads) const;
    /// Per node of the mesh at rest: where it is for the clipping; what must be kept with a mesh that has slits. Empty:
    /// it has none.
    const std::vector<Vec3>& clip_nodes() const;
    /// The mesh that the surface was clipped to.
    const TetMesh& rest_mesh() const;

    /// At rest, m. The first points are those given; triangles that meet no separated face stay whole.
    const TriMesh& surface() const;
    std::size_t given_points() const;
    const TriMesh& given_surface() const;  ///< as it was before anything broke
    const Embedding& embedding() const;
    /// Per triangle: 1 for crack faces, 0 for the original surface.
    std::span<const std::uint8_t> crack() const;
    /// Per triangle: the triangle of given_surface() that it is part of, or −1 for crack faces.
    std::vector<int> source() const;
    // Pieces are numbered when they are first asked for after an update: not by two threads at once.
    /// Per triangle: which piece of the body, 0 … piece_count()−1, in order of the lowest tet.
    std::span<const int> piece() const;
    /// Per vertex: a number that those share which hang together by nodes; empty before prepare().
    std::span<const int> vertex_piece() const;
    /// The same per tet, numbered in order of the lowest tet; empty where all hang together.
    std::span<const int> tet_linked() const;
    /// Per tet: those it shares an intact face with, or −1.
    std::span<const std::array<int, 4>> neighbours() const;
    /// Face-connected sets of tets that carry some surface.
    int piece_count() const;
    /// Volume of all pieces against that of the surface given, relative.
    double volume_error() const;
    /// False when the given surface was not closed, or could not be kept so; remark() says why.
    bool watertight() const;
    const std::string& remark() const;
    /// Goes up with every change of the surface.
    std::uint64_t revision() const;

    /// Both as they were before the last update that changed them.
    const TriMesh& surface_before() const;
    const Embedding& embedding_before() const;

private:
    explicit Skin(std::unique_ptr<SkinState> state);
    std::unique_ptr<SkinState> state_;
};

}  // namespace pliant
