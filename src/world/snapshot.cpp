#include <algorithm>
#include <cmath>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/material/stress.hpp"
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

/// Vertices of the skin have the normal of the skin, vertices inside a crack that of the crack.
std::vector<Vec3> skin_normals(const FemBody& body) {
    const auto crack = body.fracture->skin.crack();
    std::vector<Vec3> normals(body.points.size(), Vec3::Zero()), inside = normals;
    for (std::size_t t = 0; t < crack.size(); ++t) {
        const Tri& tri = body.surface.triangles[t];
        const Vec3 n = (body.points[tri[1]] - body.points[tri[0]]).cross(body.points[tri[2]] - body.points[tri[0]]);
        for (int v : tri) (crack[t] ? inside : normals)[v] += n;
    }
    for (std::size_t i = 0; i < normals.size(); ++i) {
        if (normals[i].isZero(0)) normals[i] = inside[i];
        const double length = normals[i].norm();
        if (length > 0) normals[i] /= length;
    }
    return normals;
}

void add_crack_fields(const FemBody& body, BodyFrame& frame) {
    const Skin& skin = body.fracture->skin;
    Field crack{"crack", "", Field::On::triangle, 1, {}}, piece{"piece", "", Field::On::triangle, 1, {}},
        flat{"flat", "", Field::On::triangle, 1, {}};
    for (std::uint8_t c : skin.crack()) {
        crack.values.push_back(c);
        flat.values.push_back(c && !body.fracture->smooth ? 1.f : 0.f);
    }
    for (int p : skin.piece()) piece.values.push_back(static_cast<float>(p));
    for (Field* field : {&crack, &piece, &flat}) frame.fields.push_back(std::move(*field));
}

/// cos(acos(r)/3) for r in [-1, 1], to 4e-9: analytic in s = cos(acos(r)/2), of which this is the Chebyshev fit.
double third_of_the_angle(double r) {
    constexpr double fit[9] = {0.5000000033,  0.5773497198,   -0.1110956833,  0.053288656,     -0.03196129546,
                               0.01967571821, -0.01032549308, 0.003707686479, -0.0006393143678};
    const double s = std::sqrt(0.5 * (1 + r)), s2 = s * s, s4 = s2 * s2;
    const auto pair = [&](int k) { return fit[k] + fit[k + 1] * s; };  // all of them at once: no long chain
    return (pair(0) + pair(2) * s2) + s4 * ((pair(4) + pair(6) * s2) + fit[8] * s4);
}

/// Positive where the material is pulled apart: what breaks brittle things. The greatest root of the characteristic
/// equation of the symmetric stress, by its trigonometric solution, as exact as the float it becomes.
double largest_principal_stress(const Strain6& s) {
    const double mean = (s[0] + s[1] + s[2]) / 3;
    const double a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;
    const double p = std::sqrt((a * a + b * b + c * c + 2 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5])) / 6);
    if (!(p > 0)) return mean;
    const double determinant =
        a * (b * c - s[4] * s[4]) - s[3] * (s[3] * c - s[4] * s[5]) + s[5] * (s[3] * s[4] - b * s[5]);
    const double r = std::clamp(determinant / (2 * p * p * p), -1.0, 1.0);
    return mean + 2 * p * third_of_the_angle(r);
}

/// What all kinds have: who it is, and its connectivity as the picture before had it.
template <class Body>
BodyFrame begin_picture(const Body& body, const char* kind, std::uint64_t revision, ShownTopology& shown,
                        const std::vector<Tet>* tets) {
    BodyFrame frame;
    frame.name = body.name;
    frame.kind = kind;
    frame.color = body.color;
    if (!shown.triangles || shown.revision != revision) {
        shown.revision = revision;
        shown.triangles = std::make_shared<const std::vector<Tri>>(body.surface.triangles);
        shown.tets = tets ? std::make_shared<const std::vector<Tet>>(*tets) : nullptr;
    }
    frame.triangles = shown.triangles, frame.surface_revision = revision;
    frame.tets = shown.tets, frame.mesh_revision = revision;
    return frame;
}

Field speeds(const std::vector<Vec3>& velocities) {
    Field field{"speed", "m/s", Field::On::vertex, 1, {}};
    field.values.reserve(velocities.size());
    for (const Vec3& v : velocities) field.values.push_back(static_cast<float>(v.norm()));
    return field;
}

template <class Body>
void add_temperature(const Body& body, BodyFrame& frame) {
    if (!body.heat) return;
    Field temperature{"temperature", "°C", Field::On::tet, 1, {}};
    temperature.values.reserve(body.mesh.tets.size());
    for (const Tet& tet : body.mesh.tets)
        temperature.values.push_back(static_cast<float>(element_temperature(body.temperature, tet)));
    frame.fields.push_back(std::move(temperature));
}

BodyFrame picture_of(const FemBody& body, Threads& threads, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, kind_name(body), body.mesh.revision, shown, &body.mesh.tets);
    frame.points = body.points;
    frame.normals = body.fracture ? skin_normals(body) : surface_normals(body);
    frame.nodes = body.x;

    Field displacement = vectors("displacement", "m", Field::On::node, body.x.size());
    Field velocity = vectors("velocity", "m/s", Field::On::node, body.x.size());
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        push(displacement, body.x[i] - body.mesh.rest[i]);
        push(velocity, body.v[i]);
    }
    Field stress{"von_mises", "Pa", Field::On::tet, 1, std::vector<float>(body.mesh.tets.size())};
    Field principal{"principal_stress", "Pa", Field::On::tet, 1, std::vector<float>(body.mesh.tets.size())};
    parallel_for(threads, body.mesh.tets.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Strain6 s = elastic_stress(body, static_cast<int>(t));
            stress.values[t] = static_cast<float>(von_mises(s));
            principal.values[t] = static_cast<float>(largest_principal_stress(s));
        }
    });
    frame.fields = {std::move(displacement), std::move(velocity), std::move(stress), std::move(principal),
                    speeds(body.velocities)};
    if (!body.plastic_strain.empty()) {
        Field plastic{"plastic_strain", "1", Field::On::tet, 1, {}};
        for (const Strain6& e : body.plastic_strain) plastic.values.push_back(static_cast<float>(strain_norm(e)));
        frame.fields.push_back(std::move(plastic));
    }
    add_temperature(body, frame);
    if (body.fracture) add_crack_fields(body, frame);
    return frame;
}

