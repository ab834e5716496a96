#include "pliant/io/mesh_file.hpp"

#include <algorithm>
#include <filesystem>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/mesh_formats.hpp"
#include "pliant/io/obj_write.hpp"

namespace pliant {

namespace {

std::string lower_extension(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    for (char& c : extension)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return extension;
}

const MeshFormat* format_by_extension(const std::string& path) {
    const std::string extension = lower_extension(path);
    for (const MeshFormat& format : mesh_formats())
        if (std::find(format.extensions.begin(), format.extensions.end(), extension) != format.extensions.end())
            return &format;
    return nullptr;
}

std::string known_extensions() {
    std::string list;
    for (const MeshFormat& format : mesh_formats())
        for (const std::string& extension : format.extensions) list += (list.empty() ? "" : " ") + extension;
    return list;
}

/// What the first bytes speak of, or "" when they do not.
std::string sniff(std::string_view bytes) {
    auto starts = [&](std::string_view with) { return bytes.substr(0, with.size()) == with; };
    if (bytes.size() >= 84) {  // binary STL has no mark but its size
        std::uint32_t count = 0;
        std::copy_n(bytes.data() + 80, 4, reinterpret_cast<char*>(&count));
        if (bytes.size() == 84 + 50 * std::uint64_t{count}) return "stl";
    }
    if (starts("\xef\xbb\xbf")) bytes.remove_prefix(3);
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && !starts("ply")) bytes.remove_prefix(first);
    if (starts("ply\n") || starts("ply\r")) return "ply";
    if (starts("glTF") || starts("{")) return "gltf";
    if (starts("OFF") || starts("COFF") || starts("NOFF") || starts("CNOFF")) return "off";
    if (starts("$MeshFormat") || starts("$Comments")) return "msh";
    if (starts("# vtk DataFile")) return "vtk";
    if (starts("<?xml") || starts("<VTKFile")) return "vtu";
    if (starts("MeshVersionFormatted")) return "medit";
    if (starts("*VERTICES") || starts("*vertices")) return "veg";
    if (starts("particles")) return "str";
    if (starts("solid")) return "stl";
    for (const char* mark : {"v ", "\nv ", "mtllib", "\nmtllib", "o ", "g "})
        if (const std::size_t at = bytes.substr(0, 4096).find(mark);
            at != std::string_view::npos && (at == 0 || mark[0] == '\n'))
            return "obj";
    return "";
}

/// Reads files in the folder of `path` and below it, never elsewhere, whatever a file asks for.
ReadBeside reader_beside(const std::string& path) {
    namespace fs = std::filesystem;
    return [path, folder = fs::path(path).parent_path()](const std::string& relative) -> std::optional<std::string> {
        std::error_code error;
        const fs::path base = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
        if (error) return std::nullopt;
        const fs::path wanted = fs::weakly_canonical(base / relative, error);
        if (error) return std::nullopt;
        if (std::mismatch(base.begin(), base.end(), wanted.begin(), wanted.end()).first != base.end())
            throw UserError("asks for the file '" + relative + "' outside its folder", {path},
                            "Copy it beside the mesh");
        if (!fs::is_regular_file(wanted, error)) return std::nullopt;
        return read_file(wanted.string());
    };
}

std::string without_extension(const std::string& path) {
    return (std::filesystem::path(path).parent_path() / std::filesystem::path(path).stem()).string();
}

/// Both files or none: the nodes go again when the tets cannot be written.
void write_tetgen(const std::string& stem, const TetMesh& mesh) {
    std::error_code ignored;
    const bool nodes_were_there = std::filesystem::exists(stem + ".node", ignored);
    write_file_atomic(stem + ".node", format_tetgen_nodes(mesh));
    try {
        write_file_atomic(stem + ".ele", format_tetgen_tets(mesh));
    } catch (const UserError&) {
        if (!nodes_were_there) std::filesystem::remove(stem + ".node", ignored);
        throw;
    }
}

const MeshFormat& output_format(const std::string& path) {
    const MeshFormat* format = format_by_extension(path);
    if (!format) throw UserError("unknown kind of mesh file", {path}, "Known extensions: " + known_extensions());
    return *format;
}

std::string formats_that(bool MeshFormat::*can) {
    std::string list;
    for (const MeshFormat& format : mesh_formats())
        if (format.*can) list += (list.empty() ? "" : " ") + format.extensions[0];
    return list;
}

}  // namespace

const std::vector<MeshFormat>& mesh_formats() {
    static const std::vector<MeshFormat> formats{
        {"obj", {".obj"}, "Wavefront OBJ", true, true, false},
        {"ply", {".ply"}, "Stanford PLY", true, true, false},
        {"stl", {".stl"}, "STL", true, true, false},
        {"off", {".off"}, "Geomview OFF", true, true, false},
        {"gltf", {".glb", ".gltf"}, "glTF 2.0", true, true, false},
        {"tetgen", {".ele", ".node"}, "TetGen", true, false, true},
        {"msh", {".msh"}, "Gmsh", true, true, true},
        {"medit", {".mesh"}, "Medit", true, true, true},
        {"vtk", {".vtk"}, "VTK legacy", true, true, true},
        {"vtu", {".vtu", ".vtp"}, "VTK XML", true, true, true},
        {"veg", {".veg"}, "Vega", true, false, true},
        {"str", {".str"}, "Structure", true, false, true},
    };
    return formats;
}

