#pragma once
// A tet that planes have cut into convex cells, exactly. A plane is a linear function with whole numbers at the tet's
// nodes, so that tets which share a node agree on it, and a place is a ratio of whole numbers: which side a place is
// on, whether two places are one and whether two facets overlap are decided without rounding. Planes through nodes,
// along edges and in faces are cases like any other.
//
// A facet of a cell is cut where a knife went along it, and joins what is on both of its sides where none did. Cells on
// the two sides of a plane need not fit together corner by corner: a facet joins all cells that it overlaps.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class ByteReader;
class ByteWriter;

__extension__ typedef __int128 Int128;

/// Values at the nodes of a tet; the plane is where they blend to zero. At most cut_limit in size, so that all that is
/// decided fits into 128 bits: 3×3 determinants of them into 90, those of 4×4 into 121.
using CutPlane = std::array<std::int64_t, 4>;
inline constexpr std::int64_t cut_limit = std::int64_t{1} << 29;

/// A place in a tet: barycentric coordinates up to a factor, none negative, in lowest terms.
using CutPoint = std::array<Int128, 4>;

/// Its barycentric coordinates.
Vec4 weights_of(const CutPoint& point);
/// Sign of the plane's function at a place: −1, 0 or 1.
int side_of(const CutPlane& plane, const CutPoint& point);

struct CutFacet {
    int plane = 0;            ///< 0…3: the tet's face opposite to that node; 4 + i: CutElement::planes[i]
    bool cut = false;         ///< nothing hangs together through it
    std::vector<int> corner;  ///< of CutElement::points; counter-clockwise seen from outside the cell
    std::vector<int> along;   ///< per edge from corner i to i + 1: the plane of the facet beyond it
};

struct CutCell {
    std::vector<CutFacet> facets;
};

/// The cells of one tet that belong together.
struct CutElement {
    std::vector<CutPlane> planes;  ///< in lowest terms, each once
    std::vector<CutPoint> points;
    std::vector<CutCell> cells;
};

/// All of a tet, as one cell.
CutElement whole_element();
CutPlane plane_of(const CutElement& element, int plane);

/// Where a knife is: on the plane `at`, as far as the functions `within` are not positive.
struct CutPatch {
    CutPlane at;
    std::vector<CutPlane> within;
};

/// Cuts the cells that the patch goes through, or along a facet of; touching one in less than an area is nothing.
/// Returns whether anything changed.
bool cut(CutElement& element, const CutPatch& patch);

/// Takes away what is where none of the functions is positive, and cuts what is left along the first `walls` of them;
/// along the others it is for the caller to take away what is beyond. Returns whether anything changed.
bool carve(CutElement& element, std::span<const CutPlane> within, std::size_t walls);

/// Per cell: which of the sets that hang together it belongs to, numbered in order of the lowest cell; returns how many
/// there are.
int connected_cells(const CutElement& element, std::vector<int>& set);

/// The cells of one set, with the planes and points that they need.
CutElement part_of(const CutElement& element, std::span<const int> set, int number);

/// Volume of the cells as a share of the tet's.
double share_of(const CutElement& element);
/// Some cell reaches node k of the tet.
bool reaches_node(const CutElement& element, int k);

/// A facet as somebody else sees it: its corners and the planes beyond its edges, in his order of nodes.
struct FacetOutline {
    std::vector<CutPoint> corner;
    std::vector<CutPlane> along;
};
FacetOutline outline_of(const CutElement& element, const CutFacet& facet);
/// The same where node k of the one is node place[k] of the other, −1 for the node that the facet's face is opposite to
/// and `opposite` the one that takes its place.
FacetOutline outline_of(const CutElement& element, const CutFacet& facet, const std::array<int, 4>& place,
                        int opposite);

/// The side of the plane beyond an edge of the facet on which the facet is.
int inner_side(const FacetOutline& facet, const CutPlane& edge);
/// The part of a facet in `plane` where `keep` times the function `by` is not negative; false, and no change, where
/// that is no area.
bool clip(FacetOutline& facet, const CutPlane& plane, const CutPlane& by, int keep);
/// Two facets in one plane have more than an edge in common.
bool overlap(const CutPlane& plane, const FacetOutline& a, const FacetOutline& b);

void save(ByteWriter& out, const CutElement& element);
/// False where it is no element.
bool load(ByteReader& in, CutElement& element);

}  // namespace pliant
