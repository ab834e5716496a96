#include "pliant/body/fem_body.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/body/plastic_flow.hpp"
#include "pliant/body/point_masses.hpp"
#include "pliant/body/seen_volume.hpp"
#include "pliant/body/warm_bodies.hpp"
#include "pliant/material/material.hpp"
#include "pliant/material/stress.hpp"
#include "pliant/mesh/skin_content.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

namespace {

/// What the corners of each tet carry so that every crumb of a body that may break has its centre of mass where it is
/// seen: a crumb whose tet reaches far beyond it would otherwise roll about like a weighted toy. Each corner carries a
/// little at least; the whole weighs what the surface encloses.
std::vector<std::array<double, 4>> carried_masses(Skin& skin, const TetMesh& mesh, double enclosed, Threads& threads) {
    constexpr double least_fill = 1e-3, least_corner = 0.02;
    const std::vector<TetContent> contents = skin.contents(threads);
    std::vector<std::array<double, 4>> carried(contents.size());
    const auto filled = [&](std::size_t t, double whole) { return std::max(contents[t].volume, least_fill * whole); };
    double total = 0;
    for (std::size_t t = 0; t < contents.size(); ++t) total += filled(t, signed_volume(mesh.rest, mesh.tets[t]));
    parallel_for(threads, contents.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const double whole = signed_volume(mesh.rest, mesh.tets[t]), volume = filled(t, whole);
            for (int a = 0; a < 4; ++a) {
                const double share = std::clamp(contents[t].center[a], 0.0, 1.0);
                carried[t][a] = volume / whole * (least_corner + (1 - 4 * least_corner) * share) * (enclosed / total);
            }
        }
    });
    return carried;
}

}  // namespace

namespace {

void set_volume_constraint(FemBody& body, const VolumeConstraintOptions& options) {
    const BoundarySurface skin = boundary_surface(body.mesh);
    std::vector<Tri> boundary;
    for (const Tri& t : skin.surface.triangles) boundary.push_back({skin.node[t[0]], skin.node[t[1]], skin.node[t[2]]});
    body.keeps_volume.emplace(body.mesh.rest, body.mesh.tets, boundary, options);
    body.keeps_revision = body.mesh.revision;
}

}  // namespace

FemBody make_fem_body(FemBodyDesc desc) {
    Threads alone(1);
    return make_fem_body(std::move(desc), alone);
}

