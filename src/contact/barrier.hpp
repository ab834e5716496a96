#pragma once
// What two features do to each other when they are near: f = 2k (r − d)²/d̂ below the gap r, nothing above.
//
// The force sets in softly and has no end, so that Newton's method takes few iterations from anywhere, also from gaps
// below zero that a solution asks for on its way. What keeps surfaces apart is detection, and a stiffness that follows
// the load: no load closes more than half of r.
//
// r is d̂, the distance that surfaces keep, or less: in each step a pair starts with the load that it bore at the end
// of the last one, whatever its gap is then. A gap that changed without work of the pair (features turn, bodies are put
// down near each other, steps are cut short) stores and gives no energy.

#include <algorithm>
#include <cmath>

namespace pliant {

struct Barrier {
    double stiffness = 0;  ///< k, N/m; 0: nothing that it pushes can move
    double distance = 0;   ///< d̂, m
    double reach = 0;      ///< r, m

    bool pushes() const { return stiffness > 0; }
    /// N and N/m, at the gap d.
    double force(double d) const { return 2 * stiffness * closed(d) * closed(d) / distance; }
    double slope(double d) const { return 4 * stiffness * closed(d) / distance; }
    /// J, the integral of the force from d to r.
    double energy(double d) const { return closed(d) * force(d) / 3; }
    double closed(double d) const { return std::max(0.0, reach - d); }
    /// m: how far below r a load closes the gap.
    double closed_under(double load) const { return std::sqrt(std::max(0.0, load) * distance / (2 * stiffness)); }
};

}  // namespace pliant
