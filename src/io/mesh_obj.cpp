// Wavefront OBJ: points with their colours, polygons, texture coordinates, normals or smoothing groups, and materials
// with the colours, numbers and pictures that their .mtl gives them. Groups, objects, lines and curves are passed over.

#include <algorithm>
#include <charconv>
#include <map>

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/obj_write.hpp"
#include "pliant/io/text_reader.hpp"
#include "pliant/io/texture_files.hpp"

namespace pliant {

namespace {

/// What a face names by number, in the order v/vt/vn.
struct ObjList {
    const char* what;            ///< "vertex"
    std::size_t count = 0;       ///< entries so far
    long long largest = -1;      ///< named by a face; what is named may follow later in the file
    std::size_t largest_at = 0;  ///< where in the text
};

/// What follows map_Kd: options with their values, such as "-s 1 1 1 -clamp on", and then the file.
struct MapStatement {
    std::string file;
    float strength = 1;  ///< -bm
    char channel = 0;    ///< -imfchan; 0: not said
};

MapStatement read_map(std::string_view map) {
    MapStatement out;
    const auto first_word = [&] { return map.substr(0, std::min(map.find_first_of(" \t"), map.size())); };
    const auto drop_word = [&] {
        map.remove_prefix(first_word().size());
        map.remove_prefix(std::min(map.find_first_not_of(" \t"), map.size()));
    };
    double number = 0;
    const auto is_number = [&](std::string_view word) {
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        return error == std::errc{} && end == word.data() + word.size();
    };
    while (map.starts_with('-')) {
        const std::string_view option = first_word();
        drop_word();
        while (is_number(first_word()) || first_word() == "on" || first_word() == "off" || first_word().size() == 1) {
            if (option == "-bm" && is_number(first_word())) out.strength = static_cast<float>(number);
            if (option == "-imfchan") out.channel = first_word()[0];
            drop_word();
        }
    }
    out.file = std::string(map);
    return out;
}

class ObjReader {
public:
    explicit ObjReader(const MeshSource& source) : source_(source), in_(source.bytes, source.name, '#') {}

    MeshFile read() {
        points_.reserve(source_.bytes.size() / 64);  // an OBJ has about one vertex in 64 bytes or more
        while (!in_.at_end()) {
            const std::string_view key = in_.word_on_line();
            if (key == "v")
                read_point();
            else if (key == "vt")
                read_texture_point();
            else if (key == "vn")
                read_normal();
            else if (key == "f" || key == "fo")
                read_face();
            else if (key == "usemtl")
                use_material(std::string(in_.rest_of_line())), line_is_read_ = true;
            else if (key == "mtllib")
                read_library(std::string(in_.rest_of_line())), line_is_read_ = true;
            else if (key == "s")
                read_smoothing();
            if (!line_is_read_) in_.skip_line();
            line_is_read_ = false;
        }
        for (const ObjList& list : lists_)
            if (list.largest >= static_cast<long long>(list.count))
                in_.fail_at(list.largest_at,
                            std::string("a face names ") + list.what + " " + std::to_string(list.largest + 1) +
                                ", but the file has only " + std::to_string(list.count),
                            "The file is truncated or its faces were numbered for another file");
        MeshFile file = finish_surface(std::move(points_), faces_, "obj", source_.name, attributes());
        file.notes.insert(file.notes.end(), notes_.begin(), notes_.end());
        return file;
    }

private:
    void read_point() {
        Vec3 p;
        for (int k = 0; k < 3; ++k) {
            if (in_.at_line_end()) in_.fail("a vertex has " + std::to_string(k) + " coordinates; it needs three");
            p[k] = in_.number("a coordinate");
        }
        points_.push_back(p);
        ++lists_[0].count;
        // Three numbers more are a colour, as sRGB; one alone is a weight of rational curves.
        std::array<double, 3> more{};
        int count = 0;
        while (count < 3 && !in_.at_line_end()) more[static_cast<std::size_t>(count++)] = in_.number("a colour");
        if (count < 3 && colors_.empty()) return;
        colors_.resize(points_.size(), {1, 1, 1, 1});
        for (std::size_t k = 0; k < 3 && count == 3; ++k)
            colors_.back()[k] = static_cast<float>(linear_of_srgb(more[k]));
    }
    void read_texture_point() {
        std::array<float, 2> uv{0, 0};
        for (std::size_t k = 0; k < 2 && !in_.at_line_end(); ++k)
            uv[k] = static_cast<float>(in_.number("a texture coordinate"));
        texture_points_.push_back(uv);
        ++lists_[1].count;
    }
    void read_normal() {
        Vec3 n = Vec3::Zero();
        for (int k = 0; k < 3 && !in_.at_line_end(); ++k) n[k] = in_.number("a normal");
        normals_.push_back(n);
        ++lists_[2].count;
    }
    void read_smoothing() {
        const std::string_view word = in_.word_on_line();
        int group = 0;
        if (word != "off" &&
            (std::from_chars(word.data(), word.data() + word.size(), group).ec != std::errc{} || group < 0))
            group = -1;
        group_ = group;
    }

