#pragma once
// Leap-frog bodies against obstacles: in each of their steps, points that would end behind a surface are stopped there
// by an impulse along its normal (restitution 0), and rubbed by one across it, at most μ times as large (Coulomb).

#include <span>

#include "pliant/mesh/point.hpp"

namespace pliant {

/// A point of the body that may meet an obstacle, whose surface is taken for a plane during the run.
struct ParticleTouch {
    Point point;
    Vec3 normal = Vec3::UnitY();  ///< unit, out of the obstacle
    double level = 0;             ///< normal·position below which the point may not come, at the start of the run, m
    double rise = 0;              ///< of the level, m/s
    Vec3 drift =
        Vec3::Zero();     ///< velocity of the obstacle's surface there, m/s; what it has along `normal` does not count
    double friction = 0;  ///< μ
    Vec3 impulse = Vec3::Zero();  ///< out: what the obstacle did to the point in the whole run, N·s
    // Within a step:
    double push = 0;          ///< along the normal, N·s
    Vec3 rub = Vec3::Zero();  ///< across it, N·s
    double halt = 0;          ///< the same two of what stops the velocity alone, see TouchRows::start, N·s
    Vec3 hold = Vec3::Zero();
    double mobility = 0;         ///< of the point along the normal, 1/kg
    double mobility_across = 0;  ///< 1/kg
};

/// The rows that the leap-frog loop works on, and its step.
struct TouchRows {
    std::span<double> x, v;         ///< [particle][stride], at the end of a step; v damped already
    std::span<const double> scale;  ///< [particle][stride]: h/m, 0 where the motion is given
    double h, damping;
    int stride = 4;
    /// x before the step, for integrators whose v is the velocity at its end and not the mean one. What has stopped
    /// must lose both: first it is kept from moving, then from starting the next step with a velocity. Empty: they are
    /// the same.
    std::span<const double> start = {};
};

/// Before the first step: impulses zero, mobilities. Returns how often stop_touches() should go round: once unless
/// points share particles.
int begin_touches(std::span<ParticleTouch> touches, const TouchRows& rows, std::span<char> used);

/// After a step that ends `time` after the start of the run.
void stop_touches(std::span<ParticleTouch> touches, const TouchRows& rows, double time, int rounds);

}  // namespace pliant
