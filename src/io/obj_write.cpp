#include "pliant/io/obj_write.hpp"

#include "pliant/io/mesh_text.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

class ObjText {
public:
    ObjText(const ExportSurface& surface, const ObjWriting& how, const ObjCounts& before)
        : s_(surface), how_(how), before_(before) {}

    ObjCounts counts() const {
        const std::size_t normals = s_.normal_per_point ? s_.normals.size() : normals_.values.size();
        return {before_.points + static_cast<int>(s_.points.size()), before_.uv + static_cast<int>(uv_.values.size()),
                before_.normals + static_cast<int>(normals)};
    }

    std::string make() {
        text_.reserve(s_.points.size() * 90 + 200);
        text_ += "# " + how_.comment + "\n";
        if (!how_.library.empty()) text_ += "mtllib " + how_.library + "\n";
        if (!s_.name.empty()) text_ += "o " + printable(s_.name) + "\n";
        point_lines();
        if (s_.triangles.empty()) {
            for (std::size_t i = 1; i <= s_.points.size(); ++i)
                (text_ += "p ") += std::to_string(before_.points + static_cast<int>(i)) + "\n";
            return std::move(text_);
        }
        if (s_.has_uv()) {
            uv_ = indexed_uv(s_);
            for (const auto& uv : uv_.values) {
                text_ += "vt ";
                append_number(text_, uv[0]), text_ += ' ', append_number(text_, uv[1]), text_ += '\n';
            }
        }
        normal_lines();
        face_lines();
        return std::move(text_);
    }

private:
    static std::string printable(std::string name) {
        for (char& c : name)
            if (static_cast<unsigned char>(c) < 32) c = '_';  // a line break would start a statement of its own
        return name;
    }
    void append(double value) {
        if (!how_.exact) return append_number(text_, value);
        TextBuilder exact;
        text_ += exact.number(value).take();
    }

    void point_lines() {
        std::vector<int> corner;
        if (s_.has_colors()) corner = corner_of_points(s_);
        for (std::size_t i = 0; i < s_.points.size(); ++i) {
            text_ += 'v';
            for (int k = 0; k < 3; ++k) text_ += ' ', append(s_.points[i][k]);
            for (std::size_t k = 0; k < 3 && !corner.empty(); ++k) {
                const double linear =
                    corner[i] < 0 ? 1.0 : s_.attributes->color[static_cast<std::size_t>(corner[i])][k];
                text_ += ' ', append_number(text_, static_cast<float>(srgb_of_linear(linear)));
            }
            text_ += '\n';
        }
    }
    void normal_lines() {
        if (s_.normals.empty()) return;
        // One per point in their order where points have one each, as most readers expect of smooth surfaces.
        if (!s_.normal_per_point) normals_ = indexed_normals(s_);
        for (const Vec3& n : s_.normal_per_point ? s_.normals : normals_.values) {
            text_ += "vn";
            for (int k = 0; k < 3; ++k) text_ += ' ', append_number(text_, n[k]);
            text_ += '\n';
        }
    }
    void face_lines() {
        int slot = -1;
        const std::string* group = nullptr;
        for_each_polygon(s_.attributes, s_.triangles.size(), [&](int first, std::span<const int> corners) {
            if (!how_.group.empty()) {
                const std::string& wanted = how_.group[static_cast<std::size_t>(first)];
                if (!group || *group != wanted) text_ += "g " + wanted + "\n";
                group = &wanted;
            }
            if (!how_.library.empty() && s_.slot_of(first) != slot) {
                slot = s_.slot_of(first);
                text_ += "usemtl " + obj_word(s_.slots[static_cast<std::size_t>(slot)].name) + "\n";
            }
            text_ += 'f';
            for (int c : corners) {
                const auto corner = static_cast<std::size_t>(c);
                text_ += ' ' + std::to_string(before_.points + s_.point(c) + 1);
                if (!uv_.index.empty()) text_ += '/' + std::to_string(before_.uv + uv_.index[corner] + 1);
                if (s_.normals.empty()) continue;
                text_ += uv_.index.empty() ? "//" : "/";
                text_ +=
                    std::to_string(before_.normals + (s_.normal_per_point ? s_.point(c) : normals_.index[corner]) + 1);
            }
            text_ += '\n';
        });
    }

    const ExportSurface& s_;
    const ObjWriting& how_;
    ObjCounts before_;
    std::string text_;
    IndexedValues<std::array<float, 2>> uv_;
    IndexedValues<Vec3> normals_;
};

}  // namespace

std::string obj_word(std::string name) {
    for (char& c : name)
        if (static_cast<unsigned char>(c) <= 32) c = '_';
    return name;
}

std::string obj_text(const ExportSurface& surface, const ObjWriting& how, ObjCounts* before) {
    ObjText made(surface, how, before ? *before : ObjCounts{});
    std::string text = made.make();
    if (before) *before = made.counts();
    return text;
}

std::string mtl_text(const std::vector<SurfaceMaterial>& slots, TextureFolder& textures) {
    std::string text = "# linear colours\n";
    for (const SurfaceMaterial& slot : slots) {
        text += "newmtl " + obj_word(slot.name) + "\nKd";
        for (float c : slot.color) text += ' ', append_number(text, c);
        text += "\n";
        const auto number = [&](const char* word, const std::optional<float>& value) {
            if (value) text += word, append_number(text, *value), text += '\n';
        };
        const auto map = [&](const std::string& words, const SurfaceMaterial::Picture& picture) {
            if (picture) text += words + ' ' + textures.place(picture) + '\n';
        };
        number("Pr ", slot.roughness), number("Pm ", slot.metallic);
        map("map_Kd", slot.texture);
        map("map_Pr -imfchan g", slot.roughness_map), map("map_Pm -imfchan b", slot.metallic_map);
        std::string strength;
        if (slot.normal_strength != 1) strength = " -bm ", append_number(strength, slot.normal_strength);
        // Twice: renderers know the one word, Blender and its kin the other.
        map("norm" + strength, slot.normal_map), map("map_Bump" + strength, slot.normal_map);
    }
    return text;
}

}  // namespace pliant
