#pragma once
// A surface as a mesh of a glTF file: vertices are split where texture, normals or colours have a seam, triangles go to
// one primitive per material.

#include <vector>

#include "pliant/io/export_surface.hpp"
#include "pliant/io/glb_file.hpp"

namespace pliant {

/// The vertices of a glTF mesh in the order of the surface's points; each is one of its corners.
struct GlbVertices {
    std::vector<int> corner;               ///< per vertex: a corner of the surface that it stands for
    std::vector<std::uint32_t> of_corner;  ///< per corner: its vertex
};
GlbVertices glb_vertices(const ExportSurface& surface);

/// Positions less an origin, and unit normals, of the vertices; normals are empty where the surface has none. Tangents
/// are the directions in which u grows, square to the normals; empty where no material has a picture of normals.
std::vector<GlbFile::Float3> glb_positions(const ExportSurface& surface, const GlbVertices& vertices,
                                           const Vec3& origin);
std::vector<GlbFile::Float3> glb_normals(const ExportSurface& surface, const GlbVertices& vertices);
std::vector<GlbFile::Float3> glb_tangents(const ExportSurface& surface, const GlbVertices& vertices);

/// Materials of a body, by slot; made once and shared by its meshes.
struct GlbMaterials {
    std::vector<SurfaceMaterial> slots;
    std::vector<int> number;
};

/// Adds the mesh as it is now and returns its number. `targets`: morph targets, as accessors of positions and, where
/// there are some, of normals and tangents.
struct GlbTarget {
    int positions = -1, normals = -1, tangents = -1;
};
int add_glb_mesh(GlbFile& file, const ExportSurface& surface, const GlbVertices& vertices, const Vec3& origin,
                 GlbMaterials& materials, const std::vector<GlbTarget>& targets);

}  // namespace pliant
