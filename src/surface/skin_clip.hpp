#pragma once
// A surface clipped to the tets that carry it, in rest coordinates, once: what Skin draws from. Every vertex of every
// piece has an identity that its neighbours share, so pieces fit together by number and never by nearness.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/mesh/lists.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// A face of the tet mesh at rest. Corners are the same points seen from either tet: node of tet[0] at from_first[k] is
/// node of tet[1] at from_second[k]. At the mesh's boundary tet[1] is −1, and corners are
/// those of tet[0] twice.
struct SkinFace {
    std::array<int, 2> tet;
    std::array<signed char, 2> local;  ///< which face of each tet
    std::array<signed char, 3> from_first, from_second;
    /// Places of either tet in the stars of the face's edges and nodes (in the order of SkinClip::entities_of()),
    /// counted from their first.
    std::array<std::array<std::uint16_t, 2>, 6> place;
};

struct SkinClip {
    // The tet mesh at rest.
    UnsetVector<SkinFace> faces;
    std::vector<std::array<int, 4>> face_of;     ///< per tet
    std::vector<std::array<int, 6>> edge_of;     ///< per tet, in the order of tet_edges
    std::vector<std::array<int, 2>> edge_nodes;  ///< smaller node first
    int node_count = 0;
    /// Tets round every face, edge and node, ascending. Entity numbers: faces, then edges, then nodes.
    Lists<int> star;
    /// The faces that contain an edge or node, and which tets of its star they are between, counted from its first;
    /// the same twice at the mesh's boundary.
    struct StarFace {
        int face;
        std::uint16_t first, second;
    };
    Lists<StarFace> star_faces;
    int edge_entity(int edge) const { return static_cast<int>(faces.size()) + edge; }
    int node_entity(int node) const { return static_cast<int>(faces.size() + edge_nodes.size()) + node; }
    /// The edges of a face, from corner k to k+1, and its nodes.
    std::array<int, 6> entities_of(const TetMesh& mesh, int face) const;

    // The surface: the given triangles, then lids over its holes that are never drawn but tell inside from outside.
    int drawn_triangles = 0;
    std::vector<Tri> triangles;
    std::vector<std::array<int, 3>> surface_edge;   ///< per triangle, edge k from corner k to k+1; −1 never
    std::vector<std::array<bool, 3>> forward;       ///< does the triangle run along the edge's own direction?
    std::vector<std::array<int, 2>> edge_triangle;  ///< per surface edge: the triangles that run against and along it
    std::vector<int> vertex_tet;                    ///< tet of each surface vertex; −1 outside the mesh

    /// Points: surface vertices first, then crossings of surface edges and faces, of triangles and tet edges, then
    /// mesh nodes inside the surface (as often as the surface winds round them).
    struct Point {
        Vec3 x;
        int entity;  ///< on which face, edge or node it lies; −1 for surface vertices
        int slot;    ///< first of its vertex slots: one per tet of the entity's star
    };
    UnsetVector<Point> points;
    int slots = 0;

    /// A corner of a piece in one tet: a point, and the place of the tet in the star of the point's entity.
    struct Corner {
        int point, entry;
    };
    struct Piece {
        int tet, first_corner, corners;
    };
    Lists<Piece> pieces;  ///< per triangle
    UnsetVector<Corner> corners;
    Lists<int> tet_pieces;  ///< of all triangles, ascending

    struct Segment {
        int from, to, triangle;
    };
    Lists<Segment> face_segments;             ///< boundary of the inside part of a face, seen from outside tet[0]
    Lists<std::array<int, 2>> edge_segments;  ///< inside parts of tet edges, from the smaller node to the larger
    /// Per inside part of an edge: a point in its middle when both ends are nodes, else −1. Two cracks that meet in an
    /// edge and leave its nodes whole are told apart by it.
    std::vector<int> edge_middle;
    Lists<int> pierced;              ///< the triangles that each tet edge goes through
    Lists<int> surface_edge_points;  ///< crossings along each surface edge, in its own direction

    std::vector<char> leaves_mesh;  ///< per triangle: a part of it is outside the tet mesh

    bool closed = true;     ///< the surface had no holes and every edge joined two triangles
    bool contained = true;  ///< no drawn triangle leaves the mesh
    bool sound = true;      ///< no contradictions (they need tets of no volume)

    Corner corner(int point, int tet) const;
};

/// `neighbours`: tet_neighbours() of the mesh. `keep_nodes`: where the nodes are for the clipping. Null: at rest, or as
/// far outward of it as it takes to contain the surface. Empty: the same, scattered, and returned. Otherwise they are
/// where it says.
SkinClip clip_surface(const TetMesh& mesh, const TriMesh& surface, TetNeighbours neighbours, Threads& threads,
                      std::vector<Vec3>* keep_nodes = nullptr);

// Where the nodes are for the clipping (skin_nodes.cpp).
/// Nodes of the mesh's boundary moved outward from `start` by `margin` of their edges' mean length, so that a surface
/// that lies on the boundary is inside. Tets that would turn inside out keep their nodes at rest.
std::vector<Vec3> inflated_nodes(const SkinClip& clip, const TetMesh& mesh, std::vector<Vec3> start, double margin);
/// Every node a hair beside its place at rest, so that no vertex of the surface lies exactly in the plane of a face.
std::vector<Vec3> scattered_nodes(const TetMesh& mesh);

/// Its first part: faces, edges and nodes of the mesh, and the tets and faces round each (skin_stars.cpp).
void list_all_stars(SkinClip& clip, const TetMesh& mesh, TetNeighbours neighbours, Threads& threads);

/// The directed links between points that go round the inside part of a face, counter-clockwise seen from outside
/// tet[0], and the face's edges: edge k from corner k to k+1.
struct FaceOutline {
    std::vector<std::array<int, 2>> links;
    std::array<int, 3> edges{-1, -1, -1};
};
void find_outline(const SkinClip& clip, const std::vector<Tet>& tets, int face, FaceOutline& out);

/// A triangle of a crack face: points, and for each edge from corner k to k+1 that is a whole tet edge its middle, or
/// −1.
struct CapTriangle {
    Tri point, middle;
    std::array<Tri, 2> entry{}, middle_entry{};  ///< places in the points' stars, seen from either tet
};

/// Triangles that fill the inside part of a face, turning like the face seen from outside tet[0].
struct FaceCap {
    std::vector<CapTriangle> triangles;
    std::vector<Vec3> extra;  ///< points that had to be added; they count on from those of the clip
    bool sound = true;
};
FaceCap face_cap(const SkinClip& clip, const std::vector<Vec3>& rest, const std::vector<Tet>& tets, int face);

/// The same; points that had to be added are appended to clip.points.
std::vector<CapTriangle> fill_face(SkinClip& clip, const std::vector<Vec3>& rest, const std::vector<Tet>& tets,
                                   int face);

}  // namespace pliant
