#include "run_report.hpp"

#include <algorithm>

#include "pliant/body/seen_volume.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

template <class Body>
int pieces_of(const Body& body) {
    return connected_pieces(body.mesh.tets);
}
int pieces_of(const FemBody& body) { return pieces(body); }

/// What cracks did to a body; nothing to those that cannot break.
template <class Body>
void add_cracks(const Body&, BodyReport&) {}
void add_cracks(const FemBody& body, BodyReport& report) {
    if (body.cracks) {
        const CrackTotals& total = body.cracks->total;
        report.cracks = CrackReport{static_cast<std::int64_t>(total.count), total.area, total.energy};
    }
    if (body.remeshing) report.remesh = body.remeshing->total;
    if (!may_break(body)) return;
    report.surface_closed = surface_closed(inspect(body.surface()));  // looked at, not believed
    report.skin_volume_error = body.seen->volume_error();
}

template <class Body>
BodyReport report_of(const Body& body) {
    BodyReport report{.name = body.name,
                      .kind = kind_name(body),
                      .nodes = body.mesh.node_count(),
                      .elements = body.mesh.tet_count(),
                      .surface_triangles = static_cast<std::int64_t>(body.surface().triangles.size()),
                      .surface_closed = surface_closed(body),
                      .volume = volume(body),
                      .rest_volume = body.rest_volume,
                      .mass = mass(body),
                      .pieces = pieces_of(body),
                      .max_speed = max_speed(body)};
    add_cracks(body, report);
    return report;
}

BodyReport report_of(const RigidBody& body) {
    return {.name = body.name,
            .kind = "rigid",
            .surface_triangles = static_cast<std::int64_t>(body.surface.triangles.size()),
            .surface_closed = true,
            .volume = body.rest.volume,
            .rest_volume = body.rest.volume,
            .mass = mass(body),
            .max_speed = max_speed(body)};
}

}  // namespace

void fill_report(RunReport& report, Simulation& simulation, const std::string& scene, const StepTimeTally& step_times) {
    const World& w = simulation.world();
    report.scene = scene;
    report.version = PLIANT_VERSION;
    report.seed = w.seed;
    report.threads = w.threads->count();
    report.frames = simulation.frame();
    report.steps = static_cast<std::int64_t>(w.steps);
    report.sim_s = w.time;
    report.step_ms = step_times.times();
    for (const auto& stage : w.times.entries())
        report.stage_ms.emplace_back(
            stage.name, 1e3 * stage.seconds / static_cast<double>(std::max<std::int64_t>(1, step_times.count())));
    const RunAccuracy& accuracy = simulation.accuracy();
    report.worst_residual = accuracy.worst_residual, report.missed = accuracy.missed;
    report.most_own_steps = accuracy.most_own_steps, report.shortest_own_step = accuracy.shortest_own_step;
    report.own_cuts = accuracy.own_cuts;
    report.cut = accuracy.cut, report.limited = accuracy.limited, report.newton = accuracy.newton;
    report.energy = energy_balance(w);
    report.state_hash = state_hash(w);
    for (const std::string& warning : simulation.warnings().sentences()) report.warnings.push_back(warning);
    for_each_body(w, [&](const auto& body) { report.bodies.push_back(report_of(body)); });
    for (const RigidBody& body : w.rigid.bodies) report.bodies.push_back(report_of(body));
    for (const auto& [name, points] : report.series)
        if (!points.empty()) report.metrics[name] = points.back().second;
    if (simulation.frame() == simulation.frames())  // a shortened run has not reached what the scene expects
        for (const ExpectOutcome& outcome : simulation.outcomes())
            report.expectations.push_back({outcome.description, outcome.passed, outcome.message});
}

}  // namespace pliant
