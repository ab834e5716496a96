// What bodies fall on and run into.

#include <algorithm>

#include "pliant/scene/build_parts.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// A square seen in place of a tilted plane; the level ground needs none.
TriMesh plane_patch(const PlaneDesc& plane, double size) {
    const Vec3 along = plane.normal.unitOrthogonal() * size, across = plane.normal.cross(along);
    const Vec3& c = plane.point;
    return {{c - along - across, c + along - across, c + along + across, c - along + across}, {{0, 1, 2}, {0, 2, 3}}};
}

}  // namespace

void add_obstacles(World& w, const SceneDesc& desc, const Building& building) {
    Box all;
    for_each_body(w, [&](const auto& body) { all.add(bounds(body)); });
    for (const PlaneDesc& plane : desc.planes) {
        const bool level = plane.normal.y() > 1 - 1e-12;
        Prop prop;
        prop.name = plane.name;
        prop.obstacle = {.shape = level ? ground_obstacle(plane.point.y()) : plane_obstacle(plane.point, plane.normal),
                         .start = {},
                         .end = {},
                         .friction = plane.friction};
        if (!level) prop.surface = plane_patch(plane, std::max(1e-3, all.diagonal()));
        if (plane.color) prop.color = *plane.color;
        w.props.push_back(std::move(prop));
    }
    for (const ObstacleDesc& obstacle : desc.obstacles) {
        Prop prop;
        prop.name = obstacle.name;
        prop.surface = at_line(obstacle.where, [&] { return seen_surface(obstacle.name, obstacle.surface, building); });
        prop.obstacle.shape =
            obstacle.surface.shape ? solid_obstacle(obstacle.surface.shape) : mesh_obstacle(prop.surface);
        prop.obstacle.friction = obstacle.friction;
        prop.obstacle.start = prop.obstacle.end = obstacle.motion ? obstacle.motion(0) : obstacle.pose;
        prop.motion = obstacle.motion;
        if (obstacle.color) prop.color = *obstacle.color;
        w.props.push_back(std::move(prop));
    }
}

}  // namespace pliant
