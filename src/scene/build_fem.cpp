// BodyDesc → FemBody.

#include <algorithm>
#include <cmath>

#include "pliant/body/explicit_step.hpp"
#include "pliant/core/text.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/material/material.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/paint.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

/// The plasticity law and its numbers: what the scene says, else what the preset has.
void set_plasticity(FemBodyDesc& body, const MaterialDesc& desc, const std::vector<MaterialNumbers>& local,
                    const Pose& pose) {
    PlasticityDesc common;
    if (!desc.preset.empty()) {
        const MaterialPreset& preset = material_presets().get(desc.preset, desc.preset_where);
        common.numbers = preset.plastic;
        if (common.numbers.rate > 0) common.law = preset.plasticity;
    }
    if (desc.plasticity) common = *desc.plasticity;
    if (common.law.empty()) return;
    body.plasticity = &plasticity_laws().get(common.law, common.where);
    body.plastic.assign(std::max(local.size(), body.material.size()), common.numbers);
    if (common.lasting != Vec3::Ones()) {
        const Mat3 turn = pose.rotation.toRotationMatrix();
        body.lasting = {turn * common.lasting.asDiagonal() * turn.transpose()};
    }
    if (common.yield_stress)  // √(3/2)·2μ‖ε′‖ = σ
        for (std::size_t t = 0; t < body.plastic.size(); ++t) {
            const ElementMaterial& m = body.material[std::min(t, body.material.size() - 1)];
            body.plastic[t].yield = *common.yield_stress / (std::sqrt(6.0) * lame(m.young, m.poisson).mu);
        }
    for (std::size_t t = 0; t < local.size(); ++t) {
        if (local[t].yield) body.plastic[t].yield = *local[t].yield;
        if (local[t].rate) body.plastic[t].rate = *local[t].rate;
    }
}

/// A seed for each body, so that equal bodies of a scene do not break alike.
void set_fracture(FemBodyDesc& body, const MaterialDesc& desc, const std::vector<MaterialNumbers>& local,
                  std::uint64_t seed) {
    if (!desc.fracture) {
        if (std::any_of(local.begin(), local.end(), [](const MaterialNumbers& n) { return n.strength.has_value(); }))
            throw UserError("a region has a strength, but the material has no fracture", desc.where,
                            "Add fracture = { strength = 6e4 }");
        return;
    }
    const MaterialFractureDesc& common = *desc.fracture;
    body.fracture =
        FractureDesc{.strength = std::vector<double>(std::max<std::size_t>(1, local.size()), common.strength),
                     .noise = common.noise,
                     .splits = common.splits,
                     .propagation = common.propagation,
                     .seed = seed,
                     .grain = common.grain,
                     .smooth = common.smooth,
                     .touch = common.touch,
                     .through_elements = common.through_elements,
                     .cut = common.cut,
                     .planes = common.planes,
                     .crack_speed = common.crack_speed,
                     .by_intensity = common.by_intensity || common.by_release};
    for (std::size_t t = 0; t < local.size(); ++t)
        if (local[t].strength) body.fracture->strength[t] = *local[t].strength;
    if (!common.by_release) return;
    // K² = G E/(1 − ν²): in plane strain, which a crack's front inside a body is in.
    body.fracture->strength.resize(std::max(body.fracture->strength.size(), body.material.size()), common.strength);
    for (std::size_t t = 0; t < body.fracture->strength.size(); ++t) {
        const ElementMaterial& m = body.material[std::min(t, body.material.size() - 1)];
        double& number = body.fracture->strength[t];
        number = std::sqrt(number * m.young / (1 - m.poisson * m.poisson));
    }
}

void set_law(FemBodyDesc& body, const MaterialDesc& material) {
    if (material.elasticity) body.solid.law = &material_laws().get(*material.elasticity);
    body.solid.law_numbers = material.law_numbers;
}

/// Explicit steps of their own must not take longer than a user would wait for one of the world's.
void check_own_steps(const BodyDesc& desc, FemBody& body, double dt, const Building& building) {
    if (!body.integrator->is_explicit()) return;
    const double step = own_step(body), seconds = explicit_cost(dt, step, body.mesh.tets.size()).seconds;
    const std::string name = body.integrator->name;
    if (!(seconds > longest_step))
        return say_own_steps(building.limits, desc.name, name, building.duration / step,
                             seconds * building.duration / dt);
    throw UserError(desc.name + ": a step of the world would be " + short_number(dt / step) + " steps of " + name +
                        ", which take about " + short_number(seconds) + " s",
                    desc.integrator.where,
                    desc.integrator.step > 0
                        ? "Leave out dt in " + name + ", which then takes the longest that is stable, or use bdf2 { }"
                        : "Use bdf2 { } or implicit_euler { }, a softer material, or larger tets");
}

}  // namespace

