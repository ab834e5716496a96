#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

Field vectors(const char* name, const char* unit, Field::On on, std::size_t count) {
    Field field{name, unit, on, 3, {}};
    field.values.reserve(3 * count);
    return field;
}

void push(Field& field, const Vec3& v) {
    for (int k = 0; k < 3; ++k) field.values.push_back(static_cast<float>(v[k]));
}

BodyFrame picture_of(const FemBody& body) {
    BodyFrame frame;
    frame.name = body.name;
    frame.kind = "fem";
    frame.color = body.color;
    frame.points = body.points;
    frame.normals = surface_normals(body);
    frame.triangles = std::make_shared<const std::vector<Tri>>(body.surface.triangles);
    frame.surface_revision = body.mesh.revision;
    frame.nodes = body.x;
    frame.tets = std::make_shared<const std::vector<Tet>>(body.mesh.tets);
    frame.mesh_revision = body.mesh.revision;

    Field displacement = vectors("displacement", "m", Field::On::node, body.x.size());
    Field velocity = vectors("velocity", "m/s", Field::On::node, body.x.size());
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        push(displacement, body.x[i] - body.mesh.rest[i]);
        push(velocity, body.v[i]);
    }
    Field stress{"von_mises", "Pa", Field::On::tet, 1, {}};
    for (int t = 0; t < body.mesh.tet_count(); ++t) stress.values.push_back(static_cast<float>(von_mises(body, t)));
    Field speed{"speed", "m/s", Field::On::vertex, 1, {}};
    for (const Vec3& v : body.velocities) speed.values.push_back(static_cast<float>(v.norm()));
    frame.fields = {std::move(displacement), std::move(velocity), std::move(stress), std::move(speed)};
    if (!body.plastic_strain.empty()) {
        Field plastic{"plastic_strain", "1", Field::On::tet, 1, {}};
        for (const Strain6& e : body.plastic_strain) plastic.values.push_back(static_cast<float>(strain_norm(e)));
        frame.fields.push_back(std::move(plastic));
    }
    if (body.heat) {
        Field temperature{"temperature", "°C", Field::On::tet, 1, {}};
        for (const Tet& tet : body.mesh.tets)
            temperature.values.push_back(static_cast<float>(element_temperature(body.temperature, tet)));
        frame.fields.push_back(std::move(temperature));
    }
    return frame;
}

BodyFrame picture_of(const Prop& prop, double time) {
    BodyFrame frame;
    frame.name = prop.name;
    frame.kind = "obstacle";
    frame.color = prop.color;
    const Pose pose = prop.motion ? prop.motion(time) : prop.obstacle.end;
    frame.points.reserve(prop.surface.points.size());
    for (const Vec3& p : prop.surface.points) frame.points.push_back(pose * p);
    frame.normals = vertex_normals(frame.points, prop.surface.triangles);
    frame.triangles = std::make_shared<const std::vector<Tri>>(prop.surface.triangles);
    return frame;
}

}  // namespace

Frame snapshot(World& w, int index) {
    Frame frame;
    frame.index = index;
    frame.time = w.time;
    for_each_body(w, [&](const auto& body) { frame.bodies.push_back(picture_of(body)); });
    for (const Prop& prop : w.props)
        if (!prop.surface.triangles.empty()) frame.bodies.push_back(picture_of(prop, w.time));
    frame.events = std::exchange(w.events, {});
    return frame;
}

}  // namespace pliant
