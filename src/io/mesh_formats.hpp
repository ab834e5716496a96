#pragma once
// Between mesh_file.cpp and the one file per format: a parser and a writer each. Not for use outside io/.

#include <span>
#include <string>
#include <string_view>

#include "pliant/io/mesh_file.hpp"

namespace pliant {

/// Bytes to parse, what messages call them, and how to reach files beside them.
struct MeshSource {
    std::string_view bytes;
    std::string name;
    ReadBeside beside;
};

/// A surface or a tet mesh as writers see it: cells of 3 or 4 corners over points.
struct CellView {
    std::span<const Vec3> points;
    std::span<const int> corners;
    int per_cell;                 ///< 3: triangles, 4: tets
    std::span<const int> region;  ///< per cell, or empty

    std::size_t cells() const { return corners.size() / static_cast<std::size_t>(per_cell); }
};
CellView cell_view(const TriMesh& mesh);
CellView cell_view(const TetMesh& mesh);

MeshFile parse_obj(const MeshSource& source);
MeshFile parse_ply(const MeshSource& source);
MeshFile parse_stl(const MeshSource& source);
MeshFile parse_off(const MeshSource& source);
MeshFile parse_gltf(const MeshSource& source);    // .gltf and .glb
MeshFile parse_tetgen(const MeshSource& source);  // of the .ele or the .node; the other comes from beside
MeshFile parse_gmsh(const MeshSource& source);
MeshFile parse_medit(const MeshSource& source);
MeshFile parse_vtk(const MeshSource& source);
MeshFile parse_vtu(const MeshSource& source);
MeshFile parse_veg(const MeshSource& source);
MeshFile parse_str(const MeshSource& source);

/// `library`: name of the .mtl that faces with materials refer to.
std::string format_obj(const TriMesh& mesh, const std::string& library = "");
std::string format_ply(const TriMesh& mesh, bool ascii);
std::string format_stl(const TriMesh& mesh, bool ascii);
std::string format_off(const TriMesh& mesh);
std::string format_glb(const TriMesh& mesh);
std::string format_tetgen_nodes(const TetMesh& mesh);
std::string format_tetgen_tets(const TetMesh& mesh);
std::string format_gmsh(const CellView& cells, bool ascii, bool version_2);
std::string format_medit(const CellView& cells);
std::string format_vtk(const CellView& cells, bool ascii);
std::string format_vtu(const CellView& cells, bool ascii);
std::string format_veg(const TetMesh& mesh);
std::string format_str(const TetMesh& mesh);  // with the bounded Voronoi cells of the nodes

}  // namespace pliant
