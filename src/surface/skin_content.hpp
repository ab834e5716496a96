#pragma once
// How much of each tet lies inside the surface, and where: what the tets of a lattice weigh when each counts for
// itself.

#include <vector>

#include "pliant/surface/skin_clip.hpp"

namespace pliant {

struct TetContent {
    double volume = 0;                   ///< m³ inside the surface
    Vec4 center = Vec4::Constant(0.25);  ///< barycentric, of that part; of the tet where there is none
};

/// Exact up to rounding, whatever the shape of the parts. `mesh` is the one at rest that the surface was clipped to.
std::vector<TetContent> tet_contents(const SkinClip& clip, const TetMesh& mesh, Threads& threads);

}  // namespace pliant
