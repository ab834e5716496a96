// Medit .mesh in text form (INRIA; written by Gmsh, Mmg, TetGen …): numbering from 1, a reference number per entry.

#include <array>

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

namespace {

bool starts_keyword(std::string_view word) {
    return !word.empty() && ((word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z'));
}

/// Reads `corners` node numbers and a reference.
template <std::size_t corners>
std::array<int, corners + 1> read_cell(TextReader& in, long long nodes) {
    std::array<int, corners + 1> cell;
    for (std::size_t k = 0; k < corners; ++k) {
        const long long v = in.integer("a node of a cell");
        if (v < 1 || v > nodes)
            in.fail("a cell names node " + std::to_string(v) + ", but the nodes are numbered 1 … " +
                    std::to_string(nodes));
        cell[k] = static_cast<int>(v - 1);
    }
    cell[corners] = static_cast<int>(in.integer("a reference number", -2147483648LL, 2147483647LL));
    return cell;
}

}  // namespace

MeshFile parse_medit(const MeshSource& source) {
    TextReader in(source.bytes, source.name, '#');
    if (!same_word(in.word(), "MeshVersionFormatted"))
        in.fail("does not start with 'MeshVersionFormatted', so it is no Medit text file",
                "Binary .meshb files are not read: save as text");
    in.integer("the version", 0, 4);
    CellSoup soup;
    bool dimension_seen = false;
    while (!in.at_end()) {
        const std::string_view key = in.word();
        const auto nodes = static_cast<long long>(soup.points.size());
        if (same_word(key, "End")) break;
        if (same_word(key, "Dimension")) {
            in.integer("the dimension", 3, 3);
            dimension_seen = true;
        } else if (same_word(key, "Vertices")) {
            if (!dimension_seen) in.fail("the vertices come before the dimension");
            if (nodes > 0) in.fail("there are two lists of vertices");
            const std::size_t count = in.count("the number of vertices", 8);
            soup.points.resize(count);
            for (Vec3& p : soup.points) {
                for (int k = 0; k < 3; ++k) p[k] = in.number("a coordinate");
                in.number("a reference number");
            }
        } else if (same_word(key, "Triangles")) {
            const std::size_t count = in.count("the number of triangles", 8);
            for (std::size_t i = 0; i < count; ++i) {
                const auto cell = read_cell<3>(in, nodes);
                soup.polygons.add_triangle(cell[0], cell[1], cell[2]);
            }
        } else if (same_word(key, "Quadrilaterals")) {
            const std::size_t count = in.count("the number of quadrilaterals", 10);
            for (std::size_t i = 0; i < count; ++i) {
                const auto cell = read_cell<4>(in, nodes);
                soup.polygons.corners.insert(soup.polygons.corners.end(), cell.begin(), cell.begin() + 4);
                soup.polygons.sizes.push_back(4);
            }
        } else if (same_word(key, "Tetrahedra")) {
            const std::size_t count = in.count("the number of tets", 10);
            soup.tets.reserve(soup.tets.size() + count);
            for (std::size_t i = 0; i < count; ++i) {
                const auto cell = read_cell<4>(in, nodes);
                soup.tets.push_back({cell[0], cell[1], cell[2], cell[3]});
                soup.region.push_back(cell[4]);
            }
        } else if (starts_keyword(key)) {
            if (same_word(key, "Hexahedra")) soup.leave_out("hexahedra");
            if (same_word(key, "Prisms")) soup.leave_out("prisms");
            // Edges, ridges, normals …: numbers up to the next keyword.
            while (!in.at_end() && !starts_keyword(in.peek())) in.word();
        } else {
            in.fail("expected a keyword such as Vertices or Tetrahedra, found " + in_quotes(key));
        }
    }
    return finish_cells(std::move(soup), "medit", source.name);
}

std::string format_medit(const CellView& cells) {
    const auto corners = static_cast<std::size_t>(cells.per_cell);
    TextBuilder out(cells.points.size() * 64 + cells.cells() * 40);
    out.text("MeshVersionFormatted 2\nDimension 3\nVertices\n").integer(static_cast<long long>(cells.points.size()));
    out.text("\n");
    for (const Vec3& p : cells.points) out.vector(p).text(" 0\n");
    out.text(corners == 3 ? "Triangles\n" : "Tetrahedra\n").integer(static_cast<long long>(cells.cells())).text("\n");
    for (std::size_t i = 0; i < cells.cells(); ++i) {
        for (std::size_t k = 0; k < corners; ++k) out.integer(cells.corners[corners * i + k] + 1).text(" ");
        out.integer(cells.region.empty() ? 0 : cells.region[i]).text("\n");
    }
    return out.text("End\n").take();
}

}  // namespace pliant
