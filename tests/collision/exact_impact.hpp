#pragma once
// Do four points with integer coordinates meet while they move along straight lines, and when? Answered without
// rounding, as an oracle for continuous detection: slow, and nothing in common with the method it judges.

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "collision/exact_integer.hpp"
#include "pliant/collision/distance.hpp"

namespace pliant::exact {

using Lattice = std::array<std::int64_t, 3>;
struct Query {
    PairKind kind;
    std::array<Lattice, 4> start, end;
};

using PolyVec = std::array<Polynomial, 3>;
inline PolyVec operator-(const PolyVec& a, const PolyVec& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Polynomial dot(const PolyVec& a, const PolyVec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline PolyVec cross(const PolyVec& a, const PolyVec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Signs of polynomials at one moment.
template <class Sign>
bool on_segment(const PolyVec& p, const PolyVec& a, const PolyVec& b, const Sign& sign) {
    const PolyVec e = b - a, r = p - a;
    if (sign(dot(e, e)) == 0) return sign(dot(r, r)) == 0;
    for (const Polynomial& c : cross(r, e))
        if (sign(c) != 0) return false;
    const Polynomial along = dot(r, e);
    return sign(along) >= 0 && sign(dot(e, e) - along) >= 0;
}

template <class Sign>
bool meet(PairKind kind, const std::array<PolyVec, 4>& x, const Sign& sign) {
    if (kind == PairKind::vertex_face) {
        const PolyVec n = cross(x[2] - x[1], x[3] - x[1]);
        if (sign(dot(n, n)) == 0)
            return on_segment(x[0], x[1], x[2], sign) || on_segment(x[0], x[2], x[3], sign) ||
                   on_segment(x[0], x[3], x[1], sign);
        if (sign(dot(n, x[0] - x[1])) != 0) return false;
        for (int i = 1; i < 4; ++i) {
            const int j = i % 3 + 1;
            if (sign(dot(n, cross(x[j] - x[i], x[0] - x[i]))) < 0) return false;
        }
        return true;
    }
    const PolyVec e1 = x[1] - x[0], e2 = x[3] - x[2], r = x[2] - x[0], n = cross(e1, e2);
    const Polynomial n2 = dot(n, n);
    if (sign(n2) == 0)
        return on_segment(x[0], x[2], x[3], sign) || on_segment(x[1], x[2], x[3], sign) ||
               on_segment(x[2], x[0], x[1], sign) || on_segment(x[3], x[0], x[1], sign);
    if (sign(dot(n, r)) != 0) return false;
    const Polynomial s = dot(cross(r, e2), n), t = dot(cross(r, e1), n);
    return sign(s) >= 0 && sign(n2 - s) >= 0 && sign(t) >= 0 && sign(n2 - t) >= 0;
}

/// Moments at which vertex p, which moves in one plane with the edge (a, b), reaches it: it comes to lie on its line,
/// or, when it always lies there, at one of its ends.
inline void add_vertex_edge_meetings(const PolyVec& p, const PolyVec& a, const PolyVec& b, std::vector<Root>& found) {
    const auto first_nonzero = [](const PolyVec& v) {
        return std::find_if(v.begin(), v.end(), [](const Polynomial& c) { return !c.zero(); });
    };
    const auto add = [&](const PolyVec& v) {
        const auto c = first_nonzero(v);
        if (c == v.end()) return;
        for (Root& root : roots_in_unit(*c))
            if (on_segment(p, a, b, [&](const Polynomial& q) { return root.sign_of(q); }))
                found.push_back(std::move(root));
    };
    const PolyVec off_line = cross(p - a, b - a);
    if (first_nonzero(off_line) != off_line.end()) return add(off_line);
    add(p - a);
    add(p - b);
}

/// Moments at which the points meet, not in order; the first meeting is among them. Points that are in one plane for an
/// instant: roots of the cubic. In one plane all the time: unless they touch at the start, a vertex first reaches an
/// edge.
inline std::vector<Root> meetings(const Query& query) {
    std::array<PolyVec, 4> x;
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) x[i][k] = linear(query.start[i][k], query.end[i][k]);
    std::vector<Root> found;
    const auto add_if_meeting = [&](const Root& root) {
        if (meet(query.kind, x, [&](const Polynomial& q) { return root.sign_of(q); })) found.push_back(root);
    };
    add_if_meeting(Root({}, {0, 0}, {0, 0}));
    if (!found.empty()) return found;
    const Polynomial volume = dot(cross(x[1] - x[0], x[2] - x[0]), x[3] - x[0]);
    if (!volume.zero()) {
        for (const Root& root : roots_in_unit(volume)) add_if_meeting(root);
    } else if (query.kind == PairKind::vertex_face) {
        for (int i = 1; i < 4; ++i) add_vertex_edge_meetings(x[0], x[i], x[i % 3 + 1], found);
    } else {
        for (int i = 0; i < 2; ++i) {
            add_vertex_edge_meetings(x[i], x[2], x[3], found);
            add_vertex_edge_meetings(x[2 + i], x[0], x[1], found);
        }
    }
    return found;
}

/// A double in [0, 1] as a dyadic number; its last bits, below 2⁻⁶⁰, are dropped (a little earlier).
inline Dyadic dyadic(double t) { return {static_cast<std::int64_t>(std::floor(std::ldexp(t, 60))), 60}; }

}  // namespace pliant::exact
