#include "pliant/io/glb_mesh.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_map>

#include "pliant/io/json_writer.hpp"
#include "pliant/io/texture_files.hpp"

namespace pliant {

namespace {

/// All that makes vertices different: the point, what shades it, texture coordinates and colour.
using VertexKey = std::array<std::uint64_t, 5>;

struct VertexKeyHash {
    std::size_t operator()(const VertexKey& key) const {
        std::uint64_t hash = 0;
        for (std::uint64_t v : key) {
            hash = (hash ^ v) * 0x9e3779b97f4a7c15ULL;
            hash ^= hash >> 29;
        }
        return static_cast<std::size_t>(hash);
    }
};

std::uint64_t two_floats(float a, float b) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(a)} << 32 | std::bit_cast<std::uint32_t>(b);
}

bool has_normal_map(const ExportSurface& surface) {
    return surface.has_uv() && !surface.normals.empty() &&
           std::any_of(surface.slots.begin(), surface.slots.end(), [](const SurfaceMaterial& slot) {
               return slot.normal_map && !media_type(slot.normal_map->bytes).empty();
           });
}

/// A triangle and the plane of its texture coordinates.
struct TexturedTriangle {
    Vec3 side_b, side_c;
    double ub, vb, uc, vc;

    TexturedTriangle(const ExportSurface& surface, int triangle) {
        const int c = 3 * triangle;
        const auto point = [&](int corner) { return surface.points[static_cast<std::size_t>(surface.point(corner))]; };
        const auto* uv = &surface.attributes->uv[static_cast<std::size_t>(c)];
        side_b = point(c + 1) - point(c), side_c = point(c + 2) - point(c);
        ub = uv[1][0] - uv[0][0], vb = uv[1][1] - uv[0][1], uc = uv[2][0] - uv[0][0], vc = uv[2][1] - uv[0][1];
    }
    bool mirrored() const { return ub * vc < uc * vb; }
    /// Where u grows, of unit length; zero where it does not.
    Vec3 along_u() const { return ((mirrored() ? -1 : 1) * (vc * side_b - vb * side_c)).stableNormalized(); }
};

int material_number(GlbFile& file, const ExportSurface& surface, std::size_t slot, GlbMaterials& materials) {
    const SurfaceMaterial& wanted = surface.slots[slot];
    const auto known = std::find(materials.slots.begin(), materials.slots.end(), wanted);
    if (known != materials.slots.end())
        return materials.number[static_cast<std::size_t>(known - materials.slots.begin())];
    // Colours at vertices are multiplied with the material's: a slot whose colour is only the body's steps back.
    const bool own = surface.attributes && slot < surface.attributes->materials.size() &&
                     surface.attributes->materials[slot].has_color;
    std::array<float, 4> color{1, 1, 1, 1};
    if (own || !surface.has_colors()) std::copy_n(wanted.color.begin(), 3, color.begin());
    materials.slots.push_back(wanted);
    const auto texture = [&](const SurfaceMaterial::Picture& picture) {
        const std::string type = picture && surface.has_uv() ? media_type(picture->bytes) : "";
        return type.empty() ? GlbFile::Json() : GlbFile::Json{{"index", file.texture(picture, type)}};
    };
    const float metallic = wanted.metallic.value_or(0.F);
    GlbFile::Json looks{
        {"baseColorFactor", color}, {"metallicFactor", metallic}, {"roughnessFactor", wanted.roughness.value_or(0.5F)}};
    if (const auto made = texture(wanted.texture); !made.is_null()) looks["baseColorTexture"] = made;
    // Roughness and metal are two channels of one picture: of two pictures neither fits.
    const bool one_picture =
        wanted.roughness_map == wanted.metallic_map || (metallic == 0 && wanted.metallic_map == nullptr);
    if (const auto made = texture(one_picture ? wanted.roughness_map : nullptr); !made.is_null())
        looks["metallicRoughnessTexture"] = made;
    GlbFile::Json material{{"name", valid_utf8(wanted.name)}, {"pbrMetallicRoughness", std::move(looks)}};
    if (auto made = texture(wanted.normal_map); !made.is_null()) {
        if (wanted.normal_strength != 1) made["scale"] = wanted.normal_strength;
        material["normalTexture"] = std::move(made);
    }
    materials.number.push_back(file.add("materials", std::move(material)));
    return materials.number.back();
}

}  // namespace

GlbVertices glb_vertices(const ExportSurface& surface) {
    const int corners = 3 * static_cast<int>(surface.triangles.size());
    GlbVertices out;
    std::unordered_map<VertexKey, int, VertexKeyHash> known;
    std::vector<int> first;  // corner of each vertex, in the order of corners
    std::vector<int> vertex(static_cast<std::size_t>(corners));
    const bool tangents = has_normal_map(surface);
    for (int c = 0; c < corners; ++c) {
        VertexKey key{static_cast<std::uint64_t>(surface.point(c)) << 1, surface.shading(c), 0, 0, 0};
        if (tangents) key[0] |= TexturedTriangle(surface, c / 3).mirrored() ? 1 : 0;
        if (surface.has_uv()) {
            const auto& uv = surface.attributes->uv[static_cast<std::size_t>(c)];
            key[2] = two_floats(uv[0], uv[1]);
        }
        if (surface.has_colors()) {
            const auto& color = surface.attributes->color[static_cast<std::size_t>(c)];
            key[3] = two_floats(color[0], color[1]), key[4] = two_floats(color[2], color[3]);
        }
        const auto [found, is_new] = known.try_emplace(key, static_cast<int>(first.size()));
        if (is_new) first.push_back(c);
        vertex[static_cast<std::size_t>(c)] = found->second;
    }
    std::vector<int> order(first.size()), place(first.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return surface.point(first[a]) < surface.point(first[b]); });
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
        out.corner.push_back(first[static_cast<std::size_t>(order[i])]);
    }
    for (int v : vertex) out.of_corner.push_back(static_cast<std::uint32_t>(place[static_cast<std::size_t>(v)]));
    return out;
}

