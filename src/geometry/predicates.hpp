#pragma once
// On which side of a plane is a point? Answered exactly for any doubles, and, when the four points lie in one plane,
// answered as if every point had been moved by its own infinitesimal amount (Edelsbrunner & Mücke 1990, "Simulation
// of simplicity"). Whoever asks only these questions never meets a special case.

#include <cstdint>

#include "pliant/core/types.hpp"

namespace pliant {

/// (b−a)×(c−a)·(d−a), six times the signed volume: positive when d lies on the side from which a, b, c run
/// counter-clockwise. The sign is exact and so is a zero; the value is right to a few ulps where the sign is in
/// doubt. Exact as long as products of three coordinates neither overflow nor underflow.
double orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// (b−a)×(c−a) in the plane of coordinates u and v (0, 1 or 2); the sign is exact.
double orient2d(const Vec3& a, const Vec3& b, const Vec3& c, int u, int v);

/// A point with a rank of its own among all points of one problem: the smaller the rank, the larger its infinitesimal.
struct RankedPoint {
    const Vec3* p;
    std::int64_t rank;
};

/// The sign of orient3d after the infinitesimal moves: +1 or −1, never 0. The ranks must differ; the points need not.
/// Swapping two arguments always turns the sign.
int side(const RankedPoint& a, const RankedPoint& b, const RankedPoint& c, const RankedPoint& d);

/// A plane through three points, to ask for the sides of many: quick for those that are not near it.
struct RankedPlane {
    RankedPoint a, b, c;
    Vec3 normal, doubt;  ///< (b−a)×(c−a), and how far its products may be wrong

    RankedPlane(const RankedPoint& first, const RankedPoint& second, const RankedPoint& third);
    /// side(a, b, c, d)
    int side_of(const RankedPoint& d) const {
        const Vec3 reach = *d.p - *a.p;
        const double value = normal.dot(reach), wrong = doubt.dot(reach.cwiseAbs());
        return value > wrong ? 1 : value < -wrong ? -1 : side(a, b, c, d);
    }
};

}  // namespace pliant
