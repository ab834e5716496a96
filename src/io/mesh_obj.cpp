// Wavefront OBJ: v and f lines count; texture coordinates, normals, groups and materials are passed over.

#include <charconv>

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

/// Faces may name vertices that follow later in the file, so the largest index is checked at the end.
struct LargestIndex {
    long long index = -1;
    std::size_t position = 0;
};

void read_face(TextReader& in, std::size_t vertices, PolygonList& faces, LargestIndex& largest) {
    const std::size_t first = faces.corners.size();
    const std::size_t line_start = in.position();
    for (std::string_view word = in.word_on_line(); !word.empty(); word = in.word_on_line()) {
        if (word == "\\") {  // the line goes on in the next
            in.skip_line();
            continue;
        }
        long long number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        const bool whole = end == word.data() + word.size() || *end == '/';
        if (error != std::errc{} || !whole)
            in.fail("expected a vertex index such as 12 or 12/3/4, found " + in_quotes(word));
        if (number == 0) in.fail("a face names vertex 0, but OBJ counts from 1");
        if (number < 0) number += static_cast<long long>(vertices) + 1;  // −1 is the last vertex so far
        if (number <= 0)
            in.fail("a face counts back to before the first vertex (" + std::string(word) + ", after " +
                    std::to_string(vertices) + " vertices)");
        if (number > std::numeric_limits<int>::max()) in.fail("vertex index " + in_quotes(word) + " is far too large");
        if (number - 1 > largest.index) largest = {number - 1, in.last_start()};
        faces.corners.push_back(static_cast<int>(number - 1));
    }
    const std::size_t corners = faces.corners.size() - first;
    if (corners < 3)
        in.fail_at(line_start, "a face has " + std::to_string(corners) + " corners; it needs three or more");
    faces.close(first);
}

}  // namespace

MeshFile parse_obj(const MeshSource& source) {
    TextReader in(source.bytes, source.name, '#');
    std::vector<Vec3> points;
    PolygonList faces;
    LargestIndex largest;
    points.reserve(source.bytes.size() / 64);  // an OBJ has about one vertex in 64 bytes or more
    while (!in.at_end()) {
        const std::string_view key = in.word_on_line();
        if (key == "v") {
            Vec3 p;
            for (int k = 0; k < 3; ++k) {
                if (in.at_line_end()) in.fail("a vertex has " + std::to_string(k) + " coordinates; it needs three");
                p[k] = in.number("a coordinate");
            }
            points.push_back(p);
        } else if (key == "f" || key == "fo") {
            read_face(in, points.size(), faces, largest);
        }
        in.skip_line();
    }
    if (largest.index >= static_cast<long long>(points.size()))
        in.fail_at(largest.position,
                   "a face names vertex " + std::to_string(largest.index + 1) + ", but the file has only " +
                       std::to_string(points.size()),
                   "The file is truncated or its faces were numbered for another file");
    return finish_surface(std::move(points), faces, "obj", source.name);
}

std::string format_obj(const TriMesh& mesh) {
    TextBuilder out(mesh.points.size() * 40 + mesh.triangles.size() * 24);
    out.text("# points in metres\n");
    for (const Vec3& p : mesh.points) out.text("v ").vector(p).text("\n");
    for (const Tri& t : mesh.triangles) {
        out.text("f");
        for (int v : t) out.text(" ").integer(v + 1);
        out.text("\n");
    }
    return out.take();
}

}  // namespace pliant
