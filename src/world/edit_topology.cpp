// Changes of connectivity after a substep: bodies that break, and all that follows them.

#include "pliant/body/remeshing.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/edit_mesh.hpp"
#include "pliant/world/ledger.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// Müller & Gross 2004, section 6: elements overloaded at the new positions crack, ready for the next substep.
void break_body(World& w, int number, const StepContext& c) {
    FemBody& body = w.fem[number];
    StageTimer timer(w.times, "fracture");
    const std::size_t nodes_before = body.x.size();
    const std::uint64_t draw = (w.steps << max_halvings) + static_cast<std::uint64_t>(c.report.substeps - 1);
    const std::optional<Broken> broken = break_apart(body, draw, *w.threads);
    if (!broken) return;
    for (const Crack& crack : broken->cracks)
        w.events.push_back({"crack", body.name, w.time, body.x[crack.node], crack.area, 0, crack.normal});
    follow_edit(w, number, nodes_before, broken->edit, broken->edited);
}

/// O'Brien & Hodgins 1999, section 4: nodes that the stress at the new positions pulls apart open, all in one edit.
void crack_body(World& w, int number, const StepContext& c) {
    FemBody& body = w.fem[number];
    const std::optional<CrackedElements> cracked = [&] {
        StageTimer timer(w.times, "fracture");
        return propose_element_cracks(body, w.time, c.dt, *w.threads);
    }();
    if (!cracked) return;
    StageTimer timer(w.times, "mesh edit");
    CrackTotals& total = body.cracks->total;
    for (const OpenedCrack& crack : cracked->cracks) {
        w.events.push_back({"crack", body.name, w.time, crack.place, crack.area, crack.energy, crack.normal});
        ++total.count, total.area += crack.area, total.energy += crack.energy;
    }
    edit_mesh(w, number, cracked->edit);
    body.cracks->aim = cracked->aim;
    body.cracks->reached = cracked->reached;
}

/// Wojtan & Turk 2008, section 8: where the basis functions have become bad, the body gets a new lattice.
void remesh_body(World& w, int number) {
    FemBody& body = w.fem[number];
    StageTimer timer(w.times, "remesh");
    if (!needs_remesh(body, *w.threads)) return;
    Remeshed remeshed = propose_remesh(body, *w.threads);
    count_remesh(body, remeshed.volume, w.time);
    edit_mesh(w, number, remeshed.edit, {std::move(remeshed.shape), std::move(remeshed.carried)});
    add_brought_momentum(body, remeshed.brought);
}

}  // namespace

void edit_topology(World& w, const StepContext& c) {
    for (int i = 0; i < static_cast<int>(w.fem.size()); ++i) {  // FEM bodies have the first numbers
        FemBody& body = w.fem[i];
        if (!body.cracks && !body.fracture && !body.remeshing) continue;
        const std::uint64_t revision = body.mesh.revision;
        const double kinetic = kinetic_energy(body);
        if (body.cracks) crack_body(w, i, c);
        if (body.fracture) break_body(w, i, c);
        if (body.remeshing) remesh_body(w, i);
        if (body.mesh.revision != revision) count_edit(w, i, kinetic);
        if (!body.fracture) continue;
        StageTimer timer(w.times, "update");
        update_surface(body, *w.threads);
    }
}

}  // namespace pliant
