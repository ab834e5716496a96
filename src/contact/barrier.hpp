#pragma once
// The cubic barrier: what two surfaces do to each other when they are nearer than the contact distance.
//
// Its force grows with the square of how far the gap has closed, so that contacts set in softly, and its stiffness with
// the inverse square of the gap, so that no finite momentum closes it.

namespace pliant {

struct Barrier {
    double inertia = 0;   ///< the part of the stiffness that grows like 1/d², at the contact distance, N/m
    double elastic = 0;   ///< the part that does not, N/m
    double distance = 0;  ///< d̂, m: surfaces that are farther apart do not feel each other

    bool pushes() const { return elastic > 0; }
    double stiffness(double d) const { return elastic + inertia * (distance / d) * (distance / d); }
    /// N, at the gap d.
    double force(double d) const {
        return d < distance ? 2 * stiffness(d) * (distance - d) * (distance - d) / distance : 0;
    }
    /// N/m: how fast the force falls with the gap d below d̂, with the stiffness frozen as it is at d.
    double frozen_slope(double d) const { return 4 * stiffness(d) * (distance - d) / distance; }
    /// J, the integral of the force from d to d̂.
    double energy(double d) const;
    /// m: the gap that a force leaves, from d̂ down.
    double gap_under(double load) const;
};

}  // namespace pliant
