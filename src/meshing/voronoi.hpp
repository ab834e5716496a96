#pragma once
// Bounded Voronoi cells: the part of a body nearer to one particle than to any other (Everts 2006, sections 5.3 and
// 6.4). The body is the union of tets, convex or not; each cell is cut by the body's surface, exactly. See
// docs/voronoi.md.

#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/mesh/particle_structure.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

/// Faces and corners as in ParticleStructure; corners hang on the tets of the mesh.
struct BoundedVoronoi {
    std::vector<double> volume;      ///< per site, m³; 0 for a site whose cell lies outside of the body
    std::vector<VoronoiFace> faces;  ///< (a, b) ascending; at most one with b = -1 per site, whose parts stay apart
    std::vector<int> polygon_begin;
    std::vector<VoronoiCorner> polygon;
};

/// Cells of any sites within the body that the tets fill. The tets must be positively oriented and meet face to face.
/// Where points are equally far from several sites (the rule in lattices), they belong to the lowest site. The same
/// bits for any number of threads.
BoundedVoronoi bounded_voronoi(const TetMesh& mesh, std::span<const Vec3> sites, Threads& threads);

/// The nodes as particles. UserError when a tet is flat or inverted; nodes without tets become particles without
/// volume.
ParticleStructure particle_structure(const TetMesh& mesh, Threads& threads);

/// Everything of a structure but its cells: particles, tets, edges and boundary triangles.
ParticleStructure structure_without_cells(const TetMesh& mesh);

/// The cells to look at: each as a surface of its own, drawn together towards its particle by the factor `shrink`.
TriMesh cell_surfaces(const ParticleStructure& structure, double shrink = 0.9);

}  // namespace pliant
