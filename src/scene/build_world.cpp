// SceneDesc → World.

#include <algorithm>
#include <cmath>

#include "pliant/body/explicit_step.hpp"
#include "pliant/body/seen_volume.hpp"
#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/core/text.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/material/material.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/meshing/conforming.hpp"
#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/shape_surface.hpp"
#include "pliant/meshing/voronoi.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/paint.hpp"
#include "pliant/scene/simulation.hpp"
#include "pliant/world/bodies.hpp"
#include "pliant/world/knobs.hpp"

namespace pliant {

namespace {

constexpr double default_friction = 0.5;
/// Nothing is seen, saved or stopped within a step of the world: it must not last longer than this, s.
constexpr double longest_step = 60;

}  // namespace

TriMesh seen_surface(const std::string& name, const SurfaceDesc& desc, const Building& building) {
    if (desc.mesh) {
        check_cost(
            building.limits, name + ": a surface of " + grouped(desc.mesh->mesh->triangles.size()) + " triangles",
            triangles_cost(static_cast<double>(desc.mesh->mesh->triangles.size())), desc.where, "Use a coarser mesh");
        return *desc.mesh->mesh;
    }
    if (!desc.shape) return {};
    check_cost(building.limits, name + ": a surface this fine", surface_cost(desc), desc.where,
               "Ask for fewer triangles, a longer edge or a thicker wall");
    Threads& threads = building.threads;
    double edge = desc.edge > 0 ? desc.edge : default_edge(*desc.shape);
    TriMesh surface = shape_surface(*desc.shape, edge, &threads);
    if (desc.triangles > 0) {  // edge² is proportional to area per triangle; two corrections are plenty
        for (int round = 0; round < 2; ++round) {
            edge *= std::sqrt(static_cast<double>(surface.triangles.size()) / static_cast<double>(desc.triangles));
            surface = shape_surface(*desc.shape, edge, &threads);
        }
    }
    return surface;
}

/// Moves the nodes of a grid at random, those on the faces within them, so that its tets have all kinds of directions.
void shake_inner_nodes(TetMesh& mesh, const Box& box, const VolumeDesc& volume) {
    const std::vector<Vec3> regular = mesh.rest;
    const double smallest = 0.05 * total_volume(regular, mesh.tets) / mesh.tet_count();
    for (double jitter = volume.jitter;; jitter *= 0.9) {  // as far as no tet becomes flat
        Rng random(1);
        mesh.rest = regular;
        for (Vec3& p : mesh.rest)
            for (int k = 0; k < 3; ++k) {
                const double cell = box.size()[k] / volume.cells[k], shift = (2 * random.uniform() - 1) * jitter * cell;
                if (p[k] > box.min[k] + 0.5 * cell && p[k] < box.max[k] - 0.5 * cell) p[k] += shift;
            }
        double least = smallest;
        for (const Tet& tet : mesh.tets) least = std::min(least, signed_volume(mesh.rest, tet));
        if (least >= smallest) return;
    }
}

TetMesh carrying_mesh(const BodyDesc& desc, const TriMesh& surface, const Building& building) {
    const VolumeDesc& volume = desc.volume;
    Threads& threads = building.threads;
    if (volume.cell > 0) {  // as many as fill the volume, and half of one's width all over the surface
        const SurfaceFacts facts = inspect(surface);
        const double tets =
            12 * (std::abs(facts.volume) / volume.cell + 0.4 * facts.area) / (volume.cell * volume.cell);
        check_cost(building.limits, desc.name + ": about " + short_number(tets) + " tets", tets_cost(tets),
                   volume.where, "Use a larger cell");
    }
    if (volume.tets > 0)
        check_cost(building.limits, desc.name + ": " + grouped(volume.tets) + " tets",
                   tets_cost(static_cast<double>(volume.tets)), volume.where, "Ask for fewer");
    if (volume.kind == VolumeDesc::Kind::tets) return *volume.mesh;
    if (volume.kind == VolumeDesc::Kind::grid) {
        const Box box = surface.bounds();
        check_cost(building.limits,
                   desc.name + ": a grid of " + grouped(volume.cells[0]) + " × " + grouped(volume.cells[1]) + " × " +
                       grouped(volume.cells[2]) + " cubes",
                   grid_cost(volume.cells), volume.where, "Use fewer cells");
        TetMesh mesh = bar_mesh(volume.cells[0], volume.cells[1], volume.cells[2], box.min, box.max);
        if (volume.jitter > 0) shake_inner_nodes(mesh, box, volume);
        return mesh;
    }
    if (volume.kind == VolumeDesc::Kind::tetgen) {
        try {
            return volume.tetgen(surface);
        } catch (const UserError& error) {
            throw UserError(error.message(), volume.where, error.remedy());
        }
    }
    const LatticeOptions wanted{.cell = volume.cell, .tets = volume.tets};
    LatticeResult result = volume.kind == VolumeDesc::Kind::conforming ? conforming(surface, wanted, threads)
                                                                       : lattice(surface, wanted, threads);
    for (const std::string& repair : result.repairs) building.warnings.add(desc.name + ": " + repair);
    return std::move(result.mesh);
}

namespace {

void override_numbers(ElementMaterial& material, const MaterialNumbers& numbers) {
    if (numbers.young) material.young = *numbers.young;
    if (numbers.poisson) material.poisson = *numbers.poisson;
    if (numbers.density) material.density = *numbers.density;
}

void override_numbers(MaterialNumbers& numbers, const MaterialNumbers& by) {
    auto set = [](std::optional<double>& a, const std::optional<double>& b) {
        if (b) a = b;
    };
    set(numbers.young, by.young), set(numbers.poisson, by.poisson), set(numbers.density, by.density);
    set(numbers.yield, by.yield), set(numbers.rate, by.rate), set(numbers.strength, by.strength);
}

/// What regions, paint and the function `vary` say, per tet; empty when there are none.
std::vector<MaterialNumbers> local_numbers(const BodyDesc& body, const TetMesh& mesh, const BuildLimits& limits) {
    const MaterialDesc& desc = body.material;
    if (desc.regions.empty() && !desc.vary && !paints_numbers(desc)) return {};
    std::vector<MaterialNumbers> numbers(mesh.tets.size());
    const auto center_of = [&](const Tet& tet) {
        Vec3 center = Vec3::Zero();
        for (int node : tet) center += 0.25 * mesh.rest[node];
        return center;
    };
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (const RegionDesc& region : desc.regions)
            if (region.inside->distance(center_of(mesh.tets[t])) <= 0) override_numbers(numbers[t], region.numbers);
    add_paint(desc, mesh, numbers);
    if (desc.vary)
        call_for_each(limits, body.name + ": its material, asked for in " + grouped(mesh.tet_count()) + " tets",
                      numbers.size(), desc.where,
                      [&](std::size_t t) { override_numbers(numbers[t], desc.vary(center_of(mesh.tets[t]))); });
    return numbers;
}

}  // namespace

std::vector<ElementMaterial> element_materials(const BodyDesc& body, const TetMesh& mesh, const BuildLimits& limits) {
    const MaterialDesc& desc = body.material;
    ElementMaterial common;
    if (!desc.preset.empty()) {
        const MaterialPreset& preset = material_presets().get(desc.preset, desc.preset_where);
        common = {preset.young, preset.poisson, preset.density};
    }
    return element_materials(desc, common, local_numbers(body, mesh, limits));
}

/// One set of numbers for the whole body, or one per tet where the place matters.
std::vector<ElementMaterial> element_materials(const MaterialDesc& desc, ElementMaterial common,
                                               const std::vector<MaterialNumbers>& local) {
    override_numbers(common, desc.numbers);
    if (local.empty()) return {common};
    std::vector<ElementMaterial> materials(local.size(), common);
    for (std::size_t t = 0; t < local.size(); ++t) override_numbers(materials[t], local[t]);
    return materials;
}

void check_magnitudes(const BodyDesc& body, const TetMesh& mesh, std::span<const ElementMaterial> materials) {
    // Products of a few of these numbers appear: of mass and stiffness, and their squares.
    constexpr double least = 1e-60, most = 1e60;
    const auto refuse = [&](std::size_t tet, const char* what, double value, const char* unit) {
        throw UserError("body '" + body.name + "': tet " + std::to_string(tet) + " has a " + what + " of " +
                            short_number(value) + " " + unit + ", which is too " + (value < most ? "small" : "large") +
                            " to calculate with",
                        body.where, "Check its size (m), density (kg/m³) and Young's modulus (Pa)");
    };
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        const ElementMaterial& m = materials[materials.size() == 1 ? 0 : t];
        const double volume = std::abs(signed_volume(mesh.rest, mesh.tets[t]));
        const double edge = (mesh.rest[mesh.tets[t][1]] - mesh.rest[mesh.tets[t][0]]).norm();
        const double mass = m.density * volume, stiffness = m.young * edge;
        // A flat tet has a sentence of its own.
        if (!(mass >= least && mass <= most) && (volume > 0 || m.density == 0)) refuse(t, "mass", mass, "kg");
        if (!(stiffness >= least && stiffness <= most)) refuse(t, "stiffness", stiffness, "N/m");
    }
}

