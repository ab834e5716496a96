// Wavefront OBJ, one file per body and frame, and one .mtl per body. Bodies without triangles become points.

#include <map>

#include "pliant/io/file.hpp"
#include "pliant/io/obj_write.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

namespace fs = std::filesystem;

/// Per triangle "piece3 crack": what broke off, and whether the face is a crack. Nothing for bodies that don't break.
std::vector<std::string> group_names(const BodyFrame& body) {
    const Field *crack = triangle_field(body, "crack"), *piece = triangle_field(body, "piece");
    if (!crack || !piece) return {};
    std::vector<std::string> names;
    for (std::size_t t = 0; t < crack->values.size(); ++t)
        names.push_back("piece" + std::to_string(static_cast<int>(piece->values[t])) +
                        (crack->values[t] > 0.5f ? " crack" : " skin"));
    return names;
}

class ObjSink : public FrameSink {
public:
    explicit ObjSink(const fs::path& directory) : directory_(directory / "obj"), textures_(directory_) {}

    void begin(const RunInfo&) override { ensure_directory(directory_); }

    void write(const Frame& frame) override {
        check_fields(frame);
        const std::vector<std::string> stems = body_stems(frame);
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            const BodyFrame& body = frame.bodies[b];
            if (body.points.empty()) continue;
            if (first_) drop_frames(directory_, stems[b] + "_", ".obj", frame.index);
            const ExportSurface surface = export_surface(body);
            save(stems[b] + "_" + frame_number(frame.index) + ".obj",
                 obj_text(surface,
                          {.comment = "frame " + std::to_string(frame.index) + ", " + number_text(frame.time) + " s",
                           .library = stems[b] + ".mtl",
                           .group = group_names(body)}));
            // Slots come with the first crack; those that were there stay.
            std::vector<SurfaceMaterial>& slots = slots_[stems[b]];
            if (slots == surface.slots) continue;
            slots = surface.slots;
            save(stems[b] + ".mtl", mtl_text(slots, textures_));
        }
        first_ = false;
    }

private:
    void save(const std::string& name, const std::string& bytes) const {
        OutputFile file(directory_ / name);
        file.write(bytes);
        file.commit();
    }

    fs::path directory_;
    TextureFolder textures_;
    std::map<std::string, std::vector<SurfaceMaterial>> slots_;
    bool first_ = true;
};

}  // namespace

std::unique_ptr<FrameSink> make_obj_sink(const fs::path& directory) { return std::make_unique<ObjSink>(directory); }

}  // namespace pliant
