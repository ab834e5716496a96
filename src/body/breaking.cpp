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

Fracture make_fracture(const FractureDesc& desc, const TetMesh& mesh) {
    std::vector<double> strength = desc.strength;
    if (strength.size() == 1) strength.assign(mesh.tets.size(), strength[0]);
    CHECK(strength.size() == mesh.tets.size(), strength.size(), mesh.tets.size());
    const double mean_tet = total_volume(mesh.rest, mesh.tets) / static_cast<double>(mesh.tets.size());
    return {.strength = flawed_strength(strength, desc.noise, desc.seed),
            .share = std::vector<double>(mesh.tets.size(), 1),
            .options = {.splits = desc.splits,
                        .propagation = desc.propagation,
                        .least_piece = desc.grain ? std::pow(*desc.grain, 3) : mean_tet,
                        .seed = desc.seed},
            .smooth = desc.smooth,
            .touch = desc.touch,
            .crack_tip = std::vector<char>(mesh.rest.size(), 0),
            .stress = std::vector<Stress6>(mesh.tets.size())};
}

void size_scratch(FemBody& body) {
    const std::size_t nodes = body.mesh.rest.size();
    body.force.resize(nodes, Vec3::Zero());
    body.prescribed.resize(nodes, 0);
    body.v_next.resize(nodes, Vec3::Zero());
    body.temperature_next = body.temperature;
    if (body.integrator->is_explicit()) follow_own_mesh(body);
}

Skin& skin_of(FemBody& body) {
    CHECK(body.fracture, body.name);
    return static_cast<SkinSurface&>(*body.seen).skin();
}

void follow_links(FemBody& body, std::span<const int> relinked, Threads& threads) {
    size_scratch(body);
    body.solid.relink(body.mesh, solid_material(body), relinked, threads);
    if (body.fracture)  // the skin knows them already
        body.solid.set_parts(skin_of(body).tet_linked(), threads);
    else
        body.solid.set_parts(linked_tets(body.mesh.tets), threads);
    relink_heat(body);
}

std::optional<Broken> break_apart(FemBody& body, std::uint64_t step, Threads& threads) {
    if (!body.fracture) return std::nullopt;
    Fracture& fracture = *body.fracture;
    elastic_stresses(body, fracture.stress, threads);
    fracture.options.step = step;
    CrackProposal proposal =
        propose_cracks(body.mesh, fracture.stress, fracture.strength, fracture.crack_tip, fracture.options,
                       {.star = [&](int node) { return body.solid.star(node); },
                        .neighbours = skin_of(body).neighbours(),
                        .share = fracture.share},
                       &threads);
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
}

int pieces(const FemBody& body) {
    return may_break(body) ? body.seen->piece_count() : connected_pieces(body.mesh.tets);
}

}  // namespace pliant
