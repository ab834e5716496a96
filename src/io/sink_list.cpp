#include "pliant/io/sink_list.hpp"

#include <algorithm>

namespace pliant {

const Registry<SinkKind>& sink_kinds() {
    static const Registry<SinkKind> kinds(
        "export format",
        {
            {"frames", "frames/000123.frame: compact, for `pliant render`, `convert` and `studio`", make_frames_sink},
            {"vtu", "vtu/BODY.pvd and vtu/BODY-surface.pvd with a file per frame, for ParaView", make_vtu_sink},
            {"usd", "SCENE.usda with time-sampled points, for Blender and Houdini", make_usd_sink},
            {"obj", "obj/BODY_000123.obj: a sequence of surfaces", make_obj_sink},
            {"ply", "ply/BODY_000123.ply: a sequence of surfaces with normals and fields, binary", make_ply_sink},
            {"gltf", "SCENE.glb: the whole run in one file that plays in browsers and in Blender", make_gltf_sink},
            {"mdd", "mdd/BODY.mdd: moving points of a mesh whose triangles stay (LightWave, Blender)", make_mdd_sink},
            {"pc2", "pc2/BODY.pc2: the same for Maya, 3ds Max, Blender", make_pc2_sink},
            {"csv", "measures.csv: one row of measures per frame", make_csv_sink},
        });
    return kinds;
}

std::vector<std::unique_ptr<FrameSink>> make_sinks(std::string_view names, const std::filesystem::path& directory) {
    std::vector<const SinkKind*> chosen;
    while (!names.empty()) {
        const std::size_t comma = std::min(names.find(','), names.size());
        std::string_view name = names.substr(0, comma);
        names.remove_prefix(std::min(comma + 1, names.size()));
        while (name.starts_with(' ')) name.remove_prefix(1);
        while (name.ends_with(' ')) name.remove_suffix(1);
        if (name.empty()) continue;
        const SinkKind* kind = &sink_kinds().get(name);
        if (std::find(chosen.begin(), chosen.end(), kind) == chosen.end()) chosen.push_back(kind);
    }
    std::vector<std::unique_ptr<FrameSink>> sinks;
    for (const SinkKind* kind : chosen) sinks.push_back(kind->make(directory));
    return sinks;
}

}  // namespace pliant
