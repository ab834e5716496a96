#pragma once
// A deformable body: a tet mesh that moves, and the detailed surface it carries.

#include <optional>
#include <string>
#include <vector>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/fem/solid.hpp"
#include "pliant/mesh/embedding.hpp"

namespace pliant {

/// All that is needed to make a body; plain data.
struct FemBodyDesc {
    std::string name = "body";
    TetMesh mesh;
    std::vector<ElementMaterial> material;  ///< one for all tets, or one per tet
    TriMesh surface;                        ///< what is seen and touched; empty: the boundary of the mesh
    SolidOptions solid;
    SolveOptions solve;
    Vec3 velocity = Vec3::Zero();  ///< at the start, m/s
    Vec3 spin = Vec3::Zero();      ///< angular velocity about the centre of mass at the start, rad/s
    double friction = 0.5;         ///< Coulomb coefficient of the skin
    bool collide = true;           ///< false: passes through everything
    Vec3 color{0.8, 0.8, 0.8};     ///< linear RGB
};

/// Constant parts first, then the state, then what is derived from it or scratch of a step.
struct FemBody {
    std::string name;
    Vec3 color;
    double friction;
    bool collide;
    SolveOptions solve;

    TetMesh mesh;
    std::vector<ElementMaterial> material;
    TriMesh surface;  ///< at rest
    Embedding embedding;
    SurfaceFacts surface_facts;
    double rest_volume;  ///< of the surface when it is closed, of the mesh otherwise, m³
    double spacing;      ///< mean edge length of the surface at rest, m

    std::vector<Vec3> x, v;  ///< node positions (m) and velocities (m/s): the state, with solid.rotation_state()
    Solid solid;

    std::vector<Vec3> points, velocities;  ///< of the surface
    std::vector<Vec3> force;               ///< external, per node, N
    std::vector<char> prescribed;          ///< per node: its velocity is given this step
    std::vector<Vec3> v_next;              ///< in: first guess and prescribed velocities; out: velocities at the end
};

FemBody make_fem_body(FemBodyDesc desc);

/// Brings `points` and `velocities` up to date with x and v.
void update_surface(FemBody& body, Threads& threads);

SurfaceView surface_view(const FemBody& body);

/// Normals of the deformed surface: those of the deformed triangles, unit length.
std::vector<Vec3> surface_normals(const FemBody& body);

// Measures at the present state.
double volume(const FemBody& body);          ///< of the closed surface, or of the mesh, m³
double mass(const FemBody& body);            ///< kg
Vec3 center_of_mass(const FemBody& body);    ///< m
Vec3 momentum(const FemBody& body);          ///< kg·m/s
double kinetic_energy(const FemBody& body);  ///< J
double elastic_energy(const FemBody& body);  ///< J
double max_speed(const FemBody& body);       ///< m/s
Box bounds(const FemBody& body);             ///< of the surface
double von_mises(const FemBody& body, int tet);  ///< Pa

/// The first node whose position or velocity is not finite, if any.
std::optional<int> first_nonfinite(const FemBody& body);

// State in and out: everything a checkpoint needs beside the scene itself.
void save_state(const FemBody& body, ByteWriter& out);
void load_state(FemBody& body, ByteReader& in);
void hash_state(const FemBody& body, Hash& hash);

}  // namespace pliant
