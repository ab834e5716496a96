#pragma once
// A box cut into cubes and each cube into the six Kuhn tets round one diagonal: the mesh of benches and tests.

#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

/// Cells nx × ny × nz over the box from `min` to `max`; nodes run fastest along z, then y, then x, so that a long bar
/// in x has a narrow band.
TetMesh bar_mesh(int nx, int ny, int nz, const Vec3& min, const Vec3& max);

}  // namespace pliant