CellView cell_view(const TriMesh& mesh) {
    return {
        mesh.points, {mesh.triangles.empty() ? nullptr : mesh.triangles[0].data(), 3 * mesh.triangles.size()}, 3, {}};
}

CellView cell_view(const TetMesh& mesh) {
    return {mesh.rest, {mesh.tets.empty() ? nullptr : mesh.tets[0].data(), 4 * mesh.tets.size()}, 4, mesh.region};
}

std::string mesh_format_of(const std::string& path, std::string_view bytes) {
    if (const MeshFormat* format = format_by_extension(path)) return format->name;
    const std::string found = sniff(bytes);
    if (found.empty())
        throw UserError("is no kind of mesh file that is known by its name or content", {path},
                        "Known extensions: " + known_extensions());
    return found;
}

MeshFile parse_mesh(std::string_view bytes, const std::string& format, const std::string& name,
                    const ReadBeside& beside) {
    const MeshSource source{bytes, name, beside};
    if (bytes.empty()) throw UserError("the file is empty", {name}, "Get it again");
    if (format == "obj") return parse_obj(source);
    if (format == "ply") return parse_ply(source);
    if (format == "stl") return parse_stl(source);
    if (format == "off") return parse_off(source);
    if (format == "gltf") return parse_gltf(source);
    if (format == "tetgen") return parse_tetgen(source);
    if (format == "msh") return parse_gmsh(source);
    if (format == "medit") return parse_medit(source);
    if (format == "vtk") return parse_vtk(source);
    if (format == "vtu") return parse_vtu(source);
    if (format == "veg") return parse_veg(source);
    if (format == "str") return parse_str(source);
    CHECK(false, format);
    return {};
}

MeshFile read_mesh(const std::string& path) {
    const std::string bytes = read_file(path);
    return parse_mesh(bytes, mesh_format_of(path, bytes), path, reader_beside(path));
}

TriMesh read_surface(const std::string& path, std::vector<std::string>* notes) {
    MeshFile file = read_mesh(path);
    if (file.volume) {
        file.notes.push_back("took the boundary of the tets as the surface");
        file.surface = boundary_surface(*file.volume).surface;
    }
    if (notes) *notes = std::move(file.notes);
    return std::move(*file.surface);
}

TetMesh read_tets(const std::string& path, std::vector<std::string>* notes) {
    MeshFile file = read_mesh(path);
    if (!file.volume)
        throw UserError("holds a surface, but tets are needed", {path}, "Fill it first: pliant mesh IN -o OUT.vtu");
    if (notes) *notes = std::move(file.notes);
    return std::move(*file.volume);
}

void write_surface(const std::string& path, const TriMesh& mesh, const MeshWriting& how) {
    const MeshFormat& format = output_format(path);
    const std::string extension = lower_extension(path);
    if (!format.writes_surface)
        throw UserError(format.title + " files hold tets, but this is a surface", {path},
                        "Fill it first with pliant mesh, or write one of " + formats_that(&MeshFormat::writes_surface));
    if (extension == ".gltf")
        throw UserError("glTF is written in its one-file form only", {path}, "Name the output .glb");
    std::string bytes;
    if (format.name == "obj") {
        const std::filesystem::path library = std::filesystem::path(path).replace_extension(".mtl");
        bytes = format_obj(mesh, library.filename().string());
        if (mesh.attributes && !mesh.attributes->material.empty()) {
            TextureFolder textures(library.parent_path());
            write_file_atomic(library.string(), mtl_text(export_surface(mesh, "").slots, textures));
        }
    } else if (format.name == "ply")
        bytes = format_ply(mesh, how.ascii);
    else if (format.name == "stl")
        bytes = format_stl(mesh, how.ascii);
    else if (format.name == "off")
        bytes = format_off(mesh);
    else if (format.name == "gltf")
        bytes = format_glb(mesh);
    else if (format.name == "msh")
        bytes = format_gmsh(cell_view(mesh), how.ascii, how.gmsh_2);
    else if (format.name == "medit")
        bytes = format_medit(cell_view(mesh));
    else if (format.name == "vtk")
        bytes = format_vtk(cell_view(mesh), how.ascii);
    else if (format.name == "vtu")
        bytes = format_vtu(cell_view(mesh), how.ascii);
    else
        CHECK(false, format.name);
    write_file_atomic(path, bytes);
}

void write_tets(const std::string& path, const TetMesh& mesh, const MeshWriting& how) {
    const MeshFormat& format = output_format(path);
    if (!format.writes_tets)
        throw UserError(
            format.title + " files hold surfaces, but this is a tet mesh", {path},
            "Write its boundary with pliant convert, or name one of " + formats_that(&MeshFormat::writes_tets));
    std::string bytes;
    if (format.name == "tetgen") {
        write_tetgen(without_extension(path), mesh);
        return;
    }
    if (format.name == "msh")
        bytes = format_gmsh(cell_view(mesh), how.ascii, how.gmsh_2);
    else if (format.name == "medit")
        bytes = format_medit(cell_view(mesh));
    else if (format.name == "vtk")
        bytes = format_vtk(cell_view(mesh), how.ascii);
    else if (format.name == "vtu")
        bytes = format_vtu(cell_view(mesh), how.ascii);
    else if (format.name == "veg")
        bytes = format_veg(mesh);
    else if (format.name == "str")
        bytes = format_str(mesh);
    else
        CHECK(false, format.name);
    write_file_atomic(path, bytes);
}

}  // namespace pliant
