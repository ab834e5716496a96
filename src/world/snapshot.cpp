#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// The field of of(i), which is a number or a vector.
template <class Of>
Field field_of(const char* name, const char* unit, Field::On on, std::size_t count, Threads& threads, Of&& of) {
    constexpr int components = std::is_convertible_v<decltype(of(std::size_t{})), Vec3> ? 3 : 1;
    Field field{name, unit, on, components, std::vector<float>(components * count)};
    parallel_for(threads, count, 2048, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if constexpr (components == 3)
                Eigen::Map<Eigen::Vector3f>(&field.values[3 * i]) = Vec3(of(i)).template cast<float>();
            else
                field.values[i] = static_cast<float>(of(i));
        }
    });
    return field;
}

/// Vertices of the skin have the normal of the skin, vertices inside a crack that of the crack.
std::vector<Vec3> skin_normals(const FemBody& body) {
    const auto crack = body.seen->crack();
    if (std::none_of(crack.begin(), crack.end(), [](std::uint8_t c) { return c; })) return surface_normals(body);
    std::vector<Vec3> normals(body.points.size(), Vec3::Zero()), inside = normals;
    const std::vector<Tri>& triangles = body.surface().triangles;
    for (std::size_t t = 0; t < crack.size(); ++t) {
        const Tri& tri = triangles[t];
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

void add_crack_fields(const FemBody& body, BodyFrame& frame, Threads& threads) {
    const auto crack = body.seen->crack();
    const auto piece = body.seen->piece();
    const bool smooth = smooth_cracks(body);
    const auto add = [&](const char* name, auto&& of) {
        frame.fields.push_back(field_of(name, "", Field::On::triangle, crack.size(), threads, of));
    };
    add("crack", [&](std::size_t t) { return crack[t]; });
    add("piece", [&](std::size_t t) { return piece[t]; });
    add("flat", [&](std::size_t t) { return crack[t] && !smooth ? 1 : 0; });
}

/// What all kinds have: who it is, and its connectivity as the picture before had it.
template <class Body>
BodyFrame begin_picture(const Body& body, const char* kind, std::uint64_t revision, ShownTopology& shown) {
    constexpr bool has_mesh = std::derived_from<Body, DeformableBody>;
    BodyFrame frame;
    frame.name = body.name;
    frame.kind = kind;
    frame.color = body.color;
    if (!shown.triangles || shown.revision != revision) {
        shown.revision = revision;
        if constexpr (has_mesh) {
            const Embedding& embedding = body.embedding();
            shown.triangles = std::make_shared<const std::vector<Tri>>(body.surface().triangles);
            shown.attributes = body.seen->attributes();
            shown.tets = std::make_shared<const std::vector<Tet>>(body.mesh.tets);
            std::vector<Point> carriers(embedding.size());
            for (std::size_t i = 0; i < carriers.size(); ++i) carriers[i] = embedding.point(i, body.mesh.tets);
            shown.carriers = std::make_shared<const std::vector<Point>>(std::move(carriers));
        } else {
            shown.triangles = std::make_shared<const std::vector<Tri>>(body.surface.triangles);
            shown.attributes = body.surface.attributes;
        }
    }
    frame.triangles = shown.triangles, frame.surface_revision = revision;
    frame.attributes = shown.attributes;
    frame.tets = shown.tets, frame.mesh_revision = revision;
    frame.carriers = shown.carriers;
    return frame;
}

Field velocity_field(const std::vector<Vec3>& v, Threads& threads) {
    return field_of("velocity", "m/s", Field::On::node, v.size(), threads, [&](std::size_t i) { return v[i]; });
}

Field displacement_field(const std::vector<Vec3>& x, const std::vector<Vec3>& rest, Threads& threads) {
    return field_of("displacement", "m", Field::On::node, x.size(), threads,
                    [&](std::size_t i) -> Vec3 { return x[i] - rest[i]; });
}

Field speed_field(const std::vector<Vec3>& velocities, Threads& threads) {
    return field_of("speed", "m/s", Field::On::vertex, velocities.size(), threads,
                    [&](std::size_t i) { return velocities[i].norm(); });
}

template <class Body>
void add_temperature(const Body& body, BodyFrame& frame, Threads& threads) {
    if (!body.heat) return;
    frame.fields.push_back(
        field_of("temperature", "°C", Field::On::tet, body.mesh.tets.size(), threads,
                 [&](std::size_t t) { return element_temperature(body.temperature, body.mesh.tets[t]); }));
}

BodyFrame picture_of(const FemBody& body, Threads& threads, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, kind_name(body), body.mesh.revision, shown);
    frame.points = body.points;
    frame.normals = may_break(body) ? skin_normals(body) : surface_normals(body);
    frame.nodes = body.x;

    Field stress{"von_mises", "Pa", Field::On::tet, 1, std::vector<float>(body.mesh.tets.size())};
    Field principal{"principal_stress", "Pa", Field::On::tet, 1, std::vector<float>(body.mesh.tets.size())};
    std::vector<ElementMaterial> material(body.mesh.tets.size());
    for (std::size_t t = 0; t < material.size(); ++t) material[t] = stepped_material(body, static_cast<int>(t));
    parallel_for(threads, (body.mesh.tets.size() + 7) / 8, 32, [&](std::size_t begin, std::size_t end) {
        body.solid.measure_stresses(body.x, material, body.plastic_strain, stress.values, principal.values,
                                    static_cast<int>(begin), static_cast<int>(end));
    });
    frame.fields = {displacement_field(body.x, body.mesh.rest, threads), velocity_field(body.v, threads),
                    std::move(stress), std::move(principal), speed_field(body.velocities, threads)};
    if (!body.plastic.empty())
        frame.fields.push_back(field_of("plastic_strain", "1", Field::On::tet, body.plastic.size(), threads,
                                        [&](std::size_t t) { return plastic_strain_norm(body, static_cast<int>(t)); }));
    add_temperature(body, frame, threads);
    if (may_break(body)) add_crack_fields(body, frame, threads);
    return frame;
}

BodyFrame picture_of(const ParticleBody& body, Threads& threads, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, kind_name(body), 0, shown);
    frame.points = body.points;
    frame.normals = surface_normals(body);
    frame.nodes = body.x;
    const std::vector<Tet>& tets = body.mesh.tets;
    frame.fields = {displacement_field(body.x, body.mesh.rest, threads), velocity_field(body.v, threads),
                    field_of("volume_ratio", "1", Field::On::tet, tets.size(), threads,
                             [&](std::size_t t) {
                                 return signed_volume(body.x, tets[t]) / signed_volume(body.mesh.rest, tets[t]);
                             }),
                    speed_field(body.velocities, threads)};
    add_temperature(body, frame, threads);
    return frame;
}

