#pragma once
// What a Skin is made of; for its files.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pliant/core/union_find.hpp"
#include "pliant/mesh/embedding.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/surface/skin_clip.hpp"
#include "pliant/surface/skin_pieces.hpp"

namespace pliant {

class Threads;

/// Numbers from 0, each in or out.
class BitSet {
public:
    void resize(std::size_t n) { words.assign((n + 63) / 64, 0); }
    void insert(int i) { words[i >> 6] |= std::uint64_t{1} << (i & 63); }
    void erase(int i) { words[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
    bool contains(int i) const { return words[i >> 6] >> (i & 63) & 1; }
    void clear() { std::fill(words.begin(), words.end(), 0); }
    /// In ascending order.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (std::size_t w = 0; w < words.size(); ++w)
            for (std::uint64_t rest = words[w]; rest != 0; rest &= rest - 1)
                visit(static_cast<int>(64 * w) + std::countr_zero(rest));
    }

    std::vector<std::uint64_t> words;
};

/// A surface drawn from the clip. The given points come first, then the vertices of the cuts in the order of their
/// slots; triangles in the order of the given ones they are parts of, then of the faces they close.
struct DrawnSkin {
    TriMesh surface;
    Embedding embedding;
    std::vector<int> slot;            ///< per vertex after the given ones: its slot in the clip
    std::vector<int> tet;             ///< per triangle: that carries it
    std::vector<std::uint8_t> crack;  ///< per triangle
};

/// Triangles drawn anew. Numbers below those of the given points are these, those above count the slots of the clip.
struct FreshTriangles {
    std::vector<Tri> triangle;
    std::vector<int> tet;
    std::vector<std::uint8_t> crack;
    std::vector<int> end;       ///< per surface triangle or face they are parts of
    bool needs_points = false;  ///< a face can only be filled with points that the clip does not have yet
    bool sound = true;
};

struct SkinState {
    SkinState(const TetMesh& rest_mesh, const TriMesh& surface, const SurfaceFacts& facts, Embedding embedding);

    void prepare(Threads& threads);
    /// Closes the faces that were separated before the mesh was edited: they are a part of its boundary.
    void draw_slits(Threads& threads);
    /// Per node of the mesh now: where the clipping has it (skin_edit.cpp).
    std::vector<Vec3> scattered_now(std::size_t nodes, Threads& threads) const;
    bool update(const std::vector<Tet>& current, std::span<const int> relinked, Threads& threads);

    /// The links of these tets that are others now: `changed`, `split`, `touched`.
    void separate(const std::vector<Tet>& current, std::span<const int> tets, Threads& threads);
    void prefetch_faces(const std::vector<Tet>& current, std::span<const int> tets) const;
    /// Divides the touched stars; what hangs on those that came out otherwise is dirty.
    void divide_stars(Threads& threads);
    void prefetch_stars(std::span<const int> entities) const;
    /// True where it came out otherwise than it was.
    bool divide_star(int entity, UnionFind& joined);
    /// In which part of the star of an entity one of its tets is.
    int part_of(int entity, int tet) const;
    bool joined_at_node(int face) const;
    void part_pieces();
    void link_pieces(const std::vector<Tet>& current);
    void prefetch_nodes(const std::vector<Tet>& current, std::span<const int> nodes) const;
    // When they are asked for: not every step is looked at.
    void number_pieces();
    void number_vertices();

    // Drawing (skin_draw.cpp).
    void start_drawing();
    void list_slots();
    bool is_open(int face) const { return separated[face] || (close_boundary && clip->faces[face].tet[1] < 0); }
    /// `by` 1: crack faces are on either side of it from now on; −1: no longer.
    void open_face(int face, int by);
    void find_dirty();
    void prefetch_segments(std::span<const int> faces) const;
    bool needs_middle(int entity) const;
    /// What is dirty, to `fresh`. `beside`: a job that one of the threads does meanwhile.
    void draw_dirty(Threads& threads, const std::function<void()>& beside);
    /// Fills those of these faces that open for the first time. False where one needs points that are not there yet.
    bool make_caps(std::span<const int> faces, bool& sound);
    void prefetch_outlines(std::span<const int> faces) const;
    void prefetch_caps(std::span<const int> faces) const;
    void prefetch_triangles(std::span<const int> triangles) const;
    void add_points(std::size_t first, std::size_t last);
    /// All to its place.
    void place(Threads& threads);
    void release_dirty();
    void prefetch_released() const;
    void count_fresh();
    void prefetch_turned() const;
    void embed_vertex(int slot, int at);
    void place_vertices(Threads& threads);
    int number_of(int id) const;
    void place_triangles(Threads& threads);

