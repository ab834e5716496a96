#pragma once
// From a surface to the lattice's bits: which nodes are inside, which tets the surface passes through.

#include "pliant/core/threads.hpp"
#include "pliant/geometry/winding_number.hpp"
#include "pliant/meshing/lattice_grid.hpp"
#include "pliant/meshing/lattice_surface.hpp"

namespace pliant {

/// The grid of the surface at this cell (in the surface's units), with every tet to keep marked.
/// caps: the winding number of surface.caps.
///
/// The winding number of the surface is that of the closed chain (surface + caps), an integer N, less that of the
/// caps. N comes exactly from counting crossings along rows of nodes; the caps, few and small on most surfaces,
/// matter only near holes. So the cost is that of drawing the triangles, with no tree over the surface.
LatticeGrid rasterise(const LatticeSurface& surface, const WindingNumber& caps, double cell, Threads& threads);

}  // namespace pliant
