#pragma once
// Which tets of the lattice does a small triangle pass through?

#include <array>

#include "pliant/meshing/lattice_grid.hpp"

namespace pliant {

/// Keeps every tet of the grid that the triangle (in lattice coordinates, at most two cells long along each axis)
/// passes through. Touching a tet from outside does not count, so a surface that lies along a plane of nodes draws in
/// no second layer of tets; but a triangle lying within the tets' faces keeps all it touches, so nothing is lost. May
/// be called from several threads at once.
void keep_tets_crossed_by(const std::array<Vec3, 3>& triangle, const Vec3& low, const Vec3& high, LatticeGrid& grid);

}  // namespace pliant
