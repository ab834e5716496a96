#pragma once
// Continuous detection: when do a vertex and a face, or two edges, first come nearer than a gap while their points move
// along straight lines? Conservative: a meeting is never missed, and the time told is never later than the true one.
//
// A moment is free when an axis separates the two features. The axis may move: it stands on both edges, on the face, or
// on one edge, and so is a polynomial of time of degree 2, 1 or 0. Distances along it then are polynomials of degree 3
// at most, positive as long as their Bernstein coefficients are. From the present moment the axis of the nearest points
// frees an interval; at its end the next axis is taken. Where axes stop freeing time, the features meet.

#include "pliant/collision/distance.hpp"

namespace pliant {

struct Impact {
    bool hit = false;
    double time = 1;     ///< in [0, 1]; before it the features are farther apart than the gap, proved with rounding
    int iterations = 0;  ///< axes tried
};

struct ImpactOptions {
    /// m. Features that are this near have met; 0: that touch. A solver that must not let distances shrink below what
    /// rounding can tell asks for a gap above 0.
    double gap = 0;
    /// Of the motion, without dimension. A pair that no axis frees for longer than this has met. Smaller: fewer false
    /// alarms among near misses and more axes; below 1e-12 rounding decides.
    double resolution = 0x1.0p-24;
    /// At most so many axes; then the pair counts as met at the time that was reached, which is safe and early.
    int max_iterations = 64;
};

/// start, end: the four points at t = 0 and t = 1, in the order of PairKind. Points that are not finite have met at 0.
Impact first_impact(PairKind kind, const FourPoints& start, const FourPoints& end, const ImpactOptions& options = {});

}  // namespace pliant
