#pragma once
// Volume and centroid of a solid from the triangles of its boundary, by the divergence theorem.

#include "pliant/core/types.hpp"

namespace pliant {

/// Sums over boundary triangles, about an origin near the solid: the terms are then as small as the solid.
struct Moments {
    Vec3 origin = Vec3::Zero();
    double volume = 0;          ///< m³
    Vec3 first = Vec3::Zero();  ///< ∫ (x − origin) dV, m⁴

    /// Counter-clockwise seen from outside; `side` −1 turns it round.
    void add(const Vec3& a, const Vec3& b, const Vec3& c, double side) {
        const Vec3 p = a - origin, q = b - origin, r = c - origin;
        const double part = side * p.dot(q.cross(r)) / 6;
        volume += part;
        first += part / 4 * (p + q + r);
    }
    /// Only where there is some volume.
    Vec3 centroid() const { return origin + first / volume; }
};

}  // namespace pliant
