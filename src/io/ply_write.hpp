#pragma once
// Stanford PLY out: polygons with colours, texture coordinates and materials, and any columns of numbers besides.

#include <string>
#include <vector>

#include "pliant/io/export_surface.hpp"

namespace pliant {

struct PlyWriting {
    std::vector<std::string> comments;
    bool ascii = false;
    bool doubles = false;      ///< positions
    bool always_color = true;  ///< where none was brought, the body's
    std::vector<const Field*> vertex_fields, triangle_fields;
};

/// Texture coordinates are s and t of the vertices where each vertex has one pair, else the list `texcoord` of the
/// faces (as MeshLab has it); materials are numbers of the faces, with their names in comments. Normals are one per
/// vertex.
std::string ply_text(const ExportSurface& surface, const PlyWriting& how);

}  // namespace pliant