namespace {

/// The plasticity law and its numbers: what the scene says, else what the preset has.
void set_plasticity(FemBodyDesc& body, const MaterialDesc& desc, const std::vector<MaterialNumbers>& local) {
    PlasticityDesc common;
    if (!desc.preset.empty()) common.numbers = material_presets().get(desc.preset, desc.preset_where).plastic;
    if (common.numbers.rate > 0) common.law = "creep";
    if (desc.plasticity) common = *desc.plasticity;
    if (common.law.empty()) return;
    body.plasticity = &plasticity_laws().get(common.law, common.where);
    body.plastic.assign(std::max(local.size(), body.material.size()), common.numbers);
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

/// young: of the material, which the table's stands against.
std::optional<HeatDesc> heat_of(const BodyDesc& body, double young, bool plastic) {
    const std::optional<MaterialHeatDesc>& heat = body.material.heat;
    if (!heat) return {};
    const auto& rows = heat->table.rows;
    if (!plastic && !rows.empty() && (rows[0].yield || rows[0].rate))
        throw UserError("the heat table has yield or rate, but the body has no plasticity", heat->where,
                        body.kind == "fem" ? "Add plasticity = creep { yield = 0.1, rate = 1, max = 10 }"
                                           : "Leave them out, or use fem_body");
    return HeatDesc{heat->numbers, heat->table, heat->relative ? 1 : young};
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
                     .smooth = common.smooth,
                     .touch = common.touch,
                     .through_elements = common.through_elements,
                     .cut = common.cut,
                     .planes = common.planes,
                     .by_intensity = common.by_intensity};
    for (std::size_t t = 0; t < local.size(); ++t)
        if (local[t].strength) body.fracture->strength[t] = *local[t].strength;
}

/// Temperatures at the start, per node of the body.
template <class Body>
void set_temperatures(Body& body, const MaterialDesc& material, std::vector<double>&& temperatures) {
    if (temperatures.empty()) return;
    if (!body.heat)
        throw UserError("a temperature is painted, but the material has no heat", material.where,
                        "Add heat = { conductivity = 0.25, specific_heat = 2000 }");
    CHECK(temperatures.size() == body.temperature.size(), temperatures.size(), body.temperature.size());
    body.temperature = body.temperature_next = std::move(temperatures);
    set_material_at(body, body.temperature);
}

void set_law(FemBodyDesc& body, const MaterialDesc& material) {
    if (material.elasticity) body.solid.law = &material_laws().get(*material.elasticity);
    body.solid.law_numbers = material.law_numbers;
}

/// Share of a lattice's volume that a closed surface encloses. Whole tets touch the surface; what sticks out of it
/// weighs and resists nothing.
double fill_of(const VolumeDesc& volume, const TriMesh& surface, const TetMesh& mesh) {
    if (volume.kind != VolumeDesc::Kind::lattice || !surface_closed(inspect(surface))) return 1;
    const double share = enclosed_volume(surface.points, surface.triangles) / total_volume(mesh.rest, mesh.tets);
    return share > 0 && share < 1 ? share : 1;
}

/// Explicit steps of their own must not take longer than a user would wait for one of the world's.
void check_own_steps(const BodyDesc& desc, FemBody& body, double dt) {
    if (!body.integrator->is_explicit()) return;
    const double step = own_step(body), seconds = explicit_cost(dt, step, body.mesh.tets.size()).seconds;
    if (!(seconds > longest_step)) return;
    const std::string name = body.integrator->name;
    throw UserError(desc.name + ": a step of the world would be " + short_number(dt / step) + " steps of " + name +
                        ", which take about " + short_number(seconds) + " s",
                    desc.integrator.where,
                    desc.integrator.step > 0
                        ? "Leave out dt in " + name + ", which then takes the longest that is stable, or use bdf2 { }"
                        : "Use bdf2 { } or implicit_euler { }, a softer material, or larger tets");
}

FemBody build_body(const BodyDesc& desc, std::uint64_t seed, double dt, const Building& building) {
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
    set_plasticity(body, material, local);
    set_fracture(body, material, local, seed);
    body.heat = heat_of(desc, material.numbers.young.value_or(common.young), body.plasticity != nullptr);
    set_law(body, material);
    body.solid.mass_damping = material.mass_damping.value_or(body.solid.mass_damping);
    body.solid.stiffness_damping = material.stiffness_damping.value_or(body.solid.stiffness_damping);
    body.friction = material.friction.value_or(default_friction);
    body.solve = {desc.integrator.iterations, desc.integrator.tolerance};
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
    if (desc.color) body.color = *desc.color;

    std::vector<double> temperatures = painted_temperatures(material, body.mesh.rest);
    for (Vec3& p : body.mesh.rest) p = desc.pose * p;
    for (Vec3& p : body.surface.points) p = desc.pose * p;
    FemBody made = at_line(desc.where, [&] { return make_fem_body(std::move(body), building.threads); });
    set_temperatures(made, material, std::move(temperatures));
    check_own_steps(desc, made, dt);
    if (made.fracture && !made.fracture->skin.remark().empty())
        building.warnings.add(made.name + ": " + made.fracture->skin.remark());
    return made;
}

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
    m.shear = numbers.shear.value_or(m.young / (2 * (1 + m.poisson)));
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
    if (!body.implicit)
        if (const double seconds = leap_frog_cost(dt, body.step, tets).seconds; seconds > longest_step)
            throw UserError(
                desc.name + ": a step of the world would be " + short_number(dt / body.step) +
                    " steps of leap_frog, which take about " + short_number(seconds) + " s",
                desc.integrator.where,
                "Use a larger dt in leap_frog, " + short_number(body.step * seconds / longest_step) + " s or more");
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

/// Nodes whose start lies in the shape, its boundary included. None is an error that says how near the nearest is.
template <class Body>
std::vector<int> nodes_inside(const Body& body, const Shape& shape, const Where& where) {
    std::vector<int> nodes;
    const double hair = 1e-9 * bounds(body).diagonal();
    double nearest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < body.mesh.node_count(); ++i) {
        const double distance = shape.distance(body.mesh.rest[i]);
        nearest = std::min(nearest, distance);
        if (distance <= hair) nodes.push_back(i);
    }
    if (nodes.empty())
        throw UserError("no node of body '" + body.name + "' lies inside this shape", where,
                        "The nearest is " + short_number(nearest) + " m away: move or enlarge the shape");
    return nodes;
}

