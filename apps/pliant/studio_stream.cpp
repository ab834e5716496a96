#include "studio_stream.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "pliant/io/json_writer.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

std::string line_of(JsonWriter& json) {
    std::string text = json.take();
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

std::string message_text(std::string_view type, const std::function<void(JsonWriter&)>& fill) {
    JsonWriter json;
    json.begin_line();
    json.begin_object();
    json.entry("type", type);
    fill(json);
    json.end_object();
    return line_of(json);
}

void write_vector(JsonWriter& json, std::string_view name, const Vec3& v) {
    json.key(name);
    json.begin_array();
    for (int k = 0; k < 3; ++k) json.value(v[k]);
    json.end_array();
}

namespace {

constexpr std::size_t many_points = 5000;

/// Arrays behind the header.
class Blobs {
public:
    template <class T>
    void entry(JsonWriter& json, std::string_view name, const T* items, std::size_t count) {
        bytes_.append((4 - bytes_.size() % 4) % 4, '\0');  // browsers read arrays at multiples of their items' size
        json.key(name);
        json.begin_array();
        json.value(bytes_.size());
        json.value(count);
        json.end_array();
        bytes_.append(reinterpret_cast<const char*>(items), count * sizeof(T));
    }
    void points(JsonWriter& json, std::string_view name, const std::vector<Vec3>& points, const Vec3& origin) {
        floats_.resize(3 * points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            for (int k = 0; k < 3; ++k) floats_[3 * i + k] = static_cast<float>(points[i][k] - origin[k]);
        entry(json, name, floats_.data(), floats_.size());
    }
    /// Half the bytes: as 65536ths of the box, in each direction. What many points make is seen from so far away that
    /// nobody sees the difference.
    void coarse_points(JsonWriter& json, const std::vector<Vec3>& points, const Box& box) {
        const Vec3 size = box.max - box.min;
        Vec3 scale = Vec3::Zero();
        for (int k = 0; k < 3; ++k) scale[k] = size[k] > 0 ? 65535 / size[k] : 0;
        shorts_.resize(3 * points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            for (int k = 0; k < 3; ++k)
                shorts_[3 * i + k] = static_cast<std::uint16_t>(std::lround((points[i][k] - box.min[k]) * scale[k]));
        write_vector(json, "size", size);
        entry(json, "points16", shorts_.data(), shorts_.size());
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string bytes_;
    std::vector<float> floats_;
    std::vector<std::uint16_t> shorts_;
};

const Field* find_field(const BodyFrame& body, const std::string& name) {
    for (const Field& field : body.fields)
        if (field.name == name) return &field;
    return nullptr;
}

/// One number per item: what it is, or the length of a vector.
std::vector<float> lengths(const Field& field) {
    if (field.components == 1) return field.values;
    const std::size_t n = static_cast<std::size_t>(field.components);
    std::vector<float> result(field.values.size() / n);
    for (std::size_t i = 0; i < result.size(); ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += double(field.values[n * i + k]) * field.values[n * i + k];
        result[i] = static_cast<float>(std::sqrt(sum));
    }
    return result;
}

std::optional<Field> element_quality(const BodyFrame& body) {
    if (!body.tets || body.tets->empty()) return {};
    Field field{"quality", "1", Field::On::tet, 1, {}};
    for (double q : tet_quality(body.nodes, *body.tets)) field.values.push_back(static_cast<float>(q));
    return field;
}

std::vector<float> values_on_surface(const BodyFrame& body, const Field& field) {
    std::vector<float> values = lengths(field);
    if (field.on == Field::On::vertex) {
        values.resize(body.points.size());
        return values;
    }
    if (field.on == Field::On::triangle) {  // the greatest of the triangles round a vertex: labels must not be mixed
        std::vector<float> result(body.points.size(), -std::numeric_limits<float>::infinity());
        for (std::size_t t = 0; t < body.triangles->size() && t < values.size(); ++t)
            for (int i : (*body.triangles)[t]) result[i] = std::max(result[i], values[t]);
        return result;
    }
    if (field.on == Field::On::tet) values = tet_values_at_nodes(body, values);
    return node_values_on_surface(body, values);
}

}  // namespace

std::string write_picture(const Picture& picture, PageView& view) {
    const Frame& frame = *picture.frame;
    const bool fresh = view.epoch != picture.epoch || view.branch != picture.branch ||
                       view.revisions.size() != frame.bodies.size() || !view.last;
    if (fresh) view.revisions.assign(frame.bodies.size(), {0, 0});
    if (view.epoch != picture.epoch) view.pictures = {};
    const std::size_t pictures_known = view.pictures.all().size();

    Blobs blobs;
    JsonWriter json;
    json.begin_line();
    json.begin_object();
    json.entry("serial", picture.serial);
    json.entry("epoch", picture.epoch);
    json.entry("index", frame.index);
    json.entry("time", frame.time);
    json.entry("field", view.field);
    json.key("bodies");
    json.begin_array();
    for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
        const BodyFrame& body = frame.bodies[b];
        auto& [surface, mesh] = view.revisions[b];
        json.begin_object();
        json.entry("name", body.name);
        json.entry("kind", body.kind);
        write_vector(json, "color", body.color);
        const bool new_surface = surface != body.surface_revision + 1;
        // What stands still is sent once.
        const bool moved = fresh || new_surface || view.last->bodies[b].points != body.points;
        Box box;
        for (const Vec3& p : body.points) box.add(p);
        const Vec3 origin = box.empty() ? Vec3(Vec3::Zero()) : box.center();
        if (moved) {
            write_vector(json, "origin", origin);
            if (body.points.size() >= many_points)
                blobs.coarse_points(json, body.points, box);
            else
                blobs.points(json, "points", body.points, origin);
        }
        if (new_surface && body.triangles) {
            blobs.entry(json, "triangles", reinterpret_cast<const int*>(body.triangles->data()),
                        3 * body.triangles->size());
            // Labels that change with connectivity only.
            for (const char* name : {"crack", "piece"})
                if (const Field* field = find_field(body, name);
                    field && field->on == Field::On::triangle && field->values.size() == body.triangles->size())
                    blobs.entry(json, name, field->values.data(), field->values.size());
            if (body.attributes && !body.attributes->shading.empty())
                blobs.entry(json, "shading", body.attributes->shading.data(), body.attributes->shading.size());
            if (const SurfaceAttributes* brought = shown_attributes(body.attributes.get(), body.color)) {
                const std::vector<float> uv = corner_uv(*brought), colors = corner_colors(*brought);
                if (!uv.empty()) blobs.entry(json, "uv", uv.data(), uv.size());
                if (!colors.empty()) blobs.entry(json, "colors", colors.data(), colors.size());
                if (!brought->material.empty()) {
                    blobs.entry(json, "slot", brought->material.data(), brought->material.size());
                    write_materials(json, *brought, view.pictures);
                }
            }
            surface = body.surface_revision + 1;
        }
        std::optional<Field> derived;
        const Field* field = view.field.empty() ? nullptr : find_field(body, view.field);
        if (!field && view.field == "quality") {
            derived = element_quality(body);
            if (derived) field = &*derived;
        }
        if (field) {
            const std::vector<float> values = values_on_surface(body, *field);
            if (!values.empty()) {
                json.entry("unit", field->unit);
                blobs.entry(json, "values", values.data(), values.size());
            }
        }
        if (view.inside && body.tets) {
            if (!moved) write_vector(json, "origin", origin);
            blobs.points(json, "nodes", body.nodes, origin);
            if (mesh != body.mesh_revision + 1) {
                blobs.entry(json, "tets", reinterpret_cast<const int*>(body.tets->data()), 4 * body.tets->size());
                mesh = body.mesh_revision + 1;
            }
            if (field && field->on == Field::On::tet) {
                const std::vector<float> values = lengths(*field);
                blobs.entry(json, "tet_values", values.data(), values.size());
            } else if (field && field->on == Field::On::node) {
                const std::vector<float> values = lengths(*field);
                blobs.entry(json, "node_values", values.data(), values.size());
            }
        } else {
            mesh = 0;
        }
        if (view.cells && view.cells_epoch != picture.epoch && picture.cells)
            for (const CellShapes& cells : *picture.cells)
                if (cells.body == b) {
                    blobs.entry(json, "cell_tet", cells.tet.data(), cells.tet.size());
                    blobs.entry(json, "cell_weight", cells.weight.data(), cells.weight.size());
                    blobs.entry(json, "cell_begin", cells.begin.data(), cells.begin.size());
                    blobs.entry(json, "cell_inner", cells.inner.data(), cells.inner.size());
                    blobs.entry(json, "cell_outer", cells.outer.data(), cells.outer.size());
                }
        json.end_object();
    }
    json.end_array();
    if (view.cells) view.cells_epoch = picture.epoch;
    if (view.pictures.all().size() > pictures_known) {
        json.key("pictures");
        json.begin_object();
        for (std::size_t i = pictures_known; i < view.pictures.all().size(); ++i) {
            const std::string& bytes = view.pictures.all()[i]->bytes;
            blobs.entry(json, std::to_string(i), bytes.data(), bytes.size());
        }
        json.end_object();
    }
    if (view.contacts) blobs.entry(json, "contacts", picture.contacts.data(), picture.contacts.size());
    json.end_object();
    std::string header = json.take();
    header.back() = ' ';
    header.insert(header.size() - 2, ", \"info\": " + picture.info);  // before the closing brace
    while (header.size() % 4 != 0) header += ' ';

    view.serial = picture.serial, view.epoch = picture.epoch, view.branch = picture.branch;
    view.last = picture.frame;
    view.changed = false;
    std::string message = "PLNT";
    const auto size = static_cast<std::uint32_t>(header.size());
    message.append(reinterpret_cast<const char*>(&size), 4);
    message.reserve(8 + header.size() + blobs.bytes().size());
    message += header;
    message += blobs.bytes();
    return message;
}

}  // namespace pliant
