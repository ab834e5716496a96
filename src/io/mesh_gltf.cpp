// glTF 2.0 in, as .gltf or .glb: the triangles of the default scene with node transforms applied, with texture
// coordinates, normals, colours, materials and their pictures. Skins and animation are passed over. Files beside a
// .gltf are read through the caller only, and never outside its folder.

#include <Eigen/LU>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "pliant/core/text.hpp"
#include "pliant/io/foreign_bytes.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/text_reader.hpp"
#include "pliant/io/texture_files.hpp"

namespace pliant {

namespace {

using Json = nlohmann::json;
using Mat4 = Eigen::Matrix4d;

/// Deep nesting costs a hundred bytes a letter in any JSON tree; no real file goes beyond a dozen levels.
constexpr int deepest_json = 64;

[[noreturn]] void fail(const MeshSource& source, const std::string& message, const std::string& remedy = {}) {
    throw UserError(message, {source.name}, remedy);
}

void check_depth(const TextReader& text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.text().size(); ++i) {
        const char c = text.text()[i];
        if (in_string) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > deepest_json) text.fail_at(i, "the JSON is nested too deeply for a glTF file");
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
}

Json parse_json(std::string_view bytes, const std::string& name) {
    const TextReader text(bytes, name);
    check_depth(text);
    try {
        return Json::parse(bytes.begin(), bytes.end());
    } catch (const Json::parse_error& error) {
        text.fail_at(std::min(error.byte, bytes.size()), "the JSON of the glTF file is broken here",
                     "The file is truncated or damaged: get it again");
    } catch (const Json::exception&) {  // such as a number that no double can hold
        text.fail_at(0, "the JSON of the glTF file holds what cannot be read", "Export it again");
    }
}

/// The whole-number member `key`, or `fallback` when there is none.
long long integer_of(const MeshSource& source, const Json& object, const char* key, long long fallback) {
    const auto found = object.find(key);
    if (found == object.end()) return fallback;
    const bool fits =
        found->is_number_integer() && (!found->is_number_unsigned() || found->get<std::uint64_t>() >> 62 == 0);
    if (!fits || found->get<long long>() < 0)
        fail(source, std::string("the member '") + key + "' is not a count or an index");
    return found->get<long long>();
}

/// Entry `index` of the top-level list `list`.
const Json& entry_of(const MeshSource& source, const Json& root, const char* list, long long index) {
    const auto found = root.find(list);
    if (found == root.end() || !found->is_array() || index < 0 || index >= static_cast<long long>(found->size()) ||
        !(*found)[static_cast<std::size_t>(index)].is_object())
        fail(source, "refers to entry " + std::to_string(index) + " of '" + list + "', which does not exist");
    return (*found)[static_cast<std::size_t>(index)];
}

std::size_t list_size(const Json& object, const char* list) {
    const auto found = object.find(list);
    return found != object.end() && found->is_array() ? found->size() : 0;
}

std::string decode_base64(const MeshSource& source, std::string_view text) {
    std::string out;
    out.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int have = 0;
    for (char c : text) {
        int value = -1;
        if (c >= 'A' && c <= 'Z')
            value = c - 'A';
        else if (c >= 'a' && c <= 'z')
            value = c - 'a' + 26;
        else if (c >= '0' && c <= '9')
            value = c - '0' + 52;
        else if (c == '+' || c == '-')
            value = 62;
        else if (c == '/' || c == '_')
            value = 63;
        else if (c == '=')
            break;
        if (value < 0) fail(source, "an embedded buffer is not base64", "The file is damaged: get it again");
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        have += 6;
        if (have >= 8) out += static_cast<char>(bits >> (have -= 8));
    }
    return out;
}

std::string decode_percent(const MeshSource& source, const std::string& uri) {
    std::string out;
    auto hex = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    for (std::size_t i = 0; i < uri.size(); ++i) {
        if (uri[i] != '%') {
            out += uri[i];
            continue;
        }
        const int high = i + 2 < uri.size() ? hex(uri[i + 1]) : -1, low = i + 2 < uri.size() ? hex(uri[i + 2]) : -1;
        if (high < 0 || low < 0) fail(source, "the buffer name " + in_quotes(uri) + " is not a valid URI");
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

/// Only plain relative names that stay in the folder: no scheme, no root, no "..", no backslash, no control letters.
bool stays_in_folder(std::string_view path) {
    if (path.empty() || path.front() == '/' || path.find_first_of(":\\") != std::string_view::npos) return false;
    if (std::any_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) < 32; })) return false;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (path.substr(at, end - at) == "..") return false;
        at = end + 1;
    }
    return true;
}

