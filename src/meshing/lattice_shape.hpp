#pragma once
// From a signed distance to the lattice's bits.

#include "pliant/core/threads.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/meshing/lattice_grid.hpp"

namespace pliant {

/// A solid in units of `unit` metres about `center` (in units), like LatticeSurface.
struct LatticeShape {
    const Shape& shape;
    double unit;
    Vec3 center;
    Box box;

    double distance(const Vec3& p) const { return shape.distance((p + center) * unit) / unit; }
};

/// The grid at this cell (in units), with every tet marked that has a node inside or reaches into the solid.
LatticeGrid sample_shape(const LatticeShape& shape, double cell, Threads& threads);

}  // namespace pliant