BodyFrame picture_of(const ParticleBody& body, Threads&, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, kind_name(body), 0, shown, &body.mesh.tets);
    frame.points = body.points;
    frame.normals = surface_normals(body);
    frame.nodes = body.x;
    Field displacement = vectors("displacement", "m", Field::On::node, body.x.size());
    Field velocity = vectors("velocity", "m/s", Field::On::node, body.x.size());
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        push(displacement, body.x[i] - body.mesh.rest[i]);
        push(velocity, body.v[i]);
    }
    Field stretch{"volume_ratio", "1", Field::On::tet, 1, {}};
    for (const Tet& t : body.mesh.tets)
        stretch.values.push_back(static_cast<float>(signed_volume(body.x, t) / signed_volume(body.mesh.rest, t)));
    frame.fields = {std::move(displacement), std::move(velocity), std::move(stretch), speeds(body.velocities)};
    add_temperature(body, frame);
    return frame;
}

BodyFrame picture_of(const ModalBody& body, Threads&, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, kind_name(body), 0, shown, &body.mesh.tets);
    frame.points = body.points;
    frame.normals = surface_normals(body);
    frame.nodes = body.x;
    // Displacement within the rigid frame: what the modes do.
    Field displacement = vectors("displacement", "m", Field::On::node, body.x.size());
    Field velocity = vectors("velocity", "m/s", Field::On::node, body.x.size());
    const Pose back = body.frame.inverse();
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        push(displacement, back * body.x[i] + body.centre - body.mesh.rest[i]);
        push(velocity, body.v[i]);
    }
    frame.fields = {std::move(displacement), std::move(velocity), speeds(body.velocities)};
    add_temperature(body, frame);
    return frame;
}

BodyFrame picture_of(const RigidBody& body, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, "rigid", 0, shown, nullptr);
    const Pose pose = pose_of(body);
    frame.points.reserve(body.surface.points.size());
    for (const Vec3& p : body.surface.points) frame.points.push_back(pose * p);
    frame.normals = vertex_normals(frame.points, body.surface.triangles);
    Field speed{"speed", "m/s", Field::On::vertex, 1, {}};
    for (const Vec3& p : frame.points)
        speed.values.push_back(static_cast<float>((body.v + body.spin.cross(p - body.x)).norm()));
    frame.fields = {std::move(speed)};
    return frame;
}

BodyFrame picture_of(const Prop& prop, double time, ShownTopology& shown) {
    BodyFrame frame = begin_picture(prop, "obstacle", 0, shown, nullptr);
    const Pose pose = prop.motion ? prop.motion(time) : prop.obstacle.end;
    frame.points.reserve(prop.surface.points.size());
    for (const Vec3& p : prop.surface.points) frame.points.push_back(pose * p);
    frame.normals = vertex_normals(frame.points, prop.surface.triangles);
    return frame;
}

}  // namespace

std::vector<Vec3> corner_normals(const BodyFrame& body) {
    const Field *crack = nullptr, *flat = nullptr;
    for (const Field& field : body.fields) {
        if (field.on != Field::On::triangle || field.components != 1 || !body.triangles ||
            field.values.size() != body.triangles->size())
            continue;
        if (field.name == "crack") crack = &field;
        if (field.name == "flat") flat = &field;
    }
    if (!crack || std::none_of(crack->values.begin(), crack->values.end(), [](float c) { return c > 0.5f; })) return {};
    const std::vector<Tri>& triangles = *body.triangles;
    std::vector<Vec3> face(triangles.size()), sum[2];
    for (auto& s : sum) s.assign(body.points.size(), Vec3::Zero());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Tri& tri = triangles[t];
        face[t] = (body.points[tri[1]] - body.points[tri[0]]).cross(body.points[tri[2]] - body.points[tri[0]]);
        for (int v : tri) sum[crack->values[t] > 0.5f][v] += face[t];
    }
    const auto unit = [](const Vec3& n) {
        const double length = n.norm();
        return length > 0 ? Vec3(n / length) : Vec3(Vec3::Zero());
    };
    std::vector<Vec3> normals;
    normals.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int v : triangles[t])
            normals.push_back(unit(flat && flat->values[t] > 0.5f ? face[t] : sum[crack->values[t] > 0.5f][v]));
    return normals;
}

Frame snapshot(World& w, int index) {
    Frame frame;
    frame.index = index;
    frame.time = w.time;
    w.shown.resize(static_cast<std::size_t>(body_count(w)) + w.rigid.bodies.size() + w.props.size());
    auto shown = w.shown.begin();
    for_each_body(w, [&](const auto& body) { frame.bodies.push_back(picture_of(body, *w.threads, *shown++)); });
    for (const RigidBody& body : w.rigid.bodies) frame.bodies.push_back(picture_of(body, *shown++));
    for (const Prop& prop : w.props)
        if (!prop.surface.triangles.empty()) frame.bodies.push_back(picture_of(prop, w.time, *shown++));
    frame.events = std::exchange(w.events, {});
    frame.blows = std::exchange(w.blows, {});
    return frame;
}

}  // namespace pliant
