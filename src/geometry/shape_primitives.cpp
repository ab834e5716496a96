// Box, sphere, ellipsoid, capsule, cylinder, tube, cone, torus and bowl: exact distances, and surfaces drawn directly.
// Solids of revolution are measured in the half plane (r, y), where most of them are a familiar plane figure.

#include <cmath>
#include <numbers>

#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/shape_check.hpp"
#include "pliant/geometry/shape_patches.hpp"

namespace pliant {

namespace {

constexpr double pi = std::numbers::pi;

// std::hypot guards against overflow at 1e154 m and costs five times as much.
double length_of(double a, double b) { return std::sqrt(a * a + b * b); }

double radius_of(const Vec3& p) { return length_of(p.x(), p.z()); }

/// Signed distance to a convex corner region from the signed distances to its two perpendicular sides.
double corner_distance(double a, double b) { return a > 0 && b > 0 ? length_of(a, b) : std::max(a, b); }

Box box_around(const Vec3& half) { return {-half, half}; }

/// The shortest turn of one unit vector to another that does not point against it.
Quat shortest_turn(const Vec3& from, const Vec3& to) {
    const double s = std::sqrt((1 + to.dot(from)) * 2);
    Quat turn;
    turn.vec() = from.cross(to) * (1 / s);
    turn.w() = 0.5 * s;
    return turn;
}

/// Turns the y axis to a direction. What points down takes half a turn first: the way there is not well defined.
Quat turn_from_y(const Vec3& direction) {
    const Vec3 to = direction.normalized();
    if (to.y() > -1 + 1e-12) return shortest_turn(Vec3::UnitY(), to);
    return shortest_turn(-Vec3::UnitY(), to) * Quat(0, 0, 0, 1);
}

class BoxShape final : public Shape {
public:
    BoxShape(const Vec3& size, double rounding) : half_(0.5 * size), rounding_(rounding) {}

    double distance(const Vec3& p) const override {
        const Vec3 q = p.cwiseAbs() - half_ + Vec3::Constant(rounding_);
        return q.cwiseMax(Vec3::Zero()).norm() + std::min(q.maxCoeff(), 0.0) - rounding_;
    }
    Box bounds() const override { return box_around(half_); }
    double thinnest() const override { return 2 * half_.minCoeff(); }
    std::optional<ShapeSurface> surface(double edge) const override { return box_grid(half_, rounding_, edge); }

private:
    Vec3 half_;
    double rounding_;
};

class EllipsoidShape final : public Shape {
public:
    explicit EllipsoidShape(const Vec3& radii) : radii_(radii) {
        radii.minCoeff(&least_);
        const double least = radii[least_];
        for (int k = 0; k < 3; ++k) excess_[k] = (radii[k] - least) * (radii[k] + least);
    }

