#include "pliant/render/look.hpp"

#include <cmath>
#include <iterator>
#include <limits>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/render/subject.hpp"
#include "pliant/render/tone.hpp"

namespace pliant {

namespace {

constexpr unsigned palette[] = {0xE2725B, 0x2E9C92, 0xE8B04A, 0x5C7FC0, 0xB5679D, 0x86A853, 0xD98B5F, 0x6A6FA8};

bool uncolored(const BodyFrame& body) { return body.color == BodyFrame{}.color; }

/// Fresh fracture surfaces: paler and warmer than the skin, so that they read as the inside.
Vec3f crack_color(const Vec3f& skin) {
    const Vec3f inside(0.93f, 0.66f, 0.36f);
    return mix(skin, inside, 0.78f);
}

void color_pieces(const BodyFrame& body, BodyLook& look) {
    const auto piece = surface_values(body, "piece");
    if (!piece) return;
    std::vector<Vec3f>& colors = piece->per_vertex ? look.vertex_colors : look.triangle_colors;
    for (float v : piece->values) colors.push_back(label_color(std::isfinite(v) ? int(v) : 0));
}

/// Cracks that have a colour already show that.
void color_cracks(const BodyFrame& body, bool shows_materials, BodyLook& look) {
    const SurfaceAttributes* brought = shows_materials ? body.attributes.get() : nullptr;
    const auto has_color = [&](std::size_t t) {
        return brought && t < brought->material.size() &&
               brought->materials[static_cast<std::size_t>(brought->material[t])].has_color;
    };
    for (const Field& field : body.fields) {
        if (field.name != "crack" || field.on != Field::On::triangle || field.components != 1) continue;
        if (!body.triangles || field.values.size() != body.triangles->size()) continue;
        if (look.triangle_colors.empty())
            look.triangle_colors.assign(field.values.size(), Vec3f::Constant(std::numeric_limits<float>::quiet_NaN()));
        for (std::size_t t = 0; t < field.values.size(); ++t)
            if (field.values[t] > 0.5f && !has_color(t)) {
                const Vec3f& own = look.triangle_colors[t];
                look.triangle_colors[t] = crack_color(own.allFinite() ? own : look.color);
            }
    }
}

/// What the scene says of a body's looks comes before the materials that its surface was brought with.
bool shows_materials(const BodyFrame& body) {
    return uncolored(body) || (body.attributes && body.attributes->scene_looks);
}

void color_materials(const BodyFrame& body, BroughtPictures* pictures, BodyLook& look) {
    if (!body.attributes || body.attributes->material.empty() || !body.triangles) return;
    const SurfaceAttributes& brought = *body.attributes;
    for (const SurfaceMaterial& material : brought.materials) {
        const auto decoded = [&](const SurfaceMaterial::Picture& picture) {
            return pictures && picture && !brought.uv.empty() ? pictures->decoded(picture) : nullptr;
        };
        look.materials.push_back({decoded(material.texture), decoded(material.roughness_map),
                                  decoded(material.metallic_map), decoded(material.normal_map), material.roughness,
                                  material.metallic.value_or(0.0f), material.normal_strength});
    }
    for (std::size_t t = 0; t < body.triangles->size(); ++t) {
        const auto slot = std::size_t(brought.material[t]);
        const SurfaceMaterial& material = brought.materials[slot];
        Vec3f color = Vec3f::Constant(std::numeric_limits<float>::quiet_NaN());
        if (material.has_color)
            color = Vec3f(material.color[0], material.color[1], material.color[2]);
        else if (look.materials[slot].color || !look.corner_colors.empty())
            color = Vec3f::Ones();
        look.triangle_colors.push_back(color.cwiseMin(0.95f));
    }
    look.triangle_material = brought.material;
    look.uv = brought.uv;
}

/// The colours at corners; what they are multiplied with is white where no material says more.
void color_corners(const BodyFrame& body, BodyLook& look) {
    if (!body.attributes || body.attributes->color.empty() || body.attributes->scene_looks || !body.triangles) return;
    for (const auto& c : body.attributes->color) look.corner_colors.push_back({c[0], c[1], c[2]});
    if (body.attributes->material.empty()) look.triangle_colors.assign(body.triangles->size(), Vec3f::Constant(0.95f));
}

void color_field(const SurfaceValues& values, const FieldRange& range, BodyLook& look) {
    const Colormap map = colormap_for(range);
    std::vector<Vec3f>& colors = values.per_vertex ? look.vertex_colors : look.triangle_colors;
    colors.clear();
    look.gloss = 0.45f;  // less shine: colours must be readable
    const double span = range.high - range.low;
    for (float v : values.values)
        // Slightly darkened, so that lit surfaces keep below the tone curve's knee and match the bar.
        colors.push_back(0.92f * map_color(map, float((double(v) - range.low) / span)));
}

/// Where the vertices were before the body deformed: their places less the displacement of what they hang on. Obstacles
/// are taken as they stand; a body that does not say has no such places.
std::vector<Vec3> rest_places(const BodyFrame& body) {
    if (body.kind == "obstacle") return body.points;
    for (const Field& field : body.fields) {
        if (field.name != "displacement" || field.on != Field::On::node || field.components != 3 || !body.carriers ||
            body.carriers->size() != body.points.size() || field.values.size() != 3 * body.nodes.size())
            continue;
        std::vector<Vec3> rest = body.points;
        for (std::size_t i = 0; i < rest.size(); ++i) {
            const Point& p = (*body.carriers)[i];
            for (int c = 0; c < 4; ++c)
                for (int k = 0; k < 3; ++k)
                    rest[i][k] -=
                        p.weight[c] * double(field.values[3 * std::size_t(p.node[std::size_t(c)]) + std::size_t(k)]);
        }
        return rest;
    }
    return {};
}

void appear(const BodyFrame& body, const Appearance& as, double radius, BodyLook& look) {
    if (as.gloss) look.gloss = float(*as.gloss);
    if (as.translucency > 0) {
        const Box box = visible_bounds(body);
        if (!box.empty()) look.depth = float(as.translucency * 0.5 * (box.max - box.min).minCoeff() / radius);
    }
    if (as.texture.kind != Texture::Kind::none) look.texture = as.texture, look.rest = rest_places(body);
}

}  // namespace

Coloring color_bodies(const Frame& frame, const ColorBy& by) {
    Coloring result;
    if (!by.field.empty()) {
        const auto found = field_range(frame, by.field);
        if (!found) {
            const auto names = field_names(frame);
            std::string known;
            for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
            throw UserError(
                "no body has a field '" + by.field + "' on its surface", {},
                did_you_mean(by.field, names) + (known.empty() ? " This frame has no fields" : " Known: " + known));
        }
        result.range = by.range ? *by.range : tidy(*found);
    }
    Box bodies;
    for (const BodyFrame& body : frame.bodies)
        if (body.kind != "obstacle") bodies.add(visible_bounds(body));
    unsigned next = 0;
    for (const BodyFrame& body : frame.bodies) {
        BodyLook look;
        if (body.kind == "obstacle") {
            look.visible = !is_floor(body, bodies);
            look.gloss = 0.25f;
            look.color = Vec3f(0.36f, 0.37f, 0.39f);
            if (!uncolored(body)) look.color = mix(look.color, body.color.cast<float>(), 0.45f);
        } else {
            const unsigned i = next++ % std::size(palette);
            look.color = uncolored(body) ? linear_from_hex(palette[i]) : body.color.cast<float>();
        }
        if (!look.color.allFinite()) look.color = Vec3f::Constant(0.5f);
        look.color = look.color.cwiseMax(0.0f).cwiseMin(0.95f);
        const bool materials = by.field.empty() && !by.pieces && shows_materials(body);
        if (materials) {
            if (uncolored(body)) color_corners(body, look);
            color_materials(body, by.pictures, look);
        }
        if (by.pieces) color_pieces(body, look);
        if (by.field.empty()) color_cracks(body, materials, look);
        if (!by.field.empty() && body.kind != "obstacle") {
            look.color = Vec3f::Constant(0.45f);
            if (const auto values = surface_values(body, by.field)) {
                color_field(*values, result.range, look);
                if (result.unit.empty()) result.unit = values->unit;
            }
        }
        if (by.appearance)
            if (const auto found = by.appearance->find(body.name); found != by.appearance->end())
                if (by.field.empty() || body.kind == "obstacle") appear(body, found->second, by.radius, look);
        result.looks.push_back(std::move(look));
    }
    return result;
}

}  // namespace pliant
