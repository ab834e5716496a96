// Union, difference, intersection, smooth union, transform and shell. Every operation here keeps the distance
// 1-Lipschitz, which is what the surface finder relies on when it skips empty space.

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/shape_check.hpp"

namespace pliant {

namespace {

/// A part and its box: far from the box the box alone decides, and the part need not be asked.
struct Part {
    ShapePtr shape;
    Box box;
    /// The part is nowhere nearer than this; inside its box nothing is known.
    double at_least(const Vec3& p) const {
        const Vec3 outside = (box.min - p).cwiseMax(p - box.max);
        if (outside.maxCoeff() <= 0) return -std::numeric_limits<double>::infinity();
        return outside.cwiseMax(0.0).norm();
    }
};

std::vector<Part> parts_of(std::vector<ShapePtr> shapes, const char* what) {
    if (shapes.empty()) throw UserError(std::string(what) + " needs at least one shape");
    std::vector<Part> parts;
    for (ShapePtr& shape : shapes) {
        if (!shape) throw UserError(std::string(what) + " was given something that is not a shape");
        const Box box = shape->bounds();
        parts.push_back({std::move(shape), box});
    }
    return parts;
}

double thinnest_of(const std::vector<Part>& parts) {
    double least = std::numeric_limits<double>::infinity();
    for (const Part& part : parts) least = std::min(least, part.shape->thinnest());
    return least;
}

class Union final : public Shape {
public:
    explicit Union(std::vector<Part> parts) : parts_(std::move(parts)) {}

    double distance(const Vec3& p) const override {
        double best = std::numeric_limits<double>::infinity();
        for (const Part& part : parts_)
            if (part.at_least(p) < best) best = std::min(best, part.shape->distance(p));
        return best;
    }
    Box bounds() const override {
        Box box;
        for (const Part& part : parts_) box.add(part.box);
        return box;
    }
    double thinnest() const override { return thinnest_of(parts_); }

private:
    std::vector<Part> parts_;
};

class Intersection final : public Shape {
public:
    explicit Intersection(std::vector<Part> parts) : parts_(std::move(parts)) {}

    double distance(const Vec3& p) const override {
        double worst = -std::numeric_limits<double>::infinity();
        for (const Part& part : parts_) worst = std::max(worst, part.shape->distance(p));
        return worst;
    }
    Box bounds() const override {
        Box box = parts_[0].box;
        for (const Part& part : parts_)
            box.min = box.min.cwiseMax(part.box.min), box.max = box.max.cwiseMin(part.box.max);
        return box;
    }
    double thinnest() const override { return thinnest_of(parts_); }

private:
    std::vector<Part> parts_;
};

class Difference final : public Shape {
public:
    Difference(Part from, Part cut) : from_(std::move(from)), cut_(std::move(cut)) {}

    double distance(const Vec3& p) const override {
        const double d = from_.shape->distance(p);
        if (-cut_.at_least(p) > d) {
            const double c = -cut_.shape->distance(p);
            return std::max(d, c);
        }
        return d;
    }
    Box bounds() const override { return from_.box; }
    double thinnest() const override { return std::min(from_.shape->thinnest(), cut_.shape->thinnest()); }

private:
    Part from_, cut_;
};

/// Quadratic smooth minimum: within `blend` of each other, two distances are joined by a parabola that touches both.
/// Its slope is a weighted mean of theirs, so the result is no steeper than they are.
class SmoothUnion final : public Shape {
public:
    SmoothUnion(std::vector<Part> parts, double blend) : parts_(std::move(parts)), blend_(blend) {}

    double distance(const Vec3& p) const override {
        double joined = std::numeric_limits<double>::infinity();
        for (const Part& part : parts_) {
            if (part.at_least(p) >= joined + blend_) continue;
            const double d = part.shape->distance(p);
            const double overlap = std::max(blend_ - std::abs(d - joined), 0.0);
            joined = std::min(d, joined) - overlap * overlap / (4 * blend_);
        }
        return joined;
    }
    Box bounds() const override {
        // Each join adds at most blend/4 of material, and only within blend of both parts.
        Box box;
        for (const Part& part : parts_) box.add(part.box);
        return box.grown(0.25 * blend_ * static_cast<double>(parts_.size() - 1));
    }
    double thinnest() const override { return thinnest_of(parts_); }

private:
    std::vector<Part> parts_;
    double blend_;
};

class Transformed final : public Shape {
public:
    Transformed(ShapePtr shape, const Pose& pose, double scale)
        : shape_(std::move(shape)), pose_(pose), back_(pose.rotation.conjugate().toRotationMatrix()), scale_(scale) {}

