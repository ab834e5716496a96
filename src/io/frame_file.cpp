#include "pliant/io/frame_file.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

constexpr std::string_view frame_magic = "PLFRAME4", topology_magic = "PLTOPOL3";  // the digit is the version
constexpr std::size_t seal_size = 16;                                              // magic and checksum

/// Magic, checksum of the rest, the rest. `bytes` starts with seal_size bytes left free.
void seal(std::string& bytes, std::string_view magic) {
    Hash hash;
    hash.bytes(bytes.data() + seal_size, bytes.size() - seal_size);
    const std::uint64_t digest = hash.digest();
    std::memcpy(bytes.data(), magic.data(), 8);
    std::memcpy(bytes.data() + 8, &digest, 8);
}

ByteReader unseal(std::string_view bytes, std::string_view magic, const std::string& name) {
    const Where where{name, 0};
    const std::string_view found = bytes.substr(0, 8);
    if (found.substr(0, 7) != magic.substr(0, 7)) throw UserError("is not a frame of a run", where);
    if (found != magic) throw UserError("was written by another version of this program", where, "Run the scene again");
    Hash hash;
    std::uint64_t digest = 0;
    if (bytes.size() >= seal_size) {
        std::memcpy(&digest, bytes.data() + 8, 8);
        hash.bytes(bytes.data() + seal_size, bytes.size() - seal_size);
    }
    if (bytes.size() < seal_size || hash.digest() != digest)
        throw UserError("is damaged: its checksum does not fit its contents", where,
                        "Run the scene again, or go on without this frame");
    return ByteReader(bytes.substr(seal_size), name);
}

void put_points(ByteWriter& out, const std::vector<Vec3>& points) {
    Box box;
    for (const Vec3& p : points) box.add(p);
    const Vec3 center = box.empty() ? Vec3::Zero() : box.center();
    out.value(static_cast<std::uint64_t>(points.size()));
    out.value(center);
    char* at = out.grow(points.size() * 12);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Eigen::Vector3f p = (points[i] - center).cast<float>();
        std::memcpy(at + 12 * i, p.data(), 12);
    }
}

std::vector<Vec3> get_points(ByteReader& in) {
    const auto n = in.value<std::uint64_t>();
    const auto center = in.value<Vec3>();
    if (n > in.left() / 12) in.damaged("ends too early");
    const std::string_view data = in.raw(n * 12);
    std::vector<Vec3> points(n);
    for (std::size_t i = 0; i < n; ++i) {
        Eigen::Vector3f p;
        std::memcpy(p.data(), data.data() + 12 * i, 12);
        points[i] = center + p.cast<double>();
    }
    return points;
}

// A unit vector as a point of the octahedron |x|+|y|+|z| = 1 unfolded to a square (Meyer et al. 2010, "On
// Floating-Point Normal Vectors"), 16 bits each way. (−32768, −32768) stands for a normal that is not there.
constexpr std::int16_t no_normal = -32768;

void put_normals(ByteWriter& out, const std::vector<Vec3>& normals) {
    out.value(static_cast<std::uint64_t>(normals.size()));
    char* at = out.grow(normals.size() * 4);
    for (std::size_t i = 0; i < normals.size(); ++i) {
        const Eigen::Vector3f n = normals[i].cast<float>();
        const float sum = std::abs(n.x()) + std::abs(n.y()) + std::abs(n.z());
        std::int16_t code[2] = {no_normal, no_normal};
        if (sum > 0 && std::isfinite(sum)) {
            float u = n.x() / sum, v = n.y() / sum;
            if (n.z() < 0) {
                const float fold_u = std::copysign(1 - std::abs(v), u), fold_v = std::copysign(1 - std::abs(u), v);
                u = fold_u, v = fold_v;
            }
            // Half away from zero by truncation: no call in the loop.
            code[0] = static_cast<std::int16_t>(u * 32767 + std::copysign(0.5F, u));
            code[1] = static_cast<std::int16_t>(v * 32767 + std::copysign(0.5F, v));
        }
        std::memcpy(at + 4 * i, code, 4);
    }
}

