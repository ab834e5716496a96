// A surface as one binary glTF file: positions in single precision, as the format has them.

#include "pliant/io/glb_mesh.hpp"
#include "pliant/io/mesh_formats.hpp"

namespace pliant {

std::string format_glb(const TriMesh& mesh) {
    GlbFile file;
    const ExportSurface surface = export_surface(mesh, "surface");
    GlbMaterials materials;
    const int made = add_glb_mesh(file, surface, glb_vertices(surface), Vec3::Zero(), materials, {});
    const int node = file.add("nodes", {{"name", surface.name}, {"mesh", made}});
    file.add("scenes", {{"nodes", {node}}});
    return file.take();
}

}  // namespace pliant
