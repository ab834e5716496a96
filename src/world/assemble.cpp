// The linear system of a substep: each body's share, and rows for hands and for nodes held along one axis.

#include <cmath>

#include "pliant/body/leap_frog.hpp"
#include "pliant/body/surface_tension.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

double effective_mass(const World& w, int body, int node) {
    return visit_solved(w, body, [&](const auto& solved) {
        const BlockSystem& a = system(solved);
        return a.effective_mass(a.row_of_node[node]);
    });
}

NodeResistance node_resistance(const World& w, double dt, int body, int node) {
    return visit_solved(w, body, [&](const auto& solved) {
        const BlockSystem& a = system(solved);
        const int row = a.row_of_node[node];
        if (!std::isfinite(a.effective_mass(row))) return NodeResistance{a.effective_mass(row), a.effective_mass(row)};
        const double effective = a.diagonal(row).trace() / 3;
        const double mass = a.inertia[row], whole = w.dt / dt;
        return NodeResistance{mass, mass + whole * whole * (effective - mass)};
    });
}

namespace {

/// How hard a point that hangs on nodes is to move: 1/m = Σ weight²/m(node).
double effective_mass(const World& w, int body, const Point& point) {
    double inverse = 0;
    for (int k = 0; k < 4; ++k)
        inverse += point.weight[k] * point.weight[k] / pliant::effective_mass(w, body, point.node[k]);
    return inverse > 0 ? 1 / inverse : 0;
}

/// The spring of a hand, which acts on where the point will be at the end of the substep.
Coupling hand_row(const World& w, const Drag& drag, const StepContext& c) {
    Coupling row;
    for (int k = 0; k < 4; ++k) row.ends[row.count++] = {drag.body, drag.point.node[k], drag.point.weight[k]};
    const Vec3 point = visit_solved(w, drag.body, [&](const auto& body) { return drag.point.of(body.x); });
    const double m = effective_mass(w, drag.body, drag.point);
    const double k = drag.stiffness > 0 ? drag.stiffness : m / (c.dt * c.dt);
    row.S = c.dt * c.dt * k * Mat3::Identity();
    row.s = -c.dt * k * (point - drag.target(c.end));
    return row;
}

/// A node held along one axis is a row so stiff that it gives way by a millionth of what the substep would move it.
void add_axis_rows(World& w) {
    constexpr double stiffness = 1e6;
    int number = 0;
    for_each_solved(w, [&](const auto& body) {
        const int own = number++;
        if (steps_itself(body)) return;
        for (const AxisHold& hold : body.axis_holds) {
            if (body.prescribed[hold.particle]) continue;
            // Of the node against its neighbours, not of the body as a whole: the hold bears what presses on it.
            const BlockSystem& a = system(body);
            const double m = stiffness * a.diagonal(a.row_of_node[hold.particle])(hold.axis, hold.axis);
            Coupling row;
            row.ends[row.count++] = {own, hold.particle, 1.0};
            row.S(hold.axis, hold.axis) = m;
            row.s[hold.axis] = m * hold.velocity;
            w.scratch->hands.push_back(row);
        }
    });
}

/// Bodies of two-step formulas ask whether something may act on them in this substep.
void mark_contacts(World& w, const StepContext& c) {
    for (std::size_t i = 0; i < w.fem.size(); ++i) w.fem[i].may_touch = !w.touch.untouched(static_cast<int>(i));
    const auto mark = [&](int body) {
        if (body >= 0 && body < static_cast<int>(w.fem.size())) w.fem[body].may_touch = true;
    };
    for (const Contact& contact : w.contact.contacts()) {
        mark(contact.body);
        if (!contact.on_obstacle()) mark(contact.partner);
    }
    for (const Drag& drag : w.drags)
        if (drag.when.holds(c.end)) mark(drag.body);
}

}  // namespace

void assemble(World& w, const StepContext& c) {
    // Material flows once for the whole step; halves of it find that done.
    for (FemBody& body : w.fem) body.flows = c.halvings == 0;
    mark_contacts(w, c);
    for_each_solved(w, [&](auto& body) { begin_step(body, c.dt, *w.threads, w.times); });
    for (const ParticleBody& body : w.particles) throw_if_exploded(body, c.dt, w.time);
    w.scratch->hands.clear();
    for (const Drag& drag : w.drags)
        if (drag.body < solved_count(w) && drag.when.holds(c.end)) w.scratch->hands.push_back(hand_row(w, drag, c));
    add_axis_rows(w);
    for (std::size_t i = 0; i < w.fem.size(); ++i)  // FEM bodies have the first numbers
        if (w.fem[i].remeshing && w.fem[i].remeshing->options.tension > 0 && !steps_itself(w.fem[i]))
            add_tension_rows(w.fem[i], static_cast<int>(i), c.dt, w.scratch->hands);
}

}  // namespace pliant
