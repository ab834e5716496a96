#pragma once
// Steps rigid bodies with Bullet (libbullet, double precision) and tells every impulse that contacts gave.
//
// Bullet keeps contacts from step to step to start its solver warm. Here each substep begins from the bodies' positions
// and velocities alone, pairs in a fixed order: what a run does depends on nothing that a checkpoint does not hold, and
// more solver iterations take the place of the memory.

#include <memory>
#include <span>
#include <vector>

#include "pliant/rigid/rigid_body.hpp"

namespace pliant {

/// Something that nothing pushes: half space, or convex pieces.
struct RigidObstacle {
    bool half_space = false;
    Vec3 point = Vec3::Zero(), normal{0, 1, 0};  ///< of a half space
    std::vector<std::vector<Vec3>> pieces;       ///< otherwise, in its own frame, m
    Pose start, end;                             ///< at the start and the end of the step
    double friction = -1;                        ///< negative: the body's alone counts
};

/// A point of a body that stays at a place of the world, as on a string's end, or at the same point of another body.
struct RigidJoint {
    int body = 0;
    Vec3 at = Vec3::Zero();  ///< at the start, m
    int partner = -1;        ///< the other body; -1: the world. They do not collide with each other.
};

/// What one pair did at one point in one substep.
struct RigidImpulse {
    int body, partner;  ///< body: of the span; partner: another body, or −1 − obstacle
    double time;        ///< at the end of the substep, s after the start of the step
    double interval;    ///< length of the substep, s
    Vec3 point;         ///< m
    Vec3 normal;        ///< unit, towards `body`
    Vec3 impulse;       ///< on `body`, friction included, N·s; the partner gets the opposite
    double approach;    ///< speed at which they met, m/s; about zero for resting contacts
    double slide;       ///< speed along the surface, m/s
    // The same in the frames of body and partner at the start of the run; zero for obstacles.
    Vec3 own_point[2], own_impulse[2];
};

struct RigidOptions {
    /// Longest substep, s. Long: fast bodies pass through thin ones, and blows are told late.
    double substep = 1.0 / 1000;
    int iterations = 40;  ///< of the contact solver per substep. Few: stacks sag and slide.
};

/// How many substeps a step of dt takes.
int substeps_of(const RigidOptions& options, double dt);

/// True when this build has Bullet.
bool rigid_bodies_available();

class RigidSolver {
public:
    RigidSolver();
    ~RigidSolver();
    RigidSolver(RigidSolver&&) noexcept;
    RigidSolver& operator=(RigidSolver&&) noexcept;

    RigidOptions options;

    /// Advances the bodies by dt. The same bodies, obstacles and joints every time, but for their motion.
    /// UserError in a build without Bullet.
    void step(std::span<RigidBody> bodies, std::span<const RigidObstacle> obstacles, std::span<const RigidJoint> joints,
              const Vec3& gravity, double dt);

    /// Of the last step, in the order of time.
    std::span<const RigidImpulse> impulses() const { return impulses_; }

private:
    struct Engine;
    std::unique_ptr<Engine> engine_;
    std::vector<RigidImpulse> impulses_;
};

}  // namespace pliant