struct Accessor {
    std::string_view bytes;  // from the first element to the end of its view
    long long count = 0, stride = 0, components = 0;
    int type = 0;  // 5120 byte … 5126 float
    bool normalized = false;

    double value(long long i, long long k) const {
        const char* at = bytes.data() + i * stride;
        auto load = [&]<class T>(T) {
            T v;
            std::memcpy(&v, at + k * static_cast<long long>(sizeof(T)), sizeof v);
            const double scale = normalized && !std::is_floating_point_v<T>
                                     ? 1.0 / static_cast<double>(std::numeric_limits<T>::max())
                                     : 1;
            return std::max(static_cast<double>(v) * scale, normalized ? -1.0 : -1e300);
        };
        switch (type) {
            case 5120: return load(std::int8_t{});
            case 5121: return load(std::uint8_t{});
            case 5122: return load(std::int16_t{});
            case 5123: return load(std::uint16_t{});
            case 5125: return load(std::uint32_t{});
            default: return load(float{});
        }
    }
};

class GltfReader {
public:
    GltfReader(const MeshSource& source, const Json& root, std::optional<std::string_view> chunk)
        : source_(source), root_(root), chunk_(chunk), buffers_(list_size(root, "buffers")) {
        most_points_ = 400'000 + source.bytes.size() / 2;
        most_corners_ = 1'500'000 + source.bytes.size();
    }

    MeshFile read() {
        check_extensions();
        std::vector<std::pair<long long, Mat4>> open;
        for (long long node : root_nodes()) open.emplace_back(node, Mat4::Identity());
        std::vector<char> seen(list_size(root_, "nodes"), 0);
        std::reverse(open.begin(), open.end());
        while (!open.empty()) {
            const auto [index, parent] = open.back();
            open.pop_back();
            const Json& node = entry_of(source_, root_, "nodes", index);
            if (seen[static_cast<std::size_t>(index)]++)
                fail(source_, "node " + std::to_string(index) + " has two parents or is its own");
            const Mat4 transform = parent * local_transform(node);
            if (const long long mesh = integer_of(source_, node, "mesh", -1); mesh >= 0) add_mesh(mesh, transform);
            const auto children = node.find("children");
            if (children == node.end() || !children->is_array()) continue;
            for (auto child = children->rbegin(); child != children->rend(); ++child)
                open.emplace_back(index_value(*child), transform);
        }
        if (list_size(root_, "nodes") == 0)
            for (std::size_t mesh = 0; mesh < list_size(root_, "meshes"); ++mesh)
                add_mesh(static_cast<long long>(mesh), Mat4::Identity());
        if (mesh_.triangles.empty())
            fail(source_, "the scene has no triangles", "Export with meshes, not only cameras or lines");
        MeshFile file;
        file.format = "gltf";
        SurfaceAttributes attributes = corner_attributes();
        // Exporters split vertices at seams of texture and normals; the surface itself has no seams.
        if (const std::size_t welded = weld_equal_points(mesh_))
            file.notes.push_back("welded " + grouped(static_cast<long long>(welded)) + " points at the same place");
        if (skipped_) file.notes.push_back("left out points and lines");
        file.notes.insert(file.notes.end(), notes_.begin(), notes_.end());
        if (!normals_.empty()) set_corner_normals(attributes, mesh_.points, mesh_.triangles, corner_normals_);
        if (!attributes.empty()) mesh_.attributes = std::make_shared<const SurfaceAttributes>(std::move(attributes));
        file.surface = std::move(mesh_);
        return file;
    }

private:
    /// From the vertices of the file to corners, before vertices at one place become one point.
    SurfaceAttributes corner_attributes() {
        SurfaceAttributes out;
        const auto spread = [&](auto& per_vertex, auto& per_corner) {
            if (per_vertex.empty()) return;
            per_vertex.resize(mesh_.points.size());
            per_corner.reserve(3 * mesh_.triangles.size());
            for (const Tri& t : mesh_.triangles)
                for (int v : t) per_corner.push_back(per_vertex[static_cast<std::size_t>(v)]);
        };
        spread(uv_, out.uv);
        if (!colors_.empty()) colors_.resize(mesh_.points.size(), {1, 1, 1, 1});
        spread(colors_, out.color);
        if (!normals_.empty()) normals_.resize(mesh_.points.size(), Vec3::Zero());
        spread(normals_, corner_normals_);
        if (slot_of_material_.empty() || (slot_of_material_.size() == 1 && slot_of_material_.contains(-1))) return out;
        out.material = std::move(materials_);
        out.materials = std::move(slots_);
        return out;
    }

