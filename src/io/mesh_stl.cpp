// STL, ascii and binary. The format repeats every corner, so equal points are welded on the way in; normals are
// recomputed by whoever needs them.

#include "pliant/core/text.hpp"
#include "pliant/io/foreign_bytes.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

constexpr std::size_t header_bytes = 84, triangle_bytes = 50;

std::uint32_t claimed_triangles(std::string_view bytes) {
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 80, 4);
    return count;
}

/// Binary files may start with the word "solid" too; the size decides where it fits exactly.
bool is_binary(std::string_view bytes) {
    if (bytes.size() >= header_bytes &&
        bytes.size() == header_bytes + triangle_bytes * std::uint64_t{claimed_triangles(bytes)})
        return true;
    if (bytes.substr(0, 5) != "solid") return true;
    return bytes.substr(0, 1024).find('\0') != std::string_view::npos;
}

void read_binary(const MeshSource& source, TriMesh& mesh) {
    ForeignBytes in(source.bytes, source.name);
    in.take(80, "bytes of the STL header");
    const auto count = in.read<std::uint32_t>("the number of triangles");
    in.need(count, triangle_bytes, "triangles");
    mesh.points.reserve(3 * std::size_t{count});
    for (std::uint32_t t = 0; t < count; ++t) {
        in.take(12, "bytes of a normal");
        for (int corner = 0; corner < 3; ++corner) {
            Vec3 p;
            for (int k = 0; k < 3; ++k) p[k] = in.read<float>("a coordinate");
            if (!p.allFinite())
                in.fail("triangle " + std::to_string(t) + " has a coordinate that is not a finite number");
            mesh.points.push_back(p);
        }
        in.take(2, "attribute bytes");
    }
}

void expect(TextReader& in, const char* wanted) {
    const std::string_view found = in.word();
    if (!same_word(found, wanted))
        in.fail(std::string("expected '") + wanted + "', found " +
                (found.empty() ? "the end of the file" : in_quotes(found)));
}

void read_ascii(const MeshSource& source, TriMesh& mesh) {
    TextReader in(source.bytes, source.name);
    bool inside = false;
    while (!in.at_end()) {
        const std::string_view key = in.word();
        if (same_word(key, "solid") || same_word(key, "endsolid")) {
            inside = same_word(key, "solid");
            in.skip_line();  // a name, or nothing
        } else if (same_word(key, "facet") && inside) {
            in.skip_line();  // the normal
            expect(in, "outer");
            expect(in, "loop");
            for (int corner = 0; corner < 3; ++corner) {
                expect(in, "vertex");
                Vec3 p;
                for (int k = 0; k < 3; ++k) p[k] = in.number("a coordinate");
                mesh.points.push_back(p);
            }
            expect(in, "endloop");
            expect(in, "endfacet");
        } else {
            in.fail("expected 'facet' or 'endsolid', found " + in_quotes(key));
        }
    }
    if (inside) in.fail_at(source.bytes.size(), "the file ends without 'endsolid'", "It is truncated: get it again");
}

}  // namespace

MeshFile parse_stl(const MeshSource& source) {
    TriMesh mesh;
    if (is_binary(source.bytes))
        read_binary(source, mesh);
    else
        read_ascii(source, mesh);
    if (mesh.points.empty()) throw UserError("the file has no triangles", {source.name}, "Export the mesh again");
    if (mesh.points.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw UserError("the file has too many triangles", {source.name}, "Split it into smaller files");
    mesh.triangles.reserve(mesh.points.size() / 3);
    for (int v = 0; v + 2 < static_cast<int>(mesh.points.size()); v += 3) mesh.triangles.push_back({v, v + 1, v + 2});
    weld_equal_points(mesh);
    MeshFile file;
    file.format = "stl";
    file.surface = std::move(mesh);
    return file;
}

std::string format_stl(const TriMesh& mesh, bool ascii) {
    TextBuilder out(mesh.triangles.size() * (ascii ? 200 : triangle_bytes) + header_bytes);
    auto normal_of = [&](const Tri& t) -> Vec3 {
        const Vec3 n = (mesh.points[t[1]] - mesh.points[t[0]]).cross(mesh.points[t[2]] - mesh.points[t[0]]);
        const double length = n.norm();
        return length > 0 ? Vec3(n / length) : Vec3(0, 0, 0);
    };
    if (ascii) {
        out.text("solid mesh\n");
        for (const Tri& t : mesh.triangles) {
            out.text("facet normal ").vector(normal_of(t)).text("\n");
            out.text("outer loop\n");
            for (int v : t) out.text("vertex ").vector(mesh.points[v]).text("\n");
            out.text("endloop\nendfacet\n");
        }
        return out.text("endsolid mesh\n").take();
    }
    out.text(std::string(80, ' ')).value(static_cast<std::uint32_t>(mesh.triangles.size()));
    char* at = out.grow(mesh.triangles.size() * triangle_bytes);
    for (const Tri& t : mesh.triangles) {
        float record[12];
        const Vec3 normal = normal_of(t);
        for (int k = 0; k < 3; ++k) record[k] = static_cast<float>(normal[k]);
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k) record[3 + 3 * c + k] = static_cast<float>(mesh.points[t[c]][k]);
        std::memcpy(at, record, sizeof record);
        at[48] = at[49] = 0;
        at += triangle_bytes;
    }
    return out.take();
}

}  // namespace pliant
