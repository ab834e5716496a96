#pragma once
// The surface of a shape as triangles: drawn by the shape itself where it can, else found from its distance alone
// (surface_lattice.hpp, then surface_remesh.hpp).

#include "pliant/core/threads.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// A closed, manifold, outward-oriented surface with edges of about `edge` metres; sharp edges and corners of the shape
/// stay sharp. Where the shape is thinner or more curved than `edge`, triangles are smaller. Too small an edge costs
/// time and memory with its inverse square; too large a one loses detail, never closedness.
/// The same bits for any number of threads. Throws UserError when the shape is empty or the edge is hopeless.
TriMesh shape_surface(const Shape& shape, double edge, Threads* threads = nullptr);

/// What shape_surface will cost, told in milliseconds from a coarse look at the shape.
struct SurfaceCost {
    double triangles = 0;  ///< of the result, about
    double seconds = 0;    ///< on one core, within a factor of three
    double bytes = 0;      ///< of memory while it works
};
SurfaceCost surface_cost(const Shape& shape, double edge);

/// A fortieth of the diagonal of the bounds, less for thin shapes: fine enough to look right, coarse enough to be
/// quick.
double default_edge(const Shape& shape);

}  // namespace pliant
