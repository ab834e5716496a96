#include "pliant/body/shell_body.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "pliant/body/state_list.hpp"
#include "pliant/body/step_energy.hpp"
#include "pliant/core/text.hpp"
#include "pliant/geometry/closest_point.hpp"
#include "pliant/material/material.hpp"
#include "pliant/mesh/same_place.hpp"
#include "pliant/surface/brought_surface.hpp"

namespace pliant {

namespace {

/// Triangles over nodes, each place once, and which node each vertex is.
struct Nodes {
    std::vector<Vec3> rest;
    std::vector<Tri> triangles;
    std::vector<int> of_vertex;
};

Nodes nodes_of(const TriMesh& surface) {
    Nodes n;
    const std::vector<int> first = first_at_same_place(surface.points);
    n.of_vertex.assign(surface.points.size(), -1);
    for (const Tri& t : surface.triangles)
        for (int v : t) n.of_vertex[first[v]] = 0;  // vertices that no triangle uses have no node
    for (std::size_t v = 0; v < first.size(); ++v) {
        if (first[v] != static_cast<int>(v)) {
            n.of_vertex[v] = n.of_vertex[first[v]];
        } else if (n.of_vertex[v] == 0) {
            n.of_vertex[v] = static_cast<int>(n.rest.size());
            n.rest.push_back(surface.points[v]);
        }
    }
    for (const Tri& t : surface.triangles)
        n.triangles.push_back({n.of_vertex[t[0]], n.of_vertex[t[1]], n.of_vertex[t[2]]});
    return n;
}

void refuse_flat_triangles(const std::string& name, const Nodes& n) {
    // Relative to its longest edge: a needle a million times longer than wide is a mistake of the mesh.
    constexpr double least_height = 1e-6;
    for (std::size_t t = 0; t < n.triangles.size(); ++t) {
        const Tri& tri = n.triangles[t];
        const Vec3 a = n.rest[tri[1]] - n.rest[tri[0]], b = n.rest[tri[2]] - n.rest[tri[0]];
        const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (a - b).squaredNorm()});
        if (!(a.cross(b).norm() > least_height * longest))
            throw UserError("triangle " + std::to_string(t) + " of body '" + name + "' has no area", {},
                            "Remove such triangles, or mesh the surface anew with `pliant remesh`");
    }
}

struct Neighbour {
    int triangle;
    bool same_way;  ///< both run along their edge in the same direction: one of them faces backwards
};

/// Triangles across the edges of each. An edge of more than two is refused.
std::vector<std::vector<Neighbour>> neighbours_of(const std::string& name, const Nodes& n) {
    struct Side {
        int triangle, from;
    };
    std::map<std::pair<int, int>, std::vector<Side>> sides;
    for (int t = 0; t < static_cast<int>(n.triangles.size()); ++t)
        for (int k = 0; k < 3; ++k) {
            const int a = n.triangles[t][k], b = n.triangles[t][(k + 1) % 3];
            sides[std::minmax(a, b)].push_back({t, a});
        }
    std::vector<std::vector<Neighbour>> near(n.triangles.size());
    std::size_t crowded = 0, shared = 0;
    std::string where;
    for (const auto& [edge, list] : sides) {
        if (list.size() > 2 && crowded++ == 0) {
            const Vec3 middle = 0.5 * (n.rest[edge.first] + n.rest[edge.second]);
            where = short_number(middle.x()) + ", " + short_number(middle.y()) + ", " + short_number(middle.z());
        }
        if (list.size() != 2) continue;
        ++shared;
        const bool same_way = list[0].from == list[1].from;
        near[list[0].triangle].push_back({list[1].triangle, same_way});
        near[list[1].triangle].push_back({list[0].triangle, same_way});
    }
    if (crowded > 0)
        throw UserError("body '" + name + "': " + std::to_string(crowded) +
                            (crowded == 1 ? " edge has" : " edges have") +
                            " more than two triangles, the first near { " + where + " }",
                        {}, "A shell is a sheet without branches: remove the triangles that branch off");
    if (shared == 0 && n.triangles.size() > 1)
        throw UserError("body '" + name + "' is a soup of " + std::to_string(n.triangles.size()) +
                            " triangles: no two share an edge",
                        {}, "Weld the vertices of the mesh, or mesh its surface anew with `pliant remesh`");
    return near;
}

