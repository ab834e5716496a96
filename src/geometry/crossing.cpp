#include "pliant/geometry/crossing.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

double crossing_parameter(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
    const double vp = orient3d(a, b, c, p), vq = orient3d(a, b, c, q);
    if (vp != vq) return std::clamp(vp / (vp - vq), 0.0, 1.0);
    int axis;
    const Vec3 normal = (b - a).cross(c - a);
    normal.cwiseAbs().maxCoeff(&axis);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double turn = normal[axis] < 0 ? -1 : 1;
    double low = 0, high = 1;
    const Vec3* corner[3] = {&a, &b, &c};
    for (int k = 0; k < 3; ++k) {
        const double at_p = turn * orient2d(*corner[k], *corner[(k + 1) % 3], p, u, v);
        const double at_q = turn * orient2d(*corner[k], *corner[(k + 1) % 3], q, u, v);
        if (at_p < at_q) low = std::max(low, std::min(1.0, at_p / (at_p - at_q)));
        if (at_p > at_q) high = std::min(high, std::max(0.0, at_p / (at_p - at_q)));
    }
    return 0.5 * (low + high);
}

namespace {

int sign_of(double x) { return (x > 0) - (x < 0); }

bool between(const Vec3& a, const Vec3& x, const Vec3& b) {
    for (int k = 0; k < 3; ++k)
        if (x[k] < std::min(a[k], b[k]) || x[k] > std::max(a[k], b[k])) return false;
    return true;
}

/// A plane of coordinates in which the points of a common plane are not all on one line; false where they are on one
/// line in space.
template <std::size_t N>
bool find_projection(const std::array<const Vec3*, N>& points, int& u, int& v) {
    for (int axis = 0; axis < 3; ++axis) {
        u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (std::size_t i = 0; i < N; ++i)
            for (std::size_t j = i + 1; j < N; ++j)
                for (std::size_t k = j + 1; k < N; ++k)
                    if (orient2d(*points[i], *points[j], *points[k], u, v) != 0) return true;
    }
    return false;
}

/// Do two closed segments of one plane, seen in coordinates u and v, touch?
bool segments_touch(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, int u, int v) {
    const int c_side = sign_of(orient2d(a, b, c, u, v)), d_side = sign_of(orient2d(a, b, d, u, v));
    const int a_side = sign_of(orient2d(c, d, a, u, v)), b_side = sign_of(orient2d(c, d, b, u, v));
    if (c_side * d_side < 0 && a_side * b_side < 0) return true;
    const auto on = [&](int side, const Vec3& from, const Vec3& x, const Vec3& to) {
        return side == 0 && x[u] >= std::min(from[u], to[u]) && x[u] <= std::max(from[u], to[u]) &&
               x[v] >= std::min(from[v], to[v]) && x[v] <= std::max(from[v], to[v]);
    };
    return on(c_side, a, c, b) || on(d_side, a, d, b) || on(a_side, c, a, d) || on(b_side, c, b, d);
}

/// Does a segment in the plane of a triangle touch it?
bool touches_in_plane(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& triangle) {
    int u = 0, v = 1;
    if (!find_projection(std::array<const Vec3*, 5>{&p, &q, &triangle[0], &triangle[1], &triangle[2]}, u, v)) {
        // All on one line: their extents overlap or not, coordinate by coordinate.
        for (int k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax({triangle[0][k], triangle[1][k], triangle[2][k]});
            if (std::max(p[k], q[k]) < low || std::min(p[k], q[k]) > high) return false;
        }
        return true;
    }
    for (int k = 0; k < 3; ++k)
        if (segments_touch(p, q, triangle[k], triangle[(k + 1) % 3], u, v)) return true;
    // No edge is touched: the segment is within or outside as a whole.
    const int first = sign_of(orient2d(triangle[0], triangle[1], p, u, v));
    return first != 0 && first == sign_of(orient2d(triangle[1], triangle[2], p, u, v)) &&
           first == sign_of(orient2d(triangle[2], triangle[0], p, u, v));
}

/// A point of the triangle's plane: where in the triangle, which has an area, is it?
void place_in_triangle(const Vec3& x, const std::array<Vec3, 3>& t, Crossing& out) {
    for (int k = 0; k < 3; ++k)
        if (x == t[k]) return void((out.kind = Crossing::corner, out.index = static_cast<unsigned char>(k)));
    int u = 0, v = 1;
    find_projection(std::array<const Vec3*, 3>{&t[0], &t[1], &t[2]}, u, v);
    const int turn = sign_of(orient2d(t[0], t[1], t[2], u, v));
    out.kind = Crossing::face;
    for (int k = 0; k < 3; ++k) {
        const int side = turn * sign_of(orient2d(t[k], t[(k + 1) % 3], x, u, v));
        if (side < 0) return void(out.kind = Crossing::miss);
        if (side == 0) out.kind = Crossing::edge, out.index = static_cast<unsigned char>(k);
    }
    if (out.kind == Crossing::edge && !between(t[out.index], x, t[(out.index + 1) % 3])) out.kind = Crossing::miss;
}

}  // namespace

