// Rigid bodies of a scene: surface, weight, convex pieces, and the obstacles they meet.

#include "pliant/material/preset.hpp"
#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// Signed distance of a closed triangle mesh, by the obstacle that contact uses.
std::function<double(const Vec3&)> distance_to(const TriMesh& surface) {
    const ObstacleShapePtr solid = mesh_obstacle(surface);
    const double far = surface.bounds().diagonal();
    return [solid, far](const Vec3& p) {
        ObstaclePoint found;
        return solid->nearest(p, far, found) ? found.distance : far;
    };
}

std::vector<std::vector<Vec3>> pieces_of(const SurfaceDesc& desc, const TriMesh& surface, int limit) {
    PieceOptions options;
    options.limit = limit;
    if (limit == 1) options.tolerance = 1e300;
    if (desc.shape)
        return convex_pieces(
            surface.points, [&](const Vec3& p) { return desc.shape->distance(p); }, options);
    return convex_pieces(surface.points, distance_to(surface), options);
}

/// Surface and pieces of a shape, which many bodies of a scene may share.
struct Form {
    const BodyDesc* body;
    TriMesh surface;
    std::vector<std::vector<Vec3>> pieces;
};

const Form& form_of(const BodyDesc& desc, std::vector<Form>& known, const Building& building) {
    for (const Form& form : known) {
        const SurfaceDesc &a = form.body->surface, &b = desc.surface;
        if (a.shape && a.shape == b.shape && a.edge == b.edge && a.triangles == b.triangles &&
            form.body->pieces == desc.pieces)
            return form;
    }
    TriMesh surface = at_line(desc.surface.where, [&] { return seen_surface(desc.name, desc.surface, building); });
    if (surface.triangles.empty()) {
        const TetMesh mesh = carrying_mesh(desc, surface, building);
        surface = boundary_surface(mesh).surface;
    }
    auto pieces = pieces_of(desc.surface, surface, desc.pieces);
    return known.emplace_back(Form{&desc, std::move(surface), std::move(pieces)});
}

RigidBody build_rigid(const BodyDesc& desc, const Form& form) {
    RigidBodyDesc body;
    body.name = desc.name;
    body.surface = form.surface;
    body.pieces = form.pieces;
    const MaterialDesc& material = desc.material;
    if (!material.preset.empty()) body.density = material_presets().get(material.preset, material.preset_where).density;
    body.density = material.numbers.density.value_or(body.density);
    body.friction = material.friction.value_or(body.friction);
    body.restitution = desc.restitution;
    body.velocity = desc.velocity, body.spin = desc.spin;
    body.fixed = desc.fixed;
    if (desc.color) body.color = *desc.color;
    for (Vec3& p : body.surface.points) p = desc.pose * p;
    for (auto& piece : body.pieces)
        for (Vec3& p : piece) p = desc.pose * p;
    return at_line(desc.where, [&] { return make_rigid_body(std::move(body)); });
}

/// Answers what a scene asks about a rigid body. Its nodes are the points of its surface.
class RigidQuery : public BodyQuery {
public:
    RigidQuery(const World& world, int index) : world_(world), index_(static_cast<std::size_t>(index)) {}

    double volume() const override { return body().rest.volume; }
    double rest_volume() const override { return body().rest.volume; }
    double mass() const override { return body().rest.mass; }
    Vec3 center() const override { return body().x; }
    Vec3 velocity() const override { return body().fixed ? Vec3::Zero() : body().v; }
    double kinetic_energy() const override { return pliant::kinetic_energy(body()); }
    double elastic_energy() const override { return 0; }
    double max_speed() const override { return pliant::max_speed(body()); }
    Box bounds() const override { return pliant::bounds(body()); }
    int node_count() const override { return static_cast<int>(body().surface.points.size()); }
    int tet_count() const override { return 0; }
    std::uint64_t revision() const override { return 0; }
    Vec3 node_position(int node) const override {
        return pose_of(body()) * body().surface.points[static_cast<std::size_t>(node)];
    }
    int node_near(const Vec3& start) const override {
        int best = 0;
        const std::vector<Vec3>& points = body().surface.points;
        for (int i = 1; i < static_cast<int>(points.size()); ++i)
            if ((points[i] - start).squaredNorm() < (points[best] - start).squaredNorm()) best = i;
        return best;
    }

private:
    const RigidBody& body() const { return world_.rigid.bodies[index_]; }
    const World& world_;
    std::size_t index_;
};

}  // namespace

void add_rigid_bodies(World& w, const SceneDesc& desc, const Building& building) {
    std::vector<Form> forms;
    for (const BodyDesc& body : desc.bodies) {
        if (body.kind != "rigid") continue;
        if (!rigid_bodies_available())
            throw UserError("this build has no rigid bodies", body.where,
                            "Install libbullet-dev, then configure and build again");
        const int index = static_cast<int>(w.rigid.bodies.size());
        w.rigid.bodies.push_back(build_rigid(body, form_of(body, forms, building)));
        for (const Vec3& point : body.hung) w.rigid.joints.push_back({index, point});
    }
    if (w.rigid.bodies.empty()) return;
    w.rigid.solver.options.substep = desc.rigid_substep;
    // In the order of World::props: planes, then obstacles.
    for (std::size_t i = 0; i < desc.planes.size(); ++i) {
        const PlaneDesc& plane = desc.planes[i];
        RigidObstacle half;
        half.half_space = true;
        half.point = plane.point, half.normal = plane.normal;
        half.friction = plane.friction;
        w.props[i].rigid_form = std::move(half);
    }
    for (std::size_t i = 0; i < desc.obstacles.size(); ++i) {
        Prop& prop = w.props[desc.planes.size() + i];
        RigidObstacle solid;
        solid.pieces = pieces_of(desc.obstacles[i].surface, prop.surface, 256);
        solid.start = prop.obstacle.start, solid.end = prop.obstacle.end;
        solid.friction = desc.obstacles[i].friction;
        prop.rigid_form = std::move(solid);
    }
}

std::unique_ptr<BodyQuery> rigid_query(const World& w, int index) { return std::make_unique<RigidQuery>(w, index); }

}  // namespace pliant
