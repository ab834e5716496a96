#pragma once
// A first surface of a shape: closed and manifold by construction, fine, not yet well shaped.

#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

struct FirstSurface {
    TriMesh mesh;
    double cell;      ///< of the lattice used, m
    double sharpest;  ///< smallest cosine between the shape's normals within one tet: low where it has creases
};

/// How many cubes of `cell` metres have their centres within one cell of the surface: the lattice's size, at a fraction
/// of its cost.
double cubes_near_surface(const Shape& shape, double cell);

/// The surface between the inner and outer nodes of a body-centred cubic lattice with cubes of `cell` metres.
/// Its dual is used: one vertex per tet that the surface enters and one per lattice edge it crosses. The surface cuts
/// a tet in one piece, so the result is always a closed manifold, and a tet's vertex is free to sit on a crease.
/// Where two lattices see different topologies (thin walls, narrow clefts), finer ones decide.
FirstSurface first_surface(const Shape& shape, double cell, Threads& threads);

}  // namespace pliant