std::vector<GlbFile::Float3> glb_positions(const ExportSurface& surface, const GlbVertices& vertices,
                                           const Vec3& origin) {
    std::vector<GlbFile::Float3> out;
    out.reserve(vertices.corner.size());
    for (int c : vertices.corner) {
        const Vec3 p = surface.points[static_cast<std::size_t>(surface.point(c))] - origin;
        out.push_back({static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())});
    }
    return out;
}

std::vector<GlbFile::Float3> glb_normals(const ExportSurface& surface, const GlbVertices& vertices) {
    std::vector<GlbFile::Float3> out;
    if (surface.normals.empty()) return out;
    out.reserve(vertices.corner.size());
    for (int c : vertices.corner) {
        Vec3 n = surface.normal(c);
        if (!(n.squaredNorm() > 0.5)) n = Vec3::UnitY();  // of a triangle without area: the format wants unit length
        out.push_back({static_cast<float>(n.x()), static_cast<float>(n.y()), static_cast<float>(n.z())});
    }
    return out;
}

std::vector<GlbFile::Float3> glb_tangents(const ExportSurface& surface, const GlbVertices& vertices) {
    if (!has_normal_map(surface)) return {};
    std::vector<Vec3> sum(vertices.corner.size(), Vec3::Zero());
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t) {
        const TexturedTriangle triangle(surface, t);
        const Vec3 along_u = triangle.side_b.cross(triangle.side_c).norm() * triangle.along_u();
        for (int c = 3 * t; c < 3 * t + 3; ++c) sum[vertices.of_corner[static_cast<std::size_t>(c)]] += along_u;
    }
    const std::vector<GlbFile::Float3> normals = glb_normals(surface, vertices);
    std::vector<GlbFile::Float3> out;
    for (std::size_t v = 0; v < sum.size(); ++v) {
        const Vec3 n(normals[v][0], normals[v][1], normals[v][2]);
        Vec3 tangent = sum[v] - sum[v].dot(n) * n;
        if (!(tangent.norm() > 1e-9 * sum[v].norm())) tangent = n.unitOrthogonal();  // the picture has no width here
        tangent.normalize();
        out.push_back(
            {static_cast<float>(tangent.x()), static_cast<float>(tangent.y()), static_cast<float>(tangent.z())});
    }
    return out;
}

int add_glb_mesh(GlbFile& file, const ExportSurface& surface, const GlbVertices& vertices, const Vec3& origin,
                 GlbMaterials& materials, const std::vector<GlbTarget>& targets) {
    using Entry = GlbFile::Json;
    Entry attributes;
    attributes["POSITION"] = file.vectors(glb_positions(surface, vertices, origin), true);
    if (const auto normals = glb_normals(surface, vertices); !normals.empty())
        attributes["NORMAL"] = file.vectors(normals, false);
    if (const auto tangents = glb_tangents(surface, vertices); !tangents.empty()) {
        // The fourth says on which side v grows. (That v goes down in the file is in the picture's own green.)
        std::vector<float> list;
        for (std::size_t v = 0; v < tangents.size(); ++v) {
            list.insert(list.end(), tangents[v].begin(), tangents[v].end());
            list.push_back(TexturedTriangle(surface, vertices.corner[v] / 3).mirrored() ? -1.F : 1.F);
        }
        attributes["TANGENT"] = file.floats(list, 4, true);
    }
    if (surface.has_uv()) {
        std::vector<float> uv;
        for (int c : vertices.corner) {
            const auto& at = surface.attributes->uv[static_cast<std::size_t>(c)];
            uv.push_back(at[0]), uv.push_back(1 - at[1]);  // here (0, 0) is the upper left
        }
        attributes["TEXCOORD_0"] = file.floats(uv, 2, true);
    }
    if (surface.has_colors()) {
        std::vector<float> colors;
        for (int c : vertices.corner)
            for (float v : surface.attributes->color[static_cast<std::size_t>(c)])
                colors.push_back(std::clamp(v, 0.F, 1.F));
        attributes["COLOR_0"] = file.floats(colors, 4, true);
    }
    Entry morphs = Entry::array();
    for (const GlbTarget& target : targets) {
        Entry morph{{"POSITION", target.positions}};
        if (target.normals >= 0) morph["NORMAL"] = target.normals;
        if (target.tangents >= 0) morph["TANGENT"] = target.tangents;
        morphs.push_back(std::move(morph));
    }
    std::vector<std::vector<std::uint32_t>> indices(surface.slots.size());
    for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t)
        for (int c = 3 * t; c < 3 * t + 3; ++c)
            indices[static_cast<std::size_t>(surface.slot_of(t))].push_back(
                vertices.of_corner[static_cast<std::size_t>(c)]);
    Entry primitives = Entry::array();
    for (std::size_t slot = 0; slot < indices.size(); ++slot) {
        if (indices[slot].empty()) continue;
        Entry primitive{{"attributes", attributes},
                        {"indices", file.indices(indices[slot], vertices.corner.size())},
                        {"material", material_number(file, surface, slot, materials)}};
        if (!morphs.empty()) primitive["targets"] = morphs;
        primitives.push_back(std::move(primitive));
    }
    return file.add("meshes", {{"name", valid_utf8(surface.name)}, {"primitives", std::move(primitives)}});
}

}  // namespace pliant