    void use_material(const std::string& name) {
        const auto [found, is_new] = material_number_.try_emplace(name, static_cast<int>(materials_.size()));
        if (is_new) materials_.push_back({.name = name});
        material_ = found->second;
    }
    /// Of the .mtl are taken: the diffuse colour, roughness and metal as the extension for physically based rendering
    /// has them, normals, and the pictures of these. A file that is missing is none.
    void read_library(const std::string& name) {
        const auto bytes = source_.beside ? source_.beside(name) : std::nullopt;
        if (!bytes) return;
        TextReader in(*bytes, name, '#');
        std::string material;
        while (!in.at_end()) {
            const std::string_view key = in.word_on_line();
            if (key == "newmtl") {
                material = std::string(in.rest_of_line());
                continue;
            }
            if (is_map(key)) {
                take_map(key, read_map(in.rest_of_line()), library_[material]);
                continue;
            }
            if (key == "Kd") {
                std::array<float, 3> color{};
                std::size_t k = 0;
                for (; k < 3 && !in.at_line_end(); ++k) color[k] = static_cast<float>(in.number("a colour"));
                if (k == 3) library_[material].color = color, library_[material].has_color = true;
            } else if ((key == "Pr" || key == "Pm") && !in.at_line_end()) {
                const auto value = static_cast<float>(std::clamp(in.number("a share"), 0.0, 1.0));
                (key == "Pr" ? library_[material].roughness : library_[material].metallic) = value;
            }
            in.skip_line();
        }
    }
    static bool is_bump(std::string_view key) { return key == "map_Bump" || key == "map_bump" || key == "bump"; }
    static bool is_map(std::string_view key) {
        return key == "map_Kd" || key == "map_Pr" || key == "map_Pm" || key == "norm" || is_bump(key);
    }
    void take_map(std::string_view key, const MapStatement& map, SurfaceMaterial& material) {
        SurfaceMaterial::Picture& picture = pictures_[map.file];
        if (!picture) picture = brought_picture(source_, map.file, notes_);
        if (!picture) return;
        // Of roughness the green channel counts and of metal the blue one, as in glTF; grey pictures have all alike.
        const auto in_channel = [&](char wanted) {
            const bool fits = map.channel == 0 || map.channel == wanted || !has_colors(picture->bytes);
            if (!fits) notes_.push_back("the picture " + picture->name + " is left out: not its channel " + wanted);
            return fits;
        };
        if (key == "map_Kd") {
            material.texture = picture;
        } else if (key == "map_Pr" && in_channel('g')) {
            material.roughness_map = picture;
            if (!material.roughness) material.roughness = 1;
        } else if (key == "map_Pm" && in_channel('b')) {
            material.metallic_map = picture;
            if (!material.metallic) material.metallic = 1;
        } else if (key == "norm" || (is_bump(key) && has_colors(picture->bytes))) {
            // Strictly a bump map is heights, but Blender and others write normals there, which have colours.
            material.normal_map = picture, material.normal_strength = map.strength;
        } else if (is_bump(key)) {
            notes_.push_back("the picture " + picture->name + " is left out: it has heights, not normals");
        }
    }
    /// One number of a corner such as 12/3/4; −1 where there is none.
    int index_of(std::string_view number, ObjList& list, std::string_view word) {
        if (number.empty() && &list != &lists_[0]) return -1;
        long long value = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
        if (error != std::errc{} || end != number.data() + number.size())
            in_.fail("expected a vertex index such as 12 or 12/3/4, found " + in_quotes(word));
        if (value == 0) in_.fail(std::string("a face names ") + list.what + " 0, but OBJ counts from 1");
        if (value < 0) value += static_cast<long long>(list.count) + 1;  // −1 is the last so far
        if (value <= 0)
            in_.fail(std::string("a face counts back to before the first ") + list.what + " (" + std::string(word) +
                     ", after " + std::to_string(list.count) + ")");
        if (value > std::numeric_limits<int>::max())
            in_.fail(std::string(list.what) + " index " + in_quotes(word) + " is far too large");
        if (value - 1 > list.largest) list.largest = value - 1, list.largest_at = in_.last_start();
        return static_cast<int>(value - 1);
    }

