#pragma once
// The seen surface of a body that breaks (Müller & Gross 2004, section 5.2): cut along every face at which two tets
// have separated, with both new sides closed, so that a closed surface stays closed, every piece of it. All in rest
// coordinates: the surface is clipped to the tets once, and what is drawn depends only on which faces are separated
// now, not on the order in which they came apart.

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

struct SkinClip;
struct CapTriangle;
struct TetContent;

class Skin {
public:
    /// The mesh at rest, before anything broke, should contain the surface; where the surface reaches its boundary or
    /// a little beyond, it is treated as if it were inside. Cheap: the clipping waits for prepare().
    Skin(const TetMesh& rest_mesh, const TriMesh& surface);
    ~Skin();
    Skin(Skin&&) noexcept;
    Skin& operator=(Skin&&) noexcept;

    /// Clips the surface to the tets: 40 ms for a thousand tets and ten thousand triangles. The first update() does it
    /// unless it was called before.
    void prepare();

    /// How much of each tet is inside the surface, and where (tet_contents() of the clipped surface).
    std::vector<TetContent> contents();

    /// `current`: the same tets in the same order, some linked to copies of their nodes. True if the surface changed.
    bool update(const std::vector<Tet>& current);

    /// At rest, m. The first points are those given; triangles that meet no separated face stay whole.
    const TriMesh& surface() const { return surface_; }
    const Embedding& embedding() const { return embedding_; }
    /// Per triangle: 1 for crack faces, 0 for the original surface.
    std::span<const std::uint8_t> crack() const { return crack_; }
    /// Per triangle: which piece of the body, 0 … piece_count()−1, in order of the lowest tet.
    std::span<const int> piece() const { return piece_; }
    /// Per vertex: a number that those share which hang together by nodes; empty before the first crack.
    std::span<const int> vertex_piece() const { return vertex_piece_; }
    /// The same per tet, numbered in order of the lowest tet; empty where all hang together.
    std::span<const int> tet_linked() const { return linked_; }
    /// Face-connected sets of tets that carry some surface.
    int piece_count() const { return piece_count_; }
    /// Volume of all pieces against that of the surface given, relative.
    double volume_error() const;
    /// False when the given surface was not closed, or could not be kept so; remark() says why.
    bool watertight() const { return watertight_; }
    const std::string& remark() const { return remark_; }
    /// Goes up with every change of the surface.
    std::uint64_t revision() const { return revision_; }

private:
    void divide_star(int entity);
    int vertex(int point, int entry);
    void draw();
    void draw_triangle(int t);
    void draw_subdivided(int t);
    void add_divided(const Tri& corner, int tet, std::uint8_t crack);
    void draw_face(int face);
    void add(const Tri& triangle, int tet, std::uint8_t crack);
    void separate(const std::vector<Tet>& current, std::vector<int>& changed, std::vector<int>& touched);
    bool joined_nearby(int face);
    void number_pieces();
    void number_vertices(const std::vector<Tet>& current);

    TetMesh mesh_;                               // at rest
    std::vector<Tet> links_;                     // of the last update
    std::vector<std::array<int, 4>> neighbour_;  // per tet: those it shares an intact face with, or −1
    std::vector<int> tet_piece_;                 // per tet: the face-connected set it is in
    int tet_pieces_ = 1;
    TriMesh original_;
    Embedding original_embedding_;
    double original_volume_ = 0;

    std::unique_ptr<SkinClip> clip_;
    std::vector<char> separated_;                // per face of the clip
    std::vector<int> part_;                      // per star entry: in which part of the star the tet is now
    std::vector<int> parts_;                     // per star
    std::vector<int> part_tet_;                  // per star entry, counted by part: the lowest tet of the part
    std::vector<std::vector<CapTriangle>> cap_;  // per face, filled when it first separates
    std::vector<char> filled_;
    struct Frame {
        Mat3 inverse;
        Vec3 origin;
    };
    std::vector<Frame> frame_;  // per tet: barycentric weights of a point

    std::vector<char> in_pieces_, edge_divided_;  // per surface triangle and edge
    std::vector<int> open_;                       // faces with a crack face on either side, ascending
    std::vector<int> used_slots_;                 // those of slot_vertex_ that are not −1
    std::vector<int> star_place_;                 // per tet, scratch: its place in the star that is being divided
    std::vector<int> slot_vertex_;
    std::vector<int> polygon_;
    std::array<std::vector<int>, 3> side_;  // vertices on the sides of the triangle being divided

    TriMesh surface_;
    Embedding embedding_;
    std::vector<std::uint8_t> crack_;
    std::vector<int> triangle_tet_, piece_, vertex_piece_, linked_;
    int piece_count_ = 1;
    bool watertight_ = true;
    std::string remark_;
    std::uint64_t revision_ = 0;
};

}  // namespace pliant
