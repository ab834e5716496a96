#pragma once
// A body of particles (Everts 2006): mass-spring or one of the continuum particle models, moved by leap-frog or by
// implicit Euler, with the same surface, grips and contacts as any other body.
//
// Leap-frog: the body's steps run inside one of the world, and obstacles stop it in each of them. What other bodies and
// hands do to it is found for the world's step as a whole, from where its particles would go by themselves; it is then
// a force, and the steps run again with it. Implicit (Baraff & Witkin 1998): the forces are the model's own, the matrix
// is that of a corotational solid with the moduli the model amounts to, so that large steps are stable and contacts are
// solved together with the elasticity.

#include <optional>
#include <string>
#include <vector>

#include "pliant/body/deformable_body.hpp"
#include "pliant/core/bytes.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/particle/particle_forces.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

struct ParticleBodyDesc {
    std::string name = "body";
    ParticleStructure structure;
    std::vector<ParticleMaterial> material;  ///< one for all tets, or one per tet
    ParticleModelOptions model;
    bool implicit = false;
    double step = 1e-4;  ///< leap-frog: longest step, s; too large explodes
    double damping = 1;  ///< leap-frog: velocities are multiplied by it after each of these steps
    SolveOptions solve;  ///< implicit
    double mass_damping = 0, stiffness_damping = 0;  ///< implicit: Rayleigh, 1/s and s
    std::optional<VolumeConstraintOptions> keeps_volume;
    std::optional<HeatDesc> heat;  ///< none: no temperature. Springs that are given a constant do not soften
    TriMesh surface;               ///< what is seen and touched; empty: the boundary of the tets
    Vec3 velocity = Vec3::Zero(), spin = Vec3::Zero();
    double friction = 0.5;
    bool collide = true;
    Vec3 color{0.8, 0.8, 0.8};
};

/// Constant parts first, then the state, then what is derived from it or scratch of a step. x, v and temperature are
/// state, too.
struct ParticleBody : DeformableBody, SolvedNodes {
    explicit ParticleBody(ParticleForces model_forces) : forces(std::move(model_forces)) {}

    bool implicit = false;
    double step = 1e-4, damping = 1;  ///< as in ParticleBodyDesc
    ParticleStructure structure;
    std::vector<ParticleMaterial> material;  ///< per tet
    std::vector<ParticleMaterial> cold;      ///< `material` without heat; empty: no heat
    ParticleModelOptions model;

    ParticleForces forces;         ///< forces.memory() is state
    std::optional<Solid> tangent;  ///< implicit: what the step is linearised with; its rotations are state
    BlockSystem masses;            ///< leap-frog: what other bodies and hands act on
    std::optional<VolumeConstraint> keeps_volume;

    std::vector<ParticleTouch> touches;  ///< leap-frog: obstacles it may meet in this step; set before begin_step()
    std::vector<Vec3> x_trial, v_trial, mean;   ///< leap-frog: the end of the step, mean velocity without other bodies
    std::vector<Vec3> own;                      ///< implicit: forces of the model and external ones, N
    std::vector<std::array<double, 6>> strain;  ///< implicit: of the tangent at x, per tet
};

ParticleBody make_particle_body(ParticleBodyDesc desc);

/// Forces and tangent follow body.material.
void apply_material(ParticleBody& body);

SurfaceView surface_view(const ParticleBody& body);

// The stages of a step; world/bodies.hpp says when each is called.
void begin_step(ParticleBody& body, double dt, Threads& threads, StageTimes& times);
BlockSystem& system(ParticleBody& body);
const BlockSystem& system(const ParticleBody& body);
void finish_solve(ParticleBody& body, Threads& threads);
/// Leap-frog: the motion with what other bodies and hands do, and the impulses of `touches`; before commit_step().
void finish_own_steps(ParticleBody& body, double dt, Threads& threads);
/// Leap-frog, after begin_step(): the first particle that moves past its neighbours within one of the body's own steps,
/// seen from the body as a whole, or is no number; -1: none. What comes after means nothing any more.
int runaway_particle(const ParticleBody& body, double dt);
/// What to say then, and what to do about it.
UserError explosion(const ParticleBody& body, int particle, double dt, double time);
void commit_step(ParticleBody& body, double dt, Threads& threads);
std::span<const double> node_mass(const ParticleBody& body);
inline const char* kind_name(const ParticleBody&) { return "particle"; }

double elastic_energy(const ParticleBody& body);  ///< J

/// Force through a plane across an axis. Springs and models 1 and 2 say which part of it is elastic and which is shear
/// in the faces it passes through, as the thesis does; model 3 (and a FEM body) has a stress, and what is meant is the
/// part of the force across the plane and the part along it.
Flux flux_through(const ParticleBody& body, int axis, double at);

void save_state(const ParticleBody& body, ByteWriter& out);
void load_state(ParticleBody& body, ByteReader& in);
void hash_state(const ParticleBody& body, Hash& hash);

}  // namespace pliant
