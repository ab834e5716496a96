#pragma once
// The particle models of Everts 2006 and what they are made of. docs/particles.md has the equations.

#include <span>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/mesh/particle_structure.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

enum class ParticleModel {
    spring,  ///< mass-spring, chapter 2: one spring per edge
    cmpm1,   ///< continuum particle model 1, chapter 5: forces over the faces of deformed Voronoi cells
    cmpm2,   ///< continuum particle model 2, chapter 7: forces over six sub-faces in each tet
    cmpm3,   ///< corrected: the traction of a Hookean stress over the same sub-faces, pressure of the particles' cells
};

/// Which normal model 2 compares with the geometric one (docs/particles.md, "Figure 7.3").
enum class DeformedNormal {
    stretched,  ///< as section 7.4 reconstructs it: its length is what stretch along it there is
    unit,       ///< brought to unit length again: the elastic force loses its first order, as in figure 7.3
};

/// Numbers of the material of one tet.
struct ParticleMaterial {
    double young = 3e6;         ///< E, Pa
    double shear = 1e6;         ///< G, Pa; models 1 and 2 take it as a number of its own
    double poisson = 0.45;      ///< model 3 alone, below 0.5; its shear modulus is E/(2(1+ν))
    double density = 1200;      ///< kg/m³
    Vec3 fibre = Vec3::Zero();  ///< model 3: direction along which it is stiffer, at rest; length does not matter
    double fibre_young = 0;     ///< model 3: added to E along the fibre, Pa
};

struct ParticleModelOptions {
    ParticleModel model = ParticleModel::cmpm1;
    DeformedNormal normal = DeformedNormal::stretched;  ///< model 2
    double stiffness = 0;  ///< springs: the same constant for all, N/m; 0: derived from Young's modulus
};

/// The six edges of a tet as pairs of corners; model 2's sub-faces are numbered alike.
inline constexpr int tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/// A structure without Voronoi cells, for the models that need none: a quarter of each tet belongs to each corner.
ParticleStructure structure_of_tets(const TetMesh& mesh);

/// Takes corners out of the faces that lie on a straight line between their neighbours at rest: where a face passes
/// from one tet into the next. What remains are the vertices of the Voronoi diagram, as section 5.4 has them.
void drop_straight_corners(ParticleStructure& structure);

/// Numbers of each particle: means over its tets by volume.
std::vector<ParticleMaterial> particle_materials(const ParticleStructure& structure,
                                                 std::span<const ParticleMaterial> material);

/// Spring constants, N/m, per edge of the structure: k = Σ E V / l² over the tets at the edge. A network of edges in
/// all directions alike then has Young's modulus E (and, as all such networks, Poisson's ratio 1/4).
std::vector<double> spring_constants(const ParticleStructure& structure, std::span<const ParticleMaterial> material);

/// What stretches the body as a whole when cells have faces in all directions alike: Hooke's law with these numbers
/// instead of E and G (docs/particles.md, "What models 1 and 2 amount to").
struct EffectiveModuli {
    double lambda, mu;  ///< Lamé, Pa
    double young() const { return mu * (3 * lambda + 2 * mu) / (lambda + mu); }
    double poisson() const { return lambda / (2 * (lambda + mu)); }
};
EffectiveModuli effective_moduli(ParticleModel model, const ParticleMaterial& material);

/// The force that particle b exerts on particle a across the face between them, N; b feels the opposite.
struct PairForce {
    int a, b;
    Vec3 elastic;       ///< along the normal of the face
    Vec3 shear;         ///< across it
    double energy = 0;  ///< stored in the pair, J; see ParticleForces::energy()
};

/// All pair forces at x, face by face in double precision: what fluxes are summed from, and what the vector loops are
/// tested against. Springs have one pair per edge, model 1 one per Voronoi face, models 2 and 3 six per tet.
std::vector<PairForce> pair_forces(const ParticleStructure& structure, std::span<const ParticleMaterial> material,
                                   const ParticleModelOptions& options, std::span<const Vec3> x);

/// Forces through the plane where coordinate `axis` is `at`: the sum over pairs on different sides of it, as the part
/// above the plane pulls the part below.
struct Flux {
    Vec3 elastic = Vec3::Zero(), shear = Vec3::Zero();  ///< N
};
Flux flux_through(std::span<const PairForce> pairs, std::span<const Vec3> x, int axis, double at);

}  // namespace pliant
