#include "pliant/geometry/winding_number.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/geometry/closest_point.hpp"

namespace pliant {

namespace {

constexpr double four_pi = 4 * std::numbers::pi;
constexpr int leaf_triangles = 8;
// A cluster is seen through its moments from beyond this many of its radii. Lower values are quicker and less exact.
constexpr double far_radii = 2.5;

}  // namespace

double triangle_winding(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    // Van Oosterom & Strackee 1983: tan(Ω/2) = det / (…)
    const Vec3 pa = a - p, pb = b - p, pc = c - p;
    const double la = pa.norm(), lb = pb.norm(), lc = pc.norm();
    const double det = pa.dot(pb.cross(pc));
    const double rest = la * lb * lc + pa.dot(pb) * lc + pb.dot(pc) * la + pc.dot(pa) * lb;
    return std::atan2(det, rest) / (2 * std::numbers::pi);
}

WindingNumber::WindingNumber(std::span<const Vec3> points, std::span<const Tri> triangles) {
    triangles_.reserve(triangles.size());
    for (const Tri& t : triangles) triangles_.push_back({points[t[0]], points[t[1]], points[t[2]]});
    if (triangles_.empty()) return;
    nodes_.reserve(triangles_.size() / 2 + 1);
    build(0, static_cast<std::int32_t>(triangles_.size()));
}

std::int32_t WindingNumber::build(std::int32_t begin, std::int32_t end) {
    const auto index = static_cast<std::int32_t>(nodes_.size());
    Node node;
    node.first = begin, node.count = end - begin, node.right = -1;
    node.area = 0, node.normal.setZero(), node.moment.setZero();
    Box centroids;
    Vec3 weighted = Vec3::Zero();
    for (std::int32_t i = begin; i < end; ++i) {
        const Corners& t = triangles_[i];
        const Vec3 n = 0.5 * (t.b - t.a).cross(t.c - t.a), centroid = (t.a + t.b + t.c) / 3.0;
        centroids.add(centroid);
        node.normal += n;
        node.area += n.norm();
        weighted += n.norm() * (centroid - triangles_[begin].a);
    }
    node.center = node.area > 0 ? Vec3(triangles_[begin].a + weighted / node.area) : centroids.center();
    node.trace.setZero();
    for (double& c : node.cubic) c = 0;
    double radius2 = 0;
    for (std::int32_t i = begin; i < end; ++i) {
        const Corners& t = triangles_[i];
        const Vec3 n = 0.5 * (t.b - t.a).cross(t.c - t.a);
        const Vec3 a = t.a - node.center, b = t.b - node.center, c = t.c - node.center, sum = a + b + c;
        node.moment += (sum / 3.0) * n.transpose();
        const Mat3 m = (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose()) / 12.0;
        node.trace += 2 * (m * n) + m.trace() * n;
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3, o = (k + 2) % 3;
            node.cubic[k] += n[k] * m(k, k);
            node.cubic[3 + k] += n[l] * m(k, k) + 2 * n[k] * m(k, l);
            node.cubic[6 + k] += n[o] * m(k, k) + 2 * n[k] * m(k, o);
        }
        node.cubic[9] += 2 * (n[0] * m(1, 2) + n[1] * m(2, 0) + n[2] * m(0, 1));
        radius2 = std::max({radius2, a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
    }
    node.radius = std::sqrt(radius2);
    nodes_.push_back(node);
    if (end - begin <= leaf_triangles) return index;

    int axis = 0;
    centroids.size().maxCoeff(&axis);
    const std::int32_t middle = begin + (end - begin) / 2;
    std::nth_element(triangles_.begin() + begin, triangles_.begin() + middle, triangles_.begin() + end,
                     [axis](const Corners& s, const Corners& t) {
                         return s.a[axis] + s.b[axis] + s.c[axis] < t.a[axis] + t.b[axis] + t.c[axis];
                     });
    build(begin, middle);
    const std::int32_t right = build(middle, end);
    nodes_[index].right = right;
    return index;
}

double WindingNumber::far_value(const Node& node, const Vec3& p) {
    // Taylor series of r/r³ · n about the centre up to second order; Barill et al. 2018, eq. 8:
    // ∂ᵢ gₖ = δᵢₖ/r³ - 3 rᵢrₖ/r⁵, ∂ᵢ∂ⱼ gₖ = -3 (δᵢₖrⱼ + δᵢⱼrₖ + δⱼₖrᵢ)/r⁵ + 15 rᵢrⱼrₖ/r⁷.
    const Vec3 r = node.center - p;
    const double r2 = r.squaredNorm(), inverse2 = 1 / r2, inverse3 = inverse2 / std::sqrt(r2);
    const double first = node.normal.dot(r);
    const double second = node.moment.trace() - 3 * r.dot(node.moment * r) * inverse2;
    const double* q = node.cubic;
    const double cubic = r[0] * r[0] * (q[0] * r[0] + q[3] * r[1] + q[6] * r[2]) +
                         r[1] * r[1] * (q[1] * r[1] + q[4] * r[2] + q[7] * r[0]) +
                         r[2] * r[2] * (q[2] * r[2] + q[5] * r[0] + q[8] * r[1]) + q[9] * r[0] * r[1] * r[2];
    const double third = (7.5 * cubic * inverse2 - 1.5 * node.trace.dot(r)) * inverse2;
    return (first + second + third) * inverse3 / four_pi;
}

template <class Far, class Near>
void WindingNumber::walk(const Vec3& center, double radius, Far&& far, Near&& near) const {
    if (nodes_.empty()) return;
    std::int32_t stack[64];  // halving: 32 levels at most
    int top = 0;
    std::int32_t at = 0;
    for (;;) {
        const Node& node = nodes_[at];
        const double distance = (node.center - center).norm() - radius;
        if (distance > far_radii * node.radius) {
            far(node, distance);
        } else if (node.right >= 0) {
            stack[top++] = node.right;
            ++at;
            continue;
        } else {
            for (std::int32_t i = node.first; i < node.first + node.count; ++i) near(triangles_[i]);
        }
        if (top == 0) return;
        at = stack[--top];
    }
}

double WindingNumber::operator()(const Vec3& p) const {
    double sum = 0;
    walk(
        p, 0, [&](const Node& node, double) { sum += far_value(node, p); },
        [&](const Corners& t) { sum += triangle_winding(p, t.a, t.b, t.c); });
    return sum;
}

WindingNumber::Range WindingNumber::over_ball(const Vec3& center, double radius) const {
    Range range;
    // The field of a surface element dA falls as dA/(4π r²), its slope as 2 dA/(4π r³).
    const auto slope = [](double area, double distance) {
        return 2 * area / (four_pi * distance * distance * distance);
    };
    walk(
        center, radius,
        [&](const Node& node, double distance) {
            range.value += far_value(node, center);
            range.variation += radius * slope(node.area, distance - node.radius);
        },
        [&](const Corners& t) {
            range.value += triangle_winding(center, t.a, t.b, t.c);
            const double distance = std::sqrt(distance2_to_triangle(center, t.a, t.b, t.c)) - radius;
            if (!(distance > 0)) {
                range.variation += 1;
                return;
            }
            // Off the triangle the slope is the Biot-Savart integral of its rim, |∇Ω| ≤ ∮ dl/r², and an edge at
            // distance d adds at most π/d and at most its length over d².
            double rim = 0;
            const Vec3* corner[3] = {&t.a, &t.b, &t.c};
            for (int e = 0; e < 3; ++e) {
                const Vec3 &a = *corner[e], &b = *corner[(e + 1) % 3];
                const double d = std::max(std::sqrt(closest_on_segment(center, a, b).distance2) - radius, distance);
                rim += std::min(std::numbers::pi / d, (b - a).norm() / (d * d)) / four_pi;
            }
            const double area = 0.5 * (t.b - t.a).cross(t.c - t.a).norm();
            range.variation += std::min(1.0, radius * std::min(rim, slope(area, distance)));
        });
    return range;
}

void WindingNumber::evaluate(const Vec3& center, double radius, std::span<const Vec3> points,
                             std::span<double> values) const {
    // Angles are added as products of complex numbers, with the full turns counted apart: one arctangent per
    // point instead of one per triangle.
    struct Angle {
        double re = 1, im = 0;
        int turns = 0;
    };
    std::vector<Angle> angles(points.size());
    std::fill(values.begin(), values.end(), 0.0);
    walk(
        center, radius,
        [&](const Node& node, double) {
            for (std::size_t i = 0; i < points.size(); ++i) values[i] += far_value(node, points[i]);
        },
        [&](const Corners& t) {
            for (std::size_t i = 0; i < points.size(); ++i) {
                const Vec3 a = t.a - points[i], b = t.b - points[i], c = t.c - points[i];
                const double la = a.norm(), lb = b.norm(), lc = c.norm();
                const double im = a.dot(b.cross(c));
                const double re = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
                const double size = std::abs(re) + std::abs(im);
                if (!(size > 0)) continue;
                Angle& angle = angles[i];
                const double new_re = (angle.re * re - angle.im * im) / size;
                const double new_im = (angle.re * im + angle.im * re) / size;
                angle.turns += (angle.im >= 0 && im >= 0 && new_im < 0) - (angle.im < 0 && im < 0 && new_im >= 0);
                const double norm = 1 / (std::abs(new_re) + std::abs(new_im));
                angle.re = new_re * norm, angle.im = new_im * norm;
            }
        });
    for (std::size_t i = 0; i < points.size(); ++i)
        values[i] += std::atan2(angles[i].im, angles[i].re) / (2 * std::numbers::pi) + angles[i].turns;
}

}  // namespace pliant
