#pragma once
// A tet mesh while cracks run through its elements (O'Brien & Hodgins 1999, section 4.3).
//
// cut() opens the mesh at a node by a plane: the elements round the node are divided by it, those beside them are
// divided at the points that the plane made on common edges and get no nodes of their own, and the node is doubled.
// So are the nodes on the border of the crack whose elements no longer hang together by faces, old or new: there the
// crack has reached a boundary. All other border nodes stay whole: they are the crack's tips, inside the material.
//
// The plane is given where the body is now; the points it makes on edges have the same place between their ends at
// rest. Where it would leave an element worse than a floor, or an edge shorter than one, the plane is bent to a node
// nearby instead, one node more at a time, until what it leaves is good enough. In the end it runs along faces that
// are there, which makes no element at all: so a floor that holds before a cut holds after it, for any number of cuts.
//
// A plane opens one crack: where it would leave more than two parts of the node's elements, as behind the tip of a
// crack that turns (figure 12b), the smaller ones stay with what they hang on.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

struct CutOptions {
    /// A node is taken for one on the plane where the line to it from the cut node rises by less than this from the
    /// plane, rad. The paper's value. Larger: cracks follow the mesh.
    double angle = 0.1;
    /// And where an edge would be cut closer to it than this share of the edge's length. The paper's 5 mm do not scale.
    double share = 0.1;
    /// Where a crack ends at the cut node and the plane turns from it by less than this, rad, the plane goes on from
    /// the crack's front and opens nothing behind it (figure 12b); beyond, it opens another crack across the first. A
    /// crack in pure shear turns by 1.23. Below π/2.
    double turn = 1.4;
    /// No element that a cut makes is worse than this (tet_quality, 1 is a regular tet), or than the one it is part of
    /// where that is worse. Larger: cracks follow the mesh; smaller: slivers, and systems that are hard to solve.
    double quality = 0.1;
    /// No edge is cut into parts shorter than this share of the mean edge that the unbroken mesh had there. It bounds
    /// how fine the mesh becomes, and so the smallest piece.
    double smallest = 0.2;
};

/// What a cut came to.
struct Opening {
    bool opened = false;         ///< false: the mesh is as it was, no two elements were there to part
    double area = 0;             ///< of the crack, at rest, m²
    Vec3 area_vector{0, 0, 0};   ///< of the crack as it is now, along the plane's normal where it follows it, m²
    std::array<int, 2> sides{};  ///< the cut node on the negative side and its copy on the positive one
    std::vector<int> tips;       ///< nodes round the crack that stay whole, ascending
    std::vector<int> nodes;      ///< whose elements changed, ascending, the two of `sides` among them
};

class CrackMesh {
public:
    /// `x`: present positions. `edge`: mean edge of the unbroken mesh at each node (mean_edges), m. `aim`: what aims()
    /// said after the cuts before; empty: there were none.
    CrackMesh(const TetMesh& mesh, std::span<const Vec3> x, std::span<const double> edge,
              std::span<const Vec3> aim = {});

    Opening cut(int node, const Vec3& normal, const CutOptions& options = {});

    int node_count() const { return static_cast<int>(rest_.size()); }
    int first_new_node() const { return old_nodes_; }
    std::span<const Vec3> rest() const { return rest_; }
    std::span<const Vec3> x() const { return x_; }
    /// The tets round a node, in the order in which they came to it.
    std::span<const int> star(int node) const { return star_[node]; }
    const Tet& tet(int t) const { return tets_[t]; }
    /// The tet of the mesh at the start that it is part of.
    int whole(int t) const { return whole_[t]; }
    /// The tet that it was cut from, of the mesh as it was before that cut; itself where it never was.
    int parent(int t) const { return parent_[t]; }
    int tet_count() const { return static_cast<int>(tets_.size()); }  ///< those that are gone among them
    /// The node that a copy was made of; −1 for nodes of the mesh at the start and for points on edges.
    int copied_from(int node) const;

    /// All cuts in one.
    MeshEdit edit() const;
    /// The mean edges, followed.
    std::span<const double> edges() const { return edge_; }
    /// Per node, at rest: from a tip that the plane was bent to, straight to the plane. Where the tip opens in its
    /// turn, the crack comes back to that plane instead of wandering off with the mesh, m.
    std::span<const Vec3> aims() const { return aim_; }

private:
    struct Plan;
    using Edge = std::array<int, 2>;  // lower end first

    bool try_cut(int node, const Vec3& normal, const Vec3& aim, const CutOptions& options, Opening& out);
    Mat3 deformation(int t) const;
    void find_ring(Plan& plan, int node, const Vec3& normal, const Vec3& aim) const;
    void go_on_from_front(Plan& plan, const CutOptions& options) const;
    void snap(Plan& plan, const CutOptions& options) const;
    bool choose_sides(Plan& plan) const;
    void divide(Plan& plan) const;
    std::optional<int> worst_end(const Plan& plan, const CutOptions& options) const;
    void carry_out(Plan& plan, Opening& out);
    void measure(const Plan& plan, Opening& out) const;
    void part_loose_stars(Opening& out);
    int add_node(std::vector<Parent> parents);
    int add_tet(const Tet& nodes, int parent);
    void retire(int t);

    int old_nodes_, old_tets_;
    const TetMesh* mesh_;
    std::vector<Vec3> rest_, x_;
    std::vector<double> edge_;
    std::vector<Vec3> aim_;
    std::vector<Tet> tets_;
    std::vector<int> whole_, parent_;
    std::vector<char> gone_;
    std::vector<std::vector<int>> star_;
    std::vector<MeshEdit::NewNode> new_nodes_;
};

/// Mean length of the edges at each node, m.
std::vector<double> mean_edges(const TetMesh& mesh);

}  // namespace pliant
