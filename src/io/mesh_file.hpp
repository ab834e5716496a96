#pragma once
// Mesh files in and out, by extension: surfaces (OBJ, PLY, STL, OFF, glTF) and tet meshes (TetGen, Gmsh, Medit,
// VTK, Vega, structures). Whatever is wrong with a file is a UserError that names the line, or the byte of a binary
// file.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/mesh/tet_mesh.hpp"
#include "pliant/mesh/tri_mesh.hpp"

namespace pliant {

struct StructureFile;  // structure_file.hpp

/// What a file held: a volume where it has tets, else a surface. Lengths are taken as metres.
struct MeshFile {
    std::optional<TriMesh> surface;
    std::optional<TetMesh> volume;
    std::shared_ptr<const StructureFile> structure;  ///< of a .str file: its Voronoi cells besides
    std::string format;                              ///< "obj", "msh" …: a name in mesh_formats()
    std::vector<std::string> notes;                  ///< what was changed or left out on the way in, a sentence each
};

/// Gives a parser the bytes of a file beside the one it parses (TetGen's .node, glTF's .bin); nothing when absent.
using ReadBeside = std::function<std::optional<std::string>(const std::string& relative_path)>;

struct MeshWriting {
    bool ascii = false;   ///< text where the format knows both; default: binary, which is smaller and exact
    bool gmsh_2 = false;  ///< .msh as 2.2 rather than 4.1
};

struct MeshFormat {
    std::string name;
    std::vector<std::string> extensions;  ///< lower case, with the dot
    std::string title;
    bool reads = true, writes_surface = false, writes_tets = false;
};

/// Every format with what it can do, in the order shown to users.
const std::vector<MeshFormat>& mesh_formats();

/// Reads any mesh file. The format follows from the extension; from the first bytes when that is unknown.
MeshFile read_mesh(const std::string& path);
/// The surface of a file; a tet mesh gives its boundary. `notes` receives what was changed on the way in.
TriMesh read_surface(const std::string& path, std::vector<std::string>* notes = nullptr);
/// The tets of a file; UserError when it holds a surface only.
TetMesh read_tets(const std::string& path, std::vector<std::string>* notes = nullptr);

/// Parses bytes in memory. `format` is a name in mesh_formats(); `name` is what messages call the file.
MeshFile parse_mesh(std::string_view bytes, const std::string& format, const std::string& name,
                    const ReadBeside& beside = {});

/// Written whole or not at all (TetGen: two files). The format follows from the extension.
void write_surface(const std::string& path, const TriMesh& mesh, const MeshWriting& how = {});
void write_tets(const std::string& path, const TetMesh& mesh, const MeshWriting& how = {});

/// The format a name or, failing that, the content speaks of; UserError listing the known ones when neither does.
std::string mesh_format_of(const std::string& path, std::string_view bytes);

}  // namespace pliant
