#pragma once
// From the parts of faces that single tets hold to whole faces. Used by voronoi.cpp.

#include <span>
#include <vector>

#include "pliant/meshing/voronoi.hpp"
#include "pliant/meshing/voronoi_piece.hpp"

namespace pliant {

/// The part of the face between cells a and b that lies in one tet.
struct FacePart {
    int a, b, tet;
    std::size_t first;  ///< of its corners
    int count;
    Vec3 area;    ///< m², from a to b
    Vec3 centre;  ///< m
};

/// Parts in the order of the tets; their corners as weights of the sorted nodes of the tet.
struct FaceParts {
    std::vector<FacePart> parts;
    std::vector<CornerValues> corners;
};

/// Where each of the tet's corners stands when its nodes are sorted: two tets that share a face sort it alike.
std::array<int, 4> sorted_order(const Tet& tet);

/// Joins the parts of each pair into one face and drops faces of no area (less than 2^-46 of the cells' own).
void join_faces(const TetMesh& mesh, const std::vector<FaceParts>& chunks, std::size_t sites, Threads& threads,
                BoundedVoronoi& result);

}  // namespace pliant
