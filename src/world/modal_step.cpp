#include "pliant/world/modal_step.hpp"

#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/mixed_contact.hpp"

namespace pliant {

namespace {

// Hands on modal bodies are points that are told where to be (Hauser et al. 2003, eqs. 14 and 15).
void hold_points(const World& w, double end, std::vector<ModalHold>& holds) {
    const int first = solved_count(w);
    for (const Grip& grip : w.grips) {
        if (grip.body < first || !grip.when.holds(end)) continue;
        const ModalBody& body = w.modal[grip.body - first];
        const Pose pose = grip.pose(end);
        for (int node : grip.nodes)
            holds.push_back({grip.body - first, point_at_node(node), pose * body.mesh.rest[node], grip.axis});
    }
}

// A drag with a stiffness is a spring, and enters as a force; without one the point follows the hand.
void drag_points(World& w, double end, std::vector<ModalHold>& holds) {
    const int first = solved_count(w);
    for (const Drag& drag : w.drags) {
        if (drag.body < first || !drag.when.holds(end)) continue;
        ModalBody& body = w.modal[drag.body - first];
        const Vec3 target = drag.target(end);
        if (drag.stiffness <= 0) {
            holds.push_back({drag.body - first, drag.point, target});
            continue;
        }
        const Vec3 force = drag.stiffness * (target - point_position(body, drag.point));
        for (int k = 0; k < 4; ++k) body.force[drag.point.node[k]] += drag.point.weight[k] * force;
    }
}

/// A few modes cannot take every shape that hands ask for.
void warn_of_unreachable(World& w, const ModalStepReport& report) {
    constexpr double seen = 0.01;  // of the body's size: less is not noticed
    if (report.held_off_body < 0) return;
    const ModalBody& body = w.modal[static_cast<std::size_t>(report.held_off_body)];
    Box box;
    for (const Vec3& p : body.mesh.rest) box.add(p);
    if (!(report.held_off > seen * box.diagonal())) return;
    w.warnings.once("unreachable", report.held_off_body, [&]() -> Warning {
        return {"body '" + body.name + "': a held point stays " + short_number(report.held_off) +
                    " m away from where it is told to be at t = " + short_number(w.time) +
                    " s, since its modes do not reach farther",
                "Hold fewer points, or give it more modes"};
    });
}

}  // namespace

void advance_modal(World& w, double dt, std::span<const Obstacle> props) {
    if (w.modal.empty()) return;
    StageTimer timer(w.times, "modal");
    const double end = w.time + dt;
    ModalSolver& solver = w.modal_solver;
    solver.holds.clear();
    hold_points(w, end, solver.holds);
    drag_points(w, end, solver.holds);
    make_rigid_forms(w);
    const ModalStepReport report =
        solver.step(w.modal, {w.rigid.bodies, w.rigid.shapes, w.gravity, substeps_of(w.rigid.solver.options, dt)},
                    props, w.modal_joints, dt, *w.threads);
    warn_of_unreachable(w, report);
    const int modal_count = static_cast<int>(w.modal.size());
    const double gentle = 4 * w.gravity.norm() * dt;  // slower than this it rests or rolls
    for (const ModalTouch& t : solver.touches()) {
        // Both sides are struck; the normal points at `body`.
        for (int side = 0; side < 2; ++side) {
            const int who = side == 0 ? t.body : t.partner;
            if (who < 0) continue;
            const Vec3 impulse = (side == 0 ? t.impulse : -t.impulse) * t.normal;
            add_contact_event(w, end, dt, who < modal_count ? who : -1, who - modal_count, t.point, impulse,
                              std::max(0.0, t.approach));
        }
        const int modal = t.body < modal_count ? t.body : t.partner;
        if (t.approach > gentle)
            w.events.push_back({"impact", w.modal[static_cast<std::size_t>(modal)].name, end, t.point, t.impulse});
    }
    for (const ModalBody& body : w.modal)
        if (!body.velocity.allFinite() || !std::isfinite(energy(body.oscillators)))
            throw UserError(
                "modal body '" + body.name + "' left the range of numbers at t = " + short_number(w.time) + " s", {},
                "Look for a force or a speed that is out of proportion.");
}

}  // namespace pliant