    /// The slot of a material of the file; −1: of triangles that have none.
    int slot(long long material) {
        const auto [found, is_new] = slot_of_material_.try_emplace(material, static_cast<int>(slots_.size()));
        if (!is_new) return found->second;
        SurfaceMaterial& made = slots_.emplace_back();
        made.name = "default";
        if (material < 0) return found->second;
        const Json& entry = entry_of(source_, root_, "materials", material);
        const Json name = entry.value("name", Json());
        made.name = name.is_string() ? name.get<std::string>() : "material" + std::to_string(material);
        const Json looks = entry.value("pbrMetallicRoughness", Json::object());
        const Json color = looks.is_object() ? looks.value("baseColorFactor", Json()) : Json();
        for (std::size_t k = 0; k < 3 && color.is_array() && color.size() == 4 && color[k].is_number(); ++k)
            made.color[k] = std::clamp(color[k].get<float>(), 0.F, 1.F), made.has_color = true;
        const auto picture_at = [&](const Json& in, const char* key) -> SurfaceMaterial::Picture {
            const Json of = in.is_object() ? in.value(key, Json()) : Json();
            return of.is_object() ? picture(of) : nullptr;
        };
        made.texture = picture_at(looks, "baseColorTexture");
        made.normal_map = picture_at(entry, "normalTexture");
        if (made.normal_map) made.normal_strength = share(entry["normalTexture"], "scale", -1e3F, 1e3F);
        if (!looks.is_object() || looks.empty()) return found->second;
        made.roughness = share(looks, "roughnessFactor", 0, 1), made.metallic = share(looks, "metallicFactor", 0, 1);
        made.roughness_map = made.metallic_map = picture_at(looks, "metallicRoughnessTexture");
        return found->second;
    }
    /// A factor within bounds; 1 where it is left out.
    static float share(const Json& object, const char* key, float low, float high) {
        const Json value = object.value(key, Json());
        return value.is_number() ? std::clamp(value.get<float>(), low, high) : 1.F;
    }

    /// The picture of a texture; null where it is laid on by other coordinates than the first, or not there.
    std::shared_ptr<const PictureFile> picture(const Json& of) {
        const Json& texture = entry_of(source_, root_, "textures", integer_of(source_, of, "index", -1));
        const long long number = integer_of(source_, texture, "source", -1);
        if (number < 0 || integer_of(source_, of, "texCoord", 0) != 0) return nullptr;
        std::shared_ptr<const PictureFile>& known = pictures_[number];
        if (known) return known;
        const Json& image = entry_of(source_, root_, "images", number);
        const Json uri = image.value("uri", Json()), name = image.value("name", Json());
        const bool here = uri.is_string() && uri.get_ref<const std::string&>().starts_with("data:");
        if (uri.is_string() && !here)
            return known = brought_picture(source_, decode_percent(source_, uri.get<std::string>()), notes_);
        PictureFile made{name.is_string() ? name.get<std::string>() : "picture" + std::to_string(number), {}};
        made.bytes = here ? load_uri(uri) : std::string(view_bytes(integer_of(source_, image, "bufferView", -1)));
        const std::string type = media_type(made.bytes);
        const std::string end = type == "image/png" ? ".png" : type == "image/jpeg" ? ".jpg" : "";
        if (!made.name.ends_with(end)) made.name += end;
        return known = std::make_shared<const PictureFile>(std::move(made));
    }
    std::string_view view_bytes(long long index) {
        const Json& view = entry_of(source_, root_, "bufferViews", index);
        const std::string_view all = buffer(integer_of(source_, view, "buffer", -1));
        const auto offset = static_cast<std::uint64_t>(integer_of(source_, view, "byteOffset", 0));
        const auto length = static_cast<std::uint64_t>(integer_of(source_, view, "byteLength", 0));
        if (offset > all.size() || length > all.size() - offset)
            fail(source_, "a picture lies beyond the end of its buffer", "The file is truncated: get it again");
        return all.substr(offset, length);
    }