FemBody make_fem_body(FemBodyDesc desc, Threads& threads) {
    if (desc.mesh.tets.empty()) throw UserError("body '" + desc.name + "' has no elements", {}, "Use a smaller cell.");
    if (desc.material.empty()) desc.material.assign(1, ElementMaterial{});
    if (desc.material.size() == 1) desc.material.assign(desc.mesh.tets.size(), desc.material[0]);
    CHECK(desc.material.size() == desc.mesh.tets.size(), desc.material.size(), desc.mesh.tets.size());
    if (desc.plasticity && desc.solid.law && !desc.solid.law->hooke)
        throw UserError("body '" + desc.name + "' has plasticity '" + desc.plasticity->name + "' and elasticity '" +
                            desc.solid.law->name + "', which do not go together",
                        {}, "Plastic strain is taken off by elasticity = \"corotational\" or \"linear\"");
    if (!desc.plasticity) desc.plastic.clear();
    if (desc.plasticity && desc.plastic.size() == 1) desc.plastic.assign(desc.mesh.tets.size(), desc.plastic[0]);
    CHECK(!desc.plasticity || desc.plastic.size() == desc.mesh.tets.size(), desc.plastic.size(), desc.mesh.tets.size());
    orient_tets(desc.mesh);
    if (desc.surface.triangles.empty()) desc.surface = boundary_surface(desc.mesh).surface;

    // The solid on one side, what is seen on the other: neither needs the other.
    std::optional<Solid> solid;
    Embedding embedding;
    SurfaceFacts facts;
    std::optional<Skin> skin;
    parallel_for(threads, 2, 1, [&](std::size_t side, std::size_t) {
        if (side == 0) {
            solid.emplace(desc.mesh, desc.material, desc.solid);
        } else {
            embedding = embed(desc.mesh, desc.surface.points);
            facts = inspect(desc.surface);
            if (desc.fracture) skin.emplace(desc.mesh, desc.surface, facts, embedding);
        }
    });
    const bool closed = surface_closed(facts);
    const double rest_volume = closed ? facts.volume : total_volume(desc.mesh.rest, desc.mesh.tets);
    const double spacing = mean_edge(desc.surface);
    const std::size_t nodes = desc.mesh.rest.size(), vertices = desc.surface.points.size();
    const std::size_t plastic_tets = desc.plastic.size();
    std::optional<Fracture> fracture;
    if (desc.fracture) fracture = make_fracture(*desc.fracture, desc.mesh, std::move(*skin), threads);
    if (fracture && desc.solid.fill < 1)
        solid->set_carried(carried_masses(fracture->skin, desc.mesh, rest_volume, threads), desc.material);

    FemBody body{.name = std::move(desc.name),
                 .color = desc.color,
                 .friction = desc.friction,
                 .collide = desc.collide,
                 .solve = desc.solve,
                 .mesh = std::move(desc.mesh),
                 .material = std::move(desc.material),
                 .rotates = !desc.solid.law || desc.solid.law->objective,
                 .plasticity = desc.plasticity,
                 .plastic = std::move(desc.plastic),
                 .heat = {},
                 .cold_young = {},
                 .cold_plastic = {},
                 .fracture = std::move(fracture),
                 .surface = std::move(desc.surface),
                 .embedding = std::move(embedding),
                 .surface_facts = facts,
                 .rest_volume = rest_volume,
                 .spacing = spacing,
                 .x = {},
                 .v = {},
                 .plastic_strain = std::vector<Strain6>(plastic_tets, Strain6{}),
                 .temperature = {},
                 .origin = std::vector<int>(nodes),
                 .solid = std::move(*solid),
                 .keeps_volume = {},
                 .points = std::vector<Vec3>(vertices),
                 .velocities = std::vector<Vec3>(vertices),
                 .force = std::vector<Vec3>(nodes, Vec3::Zero()),
                 .prescribed = std::vector<char>(nodes, 0),
                 .axis_holds = {},
                 .v_next = std::vector<Vec3>(nodes, Vec3::Zero()),
                 .flow_numbers = {},
                 .temperature_next = {},
                 .x_before = {},
                 .force_again = {},
                 .v_kept = {}};
    body.x = body.mesh.rest;
    std::iota(body.origin.begin(), body.origin.end(), 0);
    body.v.assign(nodes, desc.velocity);
    if (!desc.spin.isZero(0.0)) {
        const Vec3 center = center_of_mass(body);
        for (std::size_t i = 0; i < nodes; ++i) body.v[i] += desc.spin.cross(body.x[i] - center);
    }
    if (desc.heat) add_heat(body, *desc.heat);
    if (desc.keeps_volume) set_volume_constraint(body, *desc.keeps_volume);
    update_surface(body, threads);
    return body;
}

void update_surface(FemBody& body, Threads& threads) {
    parallel_for(threads, body.points.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const Tet& t = body.mesh.tets[body.embedding.tet[i]];
            const Vec4& w = body.embedding.weight[i];
            body.points[i] = w[0] * body.x[t[0]] + w[1] * body.x[t[1]] + w[2] * body.x[t[2]] + w[3] * body.x[t[3]];
            body.velocities[i] = w[0] * body.v[t[0]] + w[1] * body.v[t[1]] + w[2] * body.v[t[2]] + w[3] * body.v[t[3]];
        }
    });
}

void begin_step(FemBody& body, double dt, Threads& threads, StageTimes& times) {
    SolidInput input{.dt = dt, .force = body.force, .prescribed = body.prescribed, .solve = body.solve};
    if (body.plastic_strain.empty()) return body.solid.assemble(body.x, body.v_next, input, threads, times);
    set_flow_numbers(body, dt, threads);
    const FlowContext context{&body, dt};
    const PlasticFlow flow = plastic_flow(body, context);
    input.flow = &flow;
    body.solid.assemble(body.x, body.v_next, input, threads, times);
}

double strayed(const FemBody& body, double dt, Threads& threads, StageTimes& times) {
    StageTimer timer(times, "rotations");
    return body.solid.strayed(body.x, body.v_next, dt, threads);
}

