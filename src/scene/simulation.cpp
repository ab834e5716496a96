#include "pliant/scene/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/core/timer.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// The body of a number, as it stands in its vector.
template <class Body>
const Body& body_at(const World& w, int number) {
    return visit_body(w, number, [](const auto& body) -> const Body& {
        if constexpr (std::is_same_v<std::decay_t<decltype(body)>, Body>) return body;
        CHECK(false, body.name);
        throw;
    });
}

double plastic_strain_of(const ParticleBody&) { return 0; }
double plastic_strain_of(const ModalBody&) { return 0; }
double plastic_strain_of(const ShellBody&) { return 0; }
double plastic_strain_of(const FemBody& body) { return mean_plastic_strain(body); }

int pieces_of(const FemBody& body) { return pieces(body); }
int pieces_of(const ShellBody& body) { return system(body).parts(); }
template <class Body>
int pieces_of(const Body& body) {
    return connected_pieces(body.mesh.tets);
}

template <class Body>
RemeshTotals remesh_totals(const Body& body) {
    if constexpr (requires { body.remeshing; })
        return body.remeshing ? body.remeshing->total : RemeshTotals{};
    else
        return {};
}

/// Answers what a scene asks about a body of any kind.
template <class Body>
class Query : public BodyQuery {
public:
    Query(const World& world, int number) : world_(world), number_(number) {}

    double volume() const override { return pliant::volume(body()); }
    double rest_volume() const override { return body().rest_volume; }
    double mass() const override { return pliant::mass(body()); }
    Vec3 center() const override { return center_of_mass(body()); }
    Vec3 velocity() const override { return momentum(body()) / pliant::mass(body()); }
    double kinetic_energy() const override { return pliant::kinetic_energy(body()); }
    double elastic_energy() const override { return pliant::elastic_energy(body()); }
    double max_speed() const override { return pliant::max_speed(body()); }
    Box bounds() const override { return pliant::bounds(body()); }
    double temperature() const override { return mean_temperature(body()); }
    double max_temperature() const override { return pliant::max_temperature(body()); }
    double plastic_strain() const override { return plastic_strain_of(body()); }
    int pieces() const override { return pieces_of(body()); }
    int remeshes() const override { return static_cast<int>(remesh_totals(body()).count); }
    double volume_change() const override { return remesh_totals(body()).volume_change; }
    Flux flux(int axis, double at) const override {
        if constexpr (requires { flux_through(body(), axis, at); })
            return flux_through(body(), axis, at);
        else  // modes have no stress to cut through
            return {};
    }
    int node_count() const override { return body().mesh.node_count(); }
    int tet_count() const override { return body().mesh.tet_count(); }
    std::uint64_t revision() const override { return body().mesh.revision; }
    Vec3 node_position(int node) const override { return body().x[node]; }
    int node_near(const Vec3& start) const override {
        int best = 0;
        const std::vector<Vec3>& rest = body().mesh.rest;
        for (int i = 1; i < static_cast<int>(rest.size()); ++i)
            if ((rest[i] - start).squaredNorm() < (rest[best] - start).squaredNorm()) best = i;
        return best;
    }

private:
    const Body& body() const { return body_at<Body>(world_, number_); }
    const World& world_;
    int number_;
};

}  // namespace

Simulation::Simulation(std::unique_ptr<SceneProgram> scene, int threads,
                       const std::function<void(const std::string&)>& say)
    : scene_(std::move(scene)) {
    world_ = build_world(scene_->desc(), threads, say);
    const std::vector<int> numbers = body_numbers(scene_->desc());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (scene_->desc().bodies[i].kind == "rigid") {
            queries_.push_back(rigid_query(*world_, numbers[i] - body_count(*world_)));
            scene_->connect(static_cast<int>(i), queries_.back().get());
            continue;
        }
        queries_.push_back(visit_body(*world_, numbers[i], [&](const auto& body) -> std::unique_ptr<BodyQuery> {
            return std::make_unique<Query<std::decay_t<decltype(body)>>>(*world_, numbers[i]);
        }));
        scene_->connect(static_cast<int>(i), queries_.back().get());
    }
    check_finite(false);
}

Simulation::~Simulation() {
    for (std::size_t i = 0; i < queries_.size(); ++i) scene_->connect(static_cast<int>(i), nullptr);
}