    /// Adds what the vertices from `first` on have of an attribute; those before that had none get `none`.
    template <class Value, class Of>
    void add_vertices(const Json& attributes, const char* name, long long components, std::size_t first,
                      long long count, std::vector<Value>& list, const Value& none, Of&& of) {
        const long long index = integer_of(source_, attributes, name, -1);
        if (index < 0) return;
        if (components == 0) {  // of colours: three or four
            const Json kind = entry_of(source_, root_, "accessors", index).value("type", Json());
            components = kind == Json("VEC3") ? 3 : 4;
        }
        const std::string what = std::string("the values of ") + name;
        const Accessor a = accessor(index, components, what.c_str());
        if (a.count < count) fail(source_, what + " are fewer than the positions");
        list.resize(first, none);
        for (long long i = 0; i < count; ++i) list.push_back(of(a, i));
    }
    void add_attributes(const Json& attributes, const Mat4& transform, std::size_t first, long long count) {
        const auto number = [](double v) { return std::isfinite(v) ? static_cast<float>(v) : 0.F; };
        add_vertices<std::array<float, 2>>(attributes, "TEXCOORD_0", 2, first, count, uv_, {0, 0},
                                           [&](const Accessor& a, long long i) -> std::array<float, 2> {
                                               // There (0, 0) is the upper left of the picture.
                                               return {number(a.value(i, 0)), 1 - number(a.value(i, 1))};
                                           });
        add_vertices<std::array<float, 4>>(attributes, "COLOR_0", 0, first, count, colors_, {1, 1, 1, 1},
                                           [&](const Accessor& a, long long i) -> std::array<float, 4> {
                                               return {number(a.value(i, 0)), number(a.value(i, 1)),
                                                       number(a.value(i, 2)),
                                                       a.components == 4 ? number(a.value(i, 3)) : 1.F};
                                           });
        const Mat3 turn = transform.topLeftCorner<3, 3>().inverse().transpose();
        add_vertices<Vec3>(attributes, "NORMAL", 3, first, count, normals_, Vec3::Zero(),
                           [&](const Accessor& a, long long i) -> Vec3 {
                               const Vec3 n = turn * Vec3(a.value(i, 0), a.value(i, 1), a.value(i, 2));
                               return n.allFinite() ? n : Vec3(Vec3::Zero());
                           });
    }

