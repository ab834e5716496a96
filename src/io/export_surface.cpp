#include "pliant/io/export_surface.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "pliant/io/sink_output.hpp"
#include "pliant/surface/brought_surface.hpp"

namespace pliant {

namespace {

std::array<float, 3> float_color(const Vec3& color) {
    return {static_cast<float>(color.x()), static_cast<float>(color.y()), static_cast<float>(color.z())};
}

/// Slots have the colour that they were brought with, or the body's: what is inside looks like the outside until
/// someone says otherwise.
void finish_slots(ExportSurface& surface) {
    std::set<std::string> taken;
    for (SurfaceMaterial& slot : surface.slots) {
        if (slot.name.empty()) slot.name = "material";
        const std::string wanted = slot.name;
        for (int n = 2; !taken.insert(slot.name).second; ++n) slot.name = wanted + "_" + std::to_string(n);
        if (slot.has_color) continue;
        // A texture has its colours itself.
        slot.color = slot.texture ? std::array<float, 3>{1, 1, 1} : float_color(surface.color), slot.has_color = true;
    }
}

using BytesKey = std::array<std::uint64_t, 3>;

/// Which corners at a point share their normal: by the brought shading, and cracks by themselves (corner_normals()).
std::vector<std::uint64_t> shading_numbers(const BodyFrame& body) {
    const Field *crack = triangle_field(body, "crack"), *flat = triangle_field(body, "flat");
    const SurfaceAttributes* brought = body.attributes.get();
    if (brought && brought->shading.empty()) brought = nullptr;
    if (!brought && !crack) return {};
    std::vector<std::uint64_t> numbers;
    for (std::size_t c = 0; c < 3 * body.triangles->size(); ++c) {
        const bool cracked = crack && crack->values[c / 3] > 0.5F;
        if (cracked)
            numbers.push_back(flat && flat->values[c / 3] > 0.5F ? std::uint64_t{2} << 32 | c : std::uint64_t{1} << 32);
        else
            numbers.push_back(brought ? static_cast<std::uint64_t>(brought->shading[c]) : 0);
    }
    return numbers;
}

struct BytesHash {
    std::size_t operator()(const BytesKey& key) const {
        std::uint64_t hash = 0;
        for (std::uint64_t v : key) {
            hash = (hash ^ v) * 0x9e3779b97f4a7c15ULL;
            hash ^= hash >> 29;
        }
        return static_cast<std::size_t>(hash);
    }
};

template <class Value, class Key>
IndexedValues<Value> indexed(std::size_t corners, Key&& key_and_value) {
    IndexedValues<Value> out;
    out.index.resize(corners);
    std::unordered_map<BytesKey, int, BytesHash> known;
    for (std::size_t c = 0; c < corners; ++c) {
        const auto [key, value] = key_and_value(static_cast<int>(c));
        const auto [found, is_new] = known.try_emplace(key, static_cast<int>(out.values.size()));
        if (is_new) out.values.push_back(value);
        out.index[c] = found->second;
    }
    return out;
}

}  // namespace

ExportSurface export_surface(const BodyFrame& body) {
    ExportSurface out;
    out.name = body.name;
    out.points = body.points;
    out.color = body.color;
    if (!has_surface(body)) {
        if (body.normals.size() == body.points.size()) out.normals = body.normals, out.normal_per_point = true;
        out.slots.assign(1, {.name = body.name});
        finish_slots(out);
        return out;
    }
    out.triangles = *body.triangles;
    out.attributes = body.attributes.get();
    out.crack = triangle_field(body, "crack");
    out.normals = corner_normals(body);
    out.shading_number = shading_numbers(body);
    if (out.normals.empty() && body.normals.size() == body.points.size())
        out.normals = body.normals, out.normal_per_point = true;
    if (out.attributes && !out.attributes->material.empty()) {
        out.slot = out.attributes->material;
        out.slots = out.attributes->materials;
    } else if (const Field* crack = triangle_field(body, "crack");
               crack && std::any_of(crack->values.begin(), crack->values.end(), [](float c) { return c > 0.5F; })) {
        for (float c : crack->values) out.slot.push_back(c > 0.5F ? 1 : 0);
        out.slots = {{.name = body.name}, {.name = body.name + "_" + inside_material}};
    } else {
        out.slots.assign(1, {.name = body.name});
    }
    finish_slots(out);
    return out;
}

ExportSurface export_surface(const TriMesh& mesh, const std::string& name) {
    ExportSurface out;
    out.name = name;
    out.points = mesh.points;
    out.triangles = mesh.triangles;
    out.attributes = mesh.attributes.get();
    out.slots.assign(1, {.name = name});
    if (out.attributes) {
        if (!out.attributes->shading.empty())
            out.normals = moved_corner_normals(*out.attributes, mesh.points, mesh.triangles),
            out.shading_number.assign(out.attributes->shading.begin(), out.attributes->shading.end());
        if (!out.attributes->material.empty())
            out.slot = out.attributes->material, out.slots = out.attributes->materials;
    }
    finish_slots(out);
    return out;
}

std::vector<int> corner_of_points(const ExportSurface& surface) {
    std::vector<int> corner(surface.points.size(), -1);
    for (const bool opened : {true, false})  // the later ones replace the earlier ones
        for (int c = 3 * static_cast<int>(surface.triangles.size()) - 1; c >= 0; --c) {
            const bool crack = surface.crack && surface.crack->values[static_cast<std::size_t>(c / 3)] > 0.5F;
            if (crack == opened) corner[static_cast<std::size_t>(surface.point(c))] = c;
        }
    return corner;
}

IndexedValues<std::array<float, 2>> indexed_uv(const ExportSurface& surface) {
    return indexed<std::array<float, 2>>(3 * surface.triangles.size(), [&](int c) {
        const std::array<float, 2>& uv = surface.attributes->uv[static_cast<std::size_t>(c)];
        return std::pair(BytesKey{std::bit_cast<std::uint32_t>(uv[0]), std::bit_cast<std::uint32_t>(uv[1]), 0}, uv);
    });
}

IndexedValues<Vec3> indexed_normals(const ExportSurface& surface) {
    return indexed<Vec3>(3 * surface.triangles.size(), [&](int c) {
        const Vec3 n = surface.normal(c) + Vec3::Zero();  // −0 + 0 = 0
        BytesKey key;
        for (std::size_t k = 0; k < 3; ++k) key[k] = std::bit_cast<std::uint64_t>(n[static_cast<Eigen::Index>(k)]);
        return std::pair(key, n);
    });
}

}  // namespace pliant
