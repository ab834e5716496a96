#pragma once
// Which tets of a mesh that breaks hang together, kept up while faces separate: only the neighbourhood of the faces
// that came apart is searched, not the whole body.

#include <array>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/surface/skin_clip.hpp"

namespace pliant {

class TetPieces {
public:
    /// Sorts all tets into pieces, from scratch.
    void find(TetNeighbours neighbours);
    /// After faces came apart. `parted`: the tets on either side of each that may be in different pieces now; where
    /// the two of a separated face are known to hang together, it may be left out.
    void part(TetNeighbours neighbours, std::span<const std::array<int, 2>> parted);

    int count() const { return static_cast<int>(size_.size()); }
    /// Face-connected set of a tet; no two have the same, but which number it is depends on what broke first.
    std::span<const int> of() const { return of_; }
    /// By piece: its place in the order of lowest tets, which depends on nothing but the pieces.
    std::span<const int> place() const { return place_; }
    /// Tets that went to another piece in the last part().
    std::span<const int> moved() const { return moved_; }
    /// The last find() or part() looked at all tets; moved() says nothing.
    bool found_anew() const { return found_anew_; }

private:
    struct Region {
        std::vector<int> tets, next;  // explored; reached, explored from `first` on in this order
        std::size_t first = 0;
        bool whole() const { return first == next.size(); }
    };
    int join(int a, int b);
    bool grow(TetNeighbours neighbours, std::span<const std::array<int, 2>> parted);
    void number();

    std::vector<int> of_, size_, lowest_, place_, order_, moved_;
    bool found_anew_ = true;

    std::vector<int> region_of_;  // per tet, −1 outside part()
    std::vector<Region> regions_;
    UnionFind joined_;  // regions that met; what they hold is with the larger one
    int region_count_ = 0;
    UnionFind cluster_;         // regions that are whole and face each other
    std::vector<int> outside_;  // per region
    std::vector<char> active_;
};

/// The sets that tets hang together in by nodes at least, where each piece's faces hold it together: a hinge is a node
/// that several pieces share.
class TetHinges {
public:
    void start(int nodes) { hinge_.assign(nodes, 0), hinges_ = 0; }
    /// Looks at the given nodes of the unbroken mesh anew: is one of them, or of their copies, shared by pieces?
    void look(const SkinClip& clip, const std::vector<Tet>& rest, const std::vector<Tet>& current,
              std::span<const int> piece, int node);
    /// By piece of `pieces`: the set it is in, numbered in order of the lowest tet. False where all hang together.
    bool link(const SkinClip& clip, const std::vector<Tet>& rest, const std::vector<Tet>& current,
              const TetPieces& pieces, std::vector<int>& set);

private:
    std::vector<char> hinge_;  // per node of the unbroken mesh
    int hinges_ = 0;
    std::vector<std::array<int, 2>> shared_;  // scratch: node and a piece that has it
    UnionFind sets_;
    std::vector<int> number_;
};

}  // namespace pliant
