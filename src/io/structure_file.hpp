#pragma once
// Structure files, .str (Everts 2006, section 8.7): particles, tets and the Voronoi cells of the particles in one text
// file of eight blocks. A block is its name, the number of its items, and the items, one per line, numbered from 0:
//
//   particles x y z · tetrahedra p0…p3 · neighbors t0…t3 (-1: none) · faces p0 p1 p2 · voronoivertices x y z ·
//   dependencies p0…p3 (of a Voronoi vertex: it moves with these) · voronoiridges p0 p1 n v1…vn · voronoicells n r1…rn
//
// Blocks may come in any order; all must be there. From # to the end of a line is skipped.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/mesh/particle_structure.hpp"

namespace pliant {

struct VoronoiRidge {
    int a, b;   ///< the particles it lies between
    int first;  ///< of its vertices in StructureFile::ridge_vertices
    int count;
};

/// What a file says, checked: every index leads somewhere, neighbours are neighbours, cells list their own ridges.
struct StructureFile {
    TetMesh mesh;  ///< tets turned so that their volume is positive
    std::vector<Tri> faces;
    std::vector<Vec3> vertices;   ///< of the Voronoi cells
    std::vector<int> vertex_tet;  ///< the tet whose particles carry the vertex
    std::vector<VoronoiRidge> ridges;
    std::vector<int> ridge_vertices;

    std::span<const int> corners(const VoronoiRidge& r) const {
        return std::span(ridge_vertices).subspan(static_cast<std::size_t>(r.first), static_cast<std::size_t>(r.count));
    }
};

/// UserError with file and line for a wrong count, an index out of range, a missing or repeated block, a number that
/// is none, and whatever else does not fit together. `name` is what messages call the file.
StructureFile parse_structure(std::string_view bytes, const std::string& name);

/// Cells as the file has them; a pair of particles with several ridges gets one face. Ridges are turned so that they
/// look from the lower particle to the higher. Volumes and the parts on the body's surface, which the format lacks,
/// are those of the bounded cells of the tets.
ParticleStructure structure_of(const StructureFile& file, Threads& threads);
ParticleStructure read_structure(const std::string& path, Threads& threads);

std::string format_structure(const ParticleStructure& structure);
void write_structure(const std::string& path, const ParticleStructure& structure);

}  // namespace pliant
