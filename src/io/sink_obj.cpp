// Wavefront OBJ, one file per body and frame: vertices, normals, triangles. Bodies without triangles become points.

#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/sink_sequence.hpp"

namespace pliant {

namespace {

void append_vectors(std::string& text, std::string_view word, const std::vector<Vec3>& vectors) {
    for (const Vec3& v : vectors) {
        text += word;
        for (int i = 0; i < 3; ++i) {
            text += ' ';
            append_number(text, v[i]);
        }
        text += '\n';
    }
}

/// Per triangle "piece3 crack": what broke off, and whether the face is a crack. Nothing for bodies that don't break.
std::vector<std::string> group_names(const BodyFrame& body) {
    const Field *crack = triangle_field(body, "crack"), *piece = triangle_field(body, "piece");
    if (!crack || !piece) return {};
    std::vector<std::string> names;
    for (std::size_t t = 0; t < crack->values.size(); ++t)
        names.push_back("piece" + std::to_string(static_cast<int>(piece->values[t])) +
                        (crack->values[t] > 0.5f ? " crack" : " skin"));
    return names;
}

std::string obj_text(const BodyFrame& body, const Frame& frame) {
    std::string text = "# frame " + std::to_string(frame.index) + ", " + number_text(frame.time) + " s\n";
    std::string name = body.name;
    for (char& c : name)
        if (static_cast<unsigned char>(c) < 32) c = '_';  // a line break would start a statement of its own
    text.reserve(body.points.size() * 90 + 200);
    text += "o " + name + "\n";
    append_vectors(text, "v", body.points);
    const std::vector<Vec3> corners = corner_normals(body);
    const bool normals = !corners.empty() || body.normals.size() == body.points.size();
    if (normals) append_vectors(text, "vn", corners.empty() ? body.normals : corners);
    if (has_surface(body)) {
        const std::vector<std::string> groups = group_names(body);
        for (std::size_t f = 0; f < body.triangles->size(); ++f) {
            if (!groups.empty() && (f == 0 || groups[f] != groups[f - 1])) (text += "g ") += groups[f] + "\n";
            text += 'f';
            for (int k = 0; k < 3; ++k) {
                const int v = (*body.triangles)[f][k];
                text += ' ';
                text += std::to_string(v + 1);
                if (normals) (text += "//") += std::to_string((corners.empty() ? v : static_cast<int>(3 * f) + k) + 1);
            }
            text += '\n';
        }
    } else {
        for (std::size_t i = 1; i <= body.points.size(); ++i) (text += "p ") += std::to_string(i) + "\n";
    }
    return text;
}

}  // namespace

std::unique_ptr<FrameSink> make_obj_sink(const std::filesystem::path& directory) {
    return make_sequence_sink(directory, "obj", obj_text);
}

}  // namespace pliant
