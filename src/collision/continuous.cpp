#include "pliant/collision/continuous.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/collision/bernstein.hpp"

namespace pliant {

namespace {

// Positions relative to the first point carry at most 4 roundings of the largest coordinate M, a product of two or
// three of them a few tens more. One bound for all axes, with much to spare (docs/collision.md counts them).
constexpr double rounding = 512 * 0x1.0p-53;

/// The four points relative to the first one, so that a far origin costs no digits.
struct RelativeMotion {
    FourPoints from, to;
    double extent = 0;  // M: largest coordinate at both ends, m

    FourPoints at(double t) const {
        if (t >= 1) return to;
        FourPoints x;
        for (int i = 0; i < 4; ++i) x[i] = from[i] + t * (to[i] - from[i]);
        return x;
    }
};

double largest_coordinate(const FourPoints& x) {
    double m = 0;
    for (int i = 1; i < 4; ++i) m = std::max(m, x[i].cwiseAbs().maxCoeff());
    return m;
}

RelativeMotion relative_motion(const FourPoints& start, const FourPoints& end) {
    RelativeMotion motion;
    bool finite = true;
    for (int i = 0; i < 4; ++i) {
        motion.from[i] = start[i] - start[0], motion.to[i] = end[i] - end[0];
        finite = finite && motion.from[i].allFinite() && motion.to[i].allFinite();
    }
    motion.extent = finite ? std::max(largest_coordinate(motion.from), largest_coordinate(motion.to)) : INFINITY;
    return motion;
}

/// Scales by a power of two, exactly, where products of three lengths would leave the range of doubles.
/// Returns the factor.
double bring_into_range(RelativeMotion& motion) {
    if (motion.extent > 1e-60 && motion.extent < 1e60) return 1;
    const double factor = std::ldexp(1.0, std::clamp(-std::ilogb(motion.extent), -1000, 1000));
    for (int i = 0; i < 4; ++i) motion.from[i] *= factor, motion.to[i] *= factor;
    motion.extent *= factor;
    return factor;
}

/// True when a coordinate plane keeps the features apart by more than the gap during the whole motion.
bool separated_by_boxes(PairKind kind, const RelativeMotion& motion, double gap) {
    const double margin = gap + rounding * motion.extent;
    const int second = kind == PairKind::vertex_face ? 1 : 2;  // first point of the second feature
    for (int k = 0; k < 3; ++k) {
        bool above = true, below = true;
        for (const FourPoints* x : {&motion.from, &motion.to}) {
            double low1 = 0, high1 = 0;
            if (second == 2) low1 = std::min(0.0, (*x)[1][k]), high1 = std::max(0.0, (*x)[1][k]);
            double low2 = std::min((*x)[2][k], (*x)[3][k]), high2 = std::max((*x)[2][k], (*x)[3][k]);
            if (second == 1) low2 = std::min(low2, (*x)[1][k]), high2 = std::max(high2, (*x)[1][k]);
            above = above && low2 - high1 > margin;
            below = below && low1 - high2 > margin;
        }
        if (above || below) return true;
    }
    return false;
}

/// An interval of time: the points at its start and end, relative to the first, and the bounds that rounding needs.
struct Interval {
    PairKind kind;
    FourPoints x, y;     // at its start and end
    double local, wide;  // m: largest coordinate in the interval, in the whole motion
    double gap;          // m
};

/// How much of the interval is free by a distance with these coefficients, whose axis has the length `axis` at most and
/// whose value is wrong by `doubt` at most.
double free_share(Cubic distance, const Cubic& axis, double gap, double doubt) {
    double largest = 0;
    for (const double c : distance) largest = std::max(largest, std::abs(c));
    const double wrong = doubt + (rounding + bernstein_rounding) * largest;
    for (int i = 0; i < 4; ++i) distance[i] -= gap * axis[i] * (1 + rounding) + wrong;
    return positive_until(distance);
}

/// Axis that does not move: distances along it are linear.
double free_by_fixed_axis(const Interval& at, const Vec3& n) {
    const int second = at.kind == PairKind::vertex_face ? 1 : 2;
    const double length = n.norm(), doubt = rounding * length * at.wide;
    double share = 1;
    for (int i = 0; i < second; ++i)
        for (int j = second; j < 4; ++j) {
            // Linear: the zero is known without search, unless it is needed at all.
            const double a = n.dot(at.x[i] - at.x[j]), b = n.dot(at.y[i] - at.y[j]);
            const double wrong =
                doubt + rounding * std::max(std::abs(a), std::abs(b)) + at.gap * length * (1 + rounding);
            if (!(a > wrong)) return 0;
            if (!(b > wrong)) share = std::min(share, 0.999 * (a - wrong) / (a - b));
        }
    return share;
}

/// Axis e(t) × w that turns with the edge (i, j) and starts along d: distances along it are quadratic. Both ends of the
/// edge are equally far along it; `others` are the two differences (first feature − second) that differ.
double free_by_edge_axis(const Interval& at, int i, int j, const Vec3& d,
                         const std::array<std::pair<int, int>, 2>& others) {
    const Vec3 e0 = at.x[j] - at.x[i], e1 = at.y[j] - at.y[i], w = d.cross(e0);
    const Vec3 n0 = e0.cross(w), n1 = e1.cross(w);
    const Cubic axis = at.gap > 0 ? elevated(n0.norm(), n1.norm()) : Cubic{};
    const double doubt = rounding * w.norm() * at.local * at.wide;
    double share = 1;
    for (const auto& [first, second] : others) {
        const Vec3 r0 = at.x[first] - at.x[second], r1 = at.y[first] - at.y[second];
        const Cubic distance = elevated(n0.dot(r0), 0.5 * (n0.dot(r1) + n1.dot(r0)), n1.dot(r1));
        share = std::min(share, free_share(distance, axis, at.gap, doubt));
        if (share == 0) return 0;
    }
    return share;
}

/// Axis that stands on the face, or on both edges: the distance along it is cubic, the same for all points of a
/// feature.
double free_by_normal_axis(const Interval& at) {
    const int a = at.kind == PairKind::vertex_face ? 1 : 0;  // e1 runs from a to b, e2 from c to 3, r from a
    const int b = at.kind == PairKind::vertex_face ? 2 : 1, c = at.kind == PairKind::vertex_face ? 1 : 2;
    const Vec3 p0 = at.x[b] - at.x[a], p1 = at.y[b] - at.y[a], q0 = at.x[3] - at.x[c], q1 = at.y[3] - at.y[c];
    const Vec3 n0 = p0.cross(q0), n1 = 0.5 * (p0.cross(q1) + p1.cross(q0)), n2 = p1.cross(q1);
    const int end = at.kind == PairKind::vertex_face ? 1 : 2;
    const Vec3 &r0 = at.x[end], &r1 = at.y[end];  // from the first point, which is the origin
    Cubic distance{n0.dot(r0), (2 * n1.dot(r0) + n0.dot(r1)) / 3, (n2.dot(r0) + 2 * n1.dot(r1)) / 3, n2.dot(r1)};
    if (distance[0] < 0)
        for (double& coefficient : distance) coefficient = -coefficient;
    const Cubic axis = at.gap > 0 ? elevated(n0.norm(), n1.norm(), n2.norm()) : Cubic{};
    return free_share(distance, axis, at.gap, rounding * at.local * at.local * at.wide);
}

/// The share of the interval that the axis of the nearest points at its start frees.
double free_by_nearest(const Interval& at) {
    const ClosestPair near = closest(at.kind, at.x);
    if (!(near.distance2 > 0)) return 0;
    const auto& c = near.coefficient;
    const int zeros = static_cast<int>(std::count(c.begin(), c.end(), 0.0));
    double share = 0;
    if (zeros == 0) {
        share = free_by_normal_axis(at);
    } else if (zeros == 1) {
        if (at.kind == PairKind::vertex_face) {
            const int apart = c[1] == 0 ? 1 : c[2] == 0 ? 2 : 3, i = apart == 1 ? 2 : 1, j = apart == 3 ? 2 : 3;
            share = free_by_edge_axis(at, i, j, near.difference, {{{0, i}, {0, apart}}});
        } else if (c[0] == 0 || c[1] == 0) {
            share = free_by_edge_axis(at, 2, 3, near.difference, {{{0, 2}, {1, 2}}});
        } else {
            share = free_by_edge_axis(at, 0, 1, near.difference, {{{0, 2}, {0, 3}}});
        }
    }
    // A moving axis turns fast where the features are thin; a fixed one always frees distance / speed.
    constexpr double little = 0.125;
    if (share < little) share = std::max(share, free_by_fixed_axis(at, near.difference));
    return share;
}

}  // namespace

Impact first_impact(PairKind kind, const FourPoints& start, const FourPoints& end, const ImpactOptions& options) {
    RelativeMotion motion = relative_motion(start, end);
    if (!(motion.extent < INFINITY) || motion.extent == 0) return {.hit = true, .time = 0};
    const double gap = options.gap * bring_into_range(motion);
    if (separated_by_boxes(kind, motion, gap)) return {};
    // After a short advance the next interval is short as well: bounds are tighter there.
    constexpr double growth = 8;
    double t = 0, h = 1;
    Interval at{kind, motion.from, motion.to, motion.extent, motion.extent, gap};
    for (int iteration = 1; iteration <= options.max_iterations; ++iteration) {
        const double share = free_by_nearest(at);
        const double advance = share * h;
        if (share < 1 && advance < options.resolution) return {true, t, iteration};
        if (share == 1 && t + h >= 1) return {false, 1, iteration};
        t += advance;
        h = std::min(1 - t, growth * advance);
        at.x = motion.at(t), at.y = motion.at(t + h);
        at.local = std::max(largest_coordinate(at.x), largest_coordinate(at.y));
    }
    return {true, t, options.max_iterations};
}

}  // namespace pliant
