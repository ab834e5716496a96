// What the script does to nodes: grips give their motion, pulls and loads add forces.

#include "pliant/body/remeshing.hpp"
#include "pliant/body/surface_tension.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

namespace {

/// Calls f(grip, pose at the end, body) for every grip that acts on a solved body at the end of the substep.
template <class F>
void for_each_grip(World& w, double end, F&& f) {
    for (const Grip& grip : w.grips) {
        if (grip.body >= solved_count(w) || !grip.when.holds(end)) continue;
        const Pose pose = grip.pose(end);
        visit_solved(w, grip.body, [&](auto& body) { f(grip, pose, body); });
    }
}

}  // namespace

void prescribe_motion(World& w, const StepContext& c) {
    for_each_solved(w, [](auto& body) {
        std::fill(body.prescribed.begin(), body.prescribed.end(), 0);
        body.axis_holds.clear();
        body.v_next = body.v;
    });
    for (FemBody& body : w.fem) push_inlet(body, c.end);
    for_each_grip(w, c.end, [&](const Grip& grip, const Pose& given, auto& body) {
        // A body that was remeshed is at rest as it was then.
        Pose pose = given;
        if constexpr (requires { body.remeshing; })
            if (body.remeshing) pose = given * grip.pose(body.remeshing->total.time).inverse();
        for (int node : grip.nodes) {
            const Vec3 velocity = (pose * body.mesh.rest[node] - body.x[node]) / c.dt;
            if (grip.axis < 0) {
                body.prescribed[node] = 1;
                body.v_next[node] = velocity;
            } else {
                body.axis_holds.push_back({node, grip.axis, velocity[grip.axis]});
            }
        }
    });
}

void gather_forces(World& w, const StepContext& c) {
    for_each_body(w, [&](auto& body) {
        const auto mass = node_mass(body);
        for (std::size_t i = 0; i < body.force.size(); ++i) body.force[i] = mass[i] * w.gravity;
    });
    for (const Pull& pull : w.pulls) {
        if (!pull.when.holds(c.end)) continue;
        const Vec3 force = pull.force(c.end);
        visit_body(w, pull.body, [&](auto& body) {
            const auto mass = node_mass(body);
            double total = 0;
            for (int node : pull.nodes) total += mass[node];
            for (int node : pull.nodes) body.force[node] += (mass[node] / total) * force;
        });
    }
    for (FemBody& body : w.fem)
        if (body.remeshing && body.remeshing->options.tension > 0) add_surface_tension(body);
    gather_loads(w, c);
}

}  // namespace pliant