template <class Body>
int nearest_node(const Body& body, const Vec3& point) {
    int best = 0;
    for (int i = 1; i < body.mesh.node_count(); ++i)
        if ((body.mesh.rest[i] - point).squaredNorm() < (body.mesh.rest[best] - point).squaredNorm()) best = i;
    return best;
}

ModalBody build_modal_body(const BodyDesc& desc, const Building& building) {
    ModalBodyDesc body;
    body.name = desc.name;
    body.surface = at_line(desc.surface.where, [&] { return seen_surface(desc.name, desc.surface, building); });
    body.mesh = at_line(desc.volume.where.known() ? desc.volume.where : desc.where,
                        [&] { return carrying_mesh(desc, body.surface, building); });
    ElementMaterial common;
    const MaterialDesc& material = desc.material;
    if (!material.preset.empty()) {
        const MaterialPreset& preset = material_presets().get(material.preset, material.preset_where);
        common = {preset.young, preset.poisson, preset.density};
        body.damping = {preset.mass_damping, preset.stiffness_damping};
    }
    const double fill = fill_of(desc.volume, body.surface, body.mesh);
    const std::vector<ElementMaterial> materials =
        element_materials(material, common, local_numbers(desc, body.mesh, building.limits));
    check_magnitudes(desc, body.mesh, materials);
    for (const ElementMaterial& e : materials) body.material.push_back({fill * e.young, e.poisson, fill * e.density});
    body.heat = heat_of(desc, material.numbers.young.value_or(common.young), false);
    body.damping.alpha = material.mass_damping.value_or(body.damping.alpha);
    body.damping.beta = material.stiffness_damping.value_or(body.damping.beta);
    body.friction = material.friction.value_or(default_friction);
    body.velocity = desc.velocity;
    body.spin = desc.spin;
    body.collide = desc.collide;
    if (desc.color) body.color = *desc.color;
    body.modes = desc.modal.modes;
    body.inertial = desc.modal.inertial;
    body.contact.penalty = desc.modal.penalty;
    body.contact.cluster = desc.modal.cluster;
    std::vector<double> temperatures = painted_temperatures(material, body.mesh.rest);
    for (Vec3& p : body.mesh.rest) p = desc.pose * p;
    for (Vec3& p : body.surface.points) p = desc.pose * p;
    if (desc.modal.hold) {
        for (int i = 0; i < body.mesh.node_count(); ++i)
            if (desc.modal.hold->distance(body.mesh.rest[i]) <= 0) body.held.push_back(i);
        if (body.held.empty())
            throw UserError("no node of body '" + body.name + "' lies inside this shape", desc.modal.hold_where,
                            "Move or enlarge the shape");
    }
    check_cost(
        building.limits,
        desc.name + ": " + grouped(body.modes) + " modes of " + grouped(3L * body.mesh.node_count()) + " unknowns",
        modes_cost(body.modes, body.mesh, body.surface.points.size()), desc.where,
        "Ask for fewer modes, or use a coarser mesh");
    ModalBody made = at_line(desc.where, [&] { return make_modal_body(std::move(body), building.threads); });
    set_temperatures(made, material, std::move(temperatures));
    for (const std::string& note : made.report.notes) building.warnings.add(made.name + ": " + note);
    if (!made.basis.held.empty() && made.basis.rigid > 0)
        building.warnings.add(made.name + ": what is held leaves " + std::to_string(made.basis.rigid) +
                              " rigid motions free, which stay still");
    return made;
}

