#include "pliant/body/breaking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/body/explicit_step.hpp"
#include "pliant/body/fem_body.hpp"
#include "pliant/body/plastic_flow.hpp"
#include "pliant/body/state_list.hpp"
#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/material/material.hpp"

namespace pliant {

Fracture make_fracture(const FractureDesc& desc, const TetMesh& mesh, Skin skin, Threads& threads) {
    std::vector<double> strength = desc.strength;
    if (strength.size() == 1) strength.assign(mesh.tets.size(), strength[0]);
    CHECK(strength.size() == mesh.tets.size(), strength.size(), mesh.tets.size());
    skin.prepare(threads);  // now, not when the first crack makes everybody wait
    return {.strength = flawed_strength(strength, desc.noise, desc.seed),
            .options = {.splits = desc.splits, .propagation = desc.propagation, .seed = desc.seed},
            .smooth = desc.smooth,
            .touch = desc.touch,
            .skin = std::move(skin),
            .crack_tip = std::vector<char>(mesh.rest.size(), 0),
            .stress = std::vector<Stress6>(mesh.tets.size())};
}

namespace {

/// The skin's surface, of which the points before `first` are as they were.
void copy_surface(const Skin& skin, std::size_t first, FemBody& body, Threads& threads) {
    const TriMesh& surface = skin.surface();
    const Embedding& embedding = skin.embedding();
    const std::size_t points = surface.points.size(), triangles = surface.triangles.size();
    body.surface.points.resize(points), body.surface.triangles.resize(triangles);
    body.embedding.tet.resize(points), body.embedding.weight.resize(points);
    body.points.resize(points), body.velocities.resize(points);
    constexpr std::size_t at_once = 8192;
    const std::size_t chunks = (points - first + at_once - 1) / at_once;  // of points, then those of triangles
    parallel_for(threads, chunks + (triangles + at_once - 1) / at_once, 1, [&](std::size_t chunk, std::size_t) {
        const auto copy = [&](const auto& from, auto& to, std::size_t begin) {
            std::copy_n(from.begin() + begin, std::min(at_once, from.size() - begin), to.begin() + begin);
        };
        if (chunk < chunks) {
            copy(surface.points, body.surface.points, first + at_once * chunk);
            copy(embedding.tet, body.embedding.tet, first + at_once * chunk);
            copy(embedding.weight, body.embedding.weight, first + at_once * chunk);
        } else {
            copy(surface.triangles, body.surface.triangles, at_once * (chunk - chunks));
        }
    });
}

}  // namespace

void size_scratch(FemBody& body) {
    const std::size_t nodes = body.mesh.rest.size();
    body.force.resize(nodes, Vec3::Zero());
    body.prescribed.resize(nodes, 0);
    body.v_next.resize(nodes, Vec3::Zero());
    body.temperature_next = body.temperature;
    if (body.integrator->is_explicit()) follow_own_mesh(body);
}

bool follow_links(FemBody& body, std::span<const int> relinked, Threads& threads) {
    size_scratch(body);
    if (!body.fracture) {
        body.solid.relink(body.mesh, body.material, relinked, threads);
        body.solid.set_parts(linked_tets(body.mesh.tets), threads);
        relink_heat(body);
        return false;
    }
    Skin& skin = body.fracture->skin;
    const bool surface_changed = skin.update(body.mesh.tets, relinked, threads);
    body.solid.relink(body.mesh, body.material, relinked, threads);
    body.solid.set_parts(skin.tet_linked(), threads);
    // With the first crack the given points hang on the tets that the clipping found; then they stay.
    if (surface_changed) copy_surface(skin, skin.revision() > 1 ? skin.given_points() : 0, body, threads);
    relink_heat(body);
    return surface_changed;
}

std::optional<Broken> break_apart(FemBody& body, std::uint64_t step, Threads& threads) {
    if (!body.fracture) return std::nullopt;
    Fracture& fracture = *body.fracture;
    elastic_stresses(body, fracture.stress, threads);
    fracture.options.step = step;
    CrackProposal proposal = propose_cracks(
        body.mesh, fracture.stress, fracture.strength, fracture.crack_tip, fracture.options,
        {.star = [&](int node) { return body.solid.star(node); }, .neighbours = fracture.skin.neighbours()}, &threads);
    if (proposal.empty()) return std::nullopt;

    Broken broken{.edit = mesh_edit(body.mesh, proposal), .edited = {}, .cracks = std::move(proposal.cracks)};
    broken.edited = apply_edit(body, broken.edit, threads);
    fracture.crack_tip = std::move(proposal.crack_tip);
    return broken;
}

void set_links(FemBody& body, const std::vector<int>& origin_before, std::vector<Tet> tets) {
    // The nodes of the unbroken mesh come first.
    const std::vector<int>& origin = body.origin;
    const int nodes = static_cast<int>(origin.size());
    int whole = 0;
    while (whole < static_cast<int>(origin_before.size()) && origin_before[whole] == whole) ++whole;
    bool sound = nodes >= whole && tets.size() == body.mesh.tets.size();
    for (int i = 0; sound && i < nodes; ++i) sound = i < whole ? origin[i] == i : origin[i] >= 0 && origin[i] < whole;
    for (std::size_t t = 0; sound && t < tets.size(); ++t)
        for (int k = 0; sound && k < 4; ++k)
            sound = tets[t][k] >= 0 && tets[t][k] < nodes && origin[tets[t][k]] == origin_before[body.mesh.tets[t][k]];
    if (!sound) throw another_mesh(body.name);
    body.mesh.rest.resize(whole);
    for (int i = whole; i < nodes; ++i) body.mesh.rest.push_back(body.mesh.rest[origin[i]]);
    body.mesh.tets = std::move(tets);
    ++body.mesh.revision;
    std::vector<int> all(body.mesh.tets.size());
    std::iota(all.begin(), all.end(), 0);
    Threads alone(1);
    follow_links(body, all, alone);
}

int pieces(const FemBody& body) {
    if (body.cracks) return body.cracks->boundary.piece_count();
    return body.fracture ? body.fracture->skin.piece_count() : connected_pieces(body.mesh.tets);
}

std::vector<int> follow_vertices(const FemBody& body) {
    struct VertexKey {
        int tet;
        double x, y, z;
        auto operator<=>(const VertexKey&) const = default;
    };
    auto key = [](const TriMesh& surface, const Embedding& embedding, int v) {
        const Vec3& p = surface.points[v];
        return VertexKey{embedding.tet[v], p.x(), p.y(), p.z()};
    };
    const TriMesh& surface_before = body.fracture->skin.surface_before();
    const Embedding& embedding_before = body.fracture->skin.embedding_before();
    // The vertices of the unbroken surface come first in both.
    const int now = static_cast<int>(body.surface.points.size());
    const int before = static_cast<int>(surface_before.points.size());
    int common = 0;
    while (common < std::min(now, before) && body.surface.points[common] == surface_before.points[common]) ++common;
    std::vector<std::pair<VertexKey, int>> known;
    for (int v = common; v < now; ++v) known.emplace_back(key(body.surface, body.embedding, v), v);
    std::sort(known.begin(), known.end());
    std::vector<int> vertex(before, -1);
    for (int v = 0; v < before; ++v) {
        if (v < common) {
            vertex[v] = v;
            continue;
        }
        const VertexKey wanted = key(surface_before, embedding_before, v);
        const auto found = std::lower_bound(known.begin(), known.end(), std::pair(wanted, -1));
        if (found != known.end() && found->first == wanted) vertex[v] = found->second;
    }
    return vertex;
}

}  // namespace pliant