    TetMesh mesh;                               // at rest
    std::vector<Tet> links;                     // of the last update
    std::vector<std::array<int, 4>> neighbour;  // per tet: those it shares an intact face with, or −1
    TetPieces pieces;                           // by faces
    TetHinges hinges;
    TriMesh original;
    Embedding original_embedding;
    SurfaceFacts facts;  // of the original
    int given = 0;       // points
    /// Per node of the mesh at rest: where the clipping has it. Empty: the mesh has no slits, and the clipping finds
    /// it.
    std::vector<Vec3> clip_nodes;

    std::unique_ptr<SkinClip> clip;
    bool close_boundary = false;                // parts that stick out of the mesh are cut off there
    std::vector<char> separated;                // per face of the clip
    std::vector<std::uint16_t> part;            // per star entry: in which part of the star the tet is now
    std::vector<int> parts;                     // per star
    std::vector<int> part_tet;                  // per star entry, counted by part: the lowest tet of the part
    std::vector<std::vector<CapTriangle>> cap;  // per face, filled when it first separates
    std::vector<char> filled;
    struct Frame {
        Mat3 inverse;
        Vec3 origin;
    };
    UnsetVector<Frame> frame;  // per tet: barycentric weights of a point

    std::vector<int> cuts;        // per surface triangle: what divides it into pieces; 0: it is whole
    std::vector<int> divided_by;  // per surface edge: its triangles that are in pieces
    int base_slots = 0;           // of the clip when it was made; those of points that caps added follow

    // What is different in this update.
    std::vector<int> changed;  // faces that came apart or together
    std::vector<int> split;    // nodes of the unbroken mesh at which tets were relinked
    struct Links {
        std::vector<int> tets, split;
        struct Face {
            int face;
            std::array<int, 6> entities;
        };
        std::vector<Face> faces;  // that are apart now and were not, or the other way; some twice
    };
    std::vector<Links> found_links;  // by some of the tets each
    BitSet touched;                  // faces, edges and nodes whose stars may be divided otherwise
    std::vector<int> stars;          // the same as a list
    struct Marks {
        std::vector<int> triangles, faces;
        UnionFind joined;
    };
    std::vector<Marks> marks;                  // dirty by some of the stars
    BitSet dirty, dirty_face;                  // surface triangles and faces to be drawn anew
    std::vector<int> dirty_list, dirty_faces;  // the same as lists
    std::vector<std::array<int, 2>> parted;
    bool found_pieces = false;

    // The drawn surface in parts: surface triangle t is drawn as begin[t] … begin[t+1] − 1, face open[i] likewise.
    DrawnSkin drawn, before;
    bool drawn_as_given = false;  // and in parts, before the first crack
    std::vector<int> begin;
    std::vector<int> open, open_begin, next_open, next_open_begin;
    std::vector<FreshTriangles> fresh;  // of some dirty triangles and faces each
    std::size_t chunks = 0;             // of `fresh` in this update
    struct Move {
        int chunk, from, count, to;  // chunk −1: from the surface before
    };
    std::vector<Move> moves;
    std::vector<int> use;                      // per slot: corners of drawn triangles
    std::vector<std::array<int, 2>> released;  // drawn triangles that are to be drawn anew: from, to
    std::vector<int> turned;                   // slots whose use began or ended in this update, some more than once
    BitSet used, used_before;                  // slots with a vertex; those of caps are not among them
    BitSet renewed;                            // slots whose vertex is new or may hang on another tet
    std::vector<int> rank, rank_before;        // per word of `used`: vertices before it
    std::vector<std::array<int, 2>> extra;     // slots of points that caps added: face, slot; ascending
    std::vector<int> extra_vertex;             // per such slot: its vertex or −1
    UnsetVector<int> slot_point;               // per slot: the point it belongs to
    std::vector<int> now;                      // per vertex before the update: its number after it

    std::vector<int> piece, vertex_piece, linked, piece_number, linked_number;
    int piece_count = 1;
    bool pieces_numbered = false, vertices_numbered = true;
    bool watertight = true;
    std::string remark;
    std::uint64_t revision = 0;
};

}  // namespace pliant
