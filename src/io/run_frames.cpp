#include "pliant/io/run_frames.hpp"

#include "pliant/io/file.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace fs = std::filesystem;

namespace {

/// Is this frame on disk, written by this run and not by an older one in the same folder?
bool is_on_disk(const fs::path& path, const Frame& frame, const RunInfo& info) {
    if (!fs::exists(path)) return false;
    const DecodedFrame there = decode_frame(read_file(path), path);
    bool same = there.info.scene == info.scene && there.frame.time == frame.time &&
                there.frame.bodies.size() == frame.bodies.size();
    for (std::size_t b = 0; same && b < frame.bodies.size(); ++b)
        same = there.frame.bodies[b].name == frame.bodies[b].name &&
               there.frame.bodies[b].points.size() == frame.bodies[b].points.size();
    return same;
}

}  // namespace

void RunFrames::add(const Frame& frame) {
    if (first_) {
        if (is_on_disk(directory_ / "frames" / (frame_number(frame.index) + ".frame"), frame, info_)) {
            drop();
        } else {
            sink_ = make_frames_sink(parts_);
            sink_->begin(info_);
        }
    }
    first_ = false;
    if (!sink_) return;
    Frame surfaces;
    surfaces.index = frame.index;
    surfaces.time = frame.time;
    for (const BodyFrame& body : frame.bodies) {
        BodyFrame& seen = surfaces.bodies.emplace_back();
        seen.name = body.name, seen.kind = body.kind, seen.color = body.color;
        seen.points = body.points, seen.normals = body.normals;
        seen.triangles = body.triangles, seen.surface_revision = body.surface_revision;
        seen.attributes = body.attributes;
        for (const char* label : {"crack", "piece", "flat"})
            if (const Field* field = triangle_field(body, label)) seen.fields.push_back(*field);
    }
    sink_->write(surfaces);
}

std::unique_ptr<RunDirectory> RunFrames::open() const {
    const fs::path& from = fs::exists(parts_) ? parts_ : directory_;
    if (frames_in(from / "frames", "", ".frame").empty()) return nullptr;
    return std::make_unique<RunDirectory>(from);
}

void RunFrames::drop() {
    std::error_code ignored;
    fs::remove_all(parts_, ignored);
}

}  // namespace pliant
