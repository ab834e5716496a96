#include "pliant/body/remeshing.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "pliant/body/edit.hpp"
#include "pliant/meshing/surface_topology.hpp"
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

/// How far behind the mouth of the inlet the surface begins, m; 0: there is no inlet.
double inlet_depth(const FemBody& body, std::span<const Vec3> points) {
    const Inlet& inlet = body.remeshing->options.inlet;
    double depth = 0;
    if (inlet.speed > 0)
        for (const Vec3& p : points)
            if (!inlet.beside(p)) depth = std::max(depth, -inlet.ahead(p));
    return depth;
}

/// Puts the back of what is in the nozzle where it was at the start, and fills up what is between. kg.
double refill(FemBody& body, TriMesh& surface) {
    const Inlet& inlet = body.remeshing->options.inlet;
    const double depth = inlet_depth(body, surface.points), before = enclosed_volume(surface.points, surface.triangles);
    if (!(depth > 0)) return 0;
    // What lies a little before the back slides along the wall with it, so that the back stays flat.
    const double slides = 0.25 * body.remeshing->options.cell;
    for (Vec3& p : surface.points)
        if (!inlet.beside(p) && -inlet.ahead(p) > depth - slides) p -= (inlet.depth - depth) * inlet.along;
    const double volume = enclosed_volume(surface.points, surface.triangles) - before;
    RemeshTotals& total = body.remeshing->total;
    const double mass = volume * body.material[0].density;
    total.volume += volume, total.brought += mass;
    return mass;
}

/// The pieces of the mesh there is, and which of them the vertices of the surface hang on.
struct Pieces {
    std::vector<int> of_tet, of_vertex;
    std::vector<double> mass;  ///< kg
};

/// Lets the surface break and merge. vertices_after: of upkeep before, and then of both; empty: they are what they
/// were.
Pieces change_parts(FemBody& body, TriMesh& surface, std::vector<int>& vertices_after) {
    Pieces out;
    out.of_tet = linked_tets(body.mesh.tets);
    out.of_tet.resize(body.mesh.tets.size(), 0);  // empty: all hang together
    out.mass.assign(1 + *std::ranges::max_element(out.of_tet), 0);
    std::vector<int> of_node(body.x.size(), 0);
    for (std::size_t t = 0; t < out.of_tet.size(); ++t)
        for (int node : body.mesh.tets[t]) of_node[node] = out.of_tet[t];
    const auto weighs = node_mass(body);
    for (std::size_t i = 0; i < weighs.size(); ++i) out.mass[of_node[i]] += weighs[i];
    out.of_vertex.assign(surface.points.size(), -1);
    const std::vector<int>& hangs_on = body.embedding().tet;
    for (std::size_t v = 0; v < hangs_on.size(); ++v) {
        const int now = vertices_after.empty() ? static_cast<int>(v) : vertices_after[v];
        if (now >= 0) out.of_vertex[now] = out.of_tet[hangs_on[v]];
    }
    // Those that upkeep has made are their neighbours' piece.
    for (bool some = true; some;) {
        some = false;
        for (const Tri& t : surface.triangles) {
            const int known = std::max({out.of_vertex[t[0]], out.of_vertex[t[1]], out.of_vertex[t[2]]});
            for (int v : t)
                if (known >= 0 && out.of_vertex[v] < 0) out.of_vertex[v] = known, some = true;
        }
    }
    const RemeshOptions& options = body.remeshing->options;
    std::optional<BroughtSurface> brought;
    if (surface.attributes) brought.emplace(surface);
    const TopologyChanges changes =
        change_topology(surface, {.breaks = options.breaks, .opens = options.opens, .merges = options.merges});
    std::vector<int> of_vertex;
    for (int v : changes.from) of_vertex.push_back(out.of_vertex[v]);
    out.of_vertex = std::move(of_vertex);
    if (vertices_after.empty())
        vertices_after = changes.after;
    else
        for (int& v : vertices_after)
            if (v >= 0) v = changes.after[v];
    body.remeshing->total.breaks += static_cast<std::uint64_t>(changes.breaks);
    body.remeshing->total.holes += static_cast<std::uint64_t>(changes.holes);
    body.remeshing->total.merges += static_cast<std::uint64_t>(changes.merges);
    if (brought && changes.breaks + changes.holes + changes.merges > 0) surface.attributes = brought->on(surface, {});
    return out;
}

}  // namespace

