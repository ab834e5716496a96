// TetGen: nodes in NAME.node, tets in NAME.ele. Numbering from 0 or 1 follows from the first node.

#include <filesystem>
#include <utility>

#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/mesh_tetgen.hpp"
#include "pliant/io/mesh_text.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

void read_tetgen_nodes(TextReader& in, std::vector<Vec3>& points, NodeNumbers& numbers) {
    const std::size_t count = in.count("the number of nodes", 8);
    in.integer("the dimension", 3, 3);
    in.skip_line();  // numbers of attributes and boundary markers: the rest of each line is passed over anyway
    points.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        numbers.add(in.integer("the number of a node"));
        Vec3 p;
        for (int k = 0; k < 3; ++k) p[k] = in.number("a coordinate");
        points.push_back(p);
        in.skip_line();
    }
    long long twice = 0;
    if (!numbers.finish(twice)) in.fail("two nodes have the number " + std::to_string(twice));
}

void read_tetgen_tets(TextReader& in, const NodeNumbers& numbers, CellSoup& soup) {
    const std::size_t count = in.count("the number of tets", 10);
    const long long corners = in.integer("the number of nodes of a tet", 4, 10);
    if (corners != 4 && corners != 10) in.fail("tets have " + std::to_string(corners) + " nodes; 4 or 10 are known");
    const bool regions = !in.at_line_end() && in.integer("the number of attributes", 0, 100) > 0;
    in.skip_line();
    soup.tets.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        in.integer("the number of a tet");
        Tet tet;
        for (int& v : tet) {
            const long long number = in.integer("a node of a tet");
            v = numbers.index(number);
            if (v < 0) in.fail("a tet names node " + std::to_string(number) + ", which does not exist");
        }
        for (long long k = 4; k < corners; ++k) in.integer("a node of a tet");
        soup.tets.push_back(tet);
        if (regions) {
            const double region = in.number("the region of a tet");  // TetGen writes whole numbers, some tools 1.0
            soup.region.push_back(std::abs(region) < 2e9 ? static_cast<int>(region) : 0);
        }
        in.skip_line();
    }
}

MeshFile parse_tetgen(const MeshSource& source) {
    namespace fs = std::filesystem;
    const bool is_node = fs::path(source.name).extension() == ".node";
    const std::string other = fs::path(source.name).stem().string() + (is_node ? ".ele" : ".node");
    const auto beside = source.beside ? source.beside(other) : std::nullopt;
    if (!beside)
        throw UserError("the file '" + other + "' that belongs to it is not beside it", {source.name},
                        "TetGen meshes are a pair of .node and .ele files: copy both");
    const std::string other_name = (fs::path(source.name).parent_path() / other).string();
    TextReader first(source.bytes, source.name, '#'), second(*beside, other_name, '#');
    CellSoup soup;
    NodeNumbers numbers;
    read_tetgen_nodes(is_node ? first : second, soup.points, numbers);
    read_tetgen_tets(is_node ? second : first, numbers, soup);
    return finish_cells(std::move(soup), "tetgen", source.name);
}

std::string format_tetgen_nodes(const TetMesh& mesh) {
    TextBuilder out(mesh.rest.size() * 64);
    out.integer(mesh.node_count()).text(" 3 0 0\n");
    for (std::size_t i = 0; i < mesh.rest.size(); ++i)
        out.integer(static_cast<long long>(i) + 1).text(" ").vector(mesh.rest[i]).text("\n");
    return out.take();
}

std::string format_tetgen_tets(const TetMesh& mesh) {
    TextBuilder out(mesh.tets.size() * 40);
    out.integer(mesh.tet_count()).text(mesh.region.empty() ? " 4 0\n" : " 4 1\n");
    for (std::size_t i = 0; i < mesh.tets.size(); ++i) {
        out.integer(static_cast<long long>(i) + 1);
        for (int v : mesh.tets[i]) out.text(" ").integer(v + 1);
        if (!mesh.region.empty()) out.text(" ").integer(mesh.region[i]);
        out.text("\n");
    }
    return out.take();
}

}  // namespace pliant
