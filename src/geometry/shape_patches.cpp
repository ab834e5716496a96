#include "pliant/geometry/shape_patches.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

constexpr double two_pi = 2 * std::numbers::pi;
// Rows of near-equilateral triangles of side 1 are this far apart.
constexpr double row_height = 0.866;
// More rows or columns than this in one direction is a mistake of units, not a wish.
constexpr double most_steps = 20000;

struct Ring {
    int first;     // index of its first point
    int count;     // 1 at a pole
    double phase;  // angle of the first point, in steps
};

/// Triangles between two rings, always cutting the quadrilateral in hand along the diagonal that keeps the two sides
/// level in angle. `lower` comes first along the profile, so outside is on the right of lower → upper.
void stitch(const Ring& lower, const Ring& upper, std::vector<Tri>& triangles) {
    if (lower.count == 1 && upper.count == 1) return;
    if (lower.count == 1 || upper.count == 1) {
        const Ring& ring = lower.count == 1 ? upper : lower;
        const int pole = lower.count == 1 ? lower.first : upper.first;
        for (int i = 0; i < ring.count; ++i) {
            const int a = ring.first + i, b = ring.first + (i + 1) % ring.count;
            if (lower.count == 1)
                triangles.push_back({pole, a, b});
            else
                triangles.push_back({pole, b, a});
        }
        return;
    }
    // Angles in turns. Start the upper ring at the point nearest in angle to the lower ring's first one.
    const double a0 = lower.phase / lower.count, b0 = upper.phase / upper.count;
    const int shift = static_cast<int>(std::lround((a0 - b0) * upper.count));
    auto lower_angle = [&](int i) { return a0 + static_cast<double>(i) / lower.count; };
    auto upper_angle = [&](int j) { return b0 + static_cast<double>(j + shift) / upper.count; };
    auto lower_index = [&](int i) { return lower.first + i % lower.count; };
    auto upper_index = [&](int j) { return upper.first + ((j + shift) % upper.count + upper.count) % upper.count; };
    int i = 0, j = 0;
    while (i < lower.count || j < upper.count) {
        const bool step_lower =
            j >= upper.count || (i < lower.count && std::abs(lower_angle(i + 1) - upper_angle(j)) <=
                                                        std::abs(upper_angle(j + 1) - lower_angle(i)));
        if (step_lower) {
            triangles.push_back({lower_index(i), upper_index(j), lower_index(i + 1)});
            ++i;
        } else {
            triangles.push_back({lower_index(i), upper_index(j), upper_index(j + 1)});
            ++j;
        }
    }
}

}  // namespace

int ShapeProfile::steps(double length, int least) const {
    const double wanted = std::round(length / (row_height * edge_));
    if (wanted > most_steps)
        throw UserError("a surface with edges of " + std::to_string(edge_) + " m would need far too many triangles", {},
                        "Ask for a longer edge");
    return std::max(least, static_cast<int>(wanted));
}

ShapeProfile& ShapeProfile::line(double radius, double y) {
    const Point from = points_.back();
    const int n = steps(std::hypot(radius - from.radius, y - from.y), 1);
    for (int i = 1; i < n; ++i) {
        const double s = static_cast<double>(i) / n;
        points_.push_back({from.radius + s * (radius - from.radius), from.y + s * (y - from.y)});
    }
    points_.push_back({radius, y});
    return *this;
}

ShapeProfile& ShapeProfile::arc(double centre_radius, double centre_y, double turn, double end_radius, double end_y) {
    const Point from = points_.back();
    const double radius = std::hypot(from.radius - centre_radius, from.y - centre_y);
    const double start = std::atan2(from.y - centre_y, from.radius - centre_radius);
    const int n =
        steps(radius * std::abs(turn), std::max(2, static_cast<int>(std::ceil(std::abs(turn) * 4 / two_pi * 2))));
    for (int i = 1; i < n; ++i) {
        const double angle = start + turn * i / n;
        points_.push_back({centre_radius + radius * std::cos(angle), centre_y + radius * std::sin(angle)});
    }
    points_.push_back({end_radius, end_y});
    return *this;
}

