#include "pliant/body/remeshing.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/body/edit.hpp"
#include "pliant/meshing/surface_upkeep.hpp"
#include "pliant/surface/brought_surface.hpp"
#include "pliant/surface/tracked_surface.hpp"

namespace pliant {

void check_remesh(FemBodyDesc& desc) {
    if (desc.plasticity && !desc.plasticity->multiplicative())
        throw UserError(
            "body '" + desc.name + "' is remeshed, which plasticity '" + desc.plasticity->name + "' does not go with",
            {}, "Use plasticity = flow { … } or finite_creep { … }");
    if (desc.fracture || desc.cutting)
        throw UserError("body '" + desc.name + "' has both remesh and " + (desc.fracture ? "fracture" : "cutting") +
                            ", which do not go together",
                        {}, "Leave one of them out");
    check_tracked(desc.name, inspect(desc.surface));
    desc.solid.least_fill = desc.remesh->least_fill;
}

namespace {

TrackedSurface& tracked_surface(FemBody& body) {
    auto* surface = dynamic_cast<TrackedSurface*>(body.seen.get());
    CHECK(surface, body.name);
    return *surface;
}

/// The deformation of a tet since the last remesh.
Mat3 deformation_since(const FemBody& body, const Tet& tet) {
    Mat3 now, then;
    for (int k = 0; k < 3; ++k) {
        now.col(k) = body.x[tet[k + 1]] - body.x[tet[0]];
        then.col(k) = body.mesh.rest[tet[k + 1]] - body.mesh.rest[tet[0]];
    }
    return now * then.inverse();
}

}  // namespace

bool needs_remesh(const FemBody& body, Threads& threads) {
    const double limit = body.remeshing->options.condition;
    constexpr std::size_t at_once = 1024;
    body.node_sums.assign((body.mesh.tets.size() + at_once - 1) / at_once, 0);
    parallel_for(threads, body.mesh.tets.size(), at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            if (condition_number(deformation_since(body, body.mesh.tets[t])) > limit) {
                body.node_sums[begin / at_once] = 1;
                return;
            }
    });
    return std::ranges::any_of(body.node_sums, [](double found) { return found > 0; });
}

Remeshed propose_remesh(FemBody& body, Threads& threads) {
    const std::size_t tets = body.mesh.tets.size();
    TrackedSurface& tracked = tracked_surface(body);
    TriMesh surface = tracked.surface();
    surface.points = body.points;
    std::vector<int> vertices_after;
    if (body.remeshing->options.edge > 0) {
        KeptSurface kept = keep_surface(surface, body.remeshing->options.edge);
        if (surface.attributes) kept.surface.attributes = BroughtSurface(std::move(surface)).on(kept.surface, {});
        surface = std::move(kept.surface);
        vertices_after = std::move(kept.vertices_after);
    }
    std::vector<Mat3> elastic(tets);
    std::vector<double> content(tets), density(tets);
    const auto& carried = body.solid.carried();
    parallel_for(threads, tets, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            elastic[t] = body.solid.deformation_gradient(body.x, static_cast<int>(t));
            content[t] = carried.empty() ? 1 : carried[t][0] + carried[t][1] + carried[t][2] + carried[t][3];
            content[t] = std::max(content[t], body.remeshing->options.least_fill);
            density[t] = body.material[t].density;
        }
    });
    Remeshed out = remesh({.surface = surface,
                           .tets = body.mesh.tets,
                           .x = body.x,
                           .elastic = elastic,
                           .content = content,
                           .density = density,
                           .mass = mass(body)},
                          body.remeshing->options.cell, threads);
    tracked.replace(std::move(surface), std::move(out.embedding), std::move(vertices_after));
    return out;
}

void count_remesh(FemBody& body, double volume, double time) {
    RemeshTotals& total = body.remeshing->total;
    ++total.count;
    total.time = time;
    total.volume_change = std::max(total.volume_change, std::abs(volume / total.volume - 1));
}

void begin_remeshing(FemBody& body, const RemeshOptions& options, Threads& threads) {
    body.remeshing = Remeshing{.options = options, .total = {}};
    Remeshed remeshed = propose_remesh(body, threads);
    body.remeshing->total.volume = remeshed.volume;
    apply_edit(body, remeshed.edit, {std::move(remeshed.shape), std::move(remeshed.carried)}, threads);
    update_surface(body, threads);
}

}  // namespace pliant
