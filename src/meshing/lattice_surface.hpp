#pragma once
// A surface made ready for the inside test of the lattice: welded, consistently oriented, closed by caps.

#include <string>
#include <vector>

#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

class Threads;

/// Lengths are in units of `unit` metres, a power of two, and relative to the centre of the body: the same body
/// at another power-of-two scale gives the same bits.
struct LatticeSurface {
    std::vector<Vec3> points;     ///< distinct
    std::vector<Tri> triangles;   ///< the surface itself
    std::vector<Tri> caps;        ///< triangles and caps together have no boundary (as chains)
    Box box;                      ///< of the surface
    double area = 0, volume = 0;  ///< volume: of the closed chain
    double unit = 1;              ///< m
    Vec3 center = Vec3::Zero();   ///< of the box, in units
    std::vector<std::string> repairs;
};

/// Throws UserError when there is nothing to mesh.
LatticeSurface prepare_surface(const TriMesh& surface, Threads& threads);

}  // namespace pliant
