// BodyDesc → ParticleBody.

#include <algorithm>

#include "pliant/core/text.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/meshing/voronoi.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

void override_numbers(ParticleNumbers& numbers, const ParticleNumbers& by) {
    auto set = [](auto& a, const auto& b) {
        if (b) a = b;
    };
    set(numbers.young, by.young), set(numbers.shear, by.shear), set(numbers.poisson, by.poisson);
    set(numbers.density, by.density), set(numbers.fibre_young, by.fibre_young), set(numbers.fibre, by.fibre);
}

ParticleMaterial particle_material(const ParticleNumbers& numbers) {
    ParticleMaterial m;
    m.young = numbers.young.value_or(m.young), m.poisson = numbers.poisson.value_or(m.poisson);
    m.shear = numbers.shear.value_or(shear_modulus(m.young, m.poisson));
    m.density = numbers.density.value_or(m.density);
    m.fibre = numbers.fibre.value_or(m.fibre), m.fibre_young = numbers.fibre_young.value_or(0);
    return m;
}

void check_magnitudes(const BodyDesc& desc, const ParticleStructure& structure,
                      std::span<const ParticleMaterial> materials) {
    TetMesh mesh;
    mesh.rest = structure.rest, mesh.tets = structure.tets;
    std::vector<ElementMaterial> elements;
    for (const ParticleMaterial& m : materials) elements.push_back({m.young, m.poisson, m.density});
    check_magnitudes(desc, mesh, elements);
}

}  // namespace

ParticleBody build_particle_body(const BodyDesc& desc, double dt, const Building& building) {
    ParticleBodyDesc body;
    body.name = desc.name;
    body.surface = at_line(desc.surface.where, [&] { return seen_surface(desc.name, desc.surface, building); });
    const Where& place = desc.volume.where.known() ? desc.volume.where : desc.where;
    double fill = 1;
    const bool cells = desc.particle.model.model == ParticleModel::cmpm1;
    const auto whole = [](const ParticleStructure& s) {
        return !s.faces.empty() && std::ranges::all_of(s.volume, [](double v) { return v > 0; });
    };
    if (desc.volume.structure && whole(*desc.volume.structure)) {
        body.structure = *desc.volume.structure;
        for (Vec3& p : body.structure.rest) p = desc.pose * p;
        for (VoronoiCorner& c : body.structure.polygon) c.rest = desc.pose * c.rest;
        for (VoronoiFace& f : body.structure.faces)
            f.area = desc.pose.rotation * f.area, f.centre = desc.pose * f.centre;
    } else {
        TetMesh mesh = at_line(place, [&] { return carrying_mesh(desc, body.surface, building); });
        orient_tets(mesh);
        for (Vec3& p : mesh.rest) p = desc.pose * p;
        body.structure = at_line(
            place, [&] { return cells ? particle_structure(mesh, building.threads) : structure_of_tets(mesh); });
        if (cells) drop_straight_corners(body.structure);
        // A grid fills its box exactly: what is seen is where the particles are, and its volume is theirs.
        if (desc.volume.kind == VolumeDesc::Kind::grid) body.surface = {};
        fill = fill_of(desc.volume, body.surface, mesh);
    }
    const Pose back = desc.pose.inverse();
    const bool local = !desc.particle.regions.empty() || desc.particle.vary;
    const auto material_of = [&](std::size_t t) {
        const Tet& tet = body.structure.tets[t];
        ParticleNumbers numbers = desc.particle.numbers;
        if (local) {
            Vec3 center = Vec3::Zero();
            for (int node : tet) center += 0.25 * body.structure.rest[node];
            center = back * center;
            for (const ParticleDesc::Region& region : desc.particle.regions)
                if (region.inside->distance(center) <= 0) override_numbers(numbers, region.numbers);
            if (desc.particle.vary) override_numbers(numbers, desc.particle.vary(center));
        }
        body.material.push_back(particle_material(numbers));
        ParticleMaterial& made = body.material.back();
        made.fibre = desc.pose.rotation * made.fibre;
        for (double* number : {&made.young, &made.shear, &made.fibre_young, &made.density}) *number *= fill;
    };
    const std::size_t tets = body.structure.tets.size();
    call_for_each(building.limits, desc.name + ": its material, asked for in " + grouped(tets) + " tets",
                  local ? tets : std::min<std::size_t>(1, tets), desc.where, material_of);
    check_magnitudes(desc, body.structure, body.material);
    body.model = desc.particle.model;
    body.heat = heat_of(desc, particle_material(desc.particle.numbers).young, false);
    if (body.heat && !body.heat->table.rows.empty() && body.model.stiffness > 0)
        throw UserError("the springs have a given stiffness, which heat does not change", desc.material.heat->where,
                        "Leave out stiffness, so that it comes from young, or the table of heat");
    body.implicit = desc.integrator.kind == "implicit_euler";
    body.step = desc.integrator.step;
    if (!body.implicit) {
        const double seconds = leap_frog_cost(dt, body.step, tets).seconds;
        if (seconds > longest_step)
            throw UserError(
                desc.name + ": a step of the world would be " + short_number(dt / body.step) +
                    " steps of leap_frog, which take about " + short_number(seconds) + " s",
                desc.integrator.where,
                "Use a larger dt in leap_frog, " + short_number(body.step * seconds / longest_step) + " s or more");
        say_own_steps(building.limits, desc.name, "leap_frog", building.duration / body.step,
                      seconds * building.duration / dt);
    }
    body.damping = desc.integrator.damping;
    body.solve = {desc.integrator.iterations, desc.integrator.tolerance};
    body.mass_damping = desc.particle.mass_damping;
    body.stiffness_damping = desc.particle.stiffness_damping;
    body.keeps_volume = desc.keeps_volume;
    body.friction = desc.particle.friction.value_or(default_friction);
    body.velocity = desc.velocity;
    body.spin = desc.spin;
    body.collide = desc.collide;
    if (desc.color) body.color = *desc.color;
    for (Vec3& p : body.surface.points) p = desc.pose * p;
    return at_line(desc.where, [&] { return make_particle_body(std::move(body)); });
}

}  // namespace pliant