std::vector<Vec3> get_normals(ByteReader& in) {
    const std::size_t n = in.count(4);
    const std::string_view data = in.raw(n * 4);
    std::vector<Vec3> normals(n, Vec3::Zero());
    for (std::size_t i = 0; i < n; ++i) {
        std::int16_t code[2];
        std::memcpy(code, data.data() + 4 * i, 4);
        if (code[0] == no_normal) continue;
        double u = code[0] / 32767.0, v = code[1] / 32767.0;
        const double z = 1 - std::abs(u) - std::abs(v);
        if (z < 0) {
            const double fold_u = std::copysign(1 - std::abs(v), u), fold_v = std::copysign(1 - std::abs(u), v);
            u = fold_u, v = fold_v;
        }
        normals[i] = Vec3(u, v, z).normalized();
    }
    return normals;
}

void put_body(ByteWriter& out, const BodyFrame& body, const TopologyNames& names) {
    out.text(body.name);
    out.text(body.kind);
    out.value(body.color);
    out.value(names.triangles);
    out.value(body.surface_revision);
    out.value(names.tets);
    out.value(body.mesh_revision);
    out.value(names.carriers);
    out.value(names.attributes);
    put_points(out, body.points);
    put_normals(out, body.normals);
    put_points(out, body.nodes);
    out.value(static_cast<std::uint64_t>(body.fields.size()));
    for (const Field& field : body.fields) {
        out.text(field.name);
        out.text(field.unit);
        out.value(static_cast<std::uint8_t>(field.on));
        out.value(static_cast<std::int32_t>(field.components));
        out.vector(field.values);
    }
}

BodyFrame get_body(ByteReader& in, TopologyNames& names) {
    BodyFrame body;
    in.text(body.name);
    in.text(body.kind);
    in.value(body.color);
    in.value(names.triangles);
    in.value(body.surface_revision);
    in.value(names.tets);
    in.value(body.mesh_revision);
    in.value(names.carriers);
    in.value(names.attributes);
    body.points = get_points(in);
    body.normals = get_normals(in);
    body.nodes = get_points(in);
    if (!body.normals.empty() && body.normals.size() != body.points.size()) in.damaged("has too few normals");
    const std::size_t fields = in.count(29);
    for (std::size_t f = 0; f < fields; ++f) {
        Field field;
        in.text(field.name);
        in.text(field.unit);
        const auto on = in.value<std::uint8_t>();
        if (on > static_cast<std::uint8_t>(Field::On::triangle)) in.damaged("has a field on nothing known");
        field.on = static_cast<Field::On>(on);
        field.components = in.value<std::int32_t>();
        in.vector(field.values);
        if (field.components < 1) in.damaged("has a field without components");
        body.fields.push_back(std::move(field));
    }
    return body;
}

const Tri& corners(const Tri& tri) { return tri; }
const Tet& corners(const Tet& tet) { return tet; }
const std::array<int, 4>& corners(const Point& point) { return point.node; }

template <class Element>
void check_topology(const std::vector<Element>& elements, std::size_t points, const std::string& name) {
    for (const Element& element : elements)
        for (const int index : corners(element))
            if (index < 0 || static_cast<std::size_t>(index) >= points)
                throw UserError(
                    "is damaged: an element has corner " + std::to_string(index) + " of " + std::to_string(points),
                    {name});
}

}  // namespace

template <class Element>
std::uint64_t topology_digest(const std::vector<Element>& elements) {
    Hash hash;
    hash.value(static_cast<std::uint64_t>(sizeof(Element)));
    hash.bytes(elements.data(), elements.size() * sizeof(Element));
    return std::max<std::uint64_t>(hash.digest(), 1);
}

namespace {

/// A Point as files have it.
struct StoredPoint {
    std::array<std::int32_t, 4> node;
    std::array<float, 4> weight;
};

std::vector<StoredPoint> stored(const std::vector<Point>& points) {
    std::vector<StoredPoint> list(points.size());
    for (std::size_t i = 0; i < list.size(); ++i)
        for (int k = 0; k < 4; ++k)
            list[i].node[k] = points[i].node[k], list[i].weight[k] = static_cast<float>(points[i].weight[k]);
    return list;
}

// Where topologies have the number of corners.
constexpr std::uint32_t points_mark = 104, attributes_mark = 107, picture_mark = 106;

}  // namespace

