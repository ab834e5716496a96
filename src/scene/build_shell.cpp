// A shell of the scene → ShellBody.

#include "pliant/core/text.hpp"
#include "pliant/material/material.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/scene/build_parts.hpp"

namespace pliant {

namespace {

constexpr double usual_friction = 0.5;

/// The numbers of each triangle: what the material says, and its regions at the triangle's centre.
std::vector<ElementMaterial> triangle_materials(const MaterialDesc& material, const ElementMaterial& common,
                                                const TriMesh& surface) {
    if (material.regions.empty() && !material.vary) return element_materials(material, common, {});
    std::vector<MaterialNumbers> local(surface.triangles.size());
    const auto set = [](std::optional<double>& number, const std::optional<double>& by) {
        if (by) number = by;
    };
    const auto override_numbers = [&](MaterialNumbers& numbers, const MaterialNumbers& by) {
        set(numbers.young, by.young), set(numbers.poisson, by.poisson), set(numbers.density, by.density);
    };
    for (std::size_t t = 0; t < local.size(); ++t) {
        Vec3 centre = Vec3::Zero();
        for (int v : surface.triangles[t]) centre += surface.points[v] / 3;
        for (const RegionDesc& region : material.regions)
            if (region.inside->distance(centre) <= 0) override_numbers(local[t], region.numbers);
        if (material.vary) override_numbers(local[t], material.vary(centre));
    }
    return element_materials(material, common, local);
}

void check_shell_magnitudes(const BodyDesc& desc, const ShellBodyDesc& body) {
    constexpr double least = 1e-60, most = 1e60;  // as for bodies of tets
    const auto& m = body.material.front();
    const double edge = body.surface.bounds().diagonal(), t = body.shell.thickness;
    const auto refuse = [&](const char* what, double value, const char* unit) {
        throw UserError("body '" + desc.name + "' has a " + what + " of " + short_number(value) + " " + unit +
                            ", which is too " + (value < most ? "small" : "large") + " to calculate with",
                        desc.where, "Check its size and thickness (m), density (kg/m³) and Young's modulus (Pa)");
    };
    const double mass = m.density * t * edge * edge, stiffness = m.young * t * t * t / (edge * edge);
    if (!(mass >= least && mass <= most)) refuse("mass", mass, "kg");
    if (!(stiffness >= least && m.young * t <= most)) refuse("stiffness", stiffness, "N/m");
}

}  // namespace

ShellBody build_shell_body(const BodyDesc& desc, const Building& building) {
    ShellBodyDesc body;
    body.name = desc.name;
    body.surface = at_line(desc.surface.where, [&] { return seen_surface(desc.name, desc.surface, building); });
    ElementMaterial common;
    const MaterialDesc& material = desc.material;
    ShellOptions& shell = body.shell;
    if (!material.preset.empty()) {
        const MaterialPreset& preset = material_presets().get(material.preset, material.preset_where);
        common = {preset.young, preset.poisson, preset.density};
        shell.mass_damping = preset.mass_damping, shell.stiffness_damping = preset.stiffness_damping;
    }
    body.material = triangle_materials(material, common, body.surface);
    if (material.elasticity) shell.law = &material_laws().get(*material.elasticity);
    shell.law_numbers = material.law_numbers;
    shell.mass_damping = material.mass_damping.value_or(shell.mass_damping);
    shell.stiffness_damping = material.stiffness_damping.value_or(shell.stiffness_damping);
    shell.thickness = desc.shell.thickness;
    shell.bending_stiffness = desc.shell.bending_stiffness;
    shell.bending = desc.shell.bending == "hinge"  ? Bending::hinge
                    : desc.shell.bending == "none" ? Bending::none
                                                   : Bending::smooth;
    if (desc.shell.crease_yield) body.creases = ShellCreases{*desc.shell.crease_yield, desc.shell.crease_max};
    body.seen_thick = desc.shell.thick;
    body.friction = material.friction.value_or(usual_friction);
    body.solve = {desc.integrator.iterations, desc.integrator.tolerance};
    if (desc.integrator.preconditioner == "jacobi") body.solve.preconditioner = Preconditioner::jacobi;
    if (desc.integrator.preconditioner == "two_level") body.solve.preconditioner = Preconditioner::two_level;
    body.velocity = desc.velocity, body.spin = desc.spin;
    body.collide = desc.collide;
    if (desc.color) body.color = *desc.color;
    for (Vec3& p : body.surface.points) p = desc.pose * p;
    check_shell_magnitudes(desc, body);
    if (desc.shell.clamped) {
        const double hair = 1e-9 * body.surface.bounds().diagonal();
        shell.clamped = [shape = desc.shell.clamped, hair](const Vec3& p) { return shape->distance(p) <= hair; };
    }
    return at_line(desc.where, [&] { return make_shell_body(std::move(body)); });
}

}  // namespace pliant
