#include "pliant/contact/obstacle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/contact/neighbourhood.hpp"
#include "pliant/core/error.hpp"
#include "pliant/geometry/aabb_tree.hpp"

namespace pliant {

namespace {

class HalfSpace final : public ObstacleShape {
public:
    HalfSpace(const Vec3& point, const Vec3& normal) : point_(point), normal_(normal.stableNormalized()) {
        CHECK(normal_.allFinite() && normal_.norm() > 0.5, normal.transpose());
    }
    bool nearest(const Vec3& p, double reach, ObstaclePoint& out) const override {
        const double d = normal_.dot(p - point_);
        out = {d, normal_, p - d * normal_};
        return d <= reach;
    }
    bool convex() const override { return true; }
    std::optional<Plane> plane() const override { return Plane{point_, normal_}; }

private:
    Vec3 point_, normal_;
};

class SolidBox final : public ObstacleShape {
public:
    explicit SolidBox(const Vec3& size) : half_(0.5 * size) {}

    bool nearest(const Vec3& p, double reach, ObstaclePoint& out) const override {
        const Vec3 outside = p.cwiseAbs() - half_;
        const double most = outside.maxCoeff();
        if (most > reach) return false;
        out.point = p.cwiseMax(-half_).cwiseMin(half_);
        if (most > 0) {
            const Vec3 way = p - out.point;
            out.distance = way.norm();
            out.normal = way / out.distance;
            return out.distance <= reach;
        }
        int axis = 0;
        outside.maxCoeff(&axis);
        const double side = p[axis] < 0 ? -1 : 1;
        out.distance = most;
        out.normal = side * Vec3::Unit(axis);
        out.point[axis] = side * half_[axis];
        return true;
    }
    bool convex() const override { return true; }

private:
    Vec3 half_;
};

// A sphere is a capsule of length zero.
class Capsule final : public ObstacleShape {
public:
    Capsule(const Vec3& a, const Vec3& b, double radius) : a_(a), b_(b), radius_(radius) {}

    bool nearest(const Vec3& p, double reach, ObstaclePoint& out) const override {
        const ClosestOnSegment axis = closest_on_segment(p, a_, b_);
        const Vec3 way = p - axis.point;
        const double length = way.norm();
        out.distance = length - radius_;
        if (out.distance > reach) return false;
        out.normal = length > 0 ? Vec3(way / length) : across();
        out.point = axis.point + radius_ * out.normal;
        return true;
    }
    bool convex() const override { return true; }

private:
    // Some direction out of the axis, for a point exactly on it.
    Vec3 across() const {
        const Vec3 axis = b_ - a_;
        return axis.squaredNorm() > 0 ? axis.unitOrthogonal() : Vec3::UnitY();
    }
    Vec3 a_, b_;
    double radius_;
};

class ShapeObstacle final : public ObstacleShape {
public:
    explicit ShapeObstacle(ShapePtr shape)
        : shape_(std::move(shape)), bounds_(shape_->bounds()), step_(1e-5 * bounds_.diagonal()) {}

    bool nearest(const Vec3& p, double reach, ObstaclePoint& out) const override {
        out.distance = shape_->distance(p);
        if (!(out.distance <= reach)) return false;
        // Differences along the four corners of a tetrahedron: a gradient for four evaluations.
        static const Vec3 corner[4] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
        Vec3 gradient = Vec3::Zero();
        for (const Vec3& c : corner) gradient += shape_->distance(p + step_ * c) * c;
        const double length = gradient.norm();
        // On a ridge deep inside all ways out are equally long.
        out.normal = length > 1e-3 * step_ ? Vec3(gradient / length) : way_from_center(p);
        out.point = p - out.distance * out.normal;
        return true;
    }

private:
    Vec3 way_from_center(const Vec3& p) const {
        const Vec3 way = p - bounds_.center();
        return way.squaredNorm() > 0 ? Vec3(way.normalized()) : Vec3::UnitY();
    }
    ShapePtr shape_;
    Box bounds_;
    double step_;
};

class MeshObstacle final : public ObstacleShape {
public:
    explicit MeshObstacle(TriMesh mesh) : mesh_(std::move(mesh)) {
        // Triangles without area have no side and only confuse the signs at the edges they share.
        std::erase_if(mesh_.triangles, [&](const Tri& t) { return !(area_normal(mesh_.points, t).squaredNorm() > 0); });
        near_ = find_neighbours(mesh_.points, mesh_.triangles);
        solid_ = near_.closed();
        std::vector<Box> boxes(mesh_.triangles.size());
        for (std::size_t t = 0; t < boxes.size(); ++t)
            for (int v : mesh_.triangles[t]) boxes[t].add(mesh_.points[v]);
        tree_ = AabbTree(boxes);
    }
    bool nearest(const Vec3& p, double reach, ObstaclePoint& out) const override {
        const auto found = tree_.nearest(p, reach < 1e150 ? reach * reach : 1e300, [&](int t) {
            const Tri& tri = mesh_.triangles[t];
            return distance2_to_triangle(p, mesh_.points[tri[0]], mesh_.points[tri[1]], mesh_.points[tri[2]]);
        });
        if (found.item < 0) return false;
        const Tri& tri = mesh_.triangles[found.item];
        const ClosestOnTriangle c =
            closest_on_triangle(p, mesh_.points[tri[0]], mesh_.points[tri[1]], mesh_.points[tri[2]]);
        const Vec3 side = pseudonormal(near_, mesh_.points, mesh_.triangles, found.item, c.feature);
        const Vec3 way = p - c.point;
        const bool behind = way.dot(side) < 0;
        // Beside the rim of a sheet there is nothing to touch from behind.
        if (behind && !solid_ && on_rim(near_, mesh_.triangles, found.item, c.feature)) return false;
        const double length = way.norm();
        out.distance = behind ? -length : length;
        if (out.distance > reach) return false;
        out.point = c.point;
        // Right on an edge the way has no direction left; the pseudonormal has.
        const bool lost = !(length > 1e-9 * tree_.bounds().diagonal());
        out.normal = lost ? Vec3(side.stableNormalized()) : Vec3(way / out.distance);
        return out.normal.squaredNorm() > 0.5;
    }

    bool solid() const override { return solid_; }

private:
    TriMesh mesh_;
    Neighbourhood near_;
    AabbTree tree_;
    bool solid_ = false;
};

}  // namespace

ObstacleShapePtr ground_obstacle(double height) {
    return std::make_shared<HalfSpace>(Vec3(0, height, 0), Vec3::UnitY());
}
ObstacleShapePtr plane_obstacle(const Vec3& point, const Vec3& normal) {
    return std::make_shared<HalfSpace>(point, normal);
}
ObstacleShapePtr box_obstacle(const Vec3& size) { return std::make_shared<SolidBox>(size); }
ObstacleShapePtr sphere_obstacle(double radius) {
    return std::make_shared<Capsule>(Vec3::Zero(), Vec3::Zero(), radius);
}
ObstacleShapePtr capsule_obstacle(const Vec3& a, const Vec3& b, double radius) {
    return std::make_shared<Capsule>(a, b, radius);
}
ObstacleShapePtr solid_obstacle(ShapePtr shape) { return std::make_shared<ShapeObstacle>(std::move(shape)); }
ObstacleShapePtr mesh_obstacle(TriMesh mesh) { return std::make_shared<MeshObstacle>(std::move(mesh)); }

}  // namespace pliant
