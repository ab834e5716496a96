#pragma once
// The integrator of CONTRIBUTING.md's example: half a step of motion, a step of forces, half a step of motion. It is of
// second order without damping.

#include "pliant/body/integrator.hpp"

namespace pliant {
namespace {

void advance_drift_kick_drift(const Substep& s) {
    const std::span<Vec3> a = s.array(0);
    s.each_node([&](std::size_t i) { s.x[i] += 0.5 * s.h * s.v[i]; });
    s.forces->accelerations(s.x, s.v, a);
    s.each_node([&](std::size_t i) {
        s.v[i] += s.h * a[i];
        s.x[i] += 0.5 * s.h * s.v[i];
    });
}

const Integrator drift_kick_drift_integrator{.name = "drift_kick_drift",
                                             .doc = "Leap-frog in its other order.",
                                             .order = 2,
                                             .advance = advance_drift_kick_drift};

}  // namespace
}  // namespace pliant
