#pragma once
// The cubic barrier: what two surfaces do to each other when they are nearer than the contact distance.
//
// Its force grows with the square of how far the gap has closed, so that contacts set in softly, and its stiffness with
// the inverse square of the gap, so that no finite momentum closes it.

namespace pliant {

struct Barrier {
    double stiffness = 0;  ///< k at the present gap, N/m
    double inertia = 0;    ///< the part of k that grows like 1/d², at the contact distance, N/m
    double distance = 0;   ///< d̂, m: surfaces that are farther apart do not feel each other

    /// N, at the present gap d below d̂.
    double force(double d) const { return 2 * stiffness * (distance - d) * (distance - d) / distance; }
    /// N/m: what Newton's method takes for the fall of the force per length. With k frozen, one step leads out of
    /// however small a gap by half of the contact distance, and there is too weak for what closed it; with the whole
    /// derivative, gaps open by half of themselves per iteration. Half of dk/dd is between the two.
    double slope(double d) const {
        const double closed = distance - d;
        return 4 * stiffness * closed / distance + 2 * inertia * closed * closed * distance / (d * d * d);
    }
    /// J
    double energy(double d) const {
        const double closed = distance - d;
        return 2 * stiffness * closed * closed * closed / (3 * distance);
    }
};

}  // namespace pliant
