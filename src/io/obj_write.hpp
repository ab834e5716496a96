#pragma once
// Wavefront OBJ out: polygons with texture coordinates, normals, colours and materials.

#include <string>
#include <vector>

#include "pliant/io/export_surface.hpp"
#include "pliant/io/texture_files.hpp"

namespace pliant {

struct ObjWriting {
    std::string comment;             ///< of the first line
    std::string library;             ///< name of the .mtl; empty: none, and faces name no material
    std::vector<std::string> group;  ///< per triangle: its group; empty: none
    bool exact = false;              ///< decimals that read back as the same doubles; else nine digits
};
/// What objects before in the same file have: OBJ counts through the whole of it.
struct ObjCounts {
    int points = 0, uv = 0, normals = 0;
};
/// `before` goes up by what this object has; null: it is the only one.
std::string obj_text(const ExportSurface& surface, const ObjWriting& how, ObjCounts* before = nullptr);

/// The .mtl with the slots' colours, roughness and metal, and their pictures in `textures`, which belongs to the same
/// folder.
std::string mtl_text(const std::vector<SurfaceMaterial>& slots, TextureFolder& textures);

/// A name without blanks and control letters, as OBJ wants its words.
std::string obj_word(std::string name);

}  // namespace pliant