template <>
std::uint64_t topology_digest(const std::vector<Point>& points) {
    const std::vector<StoredPoint> list = stored(points);
    Hash hash;
    hash.value(points_mark);
    hash.bytes(list.data(), list.size() * sizeof(StoredPoint));
    return std::max<std::uint64_t>(hash.digest(), 1);
}

template <>
std::string encode_topology(const std::vector<Point>& points) {
    ByteWriter out;
    out.grow(seal_size);
    out.value(points_mark);
    out.vector(stored(points));
    std::string bytes = out.take();
    seal(bytes, topology_magic);
    return bytes;
}

template <>
std::vector<Point> decode_topology<Point>(std::string_view bytes, const std::string& name) {
    ByteReader in = unseal(bytes, topology_magic, name);
    if (in.value<std::uint32_t>() != points_mark) in.damaged("has other elements than the frame says");
    std::vector<Point> points;
    for (const StoredPoint& from : in.vector<StoredPoint>()) {
        Point point;
        for (int k = 0; k < 4; ++k) point.node[k] = from.node[k], point.weight[k] = from.weight[k];
        if (!point.weight.allFinite() || !(point.weight.cwiseMax(0.0).sum() > 0)) in.damaged("has points of no weight");
        points.push_back(point);
    }
    in.finish();
    return points;
}

template <class Element>
std::string encode_topology(const std::vector<Element>& elements) {
    ByteWriter out;
    out.grow(seal_size);
    out.value(static_cast<std::uint32_t>(std::tuple_size_v<Element>));
    out.vector(elements);
    std::string bytes = out.take();
    seal(bytes, topology_magic);
    return bytes;
}

template <class Element>
std::vector<Element> decode_topology(std::string_view bytes, const std::string& name) {
    ByteReader in = unseal(bytes, topology_magic, name);
    if (in.value<std::uint32_t>() != std::tuple_size_v<Element>) in.damaged("has other elements than the frame says");
    std::vector<Element> elements = in.vector<Element>();
    in.finish();
    return elements;
}

std::string encode_attributes(const SurfaceAttributes& attributes) {
    ByteWriter out;
    out.grow(seal_size);
    out.value(attributes_mark);
    save_arrays(attributes, out);
    out.value(static_cast<std::uint8_t>(attributes.scene_looks));
    out.value(static_cast<std::uint64_t>(attributes.materials.size()));
    for (const SurfaceMaterial& material : attributes.materials) {
        out.text(material.name);
        out.value(material.color);
        out.value(static_cast<std::uint8_t>(material.has_color));
        for (const std::optional<float>& number : {material.roughness, material.metallic})
            out.value(number.value_or(-1.F));
        out.value(material.normal_strength);
        for (const auto* picture : pictures_of(material))
            out.value(*picture ? topology_digest(std::string_view(encode_picture(**picture))) : 0);
    }
    std::string bytes = out.take();
    seal(bytes, topology_magic);
    return bytes;
}

std::string encode_picture(const PictureFile& picture) {
    ByteWriter out;
    out.grow(seal_size);
    out.value(picture_mark);
    out.text(picture.name);
    out.text(picture.bytes);
    std::string bytes = out.take();
    seal(bytes, topology_magic);
    return bytes;
}

PictureFile decode_picture(std::string_view bytes, const std::string& name) {
    ByteReader in = unseal(bytes, topology_magic, name);
    if (in.value<std::uint32_t>() != picture_mark) in.damaged("has something else than a picture");
    PictureFile picture;
    in.text(picture.name);
    in.text(picture.bytes);
    in.finish();
    return picture;
}

std::uint64_t topology_digest(std::string_view encoded) {
    Hash hash;
    hash.bytes(encoded.data() + seal_size, encoded.size() - seal_size);
    return std::max<std::uint64_t>(hash.digest(), 1);
}

