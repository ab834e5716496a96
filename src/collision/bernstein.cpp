#include "pliant/collision/bernstein.hpp"

#include <algorithm>

namespace pliant {

namespace {

bool all_positive(const Cubic& c) { return c[0] > 0 && c[1] > 0 && c[2] > 0 && c[3] > 0; }

/// The polynomial lies in the convex hull of its coefficients over 0, 1/3, 2/3, 1: it cannot reach zero before the
/// steepest line from the first of them does.
double hull_reaches_zero(const Cubic& c) {
    double s = 1;
    for (int i = 1; i < 4; ++i)
        if (c[i] < c[0]) s = std::min(s, i * c[0] / (3 * (c[0] - c[i])));
    return s;
}

}  // namespace

void split(const Cubic& c, double s, Cubic& left, Cubic& right) {
    const double r = 1 - s;
    const double a = r * c[0] + s * c[1], b = r * c[1] + s * c[2], d = r * c[2] + s * c[3];
    const double ab = r * a + s * b, bd = r * b + s * d, m = r * ab + s * bd;
    left = {c[0], a, ab, m};
    right = {m, bd, d, c[3]};
}

double positive_until(const Cubic& c) {
    if (!(c[0] > 0)) return 0;
    if (all_positive(c)) return 1;
    constexpr int rounds = 24;
    constexpr double safe = 0.999;      // keeps the rounding of a quotient on the safe side
    constexpr double enough = 0x1p-30;  // of [0, 1]: the next axis goes on from here
    Cubic now = c, left, right;
    double from = 0, width = 1;
    bool to_the_end = true;  // `now` still ends at 1
    for (int round = 0; round < rounds; ++round) {
        const double s = safe * hull_reaches_zero(now);
        split(now, s, left, right);
        from += s * width, width *= 1 - s;
        if (all_positive(right)) return to_the_end ? 1 : from;
        if (!(right[0] > 0)) return from;
        if (s * width < enough) return from;
        now = right;
        split(now, 0.5, left, right);
        if (left[3] < 0)  // The first zero is in the first half.
            now = left, width *= 0.5, to_the_end = false;
        else if (all_positive(left))
            now = right, width *= 0.5, from += width;
    }
    return from;
}

}  // namespace pliant
