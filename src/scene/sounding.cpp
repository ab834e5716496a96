#include "pliant/scene/sounding.hpp"

#include <algorithm>

#include "pliant/material/preset.hpp"
#include "pliant/meshing/structured.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

Damping damping_of(const BodyDesc& desc) {
    Damping damping;
    const MaterialDesc& m = desc.material;
    if (!m.preset.empty()) {
        const MaterialPreset& preset = material_presets().get(m.preset, m.preset_where);
        damping = {preset.mass_damping, preset.stiffness_damping};
    }
    damping.alpha = desc.sound->mass_damping.value_or(m.mass_damping.value_or(damping.alpha));
    damping.beta = desc.sound->stiffness_damping.value_or(m.stiffness_damping.value_or(damping.beta));
    return damping;
}

/// Nodes that no tet uses have no mass, and no place among modes.
void drop_unused_nodes(TetMesh& mesh) {
    std::vector<int> number(mesh.rest.size(), -1);
    std::vector<Vec3> used;
    for (Tet& tet : mesh.tets)
        for (int& i : tet) {
            if (number[i] < 0) number[i] = static_cast<int>(used.size()), used.push_back(mesh.rest[i]);
            i = number[i];
        }
    mesh.rest = std::move(used);
}

bool same_tets(const BodyDesc& a, const BodyDesc& b) {
    const auto mesh = [](const BodyDesc& d) { return d.surface.mesh ? d.surface.mesh->mesh : nullptr; };
    return a.surface.shape == b.surface.shape && mesh(a) == mesh(b) && a.surface.edge == b.surface.edge &&
           a.surface.triangles == b.surface.triangles && a.volume.kind == b.volume.kind &&
           a.volume.kind != VolumeDesc::Kind::tetgen && a.volume.cell == b.volume.cell &&
           a.volume.tets == b.volume.tets && a.volume.cells == b.volume.cells && a.volume.jitter == b.volume.jitter &&
           a.volume.mesh == b.volume.mesh;
}

}  // namespace

std::vector<SoundingBody> sounding_bodies(Simulation& simulation) {
    std::vector<SoundingBody> found;
    World& w = simulation.world();
    const SceneDesc& desc = simulation.desc();
    const std::vector<int> numbers = body_numbers(desc);
    struct Filled {
        const BodyDesc* body;
        TetMesh mesh;
    };
    std::vector<Filled> filled;  // twins share their tets
    for (std::size_t i = 0; i < desc.bodies.size(); ++i) {
        const BodyDesc& body = desc.bodies[i];
        if (!body.sound) continue;
        SoundingBody& s = found.emplace_back();
        s.name = body.name, s.place = numbers[i], s.sound = *body.sound;
        s.damping = damping_of(body);
        if (body.kind == "fem") {
            const FemBody& fem = w.fem[static_cast<std::size_t>(numbers[i])];
            s.mesh = fem.mesh, s.material = fem.material;
            drop_unused_nodes(s.mesh);
        } else if (!body.volume.structured.empty() && body.sound->quadratic) {
            s.quadratic = structured_quadratic(structured_shape(body.volume.structured));
            s.material = element_materials(body, *body.volume.mesh, {});
            s.pose = body.pose;
        } else {
            const auto twin =
                std::find_if(filled.begin(), filled.end(), [&](const Filled& f) { return same_tets(*f.body, body); });
            if (twin != filled.end()) {
                s.mesh = twin->mesh;
            } else {
                Warnings said;  // when the body was built
                const Building building{*w.threads, said};
                const TriMesh surface = seen_surface(body.name, body.surface, building);
                s.mesh = carrying_mesh(body, surface, building);
                drop_unused_nodes(s.mesh);
                filled.push_back({&body, s.mesh});
            }
            s.material = element_materials(body, s.mesh, {});
            s.pose = body.pose;
        }
    }
    return found;
}

}  // namespace pliant
