// Geomview OFF in text form: OFF, with colours or normals (COFF, NOFF, CNOFF, STOFF), which are passed over.

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

MeshFile parse_off(const MeshSource& source) {
    TextReader in(source.bytes, source.name, '#');
    const std::string_view magic = in.peek();
    if (magic == "4OFF" || magic == "nOFF" || magic == "4nOFF")
        in.fail("holds points in more than three dimensions (" + std::string(magic) + ")", "Three are needed");
    // The counts may follow on the same line, in many files of a well-known collection without a blank: OFF490 518 0.
    const std::size_t word = magic.find("OFF"), behind = word + 3;
    if (word != std::string_view::npos && (behind == magic.size() || (magic[behind] >= '0' && magic[behind] <= '9')))
        in.seek(static_cast<std::size_t>(magic.data() - source.bytes.data()) + behind);
    else if (magic.empty() || magic[0] < '0' || magic[0] > '9')  // some files leave the word out
        in.fail_at(0, "does not start with 'OFF', so it is no OFF file");
    if (in.peek() == "BINARY") in.fail("binary OFF files are not read", "Save it as text, or as binary PLY");

    const std::size_t vertices = in.count("the number of vertices", 6);
    const std::size_t polygons = in.count("the number of faces", 2);
    in.skip_line();  // the number of edges, which is often wrong, and whatever else is there

    std::vector<Vec3> points(vertices);
    for (Vec3& p : points) {
        for (int k = 0; k < 3; ++k) p[k] = in.number("a coordinate");
        in.skip_line();  // colours, normals
    }
    PolygonList faces;
    faces.sizes.reserve(polygons);
    for (std::size_t f = 0; f < polygons; ++f) {
        const std::size_t corners = in.count("the number of corners of a face", 2);
        const std::size_t first = faces.corners.size();
        for (std::size_t k = 0; k < corners; ++k) {
            const long long v = in.integer("a vertex index");
            if (v < 0 || v >= static_cast<long long>(vertices))
                in.fail("a face names vertex " + std::to_string(v) + ", but the vertices are numbered 0 … " +
                        std::to_string(static_cast<long long>(vertices) - 1));
            faces.corners.push_back(static_cast<int>(v));
        }
        if (corners >= 3)
            faces.close(first);
        else
            faces.corners.resize(first);
        in.skip_line();  // a colour
    }
    return finish_surface(std::move(points), faces, "off", source.name);
}

std::string format_off(const TriMesh& mesh) {
    TextBuilder out(mesh.points.size() * 60 + mesh.triangles.size() * 24);
    out.text("OFF\n").integer(static_cast<long long>(mesh.points.size())).text(" ");
    out.integer(static_cast<long long>(mesh.triangles.size())).text(" 0\n");
    for (const Vec3& p : mesh.points) out.vector(p).text("\n");
    for (const Tri& t : mesh.triangles) {
        out.text("3");
        for (int v : t) out.text(" ").integer(v);
        out.text("\n");
    }
    return out.take();
}

}  // namespace pliant