/// Triangles of each piece all face the way of its first one.
void orient(const std::string& name, Nodes& n, TriMesh& seen) {
    const std::vector<std::vector<Neighbour>> near = neighbours_of(name, n);
    std::vector<int> turned(n.triangles.size(), -1), open;
    for (std::size_t start = 0; start < turned.size(); ++start) {
        if (turned[start] >= 0) continue;
        turned[start] = 0;
        open.assign(1, static_cast<int>(start));
        while (!open.empty()) {
            const int t = open.back();
            open.pop_back();
            for (const Neighbour& other : near[t]) {
                const int wanted = turned[t] ^ static_cast<int>(other.same_way);
                if (turned[other.triangle] < 0) {
                    turned[other.triangle] = wanted;
                    open.push_back(other.triangle);
                } else if (turned[other.triangle] != wanted) {
                    throw UserError("body '" + name + "' has one side only, like a Möbius strip", {},
                                    "Cut the surface open along a line across it");
                }
            }
        }
    }
    const TriMesh before = seen;
    CopiedTriangles copies;
    for (std::size_t t = 0; t < turned.size(); ++t) {
        const int c = 3 * static_cast<int>(t), turn = turned[t];
        if (turn == 1)
            std::swap(n.triangles[t][1], n.triangles[t][2]), std::swap(seen.triangles[t][1], seen.triangles[t][2]);
        copies.corner.insert(copies.corner.end(), {c, c + 1 + turn, c + 2 - turn});
        copies.faces.push_back(static_cast<std::int8_t>(1 - 2 * turn));
    }
    if (seen.attributes && std::find(turned.begin(), turned.end(), 1) != turned.end())
        seen.attributes = std::make_shared<const SurfaceAttributes>(copied_attributes(before, seen, copies));
}

/// Both faces of the sheet and its rim, with vertex v on the front and `count` + v on the back. The rim has the values
/// of the edges that it stands on.
std::vector<Tri> closed_triangles(const std::vector<Tri>& middle, const std::vector<int>& node, int count,
                                  CopiedTriangles& copies) {
    std::vector<Tri> out = middle;
    const int corners = 3 * static_cast<int>(middle.size());
    for (int c = 0; c < corners; ++c) copies.corner.push_back(c);
    copies.faces.assign(middle.size(), 1);
    for (const Tri& t : middle) out.push_back({count + t[0], count + t[2], count + t[1]});
    for (int c = 0; c < corners; c += 3) copies.corner.insert(copies.corner.end(), {c, c + 2, c + 1});
    copies.faces.resize(2 * middle.size(), -1);
    std::map<std::pair<int, int>, int> used;
    const auto edge = [&](const Tri& t, int k) { return std::minmax(node[t[k]], node[t[(k + 1) % 3]]); };
    for (const Tri& t : middle)
        for (int k = 0; k < 3; ++k) ++used[edge(t, k)];
    for (int c = 0; c < corners; ++c) {
        const Tri& t = middle[c / 3];
        if (used[edge(t, c % 3)] != 1) continue;
        const int next = c - c % 3 + (c + 1) % 3, a = t[c % 3], b = t[next % 3];
        out.push_back({a, count + a, count + b}), out.push_back({a, count + b, b});
        copies.corner.insert(copies.corner.end(), {c, c, next, c, next, next});
    }
    copies.faces.resize(out.size(), 0);
    return out;
}

FrameInput frame_input(const ShellBody& body, double dt) {
    return {.dt = dt,
            .mass_damping = body.shell.options().mass_damping,
            .x = body.x,
            .v = body.v,
            .first_guess = body.v_next,
            .force = body.force,
            .mass = body.shell.mass(),
            .prescribed = body.prescribed,
            .axis_holds = body.axis_holds};
}

}  // namespace

