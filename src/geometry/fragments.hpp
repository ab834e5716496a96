#pragma once
// Which pieces of cut elements hang together. Cutting divides each element into pieces; two of them belong to one
// fragment where they share a facet that no cut runs along. Pieces name the facets by what they are, never by where, so
// that neighbours agree without comparing coordinates.

#include <array>
#include <vector>

namespace pliant {

/// A facet's identity. For a part of a face: the face's nodes, ascending, and something that all parts of that face
/// share no two alike, such as the lowest node or edge point among its corners. Any four numbers will do.
using FacetName = std::array<int, 4>;

class Fragments {
public:
    /// Forgets everything; memory is kept.
    void clear();
    /// A new piece; returns its number, counted from 0.
    int add_piece() { return pieces_++; }
    /// A facet of a piece through which it hangs together with whoever else has it.
    void add_facet(int piece, const FacetName& name) { facets_.push_back({name, piece}); }

    /// Per piece its fragment, numbered in order of the lowest piece; returns how many there are.
    int number(std::vector<int>& fragment);

private:
    struct Facet {
        FacetName name;
        int piece;
        auto operator<=>(const Facet&) const = default;
    };
    int pieces_ = 0;
    std::vector<Facet> facets_;
};

}  // namespace pliant