void add_hands(World& w, const SceneDesc& desc) {
    const std::vector<int> number = body_numbers(desc);
    const auto refuse_rigid = [&](int body, const Where& where) {
        if (desc.bodies[static_cast<std::size_t>(body)].kind == "rigid")
            throw UserError("a rigid body cannot be held or pulled", where,
                            "Give it fixed = true, hung = { … } or a velocity");
    };
    for (const GripDesc& grip : desc.grips) refuse_rigid(grip.body, grip.where);
    for (const PullDesc& pull : desc.pulls) refuse_rigid(pull.body, pull.where);
    for (const DragDesc& drag : desc.drags) refuse_rigid(drag.body, drag.where);
    for (const SurfaceLoadDesc& load : desc.surface_loads) refuse_rigid(load.body, load.where);
    for (const VolumeLoadDesc& load : desc.volume_loads) refuse_rigid(load.body, load.where);
    for (const GripDesc& grip : desc.grips)
        visit_body(w, number[grip.body], [&](const auto& body) {
            w.grips.push_back({number[grip.body],
                               nodes_inside(body, *grip.inside, grip.where),
                               grip.pose,
                               {grip.from, grip.till},
                               grip.axis});
        });
    for (const PullDesc& pull : desc.pulls)
        visit_body(w, number[pull.body], [&](const auto& body) {
            std::vector<int> nodes =
                pull.inside ? nodes_inside(body, *pull.inside, pull.where) : std::vector{nearest_node(body, *pull.at)};
            w.pulls.push_back({number[pull.body], std::move(nodes), pull.force, {pull.from, pull.till}});
        });
    for (const DragDesc& drag : desc.drags) {
        const Point point =
            visit_body(w, number[drag.body], [&](const auto& body) { return embed_point(body.mesh, drag.at); });
        w.drags.push_back({number[drag.body], point, drag.target, drag.stiffness, {drag.from, drag.till}});
    }
}

