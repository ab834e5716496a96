#pragma once
// A new lattice for a body as it is now, and all that goes over from the old one (Wojtan & Turk 2008, sections 5 and
// 6): proposed as an edit of the mesh, with what the new tets carry.

#include <span>
#include <vector>

#include "pliant/mesh/embedding.hpp"
#include "pliant/mesh/mesh_edit.hpp"
#include "pliant/remesh/remesh_options.hpp"

namespace pliant {

class Threads;

/// The body as it is now. The surface is closed.
struct RemeshInput {
    const TriMesh& surface;           ///< at its present place, m
    std::span<const Tet> tets;        ///< of the mesh there is
    std::span<const Vec3> x;          ///< its nodes, m
    std::span<const Mat3> elastic;    ///< per tet: Fe
    std::span<const double> content;  ///< per tet: share of its volume that is material, above 0
    std::span<const double> density;  ///< per tet, free of stress, kg/m³
    double mass = 0;                  ///< that the new tets carry, kg

    // Of a body that may break and merge: each part of its surface has a lattice of its own, made of the pieces that
    // its vertices hang on, so that nothing but contact is between parts. Empty: one lattice for all.
    std::span<const int> piece;          ///< per tet: which piece of the mesh there is
    std::span<const double> piece_mass;  ///< per piece, kg
    std::span<const int> vertex_piece;   ///< per vertex of the surface: its piece, −1 where it is new
};

struct Remeshed {
    MeshEdit edit;            ///< everything old goes, everything is new
    std::vector<Mat3> shape;  ///< per tet: Fe⁻¹, which makes the new lattice's tets free of stress
    std::vector<std::array<double, 4>> carried;  ///< per tet and corner: as Solid::set_carried() takes it
    Embedding embedding;                         ///< of the surface's vertices in the new mesh
    double volume = 0;                           ///< Σ V/det Fe of the material, m³: before it is given back
    Vec3 brought = Vec3::Zero();                 ///< momentum of what came through the inlet, kg·m/s
};

/// Element strains are averaged as log(Fe Feᵀ): averages of F itself would mix rotations and shrink. Their volumes are
/// averaged as 1/det Fe, so that what is free of stress keeps its own. What volume is lost or gained all the same is
/// given back as pressure: shapes free of stress hold the volume that belongs to the mass, and the body swells to it.
/// The rotation of Fe has no meaning in a new lattice, which the body is at rest in.
Remeshed remesh(const RemeshInput& body, double cell, Threads& threads);

/// Per vertex of the surface: its tet of the lattice, and weights.
struct IndexedLattice;
Embedding embed_in(const IndexedLattice& lattice, std::span<const Vec3> points, Threads& threads);

/// Frobenius' condition number ‖F‖‖F⁻¹‖/3 of a deformation: 1 for a rotation; infinite where it is flat or inverted.
double condition_number(const Mat3& F);

}  // namespace pliant