/// Triangles have no volume: what is seen hangs on nodes, and there are no tets.
void show_shell_topology(const ShellBody& body, ShownTopology& shown) {
    if (shown.triangles) return;
    shown.triangles = std::make_shared<const std::vector<Tri>>(seen_triangles(body));
    shown.attributes = body.seen_attributes;
    std::vector<Point> carriers(body.surface().points.size());
    for (std::size_t i = 0; i < carriers.size(); ++i) carriers[i] = body.embedding().point(i, body.mesh.tets);
    if (!body.seen_closed.empty()) carriers.insert(carriers.end(), carriers.begin(), carriers.end());
    shown.carriers = std::make_shared<const std::vector<Point>>(std::move(carriers));
}

/// Values per triangle at the vertices seen: the mean over the triangles of each node.
template <class Of>
Field shell_field(const char* name, const char* unit, const ShellBody& body, std::size_t vertices, Of&& of) {
    std::vector<double> sum(body.x.size(), 0), count(body.x.size(), 0);
    for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
        const double value = of(static_cast<int>(t));
        for (int k = 0; k < 3; ++k) sum[body.mesh.tets[t][k]] += value, count[body.mesh.tets[t][k]] += 1;
    }
    Field field{name, unit, Field::On::vertex, 1, std::vector<float>(vertices)};
    const std::size_t middle = body.points.size();
    for (std::size_t i = 0; i < vertices; ++i) {
        const Point p = body.embedding().point(i % middle, body.mesh.tets);
        int k = 0;
        p.weight.maxCoeff(&k);
        field.values[i] = static_cast<float>(sum[p.node[k]] / count[p.node[k]]);
    }
    return field;
}

BodyFrame picture_of(const ShellBody& body, Threads& threads, ShownTopology& shown) {
    show_shell_topology(body, shown);
    BodyFrame frame = begin_picture(body, kind_name(body), 0, shown);
    frame.points = seen_points(body);
    frame.normals = vertex_normals(frame.points, *frame.triangles);
    frame.nodes = body.x;
    std::vector<Vec3> velocities = body.velocities;
    if (!body.seen_closed.empty()) velocities.insert(velocities.end(), body.velocities.begin(), body.velocities.end());
    frame.fields = {displacement_field(body.x, body.mesh.rest, threads), velocity_field(body.v, threads),
                    shell_field("von_mises", "Pa", body, frame.points.size(),
                                [&](int t) { return body.shell.membrane_stress(body.x, t); }),
                    shell_field("bending_strain", "1", body, frame.points.size(),
                                [&](int t) { return body.shell.bending_strain(body.x, t); }),
                    speed_field(velocities, threads)};
    return frame;
}