/// A load that meets nothing is a mistake in its shape.
template <class Body>
void check_region(const Body& body, const Region& region, const char* what, const Where& where) {
    if (!region.members.empty()) return;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& p : body.surface.points) nearest = std::min(nearest, region.inside->distance(p));
    throw UserError("no " + std::string(what) + " of body '" + body.name + "' lies inside this shape", where,
                    nearest > 0 ? "The nearest point of its surface is " + short_number(nearest) +
                                      " m away: move or enlarge the shape"
                                : std::string("Enlarge the shape, or make the body finer"));
}

void add_loads(World& w, const SceneDesc& desc) {
    const std::vector<int> number = body_numbers(desc);
    for (const SurfaceLoadDesc& load : desc.surface_loads) {
        SurfaceLoad made{.body = number[load.body],
                         .on = {.inside = load.on, .members = {}},
                         .pressure = load.pressure,
                         .traction = load.traction,
                         .following = load.following,
                         .when = {load.from, load.till}};
        visit_body(w, made.body, [&](const auto& body) {
            find_triangles(made.on, body, {});
            check_region(body, made.on, "triangle of the surface", load.where);
        });
        w.surface_loads.push_back(std::move(made));
    }
    for (const VolumeLoadDesc& load : desc.volume_loads) {
        VolumeLoad made{.body = number[load.body],
                        .in = {.inside = load.inside, .members = {}},
                        .force = load.force,
                        .when = {load.from, load.till}};
        visit_body(w, made.body, [&](const auto& body) {
            find_tets(made.in, body);
            check_region(body, made.in, "element", load.where);
        });
        w.volume_loads.push_back(std::move(made));
    }
}