FemBody build_fem_body(const BodyDesc& desc, std::uint64_t seed, double dt, const Building& building) {
    FemBodyDesc body;
    body.name = desc.name;
    body.surface = at_line(desc.surface.where, [&] { return seen_surface(desc.name, desc.surface, building); });
    body.mesh = at_line(desc.volume.where.known() ? desc.volume.where : desc.where,
                        [&] { return carrying_mesh(desc, body.surface, building); });
    // A grid fills its box exactly: what is seen of a body that keeps its volume has just that volume.
    if (desc.volume.kind == VolumeDesc::Kind::grid && desc.keeps_volume) body.surface = {};

    ElementMaterial common;
    const MaterialDesc& material = desc.material;
    if (!material.preset.empty()) {
        const MaterialPreset& preset = material_presets().get(material.preset, material.preset_where);
        common = {preset.young, preset.poisson, preset.density};
        body.solid.mass_damping = preset.mass_damping;
        body.solid.stiffness_damping = preset.stiffness_damping;
    }
    body.solid.fill = fill_of(desc.volume, body.surface, body.mesh);
    check_cost(building.limits, desc.name + ": a body of " + grouped(body.mesh.tet_count()) + " tets",
               tets_cost(body.mesh.tet_count()), desc.volume.where, "Use a larger cell");
    const std::vector<MaterialNumbers> local = local_numbers(desc, body.mesh, building.limits);
    body.material = element_materials(material, common, local);
    check_magnitudes(desc, body.mesh, body.material);
    set_plasticity(body, material, local, desc.pose);
    set_fracture(body, material, local, seed);
    body.heat = heat_of(desc, material.numbers.young.value_or(common.young), body.plasticity != nullptr);
    set_law(body, material);
    body.solid.mass_damping = material.mass_damping.value_or(body.solid.mass_damping);
    body.solid.stiffness_damping = material.stiffness_damping.value_or(body.solid.stiffness_damping);
    body.friction = material.friction.value_or(default_friction);
    body.solve = {desc.integrator.iterations, desc.integrator.tolerance};
    body.solve.newton = desc.integrator.newton;
    if (desc.integrator.preconditioner == "jacobi") body.solve.preconditioner = Preconditioner::jacobi;
    if (desc.integrator.preconditioner == "two_level") body.solve.preconditioner = Preconditioner::two_level;
    if (desc.integrator.preconditioner == "multigrid") body.solve.preconditioner = Preconditioner::multigrid;
    body.integrator = find_integrator(desc.integrator.kind);
    if (!body.integrator)
        throw UserError("a body of finite elements cannot be moved by " + desc.integrator.kind, desc.integrator.where,
                        "Use implicit_euler { }, or a particle_body");
    if (body.integrator->is_explicit()) body.own_step = desc.integrator.step;
    body.velocity = desc.velocity;
    body.spin = desc.spin;
    body.collide = desc.collide;
    body.keeps_volume = desc.keeps_volume;
    if (desc.smoothed) body.solid.element = Element::smoothed;
    body.cutting = desc.cutting;
    if (body.cutting && body.fracture)
        throw UserError("body '" + desc.name + "' has fracture and is cut", desc.where,
                        "Leave out fracture, or the cuts");
    body.remesh = desc.remesh;
    if (desc.color) body.color = *desc.color;

    add_scene_looks(desc, body.mesh, body.surface);
    std::vector<double> temperatures = painted_temperatures(material, body.mesh.rest);
    for (Vec3& p : body.mesh.rest) p = desc.pose * p;
    for (Vec3& p : body.surface.points) p = desc.pose * p;
    FemBody made = at_line(desc.where, [&] { return make_fem_body(std::move(body), building.threads); });
    set_temperatures(made, material, std::move(temperatures));
    check_own_steps(desc, made, dt, building);
    if (made.fracture && !made.seen->remark().empty()) building.warnings.add(made.name + ": " + made.seen->remark());
    return made;
}

}  // namespace pliant