bool needs_remesh(const FemBody& body, Threads& threads) {
    if (body.remeshing->options.inlet.depth - inlet_depth(body, body.points) > 0.5 * body.remeshing->options.cell)
        return true;
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
    const double brought = body.remeshing->total.volume > 0 ? refill(body, surface) : 0;  // not when it is made
    std::vector<int> vertices_after;
    const RemeshOptions& options = body.remeshing->options;
    if (options.edge > 0) {
        KeptSurface kept = keep_surface(surface, options.edge);
        if (surface.attributes) kept.surface.attributes = BroughtSurface(std::move(surface)).on(kept.surface, {});
        surface = std::move(kept.surface);
        vertices_after = std::move(kept.vertices_after);
    }
    const bool parts = options.breaks > 0 || options.opens > 0 || options.merges > 0;
    Pieces pieces = parts ? change_parts(body, surface, vertices_after) : Pieces{};
    if (parts && brought > 0) {
        const auto last = std::ranges::max_element(
            surface.points, {}, [&](const Vec3& p) { return options.inlet.beside(p) ? -1 : -options.inlet.ahead(p); });
        pieces.mass[pieces.of_vertex[last - surface.points.begin()]] += brought;
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
                           .mass = mass(body) + brought,
                           .piece = pieces.of_tet,
                           .piece_mass = pieces.mass,
                           .vertex_piece = pieces.of_vertex},
                          body.remeshing->options.cell, threads);
    out.brought = brought * options.inlet.speed * options.inlet.along;
    tracked.replace(std::move(surface), std::move(out.embedding), std::move(vertices_after), parts);
    return out;
}

void add_brought_momentum(FemBody& body, const Vec3& brought) {
    if (brought == Vec3::Zero()) return;
    const Vec3 faster = brought / mass(body);
    for (Vec3& v : body.v) v += faster;
}

void push_inlet(FemBody& body, double time) {
    if (!body.remeshing || !(body.remeshing->options.inlet.speed > 0)) return;
    const Inlet& inlet = body.remeshing->options.inlet;
    const Vec3 velocity = time <= inlet.till ? Vec3(inlet.speed * inlet.along) : Vec3(Vec3::Zero());
    for (std::size_t i = 0; i < body.x.size(); ++i)
        if (inlet.ahead(body.x[i]) < 0 && !inlet.beside(body.x[i])) body.prescribed[i] = 1, body.v_next[i] = velocity;
}

void count_remesh(FemBody& body, double volume, double time) {
    RemeshTotals& total = body.remeshing->total;
    ++total.count;
    total.time = time;
    total.volume_change = std::max(total.volume_change, std::abs(volume / total.volume - 1));
}

void begin_remeshing(FemBody& body, const RemeshOptions& options, Threads& threads) {
    body.remeshing = Remeshing{.options = options, .total = {}};
    const double depth = inlet_depth(body, body.points);
    if (options.inlet.speed > 0 && !(depth > 0))
        throw UserError("nothing of body '" + body.name + "' is behind the mouth of its inlet", {},
                        "Begin with a short strand that lies in the nozzle, with a flat back");
    body.remeshing->options.inlet.depth = depth;
    Remeshed remeshed = propose_remesh(body, threads);
    body.remeshing->total.volume = remeshed.volume;
    apply_edit(body, remeshed.edit, {std::move(remeshed.shape), std::move(remeshed.carried)}, threads);
    update_surface(body, threads);
}

}  // namespace pliant
