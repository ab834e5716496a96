// BodyDesc → ModalBody.

#include "pliant/core/text.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/paint.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

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

}  // namespace pliant