BodyFrame picture_of(const ModalBody& body, Threads& threads, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, kind_name(body), 0, shown);
    frame.points = body.points;
    frame.normals = surface_normals(body);
    frame.nodes = body.x;
    // Displacement within the rigid frame: what the modes do.
    const Pose back = body.frame.inverse();
    frame.fields = {field_of("displacement", "m", Field::On::node, body.x.size(), threads,
                             [&](std::size_t i) -> Vec3 { return back * body.x[i] + body.centre - body.mesh.rest[i]; }),
                    velocity_field(body.v, threads), speed_field(body.velocities, threads)};
    add_temperature(body, frame, threads);
    return frame;
}

BodyFrame picture_of(const RigidBody& body, ShownTopology& shown) {
    BodyFrame frame = begin_picture(body, "rigid", 0, shown);
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
    BodyFrame frame = begin_picture(prop, "obstacle", 0, shown);
    const Pose pose = prop.motion ? prop.motion(time) : prop.obstacle.end;
    frame.points.reserve(prop.surface.points.size());
    for (const Vec3& p : prop.surface.points) frame.points.push_back(pose * p);
    frame.normals = vertex_normals(frame.points, prop.surface.triangles);
    return frame;
}

}  // namespace

std::vector<float> node_values_on_surface(const BodyFrame& body, std::span<const float> per_node) {
    if (!body.carriers || body.carriers->size() != body.points.size() || per_node.size() != body.nodes.size())
        return {};
    std::vector<float> result(body.points.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const Point& point = (*body.carriers)[i];
        const Vec4 weight = point.weight.cwiseMax(0.0);
        double sum = 0;
        for (int k = 0; k < 4; ++k) sum += weight[k] * per_node[point.node[k]];
        result[i] = static_cast<float>(sum / weight.sum());  // weights sum to 1, so one at least is above zero
    }
    return result;
}

std::vector<float> tet_values_at_nodes(const BodyFrame& body, std::span<const float> per_tet) {
    if (!body.tets || body.tets->size() != per_tet.size()) return {};
    std::vector<double> sum(body.nodes.size(), 0), count(body.nodes.size(), 0);
    for (std::size_t t = 0; t < per_tet.size(); ++t)
        for (int node : (*body.tets)[t]) sum[node] += per_tet[t], count[node] += 1;
    std::vector<float> mean(body.nodes.size());
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = static_cast<float>(sum[i] / std::max(count[i], 1.0));
    return mean;
}

std::vector<Vec3> corner_normals(const BodyFrame& body) {
    const Field *crack = nullptr, *flat = nullptr;
    for (const Field& field : body.fields) {
        if (field.on != Field::On::triangle || field.components != 1 || !body.triangles ||
            field.values.size() != body.triangles->size())
            continue;
        if (field.name == "crack") crack = &field;
        if (field.name == "flat") flat = &field;
    }
    std::vector<Vec3> brought;
    if (body.triangles && body.attributes && body.attributes->shading.size() == 3 * body.triangles->size())
        brought = moved_corner_normals(*body.attributes, body.points, *body.triangles);
    if (!crack || std::none_of(crack->values.begin(), crack->values.end(), [](float c) { return c > 0.5f; }))
        return brought;
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
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const bool cracked = crack->values[t] > 0.5f;
        for (int v : triangles[t]) {
            if (!brought.empty() && !cracked)
                normals.push_back(brought[normals.size()]);
            else
                normals.push_back(unit(flat && flat->values[t] > 0.5f ? face[t] : sum[cracked][v]));
        }
    }
    return normals;
}

Frame snapshot(World& w, int index) {
    Frame frame;
    frame.index = index;
    frame.time = w.time;
    const std::size_t count = static_cast<std::size_t>(body_count(w)) + w.rigid.bodies.size() + w.props.size();
    if (w.shown.size() != count) w.shown.assign(count, {});  // something was added: places changed
    auto shown = w.shown.begin();
    for_each_body(w, [&](const auto& body) { frame.bodies.push_back(picture_of(body, *w.threads, *shown++)); });
    for (const RigidBody& body : w.rigid.bodies) frame.bodies.push_back(picture_of(body, *shown++));
    for (const Prop& prop : w.props)
        if (!prop.surface.triangles.empty()) frame.bodies.push_back(picture_of(prop, w.time, *shown++));
    frame.events = std::exchange(w.events, {});
    frame.contact_events = std::exchange(w.contact_events, {});
    return frame;
}

}  // namespace pliant
