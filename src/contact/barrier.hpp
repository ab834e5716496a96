#pragma once
// The cubic barrier: what two surfaces do to each other when they are nearer than the contact distance.
//
// Its force grows with the square of how far the gap has closed, so that contacts set in softly, and its stiffness with
// the inverse square of the gap, so that no finite momentum closes it.

#include <cmath>

namespace pliant {

struct Barrier {
    double inertia = 0;   ///< the part of the stiffness that grows like 1/d², at the contact distance, N/m
    double elastic = 0;   ///< the part that does not, N/m
    double distance = 0;  ///< d̂, m: surfaces that are farther apart do not feel each other

    bool pushes() const { return elastic > 0; }
    double stiffness(double d) const { return elastic + inertia * (distance / d) * (distance / d); }
    /// N, at the gap d below d̂.
    double force(double d) const { return 2 * stiffness(d) * (distance - d) * (distance - d) / distance; }
    /// N/m: how fast the force falls with the gap.
    double slope(double d) const {
        const double closed = distance - d;
        return 4 * stiffness(d) * closed / distance + 4 * inertia * closed * closed * distance / (d * d * d);
    }
    /// J, the integral of the force from d to d̂.
    double energy(double d) const {
        const double closed = distance - d;
        const double grown = distance * distance / d - d - 2 * distance * std::log(distance / d);
        return 2 * elastic * closed * closed * closed / (3 * distance) + 2 * inertia * distance * grown;
    }
    /// m: the gap that a force leaves, from d̂ down.
    double gap_under(double load) const {
        double low = 0, high = distance;
        for (int i = 0; i < 40; ++i) {
            const double middle = 0.5 * (low + high);
            (force(middle) > load ? low : high) = middle;
        }
        return high;
    }
    /// N/m: the slope of the chord from the gap d to the one that `load` would leave. A tangent at a small gap is so
    /// steep that Newton's method opens it by half of itself an iteration, and one at a wide gap so flat that it closes
    /// it at once; where the last solution says what has to be borne, the chord leads there.
    double chord(double d, double load) const {
        const double to = gap_under(load);
        return std::abs(to - d) > 1e-3 * d ? (force(d) - load) / (to - d) : slope(d);
    }
};

}  // namespace pliant