    double distance(const Vec3& p) const override {
        const Vec3 local = back_ * (p - pose_.translation) / scale_;
        return scale_ * shape_->distance(local);
    }
    Box bounds() const override {
        const Box local = shape_->bounds();
        if (local.empty()) return local;
        Box box;
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3 p(corner & 1 ? local.max.x() : local.min.x(), corner & 2 ? local.max.y() : local.min.y(),
                         corner & 4 ? local.max.z() : local.min.z());
            box.add(placed(p));
        }
        return box;
    }
    double thinnest() const override { return scale_ * shape_->thinnest(); }
    std::optional<ShapeSurface> surface(double edge) const override {
        std::optional<ShapeSurface> out = shape_->surface(edge / scale_);
        if (out)
            for (Vec3& p : out->points) p = placed(p);
        return out;
    }

    std::optional<HollowShape> hollow() const override {
        std::optional<HollowShape> out = shape_->hollow();
        if (out)
            out = HollowShape{transformed(out->solid, pose_, scale_), transformed(out->cavity, pose_, scale_),
                              scale_ * out->wall};
        return out;
    }

private:
    Vec3 placed(const Vec3& p) const { return scale_ * (pose_.rotation * p) + pose_.translation; }

    ShapePtr shape_;
    Pose pose_;
    Mat3 back_;
    double scale_;
};

/// What is left of a solid when a layer is taken off all around.
class Inset final : public Shape {
public:
    Inset(ShapePtr shape, double depth) : shape_(std::move(shape)), depth_(depth) {}

    double distance(const Vec3& p) const override { return shape_->distance(p) + depth_; }
    Box bounds() const override {
        // A point that deep has a ball of the radius `depth` around it inside the solid, hence inside its box.
        Box box = shape_->bounds();
        box.min.array() += depth_, box.max.array() -= depth_;
        return box;
    }
    /// The thinnest part may vanish altogether. What is left of the others is as thick as this or thicker.
    double thinnest() const override { return std::max(shape_->thinnest() - 2 * depth_, 0.1 * shape_->thinnest()); }

private:
    ShapePtr shape_;
    double depth_;
};

class Shell final : public Shape {
public:
    Shell(ShapePtr shape, double wall) : shape_(std::move(shape)), wall_(wall) {}

    double distance(const Vec3& p) const override {
        const double d = shape_->distance(p);
        return std::max(d, -d - wall_);
    }
    Box bounds() const override { return shape_->bounds(); }
    double thinnest() const override { return std::min(wall_, shape_->thinnest()); }
    std::optional<HollowShape> hollow() const override {
        return HollowShape{shape_, std::make_shared<Inset>(shape_, wall_), wall_};
    }

private:
    ShapePtr shape_;
    double wall_;
};

}  // namespace

ShapePtr union_of(std::vector<ShapePtr> parts) {
    return std::make_shared<Union>(parts_of(std::move(parts), "a union"));
}

ShapePtr intersection_of(std::vector<ShapePtr> parts) {
    return std::make_shared<Intersection>(parts_of(std::move(parts), "an intersection"));
}

ShapePtr difference_of(ShapePtr from, ShapePtr cut) {
    std::vector<Part> two = parts_of({std::move(from), std::move(cut)}, "a difference");
    return std::make_shared<Difference>(std::move(two[0]), std::move(two[1]));
}

ShapePtr smooth_union_of(std::vector<ShapePtr> parts, double blend) {
    require_positive(blend, "the blend of a smooth union");
    return std::make_shared<SmoothUnion>(parts_of(std::move(parts), "a smooth union"), blend);
}

ShapePtr transformed(ShapePtr shape, const Pose& pose, double scale) {
    std::vector<Part> one = parts_of({std::move(shape)}, "a transform");
    require_finite(pose.translation, "the translation of a shape");
    const double length = pose.rotation.norm();
    if (!(length > 0) || !std::isfinite(length)) throw UserError("the rotation of a shape must not be zero");
    if (!(scale > 0) || !std::isfinite(scale))
        throw UserError("the scale of a shape must be a positive number, but is " + shape_number(scale));
    return std::make_shared<Transformed>(std::move(one[0].shape), Pose{pose.rotation.normalized(), pose.translation},
                                         scale);
}

ShapePtr shell_of(ShapePtr shape, double wall) {
    require_positive(wall, "the wall of a shell");
    std::vector<Part> one = parts_of({std::move(shape)}, "a shell");
    return std::make_shared<Shell>(std::move(one[0].shape), wall);
}

}  // namespace pliant
