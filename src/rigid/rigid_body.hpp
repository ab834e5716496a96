#pragma once
// Rigid bodies: what they weigh, where they are, and the pieces they collide with.

#include <string>
#include <vector>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/mesh/tri_mesh.hpp"
#include "pliant/rigid/convex_pieces.hpp"

namespace pliant {

/// Of the solid inside a closed surface, hollows included.
struct MassProperties {
    double mass = 0;  ///< kg
    double volume = 0;
    Vec3 center = Vec3::Zero();   ///< m
    Mat3 inertia = Mat3::Zero();  ///< about the centre, kg·m²
};
MassProperties mass_properties(const TriMesh& surface, double density);

/// All that is needed to make one; plain data.
struct RigidBodyDesc {
    std::string name = "body";
    TriMesh surface;  ///< closed; where the body starts, m
    std::vector<std::vector<Vec3>> pieces;
    double density = 1000;  ///< kg/m³
    double friction = 0.5;
    double restitution = 0.3;      ///< share of the speed that a bounce gives back; 1: all, and stacks never rest
    Vec3 velocity = Vec3::Zero();  ///< m/s
    Vec3 spin = Vec3::Zero();      ///< rad/s
    bool fixed = false;            ///< hangs in the air and does not move, but sounds when struck
    Vec3 color{0.8, 0.8, 0.8};
};

/// An impulse, evenly spread over a part of the next step, or at once when both ends are the same.
struct RigidPush {
    double from = 0, till = 1;    ///< parts of the step
    Vec3 impulse = Vec3::Zero();  ///< N·s
    Vec3 twist = Vec3::Zero();    ///< about the centre of mass, N·m·s
};

struct RigidBody {
    std::string name;
    Vec3 color;
    double friction, restitution;
    bool fixed;
    TriMesh surface;                        ///< at the start, m
    std::vector<std::vector<Vec3>> pieces;  ///< in the frame of the principal axes
    MassProperties rest;                    ///< at the start
    Mat3 axes;                              ///< principal, columns, at the start
    Vec3 principal;                         ///< moments about them, kg·m²

    // The state.
    Vec3 x;         ///< centre of mass, m
    Mat3 rotation;  ///< from the principal axes to the world
    Vec3 v, spin;   ///< m/s, rad/s

    std::vector<RigidPush> pushes;  ///< what bodies of other kinds hand over for the next step, which clears them
};

RigidBody make_rigid_body(RigidBodyDesc desc);

/// Takes a point of the body at the start to where it is now.
Pose pose_of(const RigidBody& body);
double mass(const RigidBody& body);
Vec3 center_of_mass(const RigidBody& body);
Vec3 momentum(const RigidBody& body);
double kinetic_energy(const RigidBody& body);  ///< J, turning included
double max_speed(const RigidBody& body);       ///< of its surface, m/s
Box bounds(const RigidBody& body);

void save_state(const RigidBody& body, ByteWriter& out);
void load_state(RigidBody& body, ByteReader& in);
void hash_state(const RigidBody& body, Hash& hash);

}  // namespace pliant
