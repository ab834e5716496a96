#include "pliant/io/frame_write.hpp"

#include <filesystem>

#include "pliant/core/text.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/glb_mesh.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/mesh_file.hpp"
#include "pliant/io/obj_write.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

std::vector<ExportSurface> body_surfaces(const Frame& frame) {
    std::vector<ExportSurface> surfaces;
    for (const BodyFrame& body : frame.bodies)
        if (body.kind != "obstacle" && has_surface(body)) surfaces.push_back(export_surface(body));
    return surfaces;
}

/// Materials of several bodies in one library: those of the same name and looks are one, others get the body's name.
std::vector<SurfaceMaterial> common_slots(std::vector<ExportSurface>& surfaces) {
    std::vector<SurfaceMaterial> all;
    for (ExportSurface& surface : surfaces)
        for (SurfaceMaterial& slot : surface.slots) {
            const auto named = [&](const std::string& name) {
                return std::find_if(all.begin(), all.end(), [&](const SurfaceMaterial& m) { return m.name == name; });
            };
            if (const auto found = named(slot.name); found != all.end() && *found != slot)
                slot.name = surface.name + "_" + slot.name;
            if (named(slot.name) == all.end()) all.push_back(slot);
        }
    return all;
}

void write_obj_bodies(const std::filesystem::path& path, const Frame& frame) {
    std::vector<ExportSurface> surfaces = body_surfaces(frame);
    const std::filesystem::path library = std::filesystem::path(path).replace_extension(".mtl");
    TextureFolder textures(path.parent_path());
    write_file_atomic(library.string(), mtl_text(common_slots(surfaces), textures));
    std::string text;
    ObjCounts counts;
    for (const ExportSurface& surface : surfaces)
        text += obj_text(surface,
                         {.comment = "frame " + std::to_string(frame.index) + ", " + number_text(frame.time) + " s",
                          .library = library.filename().string(),
                          .group = {}},
                         &counts);
    write_file_atomic(path.string(), text);
}

void write_glb_bodies(const std::filesystem::path& path, const Frame& frame) {
    GlbFile file(path);
    GlbFile::Json nodes = GlbFile::Json::array();
    for (const ExportSurface& surface : body_surfaces(frame)) {
        GlbMaterials materials;
        const int mesh = add_glb_mesh(file, surface, glb_vertices(surface), Vec3::Zero(), materials, {});
        nodes.push_back(file.add("nodes", {{"name", valid_utf8(surface.name)}, {"mesh", mesh}}));
    }
    file.add("scenes", {{"nodes", std::move(nodes)}});
    file.save();
}

}  // namespace

bool write_frame_bodies(const std::string& path, const Frame& frame) {
    const std::string format = mesh_format_of(path, "");
    if (format == "obj")
        write_obj_bodies(path, frame);
    else if (format == "gltf" && std::filesystem::path(path).extension() == ".glb")
        write_glb_bodies(path, frame);
    else
        return false;
    return true;
}

}  // namespace pliant