ShellBody make_shell_body(ShellBodyDesc desc) {
    if (desc.surface.triangles.empty())
        throw UserError("body '" + desc.name + "' has no triangles", {},
                        "Give it a surface: sheet { size = { 1, 1 } }");
    if (!(desc.shell.thickness > 0))
        throw UserError("body '" + desc.name + "' has no thickness", {}, "Write thickness = 0.001, in metres");
    const MaterialLaw& law = desc.shell.law ? *desc.shell.law : material_laws().entries().front();
    if (!law.isotropic && !law.hooke)
        throw UserError("body '" + desc.name + "': a shell cannot have elasticity '" + law.name + "'", {},
                        "Use corotational, neo_hookean, invertible or green");
    Nodes nodes = nodes_of(desc.surface);
    refuse_flat_triangles(desc.name, nodes);
    orient(desc.name, nodes, desc.surface);
    if (desc.material.empty()) desc.material.assign(1, ElementMaterial{});
    if (desc.material.size() == 1) desc.material.assign(nodes.triangles.size(), desc.material[0]);

    TetMesh mesh;
    mesh.rest = nodes.rest;
    for (const Tri& t : nodes.triangles) mesh.tets.push_back({t[0], t[1], t[2], t[2]});
    Embedding embedding;
    embedding.tet.assign(desc.surface.points.size(), 0);
    embedding.weight.assign(desc.surface.points.size(), Vec4(1, 0, 0, 0));
    for (std::size_t t = 0; t < nodes.triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            const int v = desc.surface.triangles[t][k];
            embedding.tet[v] = static_cast<int>(t), embedding.weight[v] = Vec4::Unit(k);
        }
    const bool clamped = static_cast<bool>(desc.shell.clamped);
    ShellBody body(Shell(nodes.rest, nodes.triangles, std::move(desc.material), desc.shell));
    const SurfaceFacts facts = inspect(desc.surface);
    auto seen = std::make_unique<EmbeddedSurface>(std::move(desc.surface), facts, std::move(embedding));
    take_shared(body, desc, std::move(mesh), std::move(seen), facts);
    body.rest_volume = volume(body);
    reset_nodes(body, body.x.size());
    body.solve = desc.solve;
    body.creases = desc.creases;
    body.seen_thick = desc.seen_thick;
    body.clamped = clamped;
    body.contact_distance = body.shell.options().thickness;
    body.seen_attributes = body.surface().attributes;
    if (body.seen_thick) {
        CopiedTriangles copies;
        body.seen_closed = closed_triangles(body.surface().triangles, nodes.of_vertex,
                                            static_cast<int>(body.surface().points.size()), copies);
        TriMesh closed;
        closed.points = seen_points(body), closed.triangles = body.seen_closed;
        if (body.seen_attributes)
            body.seen_attributes =
                std::make_shared<const SurfaceAttributes>(copied_attributes(body.surface(), closed, copies));
    }
    // Created at once, so that their lengths in checkpoints do not depend on what has happened.
    if (body.creases) {
        Threads alone(1);
        body.shell.crease(body.x, *body.creases, alone);
    }
    add_spin(body, node_mass(body), desc.spin);
    Threads alone(1);
    update_surface(body, alone);
    return body;
}

SurfaceView surface_view(const ShellBody& body) {
    if (!body.collide) return {};
    return {.points = body.points,
            .velocities = body.velocities,
            .triangles = body.surface().triangles,
            .tets = body.mesh.tets,
            .embedding = &body.embedding(),
            .spacing = body.spacing,
            .friction = body.friction};
}

void begin_step(ShellBody& body, double dt, Threads& threads, StageTimes& times) {
    MovingFrame& frame = body.frame;
    frame.active = false;
    if (!body.clamped) begin_frame(frame, frame_input(body, dt), system(body), threads);
    body.shell.assemble(frame.active ? frame.y : body.x, frame.active ? frame.start : body.v_next,
                        {.dt = dt,
                         .force = frame.active ? frame.force : body.force,
                         .prescribed = body.prescribed,
                         .solve = body.solve},
                        threads, times);
    if (frame.active) enter_frame(frame, system(body));
    if (obeys_energy_law(body)) measure_start(body, dt, threads);
}

std::span<const Vec3> in_frame(ShellBody& body) {
    if (!body.frame.active) return body.v_next;
    body.work_v.resize(body.v_next.size());
    for (std::size_t i = 0; i < body.v_next.size(); ++i) body.work_v[i] = body.v_next[i] - body.frame.velocity[i];
    return body.work_v;
}

std::span<const Vec3> frame_positions(const ShellBody& body) { return body.frame.active ? body.frame.y : body.x; }

void newton_iteration(ShellBody& body, double dt, Threads& threads, StageTimes& times) {
    const bool framed = body.frame.active;
    const std::span<const Vec3> from = frame_positions(body), w = in_frame(body);
    const std::vector<Vec3>& before = framed ? body.frame.start : body.v;
    body.work_force = framed ? body.frame.force : body.force;
    body.work_x.resize(body.x.size());
    const auto mass = body.shell.mass();
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        body.work_x[i] = from[i] + dt * w[i];
        if (!body.prescribed[i]) body.work_force[i] += mass[i] / dt * (before[i] - w[i]);
    }
    const double reference = system(body).reference;
    body.shell.assemble(
        body.work_x, w,
        {.dt = dt, .force = body.work_force, .prescribed = body.prescribed, .solve = body.solve, .at_end = true},
        threads, times);
    system(body).reference = reference;
    if (framed) enter_frame(body.frame, system(body));
}

