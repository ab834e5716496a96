#include "pliant/particle/particle_forces.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/particle/particle_parts.hpp"

namespace pliant {

ParticleForces::ParticleForces(const ParticleStructure& s, std::span<const ParticleMaterial> material,
                               const ParticleModelOptions& options)
    : parts_(std::make_unique<Parts>()) {
    CHECK(material.size() == s.tets.size() && !s.tets.empty(), material.size(), s.tets.size());
    Parts& p = *parts_;
    p.options = options;
    p.particles = static_cast<int>(s.size());
    const std::vector<ParticleMaterial> local = particle_materials(s, material);
    p.mass.resize(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (!(s.volume[i] > 0))
            throw UserError("particle " + std::to_string(i) + " has a cell without volume", {},
                            "Leave it out, or mesh the body again");
        p.mass[i] = local[i].density * s.volume[i];
    }
    const std::size_t rows = 4 * s.size();
    p.x.assign(rows, 0), p.v.assign(rows, 0), p.gathered.assign(rows, 0), p.scale.assign(rows, 0),
        p.push.assign(rows, 0);
    switch (options.model) {
        case ParticleModel::spring: p.set_springs(s); break;
        case ParticleModel::cmpm1: p.set_faces(s); break;
        case ParticleModel::cmpm2:
        case ParticleModel::cmpm3: p.set_tets(s); break;
    }
    p.energy.assign(p.groups, 0);
    set_material(s, material);
}

void ParticleForces::set_material(const ParticleStructure& s, std::span<const ParticleMaterial> material) {
    CHECK(material.size() == s.tets.size(), material.size(), s.tets.size());
    switch (parts_->options.model) {
        case ParticleModel::spring: return parts_->set_spring_numbers(s, material);
        case ParticleModel::cmpm1: return parts_->set_face_numbers(s, material);
        case ParticleModel::cmpm2: return parts_->set_model2_numbers(s, material);
        case ParticleModel::cmpm3: return parts_->set_model3_numbers(s, material);
    }
}

ParticleForces::~ParticleForces() = default;
ParticleForces::ParticleForces(ParticleForces&&) noexcept = default;
ParticleForces& ParticleForces::operator=(ParticleForces&&) noexcept = default;

std::span<const double> ParticleForces::mass() const { return parts_->mass; }
std::span<double> ParticleForces::memory() { return parts_->rotation; }
std::span<const double> ParticleForces::memory() const { return parts_->rotation; }

void ParticleForces::Parts::load(std::span<const Vec3> positions) {
    CHECK(static_cast<int>(positions.size()) == particles, positions.size(), particles);
    for (int i = 0; i < particles; ++i)
        for (int k = 0; k < 3; ++k) x[4L * i + k] = positions[i][k];
    std::copy(x.begin(), x.begin() + 4, origin);
    follow_positions();
}

void ParticleForces::Parts::follow_positions() {
    for (std::size_t i = 0; i < near.size(); ++i) near[i] = static_cast<float>(x[i] - origin[i % 4]);
}

FaceArgs ParticleForces::Parts::face_args() {
    return {.x = x.data(),
            .corner = corner.data(),
            .slot_begin = slot_begin.data(),
            .column = column.data(),
            .pair = pair.data(),
            .constant = constant_float.data(),
            .force = force.data(),
            .energy = energy.data()};
}

SpringArgs ParticleForces::Parts::spring_args() {
    return {.x = x.data(),
            .pair = pair.data(),
            .constant = constant_float.data(),
            .force = force.data(),
            .energy = energy.data()};
}

Model2Args ParticleForces::Parts::model2_args() {
    return {.x = x.data(),
            .row = row.data(),
            .constant = constant_float.data(),
            .weight = weight.data(),
            .force = force.data(),
            .unit_normal = options.normal == DeformedNormal::unit,
            .energy = energy.data()};
}

Model3Args ParticleForces::Parts::model3_args() {
    return {.x = x.data(),
            .node = node.data(),
            .gradient = gradient.data(),
            .constant = constant.data(),
            .force = force.data(),
            .rotation = rotation.data(),
            .pressure = pressure.data(),
            .dilation = dilation.data(),
            .energy = energy.data()};
}

void ParticleForces::Parts::move_corners(const Team& team) {
    const CornerArgs args{.near = near.data(),
                          .node = corner_node.data(),
                          .weight = corner_weight.data(),
                          .corner = corner.data(),
                          .two = corner_pairs_of_two,
                          .three = corner_pairs_of_three};
    particle_kernels(kernels).face.corners(args, team.begin(corners / 2), team.end(corners / 2));
    team.barrier();
}

void ParticleForces::Parts::set_pressures(const Team& team) {
    particle_kernels(kernels).model3.dilations(model3_args(), team.begin(groups), team.end(groups));
    team.barrier();
    for (int i = team.begin(particles); i < team.end(particles); ++i)
        pressure[gather_order[i]] = bulk[gather_order[i]] * dilation_of(i);
    team.barrier();
}

double ParticleForces::Parts::dilation_of(int place) const {
    double sum = 0;
    for (unsigned e = gather_begin[place]; e < gather_begin[place + 1]; ++e) sum += dilation[tets[e]];
    return sum;
}

void ParticleForces::Parts::element_forces(const Team& team) {
    const ParticleKernels kernel = particle_kernels(kernels);
    const int begin = team.begin(groups), end = team.end(groups);
    switch (options.model) {
        case ParticleModel::spring: return kernel.spring.forces(spring_args(), begin, end);
        case ParticleModel::cmpm1: move_corners(team); return kernel.face.forces(face_args(), begin, end);
        case ParticleModel::cmpm2: return kernel.model2.forces(model2_args(), begin, end);
        case ParticleModel::cmpm3: set_pressures(team); return kernel.model3.forces(model3_args(), begin, end);
    }
}

double ParticleForces::Parts::stored_energy() {
    const ParticleKernels kernel = particle_kernels(kernels);
    double sum = 0;
    switch (options.model) {
        case ParticleModel::spring: kernel.spring.energies(spring_args(), 0, groups); break;
        case ParticleModel::cmpm1:
            move_corners(Team{});
            kernel.face.energies(face_args(), 0, groups);
            break;
        case ParticleModel::cmpm2: kernel.model2.energies(model2_args(), 0, groups); break;
        case ParticleModel::cmpm3:
            set_pressures(Team{});
            kernel.model3.energies(model3_args(), 0, groups);
            // ½ V λ θ² of a cell, which is ½ p times a quarter of the sum of V·dilation over its tets.
            for (int i = 0; i < particles; ++i) sum += 0.125 * pressure[gather_order[i]] * dilation_of(i);
            break;
    }
    return std::accumulate(energy.begin(), energy.end(), sum);
}

namespace {

template <class Job>
void with_team(Threads& threads, int groups, Job&& job) {
    if (threads.count() == 1 || groups < ParticleForces::Parts::worth_sharing) return job(Team{});
    threads.run([&](int member, int count) { job(Team{&threads, member, count}); });
}

}  // namespace

void ParticleForces::forces(std::span<const Vec3> x, std::span<Vec3> out, Threads& threads) {
    Parts& p = *parts_;
    p.load(x);
    with_team(threads, p.groups, [&](const Team& team) {
        p.element_forces(team);
        team.barrier();
        particle_kernels(p.kernels).move.gather(p.gathering(), p.gathered.data(), team.begin(p.particles),
                                                team.end(p.particles));
    });
    for (int i = 0; i < p.particles; ++i)
        out[i] = Vec3(p.gathered[4L * i], p.gathered[4L * i + 1], p.gathered[4L * i + 2]);
}

double ParticleForces::energy(std::span<const Vec3> x) const {
    Parts& p = *parts_;
    p.load(x);
    p.kept_rotation = p.rotation;  // asking must not change what comes after
    const double sum = p.stored_energy();
    p.rotation = p.kept_rotation;
    return sum;
}

void ParticleForces::leap_frog(const LeapFrogRun& run, std::span<Vec3> x, std::span<Vec3> v, Threads& threads) {
    Parts& p = *parts_;
    CHECK(run.steps > 0 && run.h > 0, run.steps, run.h);
    p.load(x);
    for (int i = 0; i < p.particles; ++i) {
        const bool held = !run.prescribed.empty() && run.prescribed[i];
        const double scale = held ? 0 : run.h / p.mass[i];
        for (int k = 0; k < 3; ++k) {
            p.v[4L * i + k] = v[i][k];
            p.scale[4L * i + k] = scale;
            p.push[4L * i + k] = held ? v[i][k] : scale * run.force[i][k];
        }
    }
    for (const AxisHold& hold : run.holds) {
        p.scale[4L * hold.particle + hold.axis] = 0;
        p.push[4L * hold.particle + hold.axis] = hold.velocity;
    }
    const MoveArgs move{p.scale.data(), p.push.data(), p.x.data(), p.v.data(),
                        run.h,          run.damping,   p.origin,   p.near.empty() ? nullptr : p.near.data()};
    const MoveKernels& kernel = particle_kernels(p.kernels).move;
    if (run.constraint) run.constraint->begin(p.scale);
    const TouchRows rows{p.x, p.v, p.scale, run.h, run.damping};
    p.touched.resize(run.touches.empty() ? 0 : p.particles);
    const int rounds = begin_touches(run.touches, rows, p.touched);
    with_team(threads, p.groups, [&](const Team& team) {
        for (int n = 0; n < run.steps; ++n) {
            if (run.constraint && team.member == 0) run.constraint->linearise(p.x);
            p.element_forces(team);
            team.barrier();
            kernel.move(p.gathering(), move, team.begin(p.particles), team.end(p.particles));
            team.barrier();
            if (!run.constraint && run.touches.empty()) continue;
            if (team.member == 0) {
                if (run.constraint) run.constraint->correct(p.x, p.v, run.h);
                stop_touches(run.touches, rows, (n + 1) * run.h, rounds);
                p.follow_positions();
            }
            team.barrier();
        }
    });
    for (int i = 0; i < p.particles; ++i)
        for (int k = 0; k < 3; ++k) {
            x[i][k] = p.x[4L * i + k];
            v[i][k] = p.scale[4L * i + k] > 0 ? p.v[4L * i + k] : p.push[4L * i + k];
        }
}

}  // namespace pliant