ShapeSurface ShapeProfile::revolved() const {
    std::vector<Point> profile = points_;
    const bool ring =
        profile.size() > 1 && profile.front().radius == profile.back().radius && profile.front().y == profile.back().y;
    if (ring) profile.pop_back();
    CHECK(ring || (profile.front().radius == 0 && profile.back().radius == 0), profile.front().radius,
          profile.back().radius);

    ShapeSurface out;
    std::vector<Ring> rings;
    double phase = 0;
    for (const Point& p : profile) {
        const int first = static_cast<int>(out.points.size());
        if (p.radius == 0) {
            out.points.push_back({0, p.y, 0});
            rings.push_back({first, 1, 0});
            continue;
        }
        const double wanted = std::round(two_pi * p.radius / edge_);
        if (wanted > most_steps) steps(wanted * edge_ * row_height, 1);  // throws
        const int count = std::max(6, static_cast<int>(wanted));
        phase = phase == 0 ? 0.5 : 0;  // every other row is shifted by half a step
        for (int i = 0; i < count; ++i) {
            const double angle = two_pi * (i + phase) / count;
            out.points.push_back({p.radius * std::cos(angle), p.y, -p.radius * std::sin(angle)});
        }
        rings.push_back({first, count, phase});
    }
    for (std::size_t i = 0; i + 1 < rings.size(); ++i) stitch(rings[i], rings[i + 1], out.triangles);
    if (ring) stitch(rings.back(), rings.front(), out.triangles);
    // Written for an angle that runs from x to −z; seen from outside the stitches run the other way round.
    for (Tri& t : out.triangles) std::swap(t[1], t[2]);
    return out;
}

namespace {

/// The lines of a box's grid across one axis: `arc` steps round each end, `flat` ones between them.
struct GridAxis {
    double inner;  ///< half the length of the flat part, m
    int arc, flat;

    int steps() const { return 2 * arc + flat; }
    /// Where the centre of curvature is at line g.
    double core(int g) const { return flat > 0 ? inner * (2.0 * std::clamp(g - arc, 0, flat) / flat - 1) : 0; }
    /// Slope of the normal against the face's own: -1 … 1, so that neighbouring faces share their rims.
    double slope(int g) const {
        const int in = std::min(g, steps() - g);
        if (in >= arc && in > 0) return 0;
        const double tilt = arc > 0 ? std::tan(std::numbers::pi / 4 * (arc - in) / arc) : 1;
        return g < steps() - g ? -tilt : tilt;
    }
};

int grid_steps(double length, double edge, int least) {
    const double wanted = std::round(length / edge);
    if (wanted > most_steps)
        throw UserError("a surface with edges of " + std::to_string(edge) + " m would need far too many triangles", {},
                        "Ask for a longer edge");
    return std::max(least, static_cast<int>(wanted));
}

}  // namespace

ShapeSurface box_grid(const Vec3& half, double rounding, double edge) {
    std::array<GridAxis, 3> axes;
    std::array<int, 3> n;
    for (int k = 0; k < 3; ++k) {
        axes[k].inner = std::max(half[k] - rounding, 0.0);
        axes[k].arc = rounding > 0 ? grid_steps(rounding * std::numbers::pi / 4, edge, 1) : 0;
        axes[k].flat = axes[k].inner > 0 ? grid_steps(2 * axes[k].inner, edge, 1) : 0;
        n[k] = axes[k].steps();
    }
    ShapeSurface out;
    std::map<std::array<int, 3>, int> index;
    auto vertex = [&](const std::array<int, 3>& g) {
        const auto [it, fresh] = index.try_emplace(g, static_cast<int>(out.points.size()));
        if (fresh) {
            Vec3 core, normal;
            for (int k = 0; k < 3; ++k) core[k] = axes[k].core(g[k]), normal[k] = axes[k].slope(g[k]);
            out.points.push_back(rounding > 0 ? core + rounding * normal.normalized() : core);
        }
        return it->second;
    };
    for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            for (int i = 0; i < n[u]; ++i)
                for (int j = 0; j < n[v]; ++j) {
                    auto at = [&](int du, int dv) {
                        std::array<int, 3> g;
                        g[axis] = side * n[axis], g[u] = i + du, g[v] = j + dv;
                        return vertex(g);
                    };
                    std::array<int, 4> q{at(0, 0), at(1, 0), at(1, 1), at(0, 1)};
                    if (side == 0) std::swap(q[1], q[3]);
                    // Diagonals alternate like a chess board, so that bending has no preferred direction.
                    if ((i + j) % 2 == 0) {
                        out.triangles.push_back({q[0], q[1], q[2]});
                        out.triangles.push_back({q[0], q[2], q[3]});
                    } else {
                        out.triangles.push_back({q[0], q[1], q[3]});
                        out.triangles.push_back({q[1], q[2], q[3]});
                    }
                }
        }
    return out;
}

}  // namespace pliant