void add_heat_sources(World& w, const SceneDesc& desc) {
    for (const HeatSourceDesc& source : desc.heat_sources)
        w.heat_sources.push_back(
            {source.at, source.radius, source.temperature, source.power, {source.from, source.till}});
}

void add_changes(World& w, const SceneDesc& desc) {
    const std::vector<Knob> list = knobs(w);
    for (const ChangeDesc& change : desc.changes)
        for (const auto& [name, value] : change.numbers) {
            const std::string body = change.body < 0 ? "" : desc.bodies[static_cast<std::size_t>(change.body)].name;
            const auto knob =
                std::ranges::find_if(list, [&](const Knob& k) { return k.body == body && k.name == name; });
            if (knob == list.end())
                throw UserError(body.empty() ? "change: the world itself has no '" + name + "'"
                                             : "change: body '" + body + "' has no '" + name + "' that can change",
                                change.where, body.empty() ? "Say which body" : "Leave it out");
            if (!(value >= knob->low && value <= knob->high))
                throw UserError("change: " + name + " must be from " + short_number(knob->low) + " to " +
                                    short_number(knob->high) + " here, not " + short_number(value),
                                change.where, "Beyond that it would not run well");
            w.parameter_changes.push_back({change.at, body, name, value});
        }
    std::ranges::stable_sort(w.parameter_changes, {}, &ParameterChange::at);
}

