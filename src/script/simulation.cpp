#include "pliant/script/simulation.hpp"

#include "pliant/core/timer.hpp"

namespace pliant {

namespace {

/// Answers what a scene asks about a FEM body.
class FemQuery : public BodyQuery {
public:
    FemQuery(const World& world, std::size_t index) : world_(world), index_(index) {}

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
    double plastic_strain() const override { return mean_plastic_strain(body()); }
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
    const FemBody& body() const { return world_.fem[index_]; }
    const World& world_;
    std::size_t index_;
};

}  // namespace

Simulation::Simulation(Scene scene, int threads) : scene_(std::move(scene)) {
    world_ = build_world(scene_.desc(), threads, warnings_);
    for (std::size_t i = 0; i < world_->fem.size(); ++i) {
        queries_.push_back(std::make_unique<FemQuery>(*world_, i));
        scene_.connect(static_cast<int>(i), queries_.back().get());
    }
}

Simulation::~Simulation() {
    for (std::size_t i = 0; i < queries_.size(); ++i) scene_.connect(static_cast<int>(i), nullptr);
}

void Simulation::advance(const std::function<void(const StepReport&, double)>& each_step) {
    const int steps = steps_per_frame(desc().world);
    for (int i = 0; i < steps; ++i) {
        const double start = seconds_now();
        scene_.step(world_->time, world_->dt);
        const StepReport report = step(*world_);
        if (each_step) each_step(report, seconds_now() - start);
    }
    ++frame_;
}

Frame Simulation::show() {
    scene_.frame(world_->time, frame_);
    Frame picture = snapshot(*world_, frame_);
    picture.measures = scene_.measure();
    return picture;
}

std::string Simulation::save() const {
    ByteWriter out;
    out.value(frame_);
    out.text(scene_.save_state());
    save_state(*world_, out);
    return out.take();
}

void Simulation::restore(std::string_view bytes) {
    ByteReader in(bytes, "the checkpoint");
    in.value(frame_);
    scene_.restore_state(in.text());
    load_state(*world_, in);
    in.finish();
}

}  // namespace pliant
