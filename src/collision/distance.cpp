#include "pliant/collision/distance.hpp"

#include <algorithm>
#include <limits>

namespace pliant {

namespace {

// Below this sine squared of their angle two edges count as parallel: the nearest inner points are then no better
// defined than by the ends, whose distance differs by less than rounding.
constexpr double parallel_sine2 = 0x1.0p-80;

/// Parameter of the point of a + s·e nearest to p, within [0, 1]; 0 for an edge without length.
double nearest_parameter(const Vec3& p, const Vec3& a, const Vec3& e) {
    const double length2 = e.squaredNorm();
    if (!(length2 > 0)) return 0;
    return std::clamp((p - a).dot(e) / length2, 0.0, 1.0);
}

/// Offers the pair of point v and edge (i, j) to `best`. sign: +1 when v is of the first feature.
void offer_vertex_edge(const FourPoints& x, int v, int i, int j, double sign, ClosestPair& best) {
    const Vec3 e = x[j] - x[i];
    const double s = nearest_parameter(x[v], x[i], e);
    // Taken from the nearer end, so that a point on the end is at distance 0 and not at a rounding error.
    const Vec3 difference = s < 0.5 ? Vec3(x[v] - x[i] - s * e) : Vec3(x[v] - x[j] + (1 - s) * e);
    const double distance2 = difference.squaredNorm();
    if (!(distance2 < best.distance2)) return;
    best.coefficient = {0, 0, 0, 0};
    best.coefficient[v] = sign;
    best.coefficient[i] = -sign * (1 - s);
    best.coefficient[j] = -sign * s;
    best.difference = sign * difference;
    best.distance2 = distance2;
}

ClosestPair farthest() { return {{0, 0, 0, 0}, Vec3::Zero(), std::numeric_limits<double>::infinity()}; }

}  // namespace

ClosestPair closest_vertex_face(const FourPoints& x) {
    const Vec3 e1 = x[2] - x[1], e2 = x[3] - x[1], r = x[0] - x[1], n = e1.cross(e2);
    const double area2 = n.squaredNorm();
    if (area2 > 0) {
        const double v = r.cross(e2).dot(n), w = e1.cross(r).dot(n);
        if (v > 0 && w > 0 && v + w < area2) {
            const Vec3 difference = (n.dot(r) / area2) * n;
            const double b = v / area2, c = w / area2;
            return {{1, -(1 - b - c), -b, -c}, difference, difference.squaredNorm()};
        }
    }
    ClosestPair best = farthest();
    offer_vertex_edge(x, 0, 1, 2, 1, best);
    offer_vertex_edge(x, 0, 2, 3, 1, best);
    offer_vertex_edge(x, 0, 3, 1, 1, best);
    return best;
}

ClosestPair closest_edge_edge(const FourPoints& x) {
    const Vec3 e1 = x[1] - x[0], e2 = x[3] - x[2], r = x[2] - x[0], n = e1.cross(e2);
    const double sine2 = n.squaredNorm();
    if (sine2 > parallel_sine2 * e1.squaredNorm() * e2.squaredNorm()) {
        // e1·s − e2·t = r in the plane that both are parallel to.
        const double s = r.cross(e2).dot(n), t = r.cross(e1).dot(n);
        if (s > 0 && s < sine2 && t > 0 && t < sine2) {
            const Vec3 difference = (-n.dot(r) / sine2) * n;
            const double a = s / sine2, b = t / sine2;
            return {{1 - a, a, -(1 - b), -b}, difference, difference.squaredNorm()};
        }
    }
    ClosestPair best = farthest();
    offer_vertex_edge(x, 0, 2, 3, 1, best);
    offer_vertex_edge(x, 1, 2, 3, 1, best);
    offer_vertex_edge(x, 2, 0, 1, -1, best);
    offer_vertex_edge(x, 3, 0, 1, -1, best);
    return best;
}

ClosestPair closest(PairKind kind, const FourPoints& x) {
    return kind == PairKind::vertex_face ? closest_vertex_face(x) : closest_edge_edge(x);
}

}  // namespace pliant
