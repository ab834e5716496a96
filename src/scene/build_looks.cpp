// The colours that the scene says for parts of a body, on its surface and within.

#include <algorithm>

#include "pliant/meshing/surface_split.hpp"
#include "pliant/scene/build_parts.hpp"
#include "pliant/surface/brought_surface.hpp"

namespace pliant {

void add_scene_looks(const BodyDesc& desc, const TetMesh& mesh, TriMesh& surface) {
    const std::vector<RegionDesc>& regions = desc.material.regions;
    const bool colored = std::any_of(regions.begin(), regions.end(), [](const RegionDesc& r) { return !!r.color; });
    if (!colored && !desc.inside_color) return;
    if (surface.triangles.empty()) surface = boundary_surface(mesh).surface;
    // What was made here may be divided where colours meet; what was brought keeps its triangles.
    if (!surface.attributes)
        for (const RegionDesc& region : regions)
            if (region.color) split_where(surface, [&](const Vec3& p) { return region.inside->distance(p); });

    SurfaceAttributes looks = surface.attributes ? *surface.attributes : SurfaceAttributes{};
    const auto add = [&](const std::string& name, const Vec3& c) {
        looks.materials.push_back(
            {.name = name,
             .color = {static_cast<float>(c.x()), static_cast<float>(c.y()), static_cast<float>(c.z())},
             .has_color = true});
        return static_cast<int>(looks.materials.size()) - 1;
    };
    if (desc.color || looks.material.empty()) {
        const int outside = add(desc.name, desc.color.value_or(Vec3::Constant(0.8)));
        looks.material.assign(surface.triangles.size(), outside);
    }
    looks.scene_looks = true;
    // Without a colour of its own what is inside looks like the outside.
    const int within = desc.inside_color ? add(inside_material, *desc.inside_color) : looks.material.front();
    looks.inside.push_back({{}, within});
    for (std::size_t r = 0; r < regions.size(); ++r) {
        if (!regions[r].color) continue;
        const int slot = add(desc.name + "_region_" + std::to_string(r + 1), *regions[r].color);
        for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
            const Tri& tri = surface.triangles[t];
            const Vec3 middle = (surface.points[tri[0]] + surface.points[tri[1]] + surface.points[tri[2]]) / 3;
            if (regions[r].inside->distance(middle) <= 0) looks.material[t] = slot;
        }
        looks.inside.push_back({transformed(regions[r].inside, desc.pose), slot});
    }
    surface.attributes = std::make_shared<const SurfaceAttributes>(std::move(looks));
}

}  // namespace pliant
