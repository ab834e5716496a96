#pragma once
// What bodies of every deformable kind share, and what can be said of each of them in the same way. A kind derives from
// DeformableBody, and from SolvedNodes as well if its nodes are unknowns of the common linear system; world/bodies.hpp
// has the concepts that each kind must fulfil.

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/body/heat.hpp"
#include "pliant/body/point_masses.hpp"
#include "pliant/body/seen_volume.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/fem/solid.hpp"
#include "pliant/particle/volume_constraint.hpp"
#include "pliant/surface/seen_surface.hpp"

namespace pliant {

/// Constant parts first, then the state, then what is derived from it or used within a step alone.
struct DeformableBody {
    std::string name;
    Vec3 color{0.8, 0.8, 0.8};  ///< linear RGB
    double friction = 0.5;      ///< Coulomb coefficient of the skin
    bool collide = true;        ///< false: the body passes through everything
    /// That barriers keep from others, m; none: a part of the edges of its surface. Of two bodies the smaller one
    /// counts.
    std::optional<double> contact_distance = {};

    TetMesh mesh;
    std::unique_ptr<SeenSurface> seen;  ///< what is seen and touched; follows edits of the mesh
    double rest_volume = 0;             ///< of the surface when it is closed, of the mesh otherwise, m³
    double spacing = 0;                 ///< mean edge length of the surface at rest, m
    std::optional<Heat> heat;           ///< none: no temperature; body/warm_bodies.hpp

    std::vector<Vec3> x, v;           ///< positions (m) and velocities (m/s) of the nodes
    std::vector<double> temperature;  ///< per node, °C; empty: none

    std::vector<Vec3> points, velocities;  ///< of the surface, m and m/s
    std::vector<Vec3> force;               ///< external, per node, N: the step sets it anew
    std::vector<double> temperature_next;  ///< at the end of the step; the material belongs to it

    const TriMesh& surface() const { return seen->surface(); }  ///< at rest, m
    const Embedding& embedding() const { return seen->embedding(); }
};

/// What a body has beside if its nodes are unknowns of the common linear system. All per node.
struct SolvedNodes {
    SolveOptions solve;
    std::vector<char> prescribed;      ///< the velocity of the node is given in this step
    std::vector<AxisHold> axis_holds;  ///< nodes whose motion along one axis is given
    std::vector<Vec3> v_next;          ///< in: first guess and prescribed velocities; out: velocities at the end, m/s
    bool pooled = false;               ///< its energy is in EnergyLedger::pool (world/ledger.hpp); saved with that
};

/// Brings `points` and `velocities` up to date with x and v through what the surface hangs on.
void update_surface(DeformableBody& body, Threads& threads);

/// Adds a rotation about the centre of mass to the velocities of the nodes. spin: rad/s.
void add_spin(DeformableBody& body, std::span<const double> node_mass, const Vec3& spin);

/// The seen surface encloses a volume.
bool surface_closed(const DeformableBody& body);

/// Unit normals of the deformed surface at its vertices.
std::vector<Vec3> surface_normals(const DeformableBody& body);

Box bounds(const DeformableBody& body);        ///< of the surface
double max_speed(const DeformableBody& body);  ///< of the fastest node, m/s

// Sums over the nodes at the present state; node_mass(body) belongs to each kind.

template <std::derived_from<DeformableBody> Body>
double mass(const Body& body) {  ///< kg
    return total_mass(node_mass(body));
}

template <std::derived_from<DeformableBody> Body>
Vec3 center_of_mass(const Body& body) {  ///< m
    return center_of_mass(node_mass(body), body.x);
}

template <std::derived_from<DeformableBody> Body>
Vec3 momentum(const Body& body) {  ///< kg·m/s
    return momentum(node_mass(body), body.v);
}

template <std::derived_from<DeformableBody> Body>
double kinetic_energy(const Body& body) {  ///< J
    return kinetic_energy(node_mass(body), body.v);
}

/// Of the closed surface, or of the mesh where it is open, m³.
template <std::derived_from<DeformableBody> Body>
double volume(const Body& body) {
    return seen_volume(surface_closed(body), body.points, body.surface().triangles, body.x, body.mesh.tets);
}

/// Takes name, looks and mesh out of the description of a body: at rest, moving with desc.velocity. `facts`: of the
/// surface that is seen.
template <class Desc>
void take_shared(DeformableBody& body, Desc& desc, TetMesh mesh, std::unique_ptr<SeenSurface> seen,
                 const SurfaceFacts& facts) {
    body.name = std::move(desc.name);
    body.color = desc.color, body.friction = desc.friction, body.collide = desc.collide;
    body.mesh = std::move(mesh);
    body.seen = std::move(seen);
    body.rest_volume = surface_closed(facts) ? facts.volume : total_volume(body.mesh.rest, body.mesh.tets);
    body.spacing = mean_edge(body.surface());
    body.x = body.mesh.rest;
    body.v.assign(body.x.size(), desc.velocity);
    body.force.assign(body.x.size(), Vec3::Zero());
    body.points = body.surface().points;
    body.velocities.assign(body.points.size(), desc.velocity);
}

/// For the nodes of a new body.
inline void reset_nodes(SolvedNodes& nodes, std::size_t count) {
    nodes.prescribed.assign(count, 0);
    nodes.v_next.assign(count, Vec3::Zero());
}

}  // namespace pliant
