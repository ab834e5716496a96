#pragma once
// A detailed surface carried by a coarse tet mesh (Müller & Gross 2004, section 5.1): each seen vertex knows its
// tet and barycentric weights, so positions, velocities and forces pass between the two.

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/mesh/point.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

struct Embedding {
    std::vector<int> tet;      ///< per seen vertex
    std::vector<Vec4> weight;  ///< barycentric in that tet; sums to 1; may leave [0,1] for vertices just outside

    std::size_t size() const { return tet.size(); }
    /// The i-th vertex as a point on the nodes that its tet has now.
    Point point(std::size_t i, std::span<const Tet> tets) const { return {tets[tet[i]], weight[i], tet[i]}; }
};

/// Links every point to the tet that contains it, or to the nearest one. Exact ties go to the lowest tet index.
Embedding embed(const TetMesh& mesh, std::span<const Vec3> points);

/// One place in the mesh at rest as a material point.
Point embed_point(const TetMesh& mesh, const Vec3& at);

/// out[i] = Σ weight · field at the nodes of the vertex' tet (positions or velocities).
void interpolate(const Embedding& embedding, std::span<const Tet> tets, std::span<const Vec3> nodal,
                 std::span<Vec3> out);

/// What contact and sinks see of any body: a moving surface whose vertices hang on nodes.
struct SurfaceView {
    std::span<const Vec3> points;      ///< deformed, m
    std::span<const Vec3> velocities;  ///< m/s
    std::span<const Tri> triangles;
    std::span<const Tet> tets;  ///< of the carrying mesh
    const Embedding* embedding = nullptr;
    Point point(int vertex) const { return embedding->point(static_cast<std::size_t>(vertex), tets); }
    double spacing = 0;               ///< typical edge length of the surface, m: the scale of margins and search radii
    double friction = 0;              ///< Coulomb coefficient of the body's skin
    std::uint64_t revision = 0;       ///< changes when triangles or embedding do
    std::span<const int> piece = {};  ///< per vertex: which piece of a broken body, from 0; empty: one piece
    bool pieces_touch = false;        ///< each other, like bodies; a piece does not touch itself
    /// Vertices at the same place belong together, like those of a texture's seam. Not so where two sides of a crack
    /// lie on each other.
    bool seams = true;
};

}  // namespace pliant
