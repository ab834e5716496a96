// The velocities at the end of a substep: conjugate gradients within each island, and a loop over the contacts around
// them. Newton's method for the elastic forces is around that (newton.cpp).

#include <algorithm>

#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

// Solves per substep while contacts change: usually, and when some row would still pull (an impact of a stiff body).
constexpr int usual_passes = 3, max_passes = 12;
// The same with barriers: things that fall on each other meet one after the other, and each takes some. What is missing
// at the end costs motion, not safety.
constexpr int max_barrier_passes = 32;
// What touches is solved more exactly than what moves freely: friction that holds is stiff, so that what a solve leaves
// over as a velocity comes back as a force, and what should stick creeps. At this residual a block of 1e7 Pa that is
// held by 98 % of its friction does not.
constexpr double touching_tolerance = 1e-6;
// By springs: impacts start from large residuals, and what is left over of these does work. At this residual it is
// below 1 % of the energy of 200 thrown boxes, at 2e-3 it was up to 22 %.
constexpr double pressed_tolerance = 2e-5;

/// Its solves go on until a tolerance is reached, and not for a number of iterations.
bool has_tolerance(const Island& island) {
    if (island.options.iterations > 0) return false;
    return island.options.tolerance > 0 ||
           std::any_of(island.systems.begin(), island.systems.end(),
                       [](const BlockSystem* a) { return a->two_level || a->multigrid; });
}

void solve_linear(World& w, StepContext& c) {
    StepScratch& s = *w.scratch;
    c.residual = 0, c.missed = 0;
    for (std::size_t i = 0; i < s.island_count; ++i) {
        StageTimer timer(w.times, "solve");
        const Island& island = s.islands[i];
        if (island.converged) continue;
        CgOptions options{island.options.iterations, island.options.tolerance, best_kernel_level()};
        if (island.touch_rows > 0 && options.iterations == 0)
            options.tolerance =
                options.tolerance > 0 ? std::min(options.tolerance, touching_tolerance) : touching_tolerance;
        if (island.contact_rows > island.touch_rows && has_tolerance(island))
            options.tolerance =
                options.tolerance > 0 ? std::min(options.tolerance, pressed_tolerance) : pressed_tolerance;
        const CgReport solved = solve_coupled(island.systems, island.rows, options, *w.threads, s.conjugate);
        c.report.iterations += solved.iterations;
        c.residual = std::max(c.residual, solved.residual);
        c.missed += solved.missed;
        if (island.touch_rows > 0) settle_residuals(island.systems, options, *w.threads, s.conjugate);
        for (int body : island.bodies) visit_solved(w, body, [&](auto& b) { finish_solve(b, *w.threads); });
    }
    s.velocities.clear();
    for_each_solved(w, [&](const auto& body) { s.velocities.push_back(body.v_next); });
}

/// Bodies go only as far towards the last solution as nothing is crossed.
void hold_back(World& w) {
    w.touch.limit(*w.threads);
    int number = 0;
    for_each_solved(w, [&](auto& body) {
        const int own = number++;
        BlockSystem& a = system(body);
        for (std::size_t i = 0; i < body.v_next.size(); ++i) {
            const double share = w.touch.share(own, static_cast<int>(i));
            if (share == 1) continue;
            body.v_next[i] *= share;
            a.part_coupled[a.part_of(a.row_of_node[i])] = 1;
        }
    });
}

}  // namespace

void solve_with_contacts(World& w, StepContext& c) {
    StepScratch& s = *w.scratch;
    const auto mass = [&](int body, int node) { return effective_mass(w, body, node); };
    const auto resistance = [&](int body, int node) { return node_resistance(w, c.dt, body, node); };
    const int passes = w.barriers ? max_barrier_passes : max_passes;
    for (int pass = 0; pass < passes; ++pass) {
        for (std::size_t i = 0; i < s.island_count; ++i) s.islands[i].rows.clear();
        {
            StageTimer timer(w.times, "contacts");
            distribute_rows(s, w.touch.rows(resistance, pass + 1 == passes));
            for (std::size_t i = 0; i < s.island_count; ++i) s.islands[i].touch_rows = s.islands[i].rows.size();
            distribute_rows(s, w.contact.rows(mass));
            for (std::size_t i = 0; i < s.island_count; ++i) s.islands[i].contact_rows = s.islands[i].rows.size();
        }
        distribute_rows(s, s.hands);
        solve_linear(w, c);
        StageTimer timer(w.times, "contacts");
        const bool others = w.contact.update(s.velocities) && (pass + 1 < usual_passes || w.contact.unconverged());
        const std::size_t links = w.touch.links().size();
        if (w.barriers) search_lines(w, pass == 0);
        const bool more = w.touch.advance(s.velocities, s.line.cut, *w.threads);
        if (!more && !others) break;
        if (pass + 1 == passes) hold_back(w);
        if (w.touch.links().size() > links) find_islands(w);  // the solution let others meet
    }
}

bool all_finite(const World& w) {
    bool finite = true;
    for_each_solved(w, [&](const auto& body) {
        for (const Vec3& v : body.v_next) finite = finite && v.allFinite();
    });
    return finite;
}

void solve_islands(World& w, StepContext& c) {
    solve_with_contacts(w, c);
    if (forget_where_touched(w, c)) solve_with_contacts(w, c);
    newton_iterations(w, c);
}

}  // namespace pliant