SurfaceAttributes decode_attributes(std::string_view bytes, const std::string& name, const PictureOf& picture_of) {
    ByteReader in = unseal(bytes, topology_magic, name);
    if (in.value<std::uint32_t>() != attributes_mark) in.damaged("has other elements than the frame says");
    SurfaceAttributes attributes;
    load_arrays(attributes, in);
    attributes.scene_looks = in.value<std::uint8_t>() != 0;
    const std::size_t materials = in.count(65);
    for (std::size_t m = 0; m < materials; ++m) {
        SurfaceMaterial material;
        in.text(material.name);
        in.value(material.color);
        material.has_color = in.value<std::uint8_t>() != 0;
        for (std::optional<float>* number : {&material.roughness, &material.metallic})
            if (const auto value = in.value<float>(); value >= 0) *number = value;
        in.value(material.normal_strength);
        for (auto* picture : pictures_of(material))
            if (const auto digest = in.value<std::uint64_t>(); digest != 0) *picture = picture_of(digest);
        attributes.materials.push_back(std::move(material));
    }
    in.finish();
    return attributes;
}

template std::uint64_t topology_digest(const std::vector<Tri>&);
template std::uint64_t topology_digest(const std::vector<Tet>&);
template std::string encode_topology(const std::vector<Tri>&);
template std::string encode_topology(const std::vector<Tet>&);
template std::vector<Tri> decode_topology<Tri>(std::string_view, const std::string&);
template std::vector<Tet> decode_topology<Tet>(std::string_view, const std::string&);

std::string encode_frame(const Frame& frame, const RunInfo& info, const std::vector<TopologyNames>& names) {
    CHECK(names.size() == frame.bodies.size(), names.size(), frame.bodies.size());
    std::size_t expected = 4096;
    for (const BodyFrame& body : frame.bodies) {
        expected += 16 * body.points.size() + 12 * body.nodes.size() + 1024;
        for (const Field& field : body.fields) expected += 4 * field.values.size();
    }
    ByteWriter out;
    out.reserve(expected);
    out.grow(seal_size);
    out.text(info.scene);
    out.value(info.fps);
    out.value(static_cast<std::int32_t>(info.frames));
    out.value(static_cast<std::uint8_t>(info.camera.has_value()));
    if (info.camera) out.value(info.camera->eye), out.value(info.camera->target), out.value(info.camera->fov);
    out.value(static_cast<std::uint8_t>(info.ground.has_value()));
    if (info.ground) out.value(info.ground->height), out.value(info.ground->color);
    out.value(static_cast<std::int32_t>(frame.index));
    out.value(frame.time);
    out.value(static_cast<std::uint64_t>(frame.bodies.size()));
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) put_body(out, frame.bodies[b], names[b]);
    out.value(static_cast<std::uint64_t>(frame.events.size()));
    for (const Event& event : frame.events) {
        out.text(event.kind);
        out.text(event.body);
        out.value(event.time);
        out.value(event.position);
        out.value(event.size);
        out.value(event.energy);
        out.value(event.normal);
    }
    out.value(static_cast<std::uint64_t>(frame.measures.size()));
    for (const auto& [name, value] : frame.measures) {
        out.text(name);
        out.value(value);
    }
    std::string bytes = out.take();
    seal(bytes, frame_magic);
    return bytes;
}

DecodedFrame decode_frame(std::string_view bytes, const std::string& name) {
    ByteReader in = unseal(bytes, frame_magic, name);
    DecodedFrame result;
    Frame& frame = result.frame;
    in.text(result.info.scene);
    in.value(result.info.fps);
    result.info.frames = in.value<std::int32_t>();
    if (in.value<std::uint8_t>() != 0) {
        RunInfo::Camera& camera = result.info.camera.emplace(RunInfo::Camera{});
        in.value(camera.eye), in.value(camera.target), in.value(camera.fov);
    }
    if (in.value<std::uint8_t>() != 0) {
        RunInfo::Ground& ground = result.info.ground.emplace(RunInfo::Ground{});
        in.value(ground.height), in.value(ground.color);
    }
    frame.index = in.value<std::int32_t>();
    in.value(frame.time);
    const std::size_t bodies = in.count(88);
    for (std::size_t b = 0; b < bodies; ++b) {
        TopologyNames names;
        frame.bodies.push_back(get_body(in, names));
        result.names.push_back(names);
    }
    const std::size_t events = in.count(88);
    for (std::size_t e = 0; e < events; ++e) {
        Event event;
        in.text(event.kind);
        in.text(event.body);
        in.value(event.time);
        in.value(event.position);
        in.value(event.size);
        in.value(event.energy);
        in.value(event.normal);
        frame.events.push_back(std::move(event));
    }
    const std::size_t measures = in.count(16);
    for (std::size_t m = 0; m < measures; ++m) {
        std::string key = in.text();
        frame.measures[std::move(key)] = in.value<double>();
    }
    in.finish();
    return result;
}

