#include "pliant/collision/motion_crossings.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/collision/continuous.hpp"

namespace pliant {

namespace {

// Products of four relative positions are wrong by at most so many times m³M (docs/collision.md).
constexpr double product_rounding = 8192 * 0x1.0p-53;

/// Bernstein coefficients of a quadratic vector over a short interval.
using QuadraticVector = std::array<Vec3, 3>;

QuadraticVector cross_over_time(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1) {
    return {a0.cross(b0), 0.5 * (a0.cross(b1) + a1.cross(b0)), a1.cross(b1)};
}

/// a(t)·b(t), of degree 4, is above `doubt` throughout.
bool dot_is_positive(const QuadraticVector& a, const QuadraticVector& b, double doubt) {
    return a[0].dot(b[0]) > doubt && 0.5 * (a[0].dot(b[1]) + a[1].dot(b[0])) > doubt &&
           (a[0].dot(b[2]) + 4 * a[1].dot(b[1]) + a[2].dot(b[0])) / 6 > doubt &&
           0.5 * (a[1].dot(b[2]) + a[2].dot(b[1])) > doubt && a[2].dot(b[2]) > doubt;
}

QuadraticVector difference_of(const QuadraticVector& a, const QuadraticVector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// The volume of the four points changes its sign from x to y while the projections stay strictly inside.
/// wide: largest relative coordinate of the whole motion, m.
bool crosses_between(PairKind kind, const FourPoints& x, const FourPoints& y, double wide) {
    const bool face = kind == PairKind::vertex_face;
    const int a = face ? 1 : 0, b = face ? 2 : 1, c = face ? 1 : 2;
    double m = 0;
    for (int i = 1; i < 4; ++i) m = std::max({m, x[i].cwiseAbs().maxCoeff(), y[i].cwiseAbs().maxCoeff()});
    const auto along = [](const FourPoints& p, int i, int j) { return Vec3(p[j] - p[i]); };
    const QuadraticVector n = cross_over_time(along(x, a, b), along(y, a, b), along(x, c, 3), along(y, c, 3));
    const int other = face ? 1 : 2;  // relative to the first point, which is the origin
    const double before = n[0].dot(x[other]), after = n[2].dot(y[other]), flat = product_rounding * m * m * wide;
    if (!(std::abs(before) > flat && std::abs(after) > flat && (before > 0) != (after > 0))) return false;
    const double doubt = product_rounding * m * m * m * wide;
    if (face) {
        for (int i = 1; i < 4; ++i) {
            const int j = i % 3 + 1;
            if (!dot_is_positive(n, cross_over_time(along(x, i, j), along(y, i, j), along(x, i, 0), along(y, i, 0)),
                                 doubt))
                return false;
        }
        return true;
    }
    const QuadraticVector s = cross_over_time(x[2], y[2], along(x, 2, 3), along(y, 2, 3));
    const QuadraticVector t = cross_over_time(x[2], y[2], along(x, 0, 1), along(y, 0, 1));
    return dot_is_positive(n, s, doubt) && dot_is_positive(n, t, doubt) &&
           dot_is_positive(n, difference_of(n, s), doubt) && dot_is_positive(n, difference_of(n, t), doubt);
}

}  // namespace

bool certainly_crosses(PairKind kind, const FourPoints& start, const FourPoints& end) {
    FourPoints from, to;
    double wide = 0;
    for (int i = 0; i < 4; ++i) {
        from[i] = start[i] - start[0], to[i] = end[i] - end[0];
        wide = std::max({wide, from[i].cwiseAbs().maxCoeff(), to[i].cwiseAbs().maxCoeff()});
    }
    const auto at = [&](double t) {
        FourPoints x;
        for (int i = 0; i < 4; ++i) x[i] = t >= 1 ? to[i] : Vec3(from[i] + t * (to[i] - from[i]));
        return x;
    };
    // Features may touch, part and then cross: so many meetings are looked at, a 256th of the step apart.
    constexpr int meetings = 8;
    constexpr double apart = 0x1p-8;
    double t = 0;
    for (int n = 0; n < meetings && t < 1; ++n) {
        const Impact impact = first_impact(kind, at(t), to);
        if (!impact.hit) return false;
        t += impact.time * (1 - t);
        const FourPoints x = at(std::max(0.0, t - 0x1p-20));
        for (const double width : {0x1p-20, 0x1p-16, 0x1p-12, apart})
            if (crosses_between(kind, x, at(std::min(1.0, t + width)), wide)) return true;
        t += apart;
    }
    return false;
}

std::vector<FeaturePair> motion_crossings(const FeatureMesh& mesh, std::span<const FeaturePair> pairs,
                                          std::span<const Vec3> start, std::span<const Vec3> end, Threads& threads) {
    std::vector<char> crosses(pairs.size(), 0);
    parallel_for(threads, pairs.size(), 1024, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) {
            const auto p = points_of(mesh, pairs[i]);
            FourPoints x, y;
            for (int k = 0; k < 4; ++k) x[k] = start[p[k]], y[k] = end[p[k]];
            crosses[i] = certainly_crosses(pairs[i].kind, x, y);
        }
    });
    std::vector<FeaturePair> found;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        if (crosses[i]) found.push_back(pairs[i]);
    return found;
}

}  // namespace pliant
