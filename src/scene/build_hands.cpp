// What acts on bodies that are already in the world: grips, pulls, hands, loads, sources of heat.

#include <algorithm>
#include <limits>

#include "pliant/core/text.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

Point point_near(const ShellBody& body, const Vec3& at) { return nearest_point(body, at); }
Point point_near(const DeformableBody& body, const Vec3& at) { return embed_point(body.mesh, at); }

/// Nodes whose start lies in the shape, its boundary included. None is an error that says how near the nearest is.
template <class Body>
std::vector<int> nodes_inside(const Body& body, const Shape& shape, const Where& where) {
    std::vector<int> nodes;
    const double hair = 1e-9 * bounds(body).diagonal();
    double nearest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < body.mesh.node_count(); ++i) {
        const double distance = shape.distance(body.mesh.rest[i]);
        nearest = std::min(nearest, distance);
        if (distance <= hair) nodes.push_back(i);
    }
    if (nodes.empty())
        throw UserError("no node of body '" + body.name + "' lies inside this shape", where,
                        "The nearest is " + short_number(nearest) + " m away: move or enlarge the shape");
    return nodes;
}

template <class Body>
int nearest_node(const Body& body, const Vec3& point) {
    int best = 0;
    for (int i = 1; i < body.mesh.node_count(); ++i)
        if ((body.mesh.rest[i] - point).squaredNorm() < (body.mesh.rest[best] - point).squaredNorm()) best = i;
    return best;
}

/// A load that meets nothing is a mistake in its shape.
template <class Body>
void check_region(const Body& body, const Region& region, const char* what, const Where& where) {
    if (!region.members.empty()) return;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& p : body.surface().points) nearest = std::min(nearest, region.inside->distance(p));
    throw UserError("no " + std::string(what) + " of body '" + body.name + "' lies inside this shape", where,
                    nearest > 0 ? "The nearest point of its surface is " + short_number(nearest) +
                                      " m away: move or enlarge the shape"
                                : std::string("Enlarge the shape, or make the body finer"));
}

}  // namespace

void add_hands(World& w, const SceneDesc& desc) {
    const std::vector<int> number = body_numbers(desc);
    const auto refuse_rigid = [&](int body, const Where& where) {
        if (desc.bodies[static_cast<std::size_t>(body)].kind == "rigid")
            throw UserError("a rigid body cannot be held or pulled", where,
                            "Give it fixed = true, hung = { … } or a velocity");
    };
    for (const GripDesc& grip : desc.grips) refuse_rigid(grip.body, grip.where);
    for (const PullDesc& pull : desc.pulls) refuse_rigid(pull.body, pull.where);
    for (const DragDesc& drag : desc.drags) refuse_rigid(drag.body, drag.where);
    for (const SurfaceLoadDesc& load : desc.surface_loads) refuse_rigid(load.body, load.where);
    for (const VolumeLoadDesc& load : desc.volume_loads) refuse_rigid(load.body, load.where);
    for (const GripDesc& grip : desc.grips)
        visit_body(w, number[grip.body], [&](const auto& body) {
            w.grips.push_back({number[grip.body],
                               nodes_inside(body, *grip.inside, grip.where),
                               grip.pose,
                               {grip.from, grip.till},
                               grip.axis});
        });
    for (const PullDesc& pull : desc.pulls)
        visit_body(w, number[pull.body], [&](const auto& body) {
            std::vector<int> nodes =
                pull.inside ? nodes_inside(body, *pull.inside, pull.where) : std::vector{nearest_node(body, *pull.at)};
            w.pulls.push_back({number[pull.body], std::move(nodes), pull.force, {pull.from, pull.till}});
        });
    for (const DragDesc& drag : desc.drags) {
        const Point point =
            visit_body(w, number[drag.body], [&](const auto& body) { return point_near(body, drag.at); });
        w.drags.push_back({number[drag.body], point, drag.target, drag.stiffness, {drag.from, drag.till}});
    }
}

void add_loads(World& w, const SceneDesc& desc) {
    const std::vector<int> number = body_numbers(desc);
    for (const SurfaceLoadDesc& load : desc.surface_loads) {
        SurfaceLoad made{.body = number[load.body],
                         .on = {.inside = load.on, .members = {}},
                         .pressure = load.pressure,
                         .traction = load.traction,
                         .following = load.following,
                         .when = {load.from, load.till}};
        visit_body(w, made.body, [&](const auto& body) {
            find_triangles(made.on, body);
            check_region(body, made.on, "triangle of the surface", load.where);
        });
        w.surface_loads.push_back(std::move(made));
    }
    for (const VolumeLoadDesc& load : desc.volume_loads) {
        VolumeLoad made{.body = number[load.body],
                        .in = {.inside = load.inside, .members = {}},
                        .force = load.force,
                        .when = {load.from, load.till}};
        visit_body(w, made.body, [&](const auto& body) {
            find_tets(made.in, body);
            check_region(body, made.in, "element", load.where);
        });
        w.volume_loads.push_back(std::move(made));
    }
}

void add_heat_sources(World& w, const SceneDesc& desc) {
    for (const HeatSourceDesc& source : desc.heat_sources)
        w.heat_sources.push_back(
            {source.at, source.radius, source.temperature, source.power, {source.from, source.till}});
}

}  // namespace pliant
