// The numbers of the material, for the whole body or tet by tet.

#include <cmath>

#include "pliant/core/text.hpp"
#include "pliant/material/preset.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/scene/paint.hpp"

namespace pliant {

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

}  // namespace

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

std::vector<ElementMaterial> element_materials(const BodyDesc& body, const TetMesh& mesh, const BuildLimits& limits) {
    const MaterialDesc& desc = body.material;
    ElementMaterial common;
    if (!desc.preset.empty()) {
        const MaterialPreset& preset = material_presets().get(desc.preset, desc.preset_where);
        common = {preset.young, preset.poisson, preset.density};
    }
    return element_materials(desc, common, local_numbers(body, mesh, limits));
}

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

}  // namespace pliant
