#pragma once
// The part of a tetrahedron that is nearer to one site than to any other: a convex piece, cut out plane by plane.
//
// Everything happens in barycentric coordinates. |x−q|² − |x−p|² is affine in x, so within a tet it is known by its
// values at the four corners, and its value at a vertex of the piece is the weighted sum of those four. Sizes, shapes
// and even flat tets make no difference, and two tets that share a face compute the same bits on it.

#include <array>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

using CornerValues = std::array<double, 4>;

/// A closed polyhedral surface over barycentric vertices; loops run counter-clockwise seen from outside.
struct VoronoiPiece {
    std::vector<CornerValues> weight;  ///< per vertex: weights of the tet's corners, none negative, sum 1
    std::vector<int> loop_begin;       ///< of each face in `loop`, and the end
    std::vector<int> loop;             ///< vertices, face after face
    std::vector<int> label;            ///< per face: the site on the other side, or ~i for the tet's face i

    std::size_t faces() const { return label.size(); }
    bool empty() const { return weight.empty(); }
};

/// Cuts pieces; keeps its scratch between calls.
class PieceCutter {
public:
    /// The whole tet. order[i]: where corner i of the mesh's tet stands among the weights.
    void start(VoronoiPiece& piece, const std::array<int, 4>& order) const;

    /// Keeps where the affine function with these corner values is positive, and where it is 0 if `keep_zero`. The
    /// cut gets `label`. A vertex is judged once, and every edge that is cut has one new vertex, so the surface stays
    /// closed whatever rounding does; a piece without any kept vertex becomes empty. Returns whether anything was cut.
    bool cut(VoronoiPiece& piece, const CornerValues& value, bool keep_zero, int label);

private:
    struct Crossing {
        int low, high;  // the edge
        int vertex;
    };
    int crossing(const VoronoiPiece& piece, int in, int out);

    std::vector<double> value_;
    std::vector<char> kept_;
    std::vector<int> renumbered_;
    std::vector<Crossing> crossings_;
    std::vector<int> next_;  // along the rim of the cut, by crossing
    std::vector<CornerValues> weight_;
    std::vector<int> loop_, loop_begin_, label_;
};

/// Its share of the tet, 0 … 1; order as in start().
double fraction(const VoronoiPiece& piece, const std::array<int, 4>& order);

}  // namespace pliant
