#include "pliant/body/particle_body.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/body/state_list.hpp"
#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"

namespace pliant {

namespace {

// What the solid is made of whose matrix stands in for the derivative of the model's forces: Hooke's law with the
// moduli the model amounts to.
std::vector<ElementMaterial> tangent_material(const ParticleStructure& structure,
                                              std::span<const ParticleMaterial> materials,
                                              const ParticleModelOptions& model) {
    std::vector<ElementMaterial> material;
    material.reserve(materials.size());
    for (const ParticleMaterial& m : materials) {
        const EffectiveModuli moduli = effective_moduli(model.model, m);
        // Fibres act on one direction; taking them for all keeps the step stable.
        const double young = moduli.young() + (model.model == ParticleModel::cmpm3 ? m.fibre_young : 0);
        material.push_back({young, std::clamp(moduli.poisson(), -0.2, 0.49), m.density});
    }
    if (model.model == ParticleModel::spring && model.stiffness > 0) {
        // The modulus of a network of equal springs: E = Σ k l² / (6 V), as in spring_constants().
        double sum = 0;
        for (const auto& [a, b] : structure.edges)
            sum += model.stiffness * (structure.rest[a] - structure.rest[b]).squaredNorm();
        for (ElementMaterial& m : material) m.young = sum / (6 * total_volume(structure.rest, structure.tets));
    }
    return material;
}

Solid tangent_solid(const TetMesh& mesh, const ParticleBodyDesc& desc, std::span<const double> mass) {
    Solid solid(mesh, tangent_material(desc.structure, desc.material, desc.model),
                {.mass_damping = desc.mass_damping, .stiffness_damping = desc.stiffness_damping});
    solid.set_mass(mass);
    return solid;
}

void set_masses(BlockSystem& a, std::span<const double> mass) {
    a.set_pattern(std::vector<std::vector<int>>(mass.size()));
    for (int row = 0; row < a.rows; ++row) a.inertia[row] = mass[a.node_of_row[row]];
}

/// A tet without volume has neither mass nor stiffness to give to its particles.
void refuse_flat_tets(const ParticleBodyDesc& desc) {
    const std::vector<double> quality = tet_quality(desc.structure.rest, desc.structure.tets);
    for (std::size_t t = 0; t < quality.size(); ++t)
        if (!(quality[t] > 1e-12))
            throw UserError("tet " + std::to_string(t) + " of body '" + desc.name + "' is flat or turned inside out",
                            {}, "Mesh the shape anew, for instance with `pliant mesh`, or remove the tet");
}

}  // namespace

ParticleBody make_particle_body(ParticleBodyDesc desc) {
    if (desc.structure.tets.empty())
        throw UserError("body '" + desc.name + "' has no elements", {}, "Use a smaller cell.");
    if (desc.material.empty()) desc.material.assign(1, ParticleMaterial{});
    if (desc.material.size() == 1) desc.material.assign(desc.structure.tets.size(), desc.material[0]);
    CHECK(desc.material.size() == desc.structure.tets.size(), desc.material.size(), desc.structure.tets.size());
    refuse_flat_tets(desc);
    TetMesh mesh;
    mesh.rest = desc.structure.rest;
    mesh.tets = desc.structure.tets;
    if (desc.surface.triangles.empty()) desc.surface = boundary_surface(mesh).surface;
    const SurfaceFacts facts = inspect(desc.surface);
    ParticleBody body(ParticleForces(desc.structure, desc.material, desc.model));
    if (desc.implicit) body.tangent = tangent_solid(mesh, desc, body.forces.mass());
    if (desc.keeps_volume) body.keeps_volume.emplace(mesh.rest, mesh.tets, desc.structure.boundary, *desc.keeps_volume);
    auto seen = std::make_unique<EmbeddedSurface>(mesh, std::move(desc.surface), facts);
    take_shared(body, desc, std::move(mesh), std::move(seen), facts);
    reset_nodes(body, body.x.size());
    body.solve = desc.solve;
    body.implicit = desc.implicit, body.step = desc.step, body.damping = desc.damping;
    body.structure = std::move(desc.structure);
    body.material = std::move(desc.material);
    body.model = desc.model;
    body.x_trial = body.v_trial = body.mean = body.own = std::vector<Vec3>(body.x.size(), Vec3::Zero());
    add_spin(body, node_mass(body), desc.spin);
    if (body.implicit) body.strain.resize(body.mesh.tets.size());
    if (!body.implicit) set_masses(body.masses, body.forces.mass());
    if (desc.heat) add_heat(body, *desc.heat);
    Threads alone(1);
    update_surface(body, alone);
    return body;
}

void apply_material(ParticleBody& body) {
    body.forces.set_material(body.structure, body.material);
    if (!body.tangent) return;
    body.tangent->set_material(tangent_material(body.structure, body.material, body.model));
    body.tangent->set_mass(body.forces.mass());
}

SurfaceView surface_view(const ParticleBody& body) {
    if (!body.collide) return {};
    return {.points = body.points,
            .velocities = body.velocities,
            .triangles = body.surface().triangles,
            .tets = body.mesh.tets,
            .embedding = &body.embedding(),
            .spacing = body.spacing,
            .friction = body.friction};
}

namespace {

// A hair more than a whole number of steps is that number.
int own_steps(const ParticleBody& body, double dt) {
    const double steps = std::ceil(dt / body.step - 1e-6);
    if (!(steps < 2e9))
        throw UserError("body '" + body.name + "' would take " + short_number(steps) +
                            " steps of leap_frog in one step of the world",
                        {}, "Use a larger dt in leap_frog");
    return std::max(1, static_cast<int>(steps));
}

// The body's own steps up to the end of the world's; prescribed particles go with v_next.
void run_leap_frog(ParticleBody& body, double dt, Threads& threads) {
    body.x_trial = body.x;
    for (std::size_t i = 0; i < body.v.size(); ++i) body.v_trial[i] = body.prescribed[i] ? body.v_next[i] : body.v[i];
    const int steps = own_steps(body, dt);
    body.forces.leap_frog({.steps = steps,
                           .h = dt / steps,
                           .damping = body.damping,
                           .force = body.force,
                           .prescribed = body.prescribed,
                           .holds = body.axis_holds,
                           .constraint = body.keeps_volume ? &*body.keeps_volume : nullptr,
                           .touches = body.touches},
                          body.x_trial, body.v_trial, threads);
}

// The way of each particle with obstacles alone, as the velocity that other bodies and hands act on.
void predict_leap_frog(ParticleBody& body, double dt, Threads& threads) {
    run_leap_frog(body, dt, threads);
    BlockSystem& a = body.masses;
    a.reference = 0, a.pending_correction = 0;
    a.pinned = true;  // the sum over the steps is the momentum's own balance
    std::fill(a.r.begin(), a.r.end(), 0.0);
    std::fill(a.v.begin(), a.v.end(), 0.0);
    for (int row = 0; row < a.rows; ++row) {
        const int i = a.node_of_row[row];
        body.mean[i] = (body.x_trial[i] - body.x[i]) / dt;
        a.add(a.v, row, body.mean[i]);
        a.prescribed[row] = body.prescribed[i];
        a.reset_preconditioner(row);
    }
}

// M v⁺ = M v + dt (f + f_model(x) + dt·∂f v⁺): the solid gives the matrix and no forces at x of its own, because all of
// its strain is taken for plastic.
void assemble_implicit(ParticleBody& body, double dt, Threads& threads, StageTimes& times) {
    {
        StageTimer timer(times, "particle forces");
        parallel_for(threads, (body.mesh.tets.size() + 7) / 8, 256, [&](std::size_t begin, std::size_t end) {
            body.tangent->total_strains(body.x, body.strain, static_cast<int>(begin), static_cast<int>(end));
        });
        body.forces.forces(body.x, body.own, threads);
        for (std::size_t i = 0; i < body.own.size(); ++i) body.own[i] += body.force[i];
    }
    body.tangent->assemble(body.x, body.v_next,
                           {.dt = dt, .force = body.own, .prescribed = body.prescribed, .plastic_strain = body.strain},
                           threads, times);
}

}  // namespace

void begin_step(ParticleBody& body, double dt, Threads& threads, StageTimes& times) {
    if (body.implicit) return assemble_implicit(body, dt, threads, times);
    StageTimer timer(times, "leap-frog");
    predict_leap_frog(body, dt, threads);
}

int runaway_particle(const ParticleBody& body, double dt) {
    if (body.implicit) return -1;
    const Vec3 mean = momentum(body.forces.mass(), body.v) / mass(body);
    const double apart = std::cbrt(total_volume(body.mesh.rest, body.mesh.tets) / static_cast<double>(body.x.size()));
    const double fastest = apart * own_steps(body, dt) / dt;
    for (std::size_t i = 0; i < body.v_trial.size(); ++i)
        if (!body.prescribed[i] && !((body.v_trial[i] - mean).norm() < fastest)) return static_cast<int>(i);
    return -1;
}

UserError explosion(const ParticleBody& body, int particle, double dt, double time) {
    const ParticleModel model = body.model.model;
    const bool gains = model == ParticleModel::cmpm1 || model == ParticleModel::cmpm2;
    const std::string step = short_number(dt / own_steps(body, dt));
    return UserError("body '" + body.name + "' exploded at t = " + short_number(time) + " s: particle " +
                         std::to_string(particle) + " moves past its neighbours within one step of " + step + " s",
                     {},
                     gains ? "cmpm1 and cmpm2 can gain energy where a body is strained far: use model = \"cmpm3\", "
                             "implicit_euler { } or more damping; if it explodes at once, leap_frog { dt } is too long"
                           : "Use smaller steps, leap_frog { dt }, or implicit_euler { }");
}

BlockSystem& system(ParticleBody& body) { return body.implicit ? body.tangent->system() : body.masses; }
const BlockSystem& system(const ParticleBody& body) { return body.implicit ? body.tangent->system() : body.masses; }
std::span<const double> node_mass(const ParticleBody& body) { return body.forces.mass(); }

void finish_solve(ParticleBody& body, Threads&) {
    const BlockSystem& a = system(body);
    for (int row = 0; row < a.rows; ++row) body.v_next[a.node_of_row[row]] = a.at(a.v, row);
}

// What the solve found is the impulse on each particle in this step. It acts as a steady force: given at once, at the
// end or at the start, it would go into the elements beside the particle alone. Bodies that touch each other get
// opposite forces, so that their momentum is kept.
void finish_own_steps(ParticleBody& body, double dt, Threads& threads) {
    if (body.implicit) return;
    bool pushed = false;
    for (std::size_t i = 0; i < body.x.size(); ++i) {
        if (body.prescribed[i] || body.v_next[i] == body.mean[i]) continue;
        body.force[i] += body.forces.mass()[i] / dt * (body.v_next[i] - body.mean[i]);  // the world sets it anew
        pushed = true;
    }
    if (pushed) run_leap_frog(body, dt, threads);
}

void commit_step(ParticleBody& body, double dt, Threads& threads) {
    if (body.implicit) {
        body.x_trial = body.x;
        std::swap(body.v, body.v_next);
        for (std::size_t i = 0; i < body.x.size(); ++i) body.x[i] += dt * body.v[i];
        if (body.keeps_volume)
            body.keeps_volume->apply(body.x_trial, body.forces.mass(), body.prescribed, body.axis_holds, dt, body.x,
                                     body.v);
    } else {
        std::swap(body.x, body.x_trial);
        std::swap(body.v, body.v_trial);
    }
    update_surface(body, threads);
}

double elastic_energy(const ParticleBody& body) { return body.forces.energy(body.x); }

Flux flux_through(const ParticleBody& body, int axis, double at) {
    Flux flux = flux_through(pair_forces(body.structure, body.material, body.model, body.x), body.x, axis, at);
    if (body.model.model != ParticleModel::cmpm3) return flux;
    Vec3 total = flux.elastic + flux.shear;
    flux.elastic = total[axis] * Vec3::Unit(axis);
    flux.shear = total - flux.elastic;
    return flux;
}

namespace {

template <class Body, class F>
requires std::same_as<std::remove_const_t<Body>, ParticleBody>
void for_each_array(Body& body, F&& f) {
    f(ArrayRole{"x", Per::node}, body.x);
    f(ArrayRole{"v", Per::node}, body.v);
    f(ArrayRole{"memory"}, body.forces.memory());
    if (body.tangent) f(ArrayRole{"rotation"}, body.tangent->rotation_state());
    f(ArrayRole{"temperature", Per::node}, body.temperature);
}

}  // namespace

void save_state(const ParticleBody& body, ByteWriter& out) { for_each_array(body, ArrayWriter{out}); }

void load_state(ParticleBody& body, ByteReader& in) {
    const std::size_t particles = body.x.size();
    for_each_array(body, ArrayReader{in, body.name});
    if (body.x.size() != particles || body.v.size() != particles || !finish_temperature(body))
        throw another_mesh(body.name);
}

void hash_state(const ParticleBody& body, Hash& hash) { for_each_array(body, ArrayHash{hash}); }

}  // namespace pliant
