#pragma once
// Tetrahedra of a body-centred cubic lattice that touch the inside or the surface of a body. They are never
// moved, so every element starts in the same near-perfect shape, and the seen surface lies wholly within them.
//
// Cubes of edge `cell` have nodes at their corners and centres; the two centres on either side of a face and one
// edge of that face make a tet: 4 per face, 12 per cube, each of volume cell³/12.

#include <string>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

struct LatticeOptions {
    /// Edge of the lattice's cubes, m. Too large: the body is a few clumsy blocks; too small: time and memory grow
    /// with 1/cell³. Give this or `tets`.
    double cell = 0;
    /// Wanted number of tets; the cell is chosen so that the lattice has about that many (within 5 % unless so
    /// few are wanted that single elements count).
    long long tets = 0;
};

/// More tets than this are refused: about 5 GB of mesh, and far more in any solver.
inline constexpr long long lattice_tet_limit = 200'000'000;

struct LatticeResult {
    TetMesh mesh;
    std::vector<std::string> repairs;  ///< what was wrong with the surface and tolerated, one finding each
    double cell = 0;                   ///< edge of the cubes, m
    double fill = 0;                   ///< volume of the body over volume of the lattice
    double seconds = 0;                ///< wall-clock time
};

/// The inside is where the winding number of the surface exceeds 1/2: holes, duplicated points, flipped or
/// intersecting triangles and soups are all accepted. Throws UserError for a surface without extent, with
/// non-finite points or bad indices, and for sizes that make no sense.
LatticeResult lattice(const TriMesh& surface, const LatticeOptions& options, Threads& threads);

/// The same for a solid given by its signed distance.
LatticeResult lattice(const Shape& shape, const LatticeOptions& options, Threads& threads);

}  // namespace pliant