    // The nearest point x of the surface solves x_i (1 + t/e_i²) = p_i with Σ (x_i/e_i)² = 1, one equation for t:
    //     g(t) = Σ (e_i p_i / (t + e_i²))² − 1 = 0,  t > −e_min².
    // g is convex and falling there, so Newton from the left of the root climbs to it without overshooting. We solve
    // for s = t + e_min², whose denominators s + (e_i² − e_min²) lose no digits when p is near the middle plane.
    double distance(const Vec3& p) const override {
        const Vec3 y = p.cwiseAbs(), weight = radii_.cwiseProduct(y);
        double s = 0;
        for (int k = 0; k < 3; ++k) s = std::max(s, weight[k] - excess_[k]);  // one term alone reaches 1 here: g ≥ 0
        if (s == 0) {
            // p lies where the shortest axis decides: the nearest point is off the plane p is in.
            Vec3 x = Vec3::Zero();
            double rest = 1;
            bool inner = true;
            for (int k = 0; k < 3; ++k) {
                if (excess_[k] == 0) continue;
                x[k] = radii_[k] * weight[k] / excess_[k];
                rest -= (x[k] / radii_[k]) * (x[k] / radii_[k]);
                inner = inner && weight[k] <= excess_[k];
            }
            if (inner && rest >= 0) {
                x[least_] = radii_[least_] * std::sqrt(rest);
                return -(x - y).norm();
            }
        }
        for (int iteration = 0; iteration < 60; ++iteration) {
            double g = -1, slope = 0;
            for (int k = 0; k < 3; ++k) {
                if (weight[k] == 0) continue;
                const double below = s + excess_[k], ratio = weight[k] / below;
                g += ratio * ratio;
                slope -= 2 * ratio * ratio / below;
            }
            if (!(slope < 0)) break;
            const double next = s - g / slope;
            if (!(next > s)) break;
            s = next;
        }
        // |p − x| = |t| · |(x_i / e_i²)|, and t carries the sign.
        double normal2 = 0;
        for (int k = 0; k < 3; ++k) {
            if (weight[k] == 0) continue;
            const double ratio = y[k] / (s + excess_[k]);  // x_k / e_k²
            normal2 += ratio * ratio;
        }
        const double least = radii_[least_];
        return (s - least * least) * std::sqrt(normal2);
    }
    Box bounds() const override { return box_around(radii_); }
    double thinnest() const override { return 2 * radii_.minCoeff(); }

private:
    Vec3 radii_, excess_;
    int least_ = 0;
};

class CapsuleShape final : public Shape {
public:
    CapsuleShape(const Vec3& a, const Vec3& b, double radius) : a_(a), axis_(b - a), radius_(radius) {
        const double length2 = axis_.squaredNorm();
        inverse_length2_ = length2 > 0 ? 1 / length2 : 0;
    }

    double distance(const Vec3& p) const override {
        const Vec3 d = p - a_;
        const double s = std::clamp(d.dot(axis_) * inverse_length2_, 0.0, 1.0);
        return (d - s * axis_).norm() - radius_;
    }
    Box bounds() const override {
        Box box;
        box.add(a_);
        box.add(Vec3(a_ + axis_));
        return box.grown(radius_);
    }
    double thinnest() const override { return 2 * radius_; }
    std::optional<ShapeSurface> surface(double edge) const override {
        const double half = 0.5 * axis_.norm();
        ShapeProfile profile(0, -half - radius_, edge);
        if (half == 0) {
            profile.arc(0, 0, pi, 0, radius_);
        } else {
            profile.arc(0, -half, pi / 2, radius_, -half).line(radius_, half).arc(0, half, pi / 2, 0, half + radius_);
        }
        ShapeSurface out = profile.revolved();
        const Quat turn = half > 0 ? turn_from_y(axis_) : Quat::Identity();
        for (Vec3& p : out.points) p = turn * p + a_ + 0.5 * axis_;
        return out;
    }

private:
    Vec3 a_, axis_;
    double radius_, inverse_length2_;
};

class CylinderShape final : public Shape {
public:
    CylinderShape(double radius, double height) : radius_(radius), half_(0.5 * height) {}

    double distance(const Vec3& p) const override {
        return corner_distance(radius_of(p) - radius_, std::abs(p.y()) - half_);
    }
    Box bounds() const override { return box_around({radius_, half_, radius_}); }
    double thinnest() const override { return 2 * std::min(radius_, half_); }
    std::optional<ShapeSurface> surface(double edge) const override {
        return ShapeProfile(0, -half_, edge).line(radius_, -half_).line(radius_, half_).line(0, half_).revolved();
    }

private:
    double radius_, half_;
};

class TubeShape final : public Shape {
public:
    TubeShape(double outer, double wall, double height) : outer_(outer), wall_(wall), half_(0.5 * height) {}