std::string topology_file_name(std::uint64_t digest) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string name(16, '0');
    for (int i = 15; i >= 0; --i, digest >>= 4) name[static_cast<std::size_t>(i)] = digits[digest & 15];
    return name + ".topology";
}

RunDirectory::RunDirectory(const std::filesystem::path& directory) : directory_(directory) {
    if (std::filesystem::is_directory(directory / "frames")) directory_ = directory / "frames";
    indices_ = frames_in(directory_, "", ".frame");
    if (indices_.empty())
        throw UserError("has no frames of a run in it", {directory.string()},
                        "Name the folder that `pliant run --out` wrote");
    const std::string name = directory_ / (frame_number(indices_[0]) + ".frame");
    info_ = decode_frame(read_file(name), name).info;
}

template <class Element>
Topology<Element> RunDirectory::topology(std::uint64_t digest, std::map<std::uint64_t, Topology<Element>>& known) {
    if (digest == 0) return nullptr;
    Topology<Element>& found = known[digest];
    if (!found) {
        const std::string name = directory_ / topology_file_name(digest);
        found = std::make_shared<const std::vector<Element>>(decode_topology<Element>(read_file(name), name));
    }
    return found;
}

std::shared_ptr<const PictureFile> RunDirectory::picture(std::uint64_t digest) {
    std::shared_ptr<const PictureFile>& found = pictures_[digest];
    if (!found) {
        const std::string name = directory_ / topology_file_name(digest);
        found = std::make_shared<const PictureFile>(decode_picture(read_file(name), name));
    }
    return found;
}

Frame RunDirectory::load(int i) {
    CHECK(i >= 0 && i < frame_count(), i, frame_count());
    const std::string name = directory_ / (frame_number(frame_index(i)) + ".frame");
    DecodedFrame decoded = decode_frame(read_file(name), name);
    const std::lock_guard lock(mutex_);
    std::map<std::uint64_t, Topology<Tri>> triangles;
    std::map<std::uint64_t, Topology<Tet>> tets;
    std::map<std::uint64_t, Topology<Point>> carriers;
    std::map<std::uint64_t, std::shared_ptr<const SurfaceAttributes>> attributes;
    for (std::size_t b = 0; b < decoded.names.size(); ++b) {
        BodyFrame& body = decoded.frame.bodies[b];
        const TopologyNames& names = decoded.names[b];
        body.triangles = topology(names.triangles, triangles_);
        body.tets = topology(names.tets, tets_);
        body.carriers = topology(names.carriers, carriers_);
        if (body.triangles) check_topology(*(triangles[names.triangles] = body.triangles), body.points.size(), name);
        if (body.tets) check_topology(*(tets[names.tets] = body.tets), body.nodes.size(), name);
        if (body.carriers) check_topology(*(carriers[names.carriers] = body.carriers), body.nodes.size(), name);
        if (names.attributes != 0) {
            auto& found = attributes[names.attributes];
            if (!found) found = attributes_[names.attributes];
            if (!found) {
                const std::string file = directory_ / topology_file_name(names.attributes);
                found = std::make_shared<const SurfaceAttributes>(
                    decode_attributes(read_file(file), file, [&](std::uint64_t digest) { return picture(digest); }));
            }
            const std::string fault = attribute_fault(*found, body.triangles ? body.triangles->size() : 0);
            if (!fault.empty()) throw UserError("is damaged: what its surface was brought with has " + fault, {name});
            body.attributes = found;
        }
        for (const Field& field : body.fields)
            if (field.values.size() != field_items(body, field.on) * static_cast<std::size_t>(field.components))
                throw UserError("is damaged: field '" + field.name + "' has too few values", {name});
    }
    triangles_ = std::move(triangles);
    tets_ = std::move(tets);
    carriers_ = std::move(carriers);
    attributes_ = std::move(attributes);
    return std::move(decoded.frame);
}

}  // namespace pliant