Crossing classify_crossing(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& t) {
    Crossing out;
    const int p_side = sign_of(orient3d(t[0], t[1], t[2], p)), q_side = sign_of(orient3d(t[0], t[1], t[2], q));
    if (p_side * q_side > 0) return out;
    if (p_side == 0 && q_side == 0) {
        // A triangle without area says nothing of its plane: the segment must lie in one with each of its edges.
        int u, v;
        const bool flat = !find_projection(std::array<const Vec3*, 3>{&t[0], &t[1], &t[2]}, u, v);
        if (flat)
            for (int k = 0; k < 3; ++k)
                if (orient3d(p, q, t[k], t[(k + 1) % 3]) != 0) return out;
        if (touches_in_plane(p, q, t)) out.kind = Crossing::in_plane;
        return out;
    }
    out.direction = q_side != 0 ? q_side : -p_side;
    if (p_side == 0 || q_side == 0) {
        out.at = p_side == 0 ? Crossing::start : Crossing::end;
        place_in_triangle(p_side == 0 ? p : q, t, out);
        if (out.kind == Crossing::miss) out.direction = 0, out.at = Crossing::inside;
        return out;
    }
    // Through the plane: the line passes each edge on the one or the other side, or meets it.
    int zeros = 0, zero[3] = {}, side = 0;
    for (int k = 0; k < 3; ++k) {
        const int s = sign_of(orient3d(p, q, t[k], t[(k + 1) % 3]));
        if (s == 0)
            zero[zeros++] = k;
        else if (side != 0 && s != side)
            return {};
        else
            side = s;
    }
    if (zeros == 0) out.kind = Crossing::face;
    if (zeros == 1) out.kind = Crossing::edge, out.index = static_cast<unsigned char>(zero[0]);
    // Two edges meet in the corner that the later of them starts from; 0 and 2 in corner 0.
    if (zeros == 2)
        out.kind = Crossing::corner, out.index = static_cast<unsigned char>(zero[1] - zero[0] == 2 ? 0 : zero[1]);
    return out;
}

int crossing_side(const RankedPoint& p, const RankedPoint& q, const std::array<RankedPoint, 3>& t) {
    const int q_side = side(t[0], t[1], t[2], q);
    if (side(t[0], t[1], t[2], p) == q_side) return 0;
    const int first = side(p, q, t[0], t[1]);
    return first == side(p, q, t[1], t[2]) && first == side(p, q, t[2], t[0]) ? q_side : 0;
}

PlaneCrossing classify_plane_crossing(double from, double to) {
    PlaneCrossing out;
    out.from_on = from == 0, out.to_on = to == 0;
    out.crosses = (from < 0 && to > 0) || (from > 0 && to < 0);
    if (out.crosses)
        out.t = std::abs(from) / (std::abs(from) + std::abs(to));
    else if (out.to_on && !out.from_on)
        out.t = 1;
    return out;
}

}  // namespace pliant