/// A square seen in place of a tilted plane; the level ground needs none.
TriMesh plane_patch(const PlaneDesc& plane, double size) {
    const Vec3 along = plane.normal.unitOrthogonal() * size, across = plane.normal.cross(along);
    const Vec3& c = plane.point;
    return {{c - along - across, c + along - across, c + along + across, c - along + across}, {{0, 1, 2}, {0, 2, 3}}};
}

void add_obstacles(World& w, const SceneDesc& desc, const Building& building) {
    Box all;
    for_each_body(w, [&](const auto& body) { all.add(bounds(body)); });
    for (const PlaneDesc& plane : desc.planes) {
        const bool level = plane.normal.y() > 1 - 1e-12;
        Prop prop;
        prop.name = plane.name;
        prop.obstacle = {.shape = level ? ground_obstacle(plane.point.y()) : plane_obstacle(plane.point, plane.normal),
                         .start = {},
                         .end = {},
                         .friction = plane.friction};
        if (!level) prop.surface = plane_patch(plane, std::max(1e-3, all.diagonal()));
        if (plane.color) prop.color = *plane.color;
        w.props.push_back(std::move(prop));
    }
    for (const ObstacleDesc& obstacle : desc.obstacles) {
        Prop prop;
        prop.name = obstacle.name;
        prop.surface = at_line(obstacle.where, [&] { return seen_surface(obstacle.name, obstacle.surface, building); });
        prop.obstacle.shape =
            obstacle.surface.shape ? solid_obstacle(obstacle.surface.shape) : mesh_obstacle(prop.surface);
        prop.obstacle.friction = obstacle.friction;
        prop.obstacle.start = prop.obstacle.end = obstacle.motion ? obstacle.motion(0) : obstacle.pose;
        prop.motion = obstacle.motion;
        if (obstacle.color) prop.color = *obstacle.color;
        w.props.push_back(std::move(prop));
    }
}

}  // namespace

std::vector<int> body_numbers(const SceneDesc& desc) {
    std::vector<int> numbers(desc.bodies.size());
    int next = 0;
    for (const char* kind : {"fem", "particle", "modal", "rigid"})
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (desc.bodies[i].kind == kind) numbers[i] = next++;
    return numbers;
}

std::unique_ptr<World> build_world(const SceneDesc& desc, int threads,
                                   const std::function<void(const std::string&)>& say) {
    auto world = std::make_unique<World>(threads);
    world->dt = step_length(desc.world);
    world->gravity = desc.world.gravity;
    world->seed = desc.world.seed;
    world->barriers = desc.world.barriers;
    for (const std::string& note : desc.notes) world->warnings.add(note);
    const Building building{*world->threads, world->warnings, {.seconds = desc.world.patience, .say = say}};
    for (std::size_t i = 0; i < desc.bodies.size(); ++i) {
        if (desc.bodies[i].kind == "particle")
            world->particles.push_back(build_particle_body(desc.bodies[i], world->dt, building));
        else if (desc.bodies[i].kind == "modal")
            world->modal.push_back(build_modal_body(desc.bodies[i], building));
        else if (desc.bodies[i].kind == "fem")
            world->fem.push_back(
                build_body(desc.bodies[i], Rng(desc.world.seed, i + 1).next(), desc.world.dt, building));
    }
    add_hands(*world, desc);
    add_loads(*world, desc);
    add_heat_sources(*world, desc);
    add_obstacles(*world, desc, building);
    add_rigid_bodies(*world, desc, building);
    add_joints(*world, desc);
    add_changes(*world, desc);
    warn_of_proportions(*world, desc);
    return world;
}

}  // namespace pliant
