#pragma once
// Things that bodies run into and that are no part of the linear system: ground, planes, simple solids, any Shape,
// triangle meshes. They stand still, follow a script, or stand for a body of another kind that yields.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

/// Where a point stands to an obstacle, in the obstacle's own frame.
struct ObstaclePoint {
    double distance;  ///< m, negative inside
    Vec3 normal;      ///< unit, out of the obstacle, along the shortest way out or in
    Vec3 point;       ///< on the surface
};

class ObstacleShape {
public:
    virtual ~ObstacleShape() = default;

    /// False when the surface is farther than `reach` (m); a solid may also answer from deeper inside. Outside, the
    /// distance found must not be larger than the true one: motion is traced through the free space it promises.
    virtual bool nearest(const Vec3& p, double reach, ObstaclePoint& out) const = 0;

    /// A convex obstacle cannot be touched by one vertex in two places.
    virtual bool convex() const { return false; }

    /// False for an open sheet, which has a front but no inside.
    virtual bool solid() const { return true; }

    /// A half space: a point of its plane and the unit normal that points out of it.
    struct Plane {
        Vec3 point, normal;
    };
    virtual std::optional<Plane> plane() const { return std::nullopt; }
};

using ObstacleShapePtr = std::shared_ptr<const ObstacleShape>;

/// All below y = height.
ObstacleShapePtr ground_obstacle(double height = 0);
/// All behind the plane through `point`; the normal needs no unit length but must not be zero.
ObstacleShapePtr plane_obstacle(const Vec3& point, const Vec3& normal);
/// Centred on the origin.
ObstacleShapePtr box_obstacle(const Vec3& size);
ObstacleShapePtr sphere_obstacle(double radius);
ObstacleShapePtr capsule_obstacle(const Vec3& a, const Vec3& b, double radius);
/// Any solid with a signed distance.
ObstacleShapePtr solid_obstacle(ShapePtr shape);
/// A closed surface is solid. An open one is a sheet that holds on the side its triangles face: counter-clockwise
/// seen from there.
ObstacleShapePtr mesh_obstacle(TriMesh mesh);

/// An obstacle in the world. For one that stands still both poses are the same.
struct Obstacle {
    ObstacleShapePtr shape;
    Pose start;            ///< at the start of the step
    Pose end;              ///< at its end
    double friction = -1;  ///< Coulomb coefficient; negative: not given, the body's alone counts
    /// How fast a point of its surface yields to a unit impulse along a direction, 1/kg; empty: nothing pushes it.
    /// Whoever gives one hands ContactSolver::returned() back to what the obstacle stands for.
    std::function<double(const Vec3& point, const Vec3& direction)> mobility = {};
};

}  // namespace pliant