    double distance(const Vec3& p) const override {
        const double across = std::abs(radius_of(p) - (outer_ - 0.5 * wall_)) - 0.5 * wall_;
        return corner_distance(across, std::abs(p.y()) - half_);
    }
    Box bounds() const override { return box_around({outer_, half_, outer_}); }
    double thinnest() const override { return std::min(wall_, 2 * half_); }
    std::optional<ShapeSurface> surface(double edge) const override {
        const double inner = outer_ - wall_;
        return ShapeProfile(inner, -half_, edge)
            .line(outer_, -half_)
            .line(outer_, half_)
            .line(inner, half_)
            .line(inner, -half_)
            .revolved();
    }

private:
    double outer_, wall_, half_;
};

class ConeShape final : public Shape {
public:
    ConeShape(double base, double top, double height) : base_(base), top_(top), half_(0.5 * height) {
        const double length = std::hypot(top - base, height);
        along_r_ = (top - base) / length, along_y_ = height / length, length_ = length;
    }

    // In the half plane the solid is a trapezium: two caps and a slanted side.
    double distance(const Vec3& p) const override {
        const double r = radius_of(p), y = p.y();
        const double cap_radius = y < 0 ? base_ : top_;
        const double over_r = std::max(r - cap_radius, 0.0), over_y = std::abs(y) - half_;
        const double to_caps2 = over_r * over_r + over_y * over_y;
        const double s = std::clamp((r - base_) * along_r_ + (y + half_) * along_y_, 0.0, length_);
        const double dr = r - base_ - s * along_r_, dy = y + half_ - s * along_y_;
        const double side = (r - base_) * along_y_ - (y + half_) * along_r_;  // outside the slant when positive
        const double d = std::sqrt(std::min(to_caps2, dr * dr + dy * dy));
        return side < 0 && over_y < 0 ? -d : d;
    }
    Box bounds() const override {
        const double r = std::max(base_, top_);
        return box_around({r, half_, r});
    }
    double thinnest() const override { return 2 * std::min(half_, std::max(base_, top_)); }
    std::optional<ShapeSurface> surface(double edge) const override {
        ShapeProfile profile(0, -half_, edge);
        if (base_ > 0) profile.line(base_, -half_);
        profile.line(top_, half_);
        if (top_ > 0) profile.line(0, half_);
        return profile.revolved();
    }

private:
    double base_, top_, half_, along_r_, along_y_, length_;
};

class TorusShape final : public Shape {
public:
    TorusShape(double ring, double tube) : ring_(ring), tube_(tube) {}

    double distance(const Vec3& p) const override { return length_of(radius_of(p) - ring_, p.y()) - tube_; }
    Box bounds() const override { return box_around({ring_ + tube_, tube_, ring_ + tube_}); }
    double thinnest() const override { return 2 * std::min(tube_, ring_ - tube_); }
    std::optional<ShapeSurface> surface(double edge) const override {
        return ShapeProfile(ring_ + tube_, 0, edge).arc(ring_, 0, 2 * pi, ring_ + tube_, 0).revolved();
    }

private:
    double ring_, tube_;
};

/// All points within wall/2 of the lower half of a sphere.
class BowlShape final : public Shape {
public:
    BowlShape(double radius, double wall) : middle_(radius - 0.5 * wall), half_wall_(0.5 * wall) {}

