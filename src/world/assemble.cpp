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

/// f(body) for each FEM body that a row of contact acts on.
template <class F>
void for_each_touched(World& w, const F& f) {
    const StepScratch& s = *w.scratch;
    for (std::size_t i = 0; i < s.island_count; ++i) {
        const Island& island = s.islands[i];
        for (std::size_t r = 0; r < island.contact_rows; ++r)
            for (int e = 0; e < island.rows[r].count; ++e)
                if (const int body = island.bodies[island.rows[r].ends[e].system];
                    body < static_cast<int>(w.fem.size()))
                    f(w.fem[body]);
    }
}

/// What something acted on in the last step, or is pulled at, is touched in this one, too.
void mark_touched(World& w, const StepContext& c) {
    for (FemBody& body : w.fem) body.touched = false;
    const auto mark = [&](int body) {
        if (body >= 0 && body < static_cast<int>(w.fem.size())) w.fem[body].touched = true;
    };
    for (const Contact& contact : w.contact.contacts()) {
        if (!(contact.force > 0)) continue;
        mark(contact.body);
        if (!contact.on_obstacle()) mark(contact.partner);
    }
    for (const PairMemory& pair : w.touch.memory()) mark(pair.key[0]), mark(pair.key[3]);
    for (const Drag& drag : w.drags)
        if (drag.when.holds(c.end)) mark(drag.body);
}

}  // namespace

void assemble(World& w, const StepContext& c) {
    // Material flows once for the whole step; halves of it find that done.
    for (FemBody& body : w.fem) body.flows = c.halvings == 0;
    mark_touched(w, c);
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

bool forget_where_touched(World& w, const StepContext& c) {
    bool any = false;
    for_each_touched(w, [&](FemBody& body) {
        if (body.touched) return;
        body.touched = true;
        if (!body.integrator->remembers()) return;
        any = true;
        body.flows = false;
        for (std::size_t i = 0; i < body.v.size(); ++i)
            if (!body.prescribed[i]) body.v_next[i] = body.v[i];
        begin_step(body, c.dt, *w.threads, w.times);
    });
    return any;
}

}  // namespace pliant