BlockSystem& system(ShellBody& body) { return body.shell.system(); }
const BlockSystem& system(const ShellBody& body) { return body.shell.system(); }
std::span<const double> node_mass(const ShellBody& body) { return body.shell.mass(); }

void finish_solve(ShellBody& body, Threads& threads) {
    const BlockSystem& a = system(body);
    for (int row = 0; row < a.rows; ++row) body.v_next[a.node_of_row[row]] = a.at(a.v, row);
    if (body.frame.active) remove_rigid_error(body.frame, body.shell.mass(), body.prescribed, a, body.v_next, threads);
}

void commit_step(ShellBody& body, double dt, Threads& threads) {
    if (body.frame.active) {
        body.energy.excess = leave_frame(body.frame, frame_input(body, dt), system(body), body.energy.excess, body.x,
                                         body.v_next, threads);
        std::swap(body.v, body.v_next);
    } else {
        std::swap(body.v, body.v_next);
        for (std::size_t i = 0; i < body.x.size(); ++i) body.x[i] += dt * body.v[i];
        body.energy.excess = slow_free_nodes(body, threads);
    }
    if (body.creases) body.shell.crease(body.x, *body.creases, threads);
    update_surface(body, threads);
}

double elastic_energy(const ShellBody& body) { return body.shell.energy(body.x); }

double volume(const ShellBody& body) {
    double area = 0;
    for (const Tri& t : body.shell.triangles())
        area += 0.5 * (body.x[t[1]] - body.x[t[0]]).cross(body.x[t[2]] - body.x[t[0]]).norm();
    return area * body.shell.options().thickness;
}

Point nearest_point(const ShellBody& body, const Vec3& at) {
    const std::vector<Vec3>& rest = body.mesh.rest;
    Point best;
    double least = std::numeric_limits<double>::infinity();
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const Tet& n = body.mesh.tets[t];
        const ClosestOnTriangle near = closest_on_triangle(at, rest[n[0]], rest[n[1]], rest[n[2]]);
        if (near.distance2 >= least) continue;
        least = near.distance2;
        best = {n, {near.weight[0], near.weight[1], near.weight[2], 0}, t};
    }
    return best;
}

std::vector<Vec3> seen_points(const ShellBody& body) {
    std::vector<Vec3> points = body.points;
    if (body.seen_closed.empty()) return points;
    // Normals of nodes, so that faces do not part at the seams of a texture.
    std::vector<Vec3> normal(body.x.size(), Vec3::Zero());
    for (const Tri& t : body.shell.triangles()) {
        const Vec3 n = (body.x[t[1]] - body.x[t[0]]).cross(body.x[t[2]] - body.x[t[0]]);
        for (int i : t) normal[i] += n;
    }
    const double half = 0.5 * body.shell.options().thickness;
    for (Vec3& n : normal) n = half * n.stableNormalized();
    points.resize(2 * body.points.size());
    for (std::size_t v = 0; v < body.points.size(); ++v) {
        int k = 0;
        body.embedding().weight[v].maxCoeff(&k);
        const Vec3& n = normal[body.mesh.tets[body.embedding().tet[v]][k]];
        points[v] = body.points[v] + n, points[body.points.size() + v] = body.points[v] - n;
    }
    return points;
}

const std::vector<Tri>& seen_triangles(const ShellBody& body) {
    return body.seen_closed.empty() ? body.surface().triangles : body.seen_closed;
}

void add_heat(ShellBody& body, const HeatDesc&) {
    throw UserError("body '" + body.name + "' is a shell, which has no temperature", {}, "Leave out heat");
}

namespace {

template <class Body, class F>
requires std::same_as<std::remove_const_t<Body>, ShellBody>
void for_each_array(Body& body, F&& f) {
    f(ArrayRole{"x", Per::node}, body.x);
    f(ArrayRole{"v", Per::node}, body.v);
    f(ArrayRole{"lasting"}, body.shell.lasting());
}

}  // namespace

void save_state(const ShellBody& body, ByteWriter& out) { for_each_array(body, ArrayWriter{out}); }

void load_state(ShellBody& body, ByteReader& in) {
    const std::size_t nodes = body.x.size(), lasting = body.shell.lasting().size();
    for_each_array(body, ArrayReader{in, body.name});
    if (body.x.size() != nodes || body.v.size() != nodes || body.shell.lasting().size() != lasting)
        throw another_mesh(body.name);
}

void hash_state(const ShellBody& body, Hash& hash) { for_each_array(body, ArrayHash{hash}); }

}  // namespace pliant
