// One step of the world: the order of its stages, which world/step_stages.hpp describes, and the halving of substeps.

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/knobs.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

StepReport step(World& w) {
    StepContext c = begin_step(w);  // parameters that change, knives
    while (next_substep(w, c)) {    // one, unless a substep fails and its halves are tried
        prescribe_motion(w, c);     // grips
        gather_forces(w, c);        // gravity and pulls
        conduct_heat(w, c);
        find_collisions(w, c);
        assemble(w, c);  // rotations, forces, matrices, rows of hands
        find_islands(w);
        solve_islands(w, c);  // Newton's method, contacts, conjugate gradients
        if (!accept_substep(w, c)) continue;
        commit(w, c);
        edit_topology(w, c);  // cracks
    }
    return end_step(w, c);  // rigid bodies, clock
}

StepContext begin_step(World& w) {
    apply_parameter_changes(w, w.time + w.dt);
    make_cuts(w);
    StepContext c;
    c.pending[c.pending_count++] = 0;
    return c;
}

bool next_substep(const World& w, StepContext& c) {
    if (c.pending_count == 0) return false;
    c.halvings = c.pending[--c.pending_count];
    c.dt = std::ldexp(w.dt, -c.halvings);
    c.end = w.time + c.dt;
    return true;
}

namespace {

[[noreturn]] void throw_nonfinite(const World& w) {
    for_each_solved(w, [&](const auto& body) {
        const auto broken =
            std::find_if(body.v_next.begin(), body.v_next.end(), [](const Vec3& v) { return !v.allFinite(); });
        if (broken == body.v_next.end()) return;
        const int node = static_cast<int>(broken - body.v_next.begin());
        const auto& tets = body.mesh.tets;
        const auto element = std::find_if(tets.begin(), tets.end(), [&](const Tet& tet) {
            return std::find(tet.begin(), tet.end(), node) != tet.end();
        });
        throw UserError("body '" + body.name + "' left the range of numbers at t = " + short_number(w.time) +
                            " s (node " + std::to_string(node) + ", element " + std::to_string(element - tets.begin()) +
                            "), and smaller steps did not help",
                        {}, "Look for a force, a speed or a stiffness that is out of proportion there.");
    });
    CHECK(false, w.time);
    throw;
}

}  // namespace

bool accept_substep(const World& w, StepContext& c) {
    const bool finite = all_finite(w);
    const bool good = !(c.energy_gain > 0) && w.touch.stats().lost <= bearable_loss;
    if (finite && (good || c.halvings == max_energy_halvings)) return true;
    if (c.halvings == max_halvings) throw_nonfinite(w);
    for (int half = 0; half < 2; ++half) c.pending[c.pending_count++] = c.halvings + 1;
    return false;
}

StepReport end_step(World& w, StepContext& c) {
    advance_rigid_bodies(w, static_cast<double>(w.steps) * w.dt, w.dt);
    ++w.steps;
    w.time = static_cast<double>(w.steps) * w.dt;  // a product, so that no rounding adds up
    return c.report;
}

}  // namespace pliant
