#pragma once
// The cubic barrier: what two surfaces do to each other when they are nearer than the contact distance.
//
// Its force grows with the square of how far the gap has closed, so that contacts set in softly, and its stiffness with
// the inverse square of the gap, so that no finite momentum closes it. Newton's method sees the stiffness of the moment
// as a constant: from however small a gap, one step leads out by half the contact distance at most.

namespace pliant {

struct Barrier {
    double stiffness = 0;  ///< k, N/m
    double distance = 0;   ///< d̂, m: surfaces that are farther apart do not feel each other

    /// N, at a gap d below d̂.
    double force(double d) const { return 2 * stiffness * (distance - d) * (distance - d) / distance; }
    /// N/m: by how much the force falls per length.
    double slope(double d) const { return 4 * stiffness * (distance - d) / distance; }
    /// J
    double energy(double d) const {
        const double closed = distance - d;
        return 2 * stiffness * closed * closed * closed / (3 * distance);
    }
};

}  // namespace pliant
