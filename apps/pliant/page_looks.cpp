#include "page_looks.hpp"

#include <algorithm>

#include "pliant/io/json_writer.hpp"

namespace pliant {

int PagePictures::number(const SurfaceMaterial::Picture& picture) {
    const auto known = std::find(pictures_.begin(), pictures_.end(), picture);
    if (known != pictures_.end()) return static_cast<int>(known - pictures_.begin());
    pictures_.push_back(picture);
    return static_cast<int>(pictures_.size()) - 1;
}

const SurfaceAttributes* shown_attributes(const SurfaceAttributes* brought, const Vec3& body_color) {
    if (!brought || (brought->material.empty() && brought->color.empty())) return nullptr;
    const bool own_color = body_color != BodyFrame{}.color;
    return own_color && !brought->scene_looks ? nullptr : brought;
}

void write_materials(JsonWriter& json, const SurfaceAttributes& attributes, PagePictures& pictures) {
    json.key("materials");
    json.begin_array();
    for (const SurfaceMaterial& material : attributes.materials) {
        json.begin_object();
        json.entry("name", valid_utf8(material.name));
        if (material.has_color) {
            json.key("color");
            json.begin_array();
            for (float c : material.color) json.value(static_cast<double>(c));
            json.end_array();
        }
        if (material.roughness) json.entry("roughness", static_cast<double>(*material.roughness));
        if (material.metallic) json.entry("metallic", static_cast<double>(*material.metallic));
        const auto picture = [&](const char* name, const SurfaceMaterial::Picture& of) {
            if (of && !attributes.uv.empty()) json.entry(name, pictures.number(of));
        };
        picture("texture", material.texture);
        picture("roughness_map", material.roughness_map);
        picture("metallic_map", material.metallic_map);
        picture("normal_map", material.normal_map);
        if (material.normal_map) json.entry("normal_strength", static_cast<double>(material.normal_strength));
        json.end_object();
    }
    json.end_array();
}

std::vector<float> corner_uv(const SurfaceAttributes& attributes) {
    std::vector<float> list;
    list.reserve(2 * attributes.uv.size());
    for (const auto& uv : attributes.uv) list.insert(list.end(), uv.begin(), uv.end());
    return list;
}

std::vector<float> corner_colors(const SurfaceAttributes& attributes) {
    std::vector<float> list;
    if (attributes.scene_looks) return list;
    list.reserve(3 * attributes.color.size());
    for (const auto& c : attributes.color) list.insert(list.end(), c.begin(), c.begin() + 3);
    return list;
}

}  // namespace pliant
