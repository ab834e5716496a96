#include "pliant/geometry/closest_point.hpp"

#include <cmath>
#include <limits>

namespace pliant {

ClosestOnSegment closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 edge = b - a;
    const double length2 = edge.squaredNorm();
    double t = length2 > 0 ? (p - a).dot(edge) / length2 : 0.0;
    if (!(t > 0)) t = 0;
    if (t > 1) t = 1;
    // From the nearer end, so that t = 1 gives b exactly.
    const Vec3 point = t <= 0.5 ? Vec3(a + t * edge) : Vec3(b - (1 - t) * edge);
    return {point, t, (p - point).squaredNorm()};
}

namespace {

// Looks at the edges whose bit is set: 1 for ab, 2 for bc, 4 for ca.
ClosestOnTriangle on_edges(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, unsigned which) {
    static constexpr TriangleFeature edges[3] = {TriangleFeature::edge_ab, TriangleFeature::edge_bc,
                                                 TriangleFeature::edge_ca};
    static constexpr TriangleFeature vertices[3] = {TriangleFeature::vertex_a, TriangleFeature::vertex_b,
                                                    TriangleFeature::vertex_c};
    const Vec3* corner[3] = {&a, &b, &c};
    ClosestOnTriangle best{a, Vec3(1, 0, 0), (p - a).squaredNorm(), TriangleFeature::vertex_a};
    for (int e = 0; e < 3; ++e) {
        if (!(which >> e & 1)) continue;
        const int i = e, j = (e + 1) % 3;
        const ClosestOnSegment near = closest_on_segment(p, *corner[i], *corner[j]);
        if (!(near.distance2 < best.distance2)) continue;
        best.point = near.point;
        best.distance2 = near.distance2;
        best.weight.setZero();
        best.weight[i] = 1 - near.t;
        best.weight[j] = near.t;
        best.feature = near.t == 0 ? vertices[i] : near.t == 1 ? vertices[j] : edges[e];
    }
    return best;
}

}  // namespace

ClosestOnTriangle closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 ab = b - a, ac = c - a, bc = c - b, ap = p - a;
    const Vec3 n = ab.cross(ac);
    const double n2 = n.squaredNorm();
    // Barycentric weights of the projection of p on the plane, times n².
    const double wc = ab.cross(ap).dot(n), wb = ap.cross(ac).dot(n), wa = n2 - wb - wc;
    // The plane is known while the sine of the angle at a is above rounding; else only the edges are.
    const double known = 64 * std::numeric_limits<double>::epsilon();
    const double scale = ab.squaredNorm() * ac.squaredNorm();
    const bool flat = !(n2 > known * known * scale) || !std::isnormal(n2);
    if (flat) return on_edges(p, a, b, c, 7);
    // A point whose projection is outside is nearest to an edge that has it on its outer side.
    if (const unsigned outer = (wc > 0 ? 0 : 1) | (wa > 0 ? 0 : 2) | (wb > 0 ? 0 : 4))
        return on_edges(p, a, b, c, outer);
    ClosestOnTriangle out;
    out.weight = Vec3(wa, wb, wc) / n2;
    // Relative to a, so that bodies far from the origin lose no digits.
    out.point = a + out.weight[1] * ab + out.weight[2] * ac;
    out.distance2 = (p - out.point).squaredNorm();
    out.feature = TriangleFeature::face;
    // A sliver's weights may carry error along its length; its edges do not.
    if (n2 < 1e-12 * scale || n2 < 1e-12 * ab.squaredNorm() * bc.squaredNorm()) {
        const ClosestOnTriangle edge = on_edges(p, a, b, c, 7);
        if (edge.distance2 <= out.distance2) return edge;
    }
    return out;
}

}  // namespace pliant