void Simulation::advance(const std::function<void(const StepReport&, double)>& each_step) {
    const int steps = steps_per_frame(desc().world);
    for (int i = 0; i < steps; ++i) {
        const double start = seconds_now();
        scene_->step(world_->time, world_->dt);
        const StepReport report = step(*world_);
        if (report.substeps > 1)
            world_->warnings.once("substeps", -1, [&]() -> Warning {
                return {"a step was cut into " + std::to_string(report.substeps) +
                            " at t = " + short_number(world_->time) + " s",
                        "Use a smaller dt if the motion there matters"};
            });
        if (report.missed > 0)
            world_->warnings.once("tolerance", -1, [&]() -> Warning {
                return {"a solve ended above its tolerance, with " + short_number(100 * report.residual) +
                            " % of the residual left at t = " + short_number(world_->time) + " s",
                        "Use a smaller dt, or integrator = implicit_euler { iterations = … } with a higher cap"};
            });
        if (report.own_cuts > 0)
            world_->warnings.once("own steps", -1, [&]() -> Warning {
                return {"the energy of an explicit body grew, and its steps were halved to " +
                            short_number(report.own_step) + " s at t = " + short_number(world_->time) + " s",
                        "Leave out dt in its integrator, or make it shorter"};
            });
        if (report.limited > 0)
            world_->warnings.once("limited", -1, [&]() -> Warning {
                return {"contact held back a motion that Newton's method had not resolved at t = " +
                            short_number(world_->time) + " s",
                        "Use a smaller dt if the motion there matters; nothing was crossed"};
            });
        accuracy_.worst_residual = std::max(accuracy_.worst_residual, report.residual);
        accuracy_.missed += report.missed;
        accuracy_.own_cuts += report.own_cuts;
        accuracy_.most_own_steps = std::max(accuracy_.most_own_steps, report.own_steps);
        if (report.own_step > 0 && !(accuracy_.shortest_own_step > 0 && accuracy_.shortest_own_step <= report.own_step))
            accuracy_.shortest_own_step = report.own_step;
        accuracy_.cut += report.substeps > 1;
        accuracy_.limited += report.limited > 0;
        accuracy_.newton += report.newton;
        accuracy_.energy_gain += report.energy_gain;
        if (report.energy_gain > 0)
            world_->warnings.once("energy", -1, [&]() -> Warning {
                return {"a body gained " + short_number(report.energy_gain) + " J beyond the work done on it at t = " +
                            short_number(world_->time) + " s, even in steps of a quarter",
                        "Look for elements that are torn to many times their size there, or use a smaller dt"};
            });
        if (each_step) each_step(report, seconds_now() - start);
    }
    ++frame_;
    // Elastic energy costs as much as a good part of a step, so it is asked for once.
    check_finite(frame_ == frames());
}

void Simulation::check_finite(bool elastic) const {
    for (std::size_t i = 0; i < queries_.size(); ++i) {
        const BodyQuery& body = *queries_[i];
        const double kinetic = body.kinetic_energy();
        if (std::isfinite(kinetic) && body.bounds().min.allFinite() && body.bounds().max.allFinite() &&
            (!elastic || std::isfinite(body.elastic_energy())))
            continue;
        const BodyDesc& desc = scene_->desc().bodies[i];
        throw UserError("body '" + desc.name + "' has gone beyond all numbers at t = " + short_number(world_->time) +
                            " s: its fastest point moves at " + short_number(body.max_speed()) + " m/s, and its " +
                            (std::isfinite(kinetic) ? "elastic" : "kinetic") + " energy is no longer finite",
                        desc.where, "Check its velocity, what pulls at it, and its sizes and material");
    }
}

Frame Simulation::show(bool bodies) {
    scene_->frame(world_->time, frame_);
    Frame picture;
    if (bodies) {
        picture = snapshot(*world_, frame_);
    } else {
        picture.index = frame_, picture.time = world_->time;
        world_->events.clear(), world_->contact_events.clear();  // as a picture would take them
    }
    picture.measures = scene_->measure(world_.get());
    return picture;
}

std::string Simulation::save() const {
    ByteWriter out;
    out.value(frame_);
    out.text(scene_->save_state());
    save_state(*world_, out);
    return out.take();
}

void Simulation::restore(std::string_view bytes) {
    ByteReader in(bytes, "the checkpoint");
    in.value(frame_);
    scene_->restore_state(in.text());
    load_state(*world_, in);
    in.finish();
}

}  // namespace pliant
