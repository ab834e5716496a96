#pragma once
// Where a segment meets a triangle: exactly whether and how, and to rounding where.

#include <array>

#include "pliant/geometry/predicates.hpp"

namespace pliant {

/// Where between p and q a segment that meets the triangle a, b, c does so, 0…1. Where it lies in the triangle's plane:
/// the middle of what they share. The orientations are right to rounding relative to the coordinates' size, so the
/// point is within a few ulps of both unless they are nearly parallel, and always between p and q.
double crossing_parameter(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c);

/// How a closed segment meets a closed triangle.
struct Crossing {
    enum Kind : unsigned char {
        miss,
        face,     ///< in one point inside the triangle
        edge,     ///< in one point inside edge `index` (from corner index to index+1)
        corner,   ///< in corner `index` alone
        in_plane  ///< the segment lies in the triangle's plane and touches it, in a point or along a part
    };
    enum At : unsigned char { inside, start, end };
    Kind kind = miss;
    unsigned char index = 0;
    At at = inside;  ///< which point of the segment it is, unless `in_plane`
    /// +1: from p to q it runs towards the side from which the triangle is counter-clockwise; −1: the other way; 0: it
    /// misses or lies in the plane.
    int direction = 0;
};

/// Exact for any doubles whose triple products neither overflow nor underflow, degenerate triangles included: those
/// without area are what their edges cover, and are met `in_plane`, if at all.
Crossing classify_crossing(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle);

/// The same question after the infinitesimal moves of side(): a segment either crosses the inside of a triangle (+1 or
/// −1, the side on which q lies) or misses it (0), and neighbouring triangles never both claim or both miss it.
int crossing_side(const RankedPoint& p, const RankedPoint& q, const std::array<RankedPoint, 3>& triangle);

/// Sides of a plane on which a segment's ends lie, ends within it included.
struct PlaneCrossing {
    bool crosses = false;  ///< the ends lie strictly on either side
    bool from_on = false, to_on = false;
    double t = 0;  ///< where, 0…1; meaningful where it meets the plane in one point
};

/// `from`, `to`: signed distances of the ends from the plane, in any unit; zero means on it. Whoever snaps nodes to a
/// plane sets their distance to zero.
PlaneCrossing classify_plane_crossing(double from, double to);

}  // namespace pliant
