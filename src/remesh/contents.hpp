#pragma once
// How much material is in each tet of a lattice, and where: the surface clipped to the tets, exactly (Wojtan & Turk
// 2008, section 6).

#include <vector>

#include "pliant/meshing/lattice_lookup.hpp"
#include "pliant/surface/skin_content.hpp"

namespace pliant {

class Threads;

/// `lattice`: made from this closed surface. Where the surface overlaps itself, material counts as often as it is
/// enclosed.
std::vector<TetContent> lattice_contents(const IndexedLattice& lattice, const TriMesh& surface, Threads& threads);

}  // namespace pliant