    double distance(const Vec3& p) const override {
        const double to_middle = p.y() <= 0 ? std::abs(p.norm() - middle_) : length_of(radius_of(p) - middle_, p.y());
        return to_middle - half_wall_;
    }
    Box bounds() const override {
        const double r = middle_ + half_wall_;
        return {{-r, -r, -r}, {r, half_wall_, r}};
    }
    double thinnest() const override { return 2 * half_wall_; }
    std::optional<ShapeSurface> surface(double edge) const override {
        const double outer = middle_ + half_wall_, inner = middle_ - half_wall_;
        return ShapeProfile(0, -outer, edge)
            .arc(0, 0, pi / 2, outer, 0)
            .arc(middle_, 0, pi, inner, 0)
            .arc(0, 0, -pi / 2, 0, -inner)
            .revolved();
    }

private:
    double middle_, half_wall_;
};

}  // namespace

std::optional<ShapeSurface> Shape::surface(double) const { return std::nullopt; }
std::optional<HollowShape> Shape::hollow() const { return std::nullopt; }

ShapePtr box_shape(const Vec3& size, double rounding) {
    for (int k = 0; k < 3; ++k) require_positive(size[k], "each size of a box");
    if (!(rounding >= 0) || 2 * rounding > size.minCoeff())
        throw UserError("the rounding of a box must lie between 0 and half its smallest size, but is " +
                        shape_number(rounding));
    return std::make_shared<BoxShape>(size, rounding);
}

ShapePtr sphere_shape(double radius) {
    require_positive(radius, "the radius of a sphere");
    return std::make_shared<CapsuleShape>(Vec3::Zero(), Vec3::Zero(), radius);
}

ShapePtr ellipsoid_shape(const Vec3& radii) {
    for (int k = 0; k < 3; ++k) require_positive(radii[k], "each radius of an ellipsoid");
    return std::make_shared<EllipsoidShape>(radii);
}

ShapePtr capsule_shape(const Vec3& a, const Vec3& b, double radius) {
    require_finite(a, "the ends of a capsule"), require_finite(b, "the ends of a capsule");
    require_positive(radius, "the radius of a capsule");
    return std::make_shared<CapsuleShape>(a, b, radius);
}

ShapePtr cylinder_shape(double radius, double height) {
    require_positive(radius, "the radius of a cylinder"), require_positive(height, "the height of a cylinder");
    return std::make_shared<CylinderShape>(radius, height);
}

ShapePtr tube_shape(double outer_radius, double wall, double height) {
    require_positive(outer_radius, "the outer radius of a tube"), require_positive(height, "the height of a tube");
    require_positive(wall, "the wall of a tube");
    if (wall >= outer_radius)
        throw UserError("the wall of a tube must be thinner than its outer radius " + shape_number(outer_radius) +
                            ", but is " + shape_number(wall),
                        {}, "Make it thinner, or use a cylinder");
    return std::make_shared<TubeShape>(outer_radius, wall, height);
}

ShapePtr cone_shape(double base_radius, double top_radius, double height) {
    require_positive(height, "the height of a cone");
    if (base_radius != 0) require_positive(base_radius, "the base radius of a cone");
    if (top_radius != 0) require_positive(top_radius, "the top radius of a cone");
    if (base_radius == 0 && top_radius == 0) throw UserError("one of the two radii of a cone must be positive");
    return std::make_shared<ConeShape>(base_radius, top_radius, height);
}

ShapePtr torus_shape(double ring_radius, double tube_radius) {
    require_positive(ring_radius, "the ring radius of a torus"),
        require_positive(tube_radius, "the tube radius of a torus");
    if (tube_radius >= ring_radius)
        throw UserError("the tube radius of a torus must be smaller than its ring radius " + shape_number(ring_radius) +
                        ", but is " + shape_number(tube_radius));
    return std::make_shared<TorusShape>(ring_radius, tube_radius);
}

ShapePtr bowl_shape(double radius, double wall) {
    require_positive(radius, "the radius of a bowl"), require_positive(wall, "the wall of a bowl");
    if (wall >= radius)
        throw UserError("the wall of a bowl must be thinner than its radius " + shape_number(radius) + ", but is " +
                        shape_number(wall));
    return std::make_shared<BowlShape>(radius, wall);
}

ShapePtr slab_shape(double width, double depth, double thickness) {
    require_positive(width, "the width of a slab"), require_positive(depth, "the depth of a slab");
    require_positive(thickness, "the thickness of a slab");
    return std::make_shared<BoxShape>(Vec3(width, thickness, depth), 0.0);
}

}  // namespace pliant