void turn_along(FemBody& body, double dt, Threads& threads, StageTimes& times) {
    body.v_kept = body.v_next;
    // assemble() takes the velocities it starts from for those before the step: what they differ by is an impulse.
    const auto mass = body.solid.mass();
    body.force_again = body.force;
    for (std::size_t i = 0; i < body.force.size(); ++i)
        if (!body.prescribed[i]) body.force_again[i] += mass[i] / dt * (body.v[i] - body.v_next[i]);
    const double reference = body.solid.system().reference;
    body.solid.assemble(body.x, body.v_next,
                        {.dt = dt,
                         .force = body.force_again,
                         .prescribed = body.prescribed,
                         .plastic_strain = body.plastic_strain,
                         .solve = body.solve,
                         .turn = dt},
                        threads, times);
    body.solid.system().reference = reference;
}

BlockSystem& system(FemBody& body) { return body.solid.system(); }
const BlockSystem& system(const FemBody& body) { return body.solid.system(); }
void finish_solve(FemBody& body) { body.solid.velocity(body.v_next); }
std::span<const double> node_mass(const FemBody& body) { return body.solid.mass(); }

void commit_step(FemBody& body, double dt, Threads& threads) {
    std::swap(body.v, body.v_next);
    if (body.keeps_volume) body.x_before = body.x;
    parallel_for(threads, body.x.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) body.x[i] += dt * body.v[i];
    });
    if (body.keeps_volume) {
        if (body.keeps_revision != body.mesh.revision)  // it broke
            set_volume_constraint(body, VolumeConstraintOptions(body.keeps_volume->options()));
        body.keeps_volume->apply(body.x_before, body.solid.mass(), body.prescribed, body.axis_holds, dt, body.x,
                                 body.v);
    }
    if (!body.fracture) update_surface(body, threads);  // else it may break first
}

SurfaceView surface_view(const FemBody& body) {
    if (!body.collide) return {};
    const bool broken = body.fracture && pieces(body) > 1;
    return {.points = body.points,
            .velocities = body.velocities,
            .triangles = body.surface.triangles,
            .tets = body.mesh.tets,
            .embedding = &body.embedding,
            .spacing = body.spacing,
            .friction = body.friction,
            .revision = body.mesh.revision,
            .piece = broken ? body.fracture->skin.vertex_piece() : std::span<const int>(),
            .pieces_touch = broken && body.fracture->touch,
            .seams = !body.fracture};
}

bool surface_closed(const FemBody& body) {
    return surface_closed(body.surface_facts) && (!body.fracture || body.fracture->skin.watertight());
}

std::vector<Vec3> surface_normals(const FemBody& body) { return vertex_normals(body.points, body.surface.triangles); }

double volume(const FemBody& body) {
    return seen_volume(surface_closed(body), body.points, body.surface.triangles, body.x, body.mesh.tets);
}

double mass(const FemBody& body) { return total_mass(body.solid.mass()); }

Vec3 center_of_mass(const FemBody& body) { return center_of_mass(body.solid.mass(), body.x); }

Vec3 momentum(const FemBody& body) { return momentum(body.solid.mass(), body.v); }

double kinetic_energy(const FemBody& body) { return kinetic_energy(body.solid.mass(), body.v); }

double elastic_energy(const FemBody& body) {
    if (body.plastic_strain.empty()) return body.solid.elastic_energy(body.x);
    double sum = 0;
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const Strain6 e = elastic_strain(body, t);
        const Lame m = lame(body.material[t].young, body.material[t].poisson);
        sum += body.solid.fill() * signed_volume(body.mesh.rest, body.mesh.tets[t]) *
               hooke_energy(m.lambda, m.mu, e.data());
    }
    return sum;
}

double max_speed(const FemBody& body) { return max_speed(body.fracture ? body.velocities : body.v); }

Box bounds(const FemBody& body) {
    Box box;
    for (const Vec3& p : body.points) box.add(p);
    return box;
}

double von_mises(const FemBody& body, int tet) { return von_mises(elastic_stress(body, tet)); }

double mean_plastic_strain(const FemBody& body) {
    double sum = 0, total = 0;
    for (std::size_t t = 0; t < body.plastic_strain.size(); ++t) {
        const double volume = signed_volume(body.mesh.rest, body.mesh.tets[t]);
        sum += volume * strain_norm(body.plastic_strain[t]), total += volume;
    }
    return total > 0 ? sum / total : 0;
}

