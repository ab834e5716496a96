#pragma once
// Makes good triangles of a given size out of a fine, closed first surface, without ever leaving the shape.

#include "pliant/core/threads.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// Splits, collapses, flips and smooths (Botsch and Kobbelt 2004, "A remeshing approach to multiresolution modeling",
/// section 4) until edges are about `edge` metres long, fewer where the shape is flat enough only. Vertices lie on
/// the shape, creases and corners are found from the distance and kept. Closed and manifold in, closed and manifold
/// out: an operation that would break that is not done. `detail`: the size of the triangles that come in.
void remesh_surface(TriMesh& mesh, const Shape& shape, double edge, double detail, Threads& threads);

}  // namespace pliant
