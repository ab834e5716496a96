#pragma once
// Small meshes, and their bytes in every format we write, for the tests of mesh files.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pliant/io/mesh_formats.hpp"

namespace pliant {

/// A closed box surface with coordinates that need all digits of a double.
inline TriMesh sample_surface() {
    TriMesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.points.push_back(Vec3(i & 1 ? 1.0 / 3 : -0.1, i & 2 ? 0.7 : -1e-7, i & 4 ? 2.0 / 7 : -3.5));
    const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : quads) {
        mesh.triangles.push_back({q[0], q[1], q[2]});
        mesh.triangles.push_back({q[0], q[2], q[3]});
    }
    return mesh;
}

/// A box cut into six tets round its diagonal, in regions 3 and 7.
inline TetMesh sample_tets() {
    TetMesh mesh;
    mesh.rest = sample_surface().points;
    mesh.tets = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    mesh.region = {3, 3, 7, 7, 3, 7};
    orient_tets(mesh);
    return mesh;
}

struct Sample {
    std::string label, format, name, bytes;
    std::optional<std::string> beside;  // TetGen's other file
    bool single_precision = false;

    ReadBeside reader() const {
        return [other = beside](const std::string&) { return other; };
    }
    MeshFile parse(std::string_view changed) const { return parse_mesh(changed, format, name, reader()); }
};

inline std::vector<Sample> surface_samples() {
    const TriMesh mesh = sample_surface();
    const CellView cells = cell_view(mesh);
    return {
        {"obj", "obj", "a.obj", format_obj(mesh), {}},
        {"ply ascii", "ply", "a.ply", format_ply(mesh, true), {}},
        {"ply binary", "ply", "a.ply", format_ply(mesh, false), {}},
        {"stl ascii", "stl", "a.stl", format_stl(mesh, true), {}},
        {"stl binary", "stl", "a.stl", format_stl(mesh, false), {}, true},
        {"off", "off", "a.off", format_off(mesh), {}},
        {"glb", "gltf", "a.glb", format_glb(mesh), {}, true},
        {"msh 2.2 ascii surface", "msh", "a.msh", format_gmsh(cells, true, true), {}},
        {"msh 4.1 binary surface", "msh", "a.msh", format_gmsh(cells, false, false), {}},
        {"medit surface", "medit", "a.mesh", format_medit(cells), {}},
        {"vtk surface", "vtk", "a.vtk", format_vtk(cells, false), {}},
        {"vtu surface", "vtu", "a.vtu", format_vtu(cells, false), {}},
    };
}

inline std::vector<Sample> tet_samples() {
    const TetMesh mesh = sample_tets();
    const CellView cells = cell_view(mesh);
    return {
        {"tetgen ele", "tetgen", "a.ele", format_tetgen_tets(mesh), format_tetgen_nodes(mesh)},
        {"tetgen node", "tetgen", "a.node", format_tetgen_nodes(mesh), format_tetgen_tets(mesh)},
        {"msh 2.2 ascii", "msh", "a.msh", format_gmsh(cells, true, true), {}},
        {"msh 2.2 binary", "msh", "a.msh", format_gmsh(cells, false, true), {}},
        {"msh 4.1 ascii", "msh", "a.msh", format_gmsh(cells, true, false), {}},
        {"msh 4.1 binary", "msh", "a.msh", format_gmsh(cells, false, false), {}},
        {"medit", "medit", "a.mesh", format_medit(cells), {}},
        {"vtk ascii", "vtk", "a.vtk", format_vtk(cells, true), {}},
        {"vtk binary", "vtk", "a.vtk", format_vtk(cells, false), {}},
        {"vtu ascii", "vtu", "a.vtu", format_vtu(cells, true), {}},
        {"vtu appended", "vtu", "a.vtu", format_vtu(cells, false), {}},
        {"veg", "veg", "a.veg", format_veg(mesh), {}},
    };
}

/// A structure file, which keeps no regions.
inline Sample structure_sample() { return {"str", "str", "a.str", format_str(sample_tets()), {}}; }

}  // namespace pliant
