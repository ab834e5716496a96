#pragma once
// The bodies of TetGen's .node and .ele files, which Vega files can include.

#include "pliant/io/mesh_polygons.hpp"
#include "pliant/io/text_reader.hpp"

namespace pliant {

void read_tetgen_nodes(TextReader& in, std::vector<Vec3>& points, NodeNumbers& numbers);
void read_tetgen_tets(TextReader& in, const NodeNumbers& numbers, CellSoup& soup);

}  // namespace pliant
