// Binary PLY, one file per body and frame: positions, normals, colour and the fields on vertices and triangles.

#include <cmath>

#include "pliant/core/bytes.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/sink_sequence.hpp"

namespace pliant {

namespace {

struct Column {
    const Field* field;
    int component;
};

/// Adds a property line per component and returns the columns in that order.
std::vector<Column> declare_fields(std::string& header, const BodyFrame& body, Field::On on) {
    static constexpr const char* axes[] = {"_x", "_y", "_z"};
    std::vector<Column> columns;
    for (const Field& field : body.fields) {
        if (field.on != on) continue;
        std::string name = field.name;
        for (char& c : name)
            if (static_cast<unsigned char>(c) <= 32) c = '_';
        for (int c = 0; c < field.components; ++c) {
            header += "property float " + name;
            if (field.components == 3) header += axes[c];
            if (field.components > 3) header += "_" + std::to_string(c);
            header += "\n";
            columns.push_back({&field, c});
        }
    }
    return columns;
}

void put(char*& at, const void* data, std::size_t size) {
    std::memcpy(at, data, size);
    at += size;
}

void put_fields(char*& at, const std::vector<Column>& columns, std::size_t item) {
    for (const Column& column : columns) {
        const auto stride = static_cast<std::size_t>(column.field->components);
        put(at, &column.field->values[item * stride + static_cast<std::size_t>(column.component)], sizeof(float));
    }
}

/// Display value 0 … 255 of a linear one (IEC 61966-2-1).
unsigned char srgb(double linear) {
    const double x = std::fmin(std::fmax(linear, 0.0), 1.0);
    const double y = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
    return static_cast<unsigned char>(std::lround(y * 255));
}

std::string ply_bytes(const BodyFrame& body, const Frame& frame) {
    const bool normals = body.normals.size() == body.points.size();
    const std::size_t triangles = has_surface(body) ? body.triangles->size() : 0;
    std::string header = "ply\nformat binary_little_endian 1.0\ncomment frame " + std::to_string(frame.index) + ", " +
                         number_text(frame.time) + " s\nelement vertex " + std::to_string(body.points.size()) +
                         "\nproperty float x\nproperty float y\nproperty float z\n";
    if (normals) header += "property float nx\nproperty float ny\nproperty float nz\n";
    header += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    const std::vector<Column> on_vertices = declare_fields(header, body, Field::On::vertex);
    header += "element face " + std::to_string(triangles) + "\nproperty list uchar int vertex_indices\n";
    const std::vector<Column> on_triangles = declare_fields(header, body, Field::On::triangle);
    header += "end_header\n";

    const std::size_t vertex_size = (normals ? 24 : 12) + 3 + 4 * on_vertices.size();
    const std::size_t triangle_size = 13 + 4 * on_triangles.size();
    ByteWriter out;
    out.reserve(header.size() + body.points.size() * vertex_size + triangles * triangle_size);
    out.raw(header.data(), header.size());
    char* at = out.grow(body.points.size() * vertex_size + triangles * triangle_size);
    const unsigned char color[3] = {srgb(body.color.x()), srgb(body.color.y()), srgb(body.color.z())};
    for (std::size_t i = 0; i < body.points.size(); ++i) {
        const Eigen::Vector3f p = body.points[i].cast<float>();
        put(at, p.data(), 12);
        if (normals) {
            const Eigen::Vector3f n = body.normals[i].cast<float>();
            put(at, n.data(), 12);
        }
        put(at, color, 3);
        put_fields(at, on_vertices, i);
    }
    for (std::size_t t = 0; t < triangles; ++t) {
        *at++ = 3;
        put(at, (*body.triangles)[t].data(), 12);
        put_fields(at, on_triangles, t);
    }
    return out.take();
}

}  // namespace

std::unique_ptr<FrameSink> make_ply_sink(const std::filesystem::path& directory) {
    return make_sequence_sink(directory, "ply", ply_bytes);
}

}  // namespace pliant
