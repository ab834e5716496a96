// Binary PLY, one file per body and frame: what OBJ has, and the fields on vertices and triangles.

#include "pliant/io/ply_write.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/sink_sequence.hpp"

namespace pliant {

namespace {

std::string ply_bytes(const BodyFrame& body, const Frame& frame) {
    PlyWriting how;
    how.comments = {"frame " + std::to_string(frame.index) + ", " + number_text(frame.time) + " s"};
    for (const Field& field : body.fields) {
        if (field.on == Field::On::vertex) how.vertex_fields.push_back(&field);
        if (field.on == Field::On::triangle) how.triangle_fields.push_back(&field);
    }
    return ply_text(export_surface(body), how);
}

}  // namespace

std::unique_ptr<FrameSink> make_ply_sink(const std::filesystem::path& directory) {
    return make_sequence_sink(directory, "ply", ply_bytes);
}

}  // namespace pliant