    void read_face() {
        const std::size_t first = faces_.corners.size();
        const std::size_t line_start = in_.position();
        for (std::string_view word = in_.word_on_line(); !word.empty(); word = in_.word_on_line()) {
            if (word == "\\") {  // the line goes on in the next
                in_.skip_line();
                continue;
            }
            std::array<std::string_view, 3> part;
            std::string_view rest = word;
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t slash = std::min(rest.find('/'), rest.size());
                part[k] = rest.substr(0, slash);
                rest.remove_prefix(std::min(slash + 1, rest.size()));
            }
            faces_.corners.push_back(index_of(part[0], lists_[0], word));
            corner_texture_.push_back(index_of(part[1], lists_[1], word));
            corner_normal_.push_back(index_of(part[2], lists_[2], word));
        }
        const std::size_t corners = faces_.corners.size() - first;
        if (corners < 3)
            in_.fail_at(line_start, "a face has " + std::to_string(corners) + " corners; it needs three or more");
        faces_.close(first);
        face_group_.push_back(group_);
        face_material_.push_back(material_);
    }

    PolygonAttributes attributes() {
        PolygonAttributes out;
        const auto any = [](const std::vector<int>& list) {
            return std::any_of(list.begin(), list.end(), [](int i) { return i >= 0; });
        };
        if (any(corner_texture_))
            for (int i : corner_texture_)
                out.uv.push_back(i < 0 ? std::array<float, 2>{} : texture_points_[static_cast<std::size_t>(i)]);
        if (any(corner_normal_))
            for (int i : corner_normal_)
                out.normal.push_back(i < 0 ? Vec3(Vec3::Zero()) : normals_[static_cast<std::size_t>(i)]);
        if (!colors_.empty()) {
            colors_.resize(points_.size(), {1, 1, 1, 1});
            for (int v : faces_.corners) out.color.push_back(colors_[static_cast<std::size_t>(v)]);
        }
        out.smoothing = std::move(face_group_);
        if (!materials_.empty()) {
            // Faces before the first usemtl have no material of their own.
            if (!any(face_material_)) return out;
            if (std::any_of(face_material_.begin(), face_material_.end(), [](int m) { return m < 0; })) {
                use_material("default");
                for (int& m : face_material_)
                    if (m < 0) m = material_;
            }
            for (SurfaceMaterial& material : materials_)
                if (auto looks = library_.find(material.name); looks != library_.end()) {
                    looks->second.name = material.name;
                    material = looks->second;
                }
            out.material = std::move(face_material_);
            out.materials = std::move(materials_);
        }
        return out;
    }

    const MeshSource& source_;
    TextReader in_;
    std::array<ObjList, 3> lists_{{{"vertex"}, {"texture point"}, {"normal"}}};
    std::vector<Vec3> points_, normals_;
    std::vector<std::array<float, 4>> colors_;
    std::vector<std::array<float, 2>> texture_points_;
    PolygonList faces_;
    std::vector<int> corner_texture_, corner_normal_, face_group_, face_material_;
    std::vector<SurfaceMaterial> materials_;
    std::map<std::string, int> material_number_;
    std::map<std::string, SurfaceMaterial> library_;            ///< by name
    std::map<std::string, SurfaceMaterial::Picture> pictures_;  ///< by what the .mtl calls them
    std::vector<std::string> notes_;
    int group_ = -1, material_ = -1;
    bool line_is_read_ = false;
};

}  // namespace

MeshFile parse_obj(const MeshSource& source) { return ObjReader(source).read(); }

std::string format_obj(const TriMesh& mesh, const std::string& library) {
    const ExportSurface surface = export_surface(mesh, "");
    const bool materials = mesh.attributes && !mesh.attributes->material.empty();
    return obj_text(surface,
                    {.comment = "points in metres", .library = materials ? library : "", .group = {}, .exact = true});
}

}  // namespace pliant