Flux flux_through(const FemBody& body, int axis, double at) {
    Vec3 total = Vec3::Zero();
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const Tet& tet = body.mesh.tets[t];
        bool above[4];
        for (int k = 0; k < 4; ++k) above[k] = body.x[tet[k]][axis] > at;
        if (above[0] == above[1] && above[0] == above[2] && above[0] == above[3]) continue;
        const Strain6 s = elastic_stress(body, t);
        Mat3 stress;
        stress << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = body.mesh.rest[tet[k + 1]] - body.mesh.rest[tet[0]];
        const Mat3 inverse = edges.inverse();
        Vec3 gradient[4];
        for (int k = 0; k < 3; ++k) gradient[k + 1] = inverse.row(k).transpose();
        gradient[0] = -(gradient[1] + gradient[2] + gradient[3]);
        // A pair's share of the traction is P times V/4 (g_j − g_i); summed over pairs that the plane parts.
        Vec3 area = Vec3::Zero();
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                if (!above[i] && above[j]) area += edges.determinant() / 24 * (gradient[j] - gradient[i]);
        total += body.solid.rotation(t) * stress * area;
    }
    Flux flux;
    flux.elastic = total[axis] * Vec3::Unit(axis);
    flux.shear = total - flux.elastic;
    return flux;
}

std::optional<int> first_nonfinite(const FemBody& body) {
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (!body.x[i].allFinite() || !body.v[i].allFinite()) return static_cast<int>(i);
    return std::nullopt;
}

void save_state(const FemBody& body, ByteWriter& out) {
    if (body.fracture) {
        out.vector(body.origin);
        out.vector(body.mesh.tets);
        out.vector(body.fracture->crack_tip);
        out.value(body.mesh.revision);
    }
    out.vector(body.x);
    out.vector(body.v);
    const auto rotations = body.solid.rotation_state();
    out.vector(std::vector<float>(rotations.begin(), rotations.end()));
    const KeptState& kept = body.solid.kept_state();
    out.vector(kept.rotations);
    out.value(kept.scale), out.value(kept.grips), out.value(kept.age);
    out.vector(body.plastic_strain);
    out.vector(body.temperature);
}

void load_state(FemBody& body, ByteReader& in) {
    if (body.fracture) {
        std::vector<int> origin = in.vector<int>();
        std::vector<Tet> tets = in.vector<Tet>();
        std::vector<char> crack_tip = in.vector<char>();
        set_links(body, std::move(origin), std::move(tets), std::move(crack_tip));
        in.value(body.mesh.revision);
    }
    const std::size_t nodes = body.x.size(), plastic_tets = body.plastic_strain.size();
    in.vector(body.x);
    in.vector(body.v);
    std::vector<float> rotations;
    in.vector(rotations);
    KeptState kept;
    in.vector(kept.rotations);
    in.value(kept.scale), in.value(kept.grips), in.value(kept.age);
    in.vector(body.plastic_strain);
    const auto state = body.solid.rotation_state();
    if (body.x.size() != nodes || body.v.size() != nodes || rotations.size() != state.size() ||
        body.plastic_strain.size() != plastic_tets || !load_temperature(body, in))
        throw UserError("the checkpoint holds another mesh for body '" + body.name + "'", {},
                        "Run the scene anew without --resume.");
    std::copy(rotations.begin(), rotations.end(), state.begin());
    body.flow_numbers.clear();
    if (!body.solid.set_kept_state(std::move(kept)))
        throw UserError("the checkpoint holds another mesh for body '" + body.name + "'", {},
                        "Run the scene anew without --resume.");
}

void hash_state(const FemBody& body, Hash& hash) {
    hash.bytes(body.x.data(), body.x.size() * sizeof(Vec3));
    hash.bytes(body.v.data(), body.v.size() * sizeof(Vec3));
    hash.bytes(body.plastic_strain.data(), body.plastic_strain.size() * sizeof(Strain6));
    hash.bytes(body.temperature.data(), body.temperature.size() * sizeof(double));
    if (!body.fracture) return;
    hash.bytes(body.mesh.tets.data(), body.mesh.tets.size() * sizeof(Tet));
    hash.bytes(body.origin.data(), body.origin.size() * sizeof(int));
    hash.bytes(body.fracture->crack_tip.data(), body.fracture->crack_tip.size());
}

}  // namespace pliant
