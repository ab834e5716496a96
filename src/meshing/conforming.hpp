#pragma once
// Tets that end on the surface: a body-centred cubic lattice whose nodes near the surface are warped onto it and whose
// other tets are cut where the surface crosses their edges (Labelle & Shewchuk 2007, "Isosurface stuffing").

#include "pliant/meshing/lattice.hpp"

namespace pliant {

/// Surfaces as tolerated by lattice(). Details smaller than a cell, sharp edges among them, are rounded off or lost;
/// the volume comes within O(cell²) of the body's. `fill` is near 1. UserError when no node of the lattice is inside.
LatticeResult conforming(const TriMesh& surface, const LatticeOptions& options, Threads& threads);

}  // namespace pliant