    long long index_value(const Json& value) const {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() > 2147483647U)
            fail(source_, "an index is not a whole number");
        return value.get<long long>();
    }
    void check_extensions() const {
        const auto needed = root_.find("extensionsRequired");
        if (needed == root_.end() || !needed->is_array()) return;
        for (const Json& name : *needed) {
            const std::string text = name.is_string() ? name.get<std::string>() : "";
            if (text == "KHR_draco_mesh_compression" || text == "EXT_meshopt_compression")
                fail(source_, "the mesh is compressed by " + text, "Export without compression");
        }
    }
    std::vector<long long> root_nodes() const {
        std::vector<long long> roots;
        if (list_size(root_, "scenes") > 0) {
            const Json& scene = entry_of(source_, root_, "scenes", integer_of(source_, root_, "scene", 0));
            if (const auto nodes = scene.find("nodes"); nodes != scene.end() && nodes->is_array())
                for (const Json& node : *nodes) roots.push_back(index_value(node));
            return roots;
        }
        std::vector<char> child(list_size(root_, "nodes"), 0);
        for (std::size_t i = 0; i < child.size(); ++i) {
            const Json& node = entry_of(source_, root_, "nodes", static_cast<long long>(i));
            if (const auto children = node.find("children"); children != node.end() && children->is_array())
                for (const Json& c : *children)
                    if (const auto index = static_cast<std::size_t>(index_value(c)); index < child.size())
                        child[index] = 1;
        }
        for (std::size_t i = 0; i < child.size(); ++i)
            if (!child[i]) roots.push_back(static_cast<long long>(i));
        return roots;
    }
    std::vector<double> numbers(const Json& node, const char* key, std::size_t count) const {
        const auto found = node.find(key);
        if (found == node.end()) return {};
        if (!found->is_array() || found->size() != count)
            fail(source_,
                 std::string("the '") + key + "' of a node does not have " + std::to_string(count) + " numbers");
        std::vector<double> out;
        for (const Json& v : *found) {
            out.push_back(v.is_number() ? v.get<double>() : std::numeric_limits<double>::quiet_NaN());
            if (!(std::abs(out.back()) < TextReader::largest_number))
                fail(source_, std::string("the '") + key + "' of a node holds what is not a usable number");
        }
        return out;
    }
    Mat4 local_transform(const Json& node) const {
        if (const auto m = numbers(node, "matrix", 16); !m.empty()) return Eigen::Map<const Mat4>(m.data());
        Mat4 out = Mat4::Identity();
        if (const auto r = numbers(node, "rotation", 4); !r.empty()) {
            Quat q(r[3], r[0], r[1], r[2]);
            if (q.norm() > 0)
                q.normalize();
            else
                q.setIdentity();
            out.topLeftCorner<3, 3>() = q.toRotationMatrix();
        }
        if (const auto s = numbers(node, "scale", 3); !s.empty())
            out.topLeftCorner<3, 3>() *= Vec3(s[0], s[1], s[2]).asDiagonal();
        if (const auto t = numbers(node, "translation", 3); !t.empty())
            out.topRightCorner<3, 1>() = Vec3(t[0], t[1], t[2]);
        return out;
    }

    std::string_view buffer(long long index) {
        const Json& entry = entry_of(source_, root_, "buffers", index);
        std::optional<std::string>& loaded = buffers_[static_cast<std::size_t>(index)];
        const auto uri = entry.find("uri");
        if (uri == entry.end()) {
            if (index != 0 || !chunk_)
                fail(source_, "buffer " + std::to_string(index) + " has no data",
                     "The file is damaged or a part is missing");
            return *chunk_;
        }
        if (!loaded) loaded = load_uri(*uri);
        return *loaded;
    }
    std::string load_uri(const Json& value) const {
        if (!value.is_string()) fail(source_, "the name of a buffer is not text");
        const std::string& uri = value.get_ref<const std::string&>();
        if (uri.substr(0, 5) == "data:") {
            const std::size_t comma = uri.find(',');
            if (comma == std::string::npos || uri.substr(0, comma).find(";base64") == std::string::npos)
                fail(source_, "an embedded buffer is not base64", "The file is damaged: get it again");
            return decode_base64(source_, std::string_view(uri).substr(comma + 1));
        }
        const std::string path = decode_percent(source_, uri);
        if (!stays_in_folder(path))
            fail(source_, "asks for the buffer " + in_quotes(uri) + ", which is not in its folder",
                 "Export as one .glb file");
        auto bytes = source_.beside ? source_.beside(path) : std::nullopt;
        if (!bytes)
            fail(source_, "its buffer " + in_quotes(path) + " is not beside it",
                 "Copy it there, or export as one .glb file");
        return std::move(*bytes);
    }

    Accessor accessor(long long index, long long components, const char* what) {
        const Json& entry = entry_of(source_, root_, "accessors", index);
        Accessor a;
        a.count = integer_of(source_, entry, "count", 0);
        a.type = static_cast<int>(std::min(integer_of(source_, entry, "componentType", 0), 100'000LL));
        a.normalized = entry.value("normalized", Json(false)) == Json(true);
        a.components = components;
        const Json kind = entry.value("type", Json());
        static constexpr const char* kinds[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
        if (kind != Json(kinds[components])) fail(source_, std::string(what) + " are of the wrong type");
        long long size = 0;
        switch (a.type) {
            case 5120:
            case 5121: size = 1; break;
            case 5122:
            case 5123: size = 2; break;
            case 5125:
            case 5126: size = 4; break;
            default: fail(source_, std::string(what) + " have the unknown component type " + std::to_string(a.type));
        }
        if (entry.contains("sparse"))
            fail(source_, std::string(what) + " are stored as a sparse array", "Export without sparse accessors");
        if (!entry.contains("bufferView")) fail(source_, std::string(what) + " have no data");
        const Json& view = entry_of(source_, root_, "bufferViews", integer_of(source_, entry, "bufferView", 0));
        const std::string_view all = buffer(integer_of(source_, view, "buffer", -1));
        const auto offset = static_cast<std::uint64_t>(integer_of(source_, view, "byteOffset", 0));
        const auto length = static_cast<std::uint64_t>(integer_of(source_, view, "byteLength", 0));
        const auto start = static_cast<std::uint64_t>(integer_of(source_, entry, "byteOffset", 0));
        a.stride = integer_of(source_, view, "byteStride", 0);
        const long long element = components * size;
        if (a.stride == 0) a.stride = element;
        if (offset > all.size() || length > all.size() - offset || start > length)
            fail(source_, std::string(what) + " lie beyond the end of their buffer",
                 "The file is truncated: get it again");
        a.bytes = all.substr(offset + start, length - start);
        if (a.stride < element || a.stride > 1 << 20)
            fail(source_, std::string(what) + " have a stride of " + std::to_string(a.stride) + " bytes");
        const auto room = static_cast<long long>(a.bytes.size());
        if (a.count > 0 && (room < element || a.count - 1 > (room - element) / a.stride))
            fail(source_,
                 std::string(what) + " (" + std::to_string(a.count) + " of them) do not fit in their buffer of " +
                     std::to_string(room) + " bytes",
                 "The file is truncated or damaged: get it again");
        return a;
    }

    void add_mesh(long long index, const Mat4& transform) {
        const Json& mesh = entry_of(source_, root_, "meshes", index);
        const auto primitives = mesh.find("primitives");
        if (primitives == mesh.end() || !primitives->is_array())
            fail(source_, "mesh " + std::to_string(index) + " has no primitives");
        for (const Json& primitive : *primitives)
            if (primitive.is_object()) add_primitive(primitive, transform);
    }

    void add_primitive(const Json& primitive, const Mat4& transform) {
        const long long mode = integer_of(source_, primitive, "mode", 4);
        if (mode < 4 || mode > 6) {
            skipped_ = true;
            return;
        }
        const auto attributes = primitive.find("attributes");
        if (attributes == primitive.end() || !attributes->is_object()) return;
        const long long position = integer_of(source_, *attributes, "POSITION", -1);
        if (position < 0) return;
        const Accessor points = accessor(position, 3, "the positions");
        const auto first = static_cast<long long>(mesh_.points.size());
        // Instances repeat data the file holds once: without a limit a small file could fill the memory.
        if (mesh_.points.size() + static_cast<std::uint64_t>(points.count) > most_points_)
            fail(source_, "its instances make more than " + std::to_string(most_points_) + " points",
                 "Export with fewer copies of the meshes");
        for (long long i = 0; i < points.count; ++i) {
            const Vec3 p(points.value(i, 0), points.value(i, 1), points.value(i, 2));
            const Vec3 moved = transform.topLeftCorner<3, 3>() * p + transform.topRightCorner<3, 1>();
            if (!(moved.cwiseAbs().maxCoeff() < TextReader::largest_number) || moved.hasNaN())
                fail(source_, "position " + std::to_string(i) + " is not a usable number",
                     "Coordinates must be finite: export again");
            mesh_.points.push_back(moved);
        }
        add_attributes(*attributes, transform, static_cast<std::size_t>(first), points.count);
        const int of_slot = slot(integer_of(source_, primitive, "material", -1));
        const bool mirrored = transform.topLeftCorner<3, 3>().determinant() < 0;
        auto add = [&](long long a, long long b, long long c) {
            if (mirrored) std::swap(b, c);
            mesh_.triangles.push_back(
                {static_cast<int>(first + a), static_cast<int>(first + b), static_cast<int>(first + c)});
            materials_.push_back(of_slot);
        };
        const long long index = integer_of(source_, primitive, "indices", -1);
        std::optional<Accessor> indices;
        if (index >= 0) indices = accessor(index, 1, "the indices");
        const long long corners = indices ? indices->count : points.count;
        corners_ += static_cast<std::uint64_t>(corners);
        if (corners_ > most_corners_)
            fail(source_, "its instances make more than " + std::to_string(most_corners_) + " corners",
                 "Export with fewer copies of the meshes");
        auto corner = [&](long long i) {
            const auto v = indices ? static_cast<long long>(indices->value(i, 0)) : i;
            if (v < 0 || v >= points.count)
                fail(source_, "a triangle names position " + std::to_string(v) + ", but there are " +
                                  std::to_string(points.count));
            return v;
        };
        if (mode == 4)
            for (long long i = 0; i + 2 < corners; i += 3) add(corner(i), corner(i + 1), corner(i + 2));
        else if (mode == 5)
            for (long long i = 0; i + 2 < corners; ++i)
                i % 2 == 0 ? add(corner(i), corner(i + 1), corner(i + 2))
                           : add(corner(i + 1), corner(i), corner(i + 2));
        else
            for (long long i = 1; i + 1 < corners; ++i) add(corner(0), corner(i), corner(i + 1));
    }

    const MeshSource& source_;
    const Json& root_;
    std::optional<std::string_view> chunk_;
    std::vector<std::optional<std::string>> buffers_;
    TriMesh mesh_;
    std::vector<std::array<float, 2>> uv_;      // per vertex of the file, like the next two; shorter where none follow
    std::vector<std::array<float, 4>> colors_;  // linear
    std::vector<Vec3> normals_, corner_normals_;
    std::vector<int> materials_;  // per triangle
    std::vector<SurfaceMaterial> slots_;
    std::map<long long, int> slot_of_material_;
    std::map<long long, std::shared_ptr<const PictureFile>> pictures_;
    std::vector<std::string> notes_;
    std::uint64_t most_points_ = 0, most_corners_ = 0, corners_ = 0;
    bool skipped_ = false;
};

}  // namespace

MeshFile parse_gltf(const MeshSource& source) {
    std::string_view json = source.bytes;
    std::optional<std::string_view> chunk;
    if (source.bytes.substr(0, 4) == "glTF") {
        ForeignBytes in(source.bytes, source.name, 4);
        if (const auto version = in.read<std::uint32_t>("the version"); version != 2)
            in.fail("glTF version " + std::to_string(version) + " is not read", "Export as glTF 2.0");
        in.read<std::uint32_t>("the length");
        const auto length = in.read<std::uint32_t>("the length of the JSON chunk");
        if (in.read<std::uint32_t>("the kind of the first chunk") != 0x4E4F534A) in.fail("the first chunk is not JSON");
        json = in.take(length, "bytes of JSON");
        while (in.remaining() >= 8 && !chunk) {
            const auto size = in.read<std::uint32_t>("the length of a chunk");
            const auto kind = in.read<std::uint32_t>("the kind of a chunk");
            const std::string_view bytes = in.take(size, "bytes of a chunk");
            if (kind == 0x004E4942) chunk = bytes;
        }
    }
    const Json root = parse_json(json, source.name);
    if (!root.is_object() || !root.contains("asset")) fail(source, "is JSON, but no glTF file");
    const Json& asset = root["asset"];
    const Json version = asset.is_object() ? asset.value("version", Json()) : Json();
    if (!version.is_string() || version.get<std::string>().substr(0, 2) != "2.")
        fail(source, "is not of glTF version 2", "Export as glTF 2.0");
    return GltfReader(source, root, chunk).read();
}

}  // namespace pliant
