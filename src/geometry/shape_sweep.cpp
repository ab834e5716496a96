// A round cross-section swept along a centripetal Catmull-Rom curve: the curve is followed by a fine chain of round
// cones (the convex hull of two balls), and the distance is exact for that chain.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/shape_check.hpp"
#include "pliant/geometry/shape_tree.hpp"

namespace pliant {

namespace {

struct Knot {
    Vec3 centre;
    double radius;
};

/// The hull of two balls. Where one ball holds the other, that ball alone.
struct RoundCone {
    Vec3 a, axis;  // axis: unit vector from a to b, zero when one ball holds the other
    double radius_a, radius_b, length;
    double cosine, sine;  // of the slope of the side: sine = (radius_a − radius_b) / length

    RoundCone(const Knot& from, const Knot& to)
        : a(from.centre),
          axis(Vec3::Zero()),
          radius_a(from.radius),
          radius_b(to.radius),
          length(0),
          cosine(1),
          sine(0) {
        const double apart = (to.centre - from.centre).norm(), taper = from.radius - to.radius;
        if (apart <= std::abs(taper)) {
            if (taper < 0) a = to.centre, radius_a = to.radius;
            radius_b = radius_a;
            return;
        }
        length = apart;
        axis = (to.centre - from.centre) / apart;
        sine = taper / apart;
        cosine = std::sqrt((1 - sine) * (1 + sine));
    }

    double distance(const Vec3& p) const {
        const Vec3 d = p - a;
        const double along = d.dot(axis);
        const double across = std::sqrt(std::max(d.squaredNorm() - along * along, 0.0));
        // Where the normal of the slanted side through p meets the axis tells which part is nearest.
        const double foot = along - across * sine / cosine;
        if (foot <= 0) return d.norm() - radius_a;
        if (foot >= length) return (d - length * axis).norm() - radius_b;
        return along * sine + across * cosine - radius_a;
    }
};

/// One span of a centripetal Catmull-Rom curve (Barry and Goldman's pyramid); never loops or overshoots within a span.
Knot on_span(const Knot k[4], const double t[4], double s) {
    auto mix = [](const Knot& a, const Knot& b, double ta, double tb, double at) {
        const double w = (at - ta) / (tb - ta);
        return Knot{(1 - w) * a.centre + w * b.centre, (1 - w) * a.radius + w * b.radius};
    };
    const double at = t[1] + s * (t[2] - t[1]);
    const Knot a1 = mix(k[0], k[1], t[0], t[1], at), a2 = mix(k[1], k[2], t[1], t[2], at),
               a3 = mix(k[2], k[3], t[2], t[3], at);
    const Knot b1 = mix(a1, a2, t[0], t[2], at), b2 = mix(a2, a3, t[1], t[3], at);
    Knot out = mix(b1, b2, t[1], t[2], at);
    // The radius must not dip below its neighbours: a curve through 1, 1, 0.01 would go negative.
    out.radius = std::clamp(out.radius, std::min(k[1].radius, k[2].radius), std::max(k[1].radius, k[2].radius));
    return out;
}

/// Halves a piece of a span until it turns by less than two degrees and its taper is straight.
void refine(const Knot k[4], const double t[4], double from, double to, const Knot& a, const Knot& b, int depth,
            std::vector<Knot>& out) {
    const double middle = 0.5 * (from + to);
    const Knot m = on_span(k, t, middle);
    const Vec3 u = m.centre - a.centre, v = b.centre - m.centre;
    const double turn = std::atan2(u.cross(v).norm(), u.dot(v));
    const double bulge = std::abs(m.radius - 0.5 * (a.radius + b.radius));
    const bool fine = turn < std::numbers::pi / 90 && bulge < 2e-3 * m.radius;
    if (depth >= 9 || (fine && depth >= 2)) {
        out.push_back(b);
        return;
    }
    refine(k, t, from, middle, a, m, depth + 1, out);
    refine(k, t, middle, to, m, b, depth + 1, out);
}

std::vector<Knot> fine_chain(const std::vector<Knot>& knots) {
    if (knots.size() == 1) return knots;
    std::vector<Knot> chain{knots[0]};
    const int n = static_cast<int>(knots.size());
    for (int i = 0; i + 1 < n; ++i) {
        // The ends are continued by mirror images of their neighbours.
        auto mirrored = [](const Knot& a, const Knot& b) { return Knot{2 * a.centre - b.centre, a.radius}; };
        const Knot k[4] = {i > 0 ? knots[i - 1] : mirrored(knots[i], knots[i + 1]), knots[i], knots[i + 1],
                           i + 2 < n ? knots[i + 2] : mirrored(knots[i + 1], knots[i])};
        double t[4] = {0};
        for (int j = 1; j < 4; ++j) t[j] = t[j - 1] + std::sqrt((k[j].centre - k[j - 1].centre).norm());
        refine(k, t, 0, 1, k[1], k[2], 0, chain);
    }
    return chain;
}

class SweepShape final : public Shape {
public:
    explicit SweepShape(const std::vector<Knot>& chain) {
        std::vector<Box> boxes;
        std::vector<double> reach;
        thinnest_ = 2 * chain[0].radius;
        for (std::size_t i = 0; i < chain.size(); ++i) {
            const Knot &a = chain[i], &b = chain[std::min(i + 1, chain.size() - 1)];
            thinnest_ = std::min(thinnest_, 2 * a.radius);
            bounds_.add(Box{a.centre, a.centre}.grown(a.radius));
            if (i + 1 == chain.size() && i > 0) break;
            cones_.emplace_back(a, b);
            Box box;
            box.add(a.centre), box.add(b.centre);
            boxes.push_back(box);
            reach.push_back(std::max(a.radius, b.radius));
        }
        tree_.build(boxes, reach);
    }

    double distance(const Vec3& p) const override {
        return tree_.nearest(p, [&](int i) { return cones_[i].distance(p); });
    }
    Box bounds() const override { return bounds_; }
    double thinnest() const override { return thinnest_; }

private:
    std::vector<RoundCone> cones_;
    ShapeTree tree_;
    Box bounds_;
    double thinnest_;
};

}  // namespace

ShapePtr sweep_shape(const std::vector<Vec3>& points, const std::vector<double>& radii) {
    if (points.size() < 2) throw UserError("a swept curve needs at least two points");
    if (radii.size() != points.size())
        throw UserError("a swept curve needs one radius per point, but has " + std::to_string(points.size()) +
                        " points and " + std::to_string(radii.size()) + " radii");
    std::vector<Knot> knots;
    for (std::size_t i = 0; i < points.size(); ++i) {
        require_finite(points[i], "the points of a swept curve");
        require_positive(radii[i], "each radius of a swept curve");
        if (!knots.empty() && points[i] == knots.back().centre) {
            knots.back().radius = std::max(knots.back().radius, radii[i]);  // a repeated point adds no curve
            continue;
        }
        knots.push_back({points[i], radii[i]});
    }
    return std::make_shared<SweepShape>(fine_chain(knots));
}

}  // namespace pliant
