// One .usda for the whole run. Each frame is kept in a part of its own (usd.parts/000123.part) until the stage is
// assembled, which happens whenever the number of frames has doubled, and at the end: so the stage on disk is always
// valid, all assemblies together copy at most twice what the last one does, and a killed run leaves at least half of
// its frames in the stage and the rest in parts, from which a resumed run goes on.

#include <limits>
#include <map>

#include "pliant/core/hash.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/sink_usd_samples.hpp"

namespace pliant {

namespace {

namespace fs = std::filesystem;

void append_vector(std::string& text, const Eigen::Vector3f& v) {
    text += '(';
    append_number(text, v.x());
    text += ", ";
    append_number(text, v.y());
    text += ", ";
    append_number(text, v.z());
    text += ')';
}

std::string vectors_text(const std::vector<Vec3>& vectors) {
    std::string text = "[";
    text.reserve(40 * vectors.size() + 2);
    for (const Vec3& v : vectors) {
        if (text.size() > 1) text += ", ";
        append_vector(text, v.cast<float>());
    }
    return text + "]";
}

/// Four decimals: finer than a display's shading, and a third of the text.
std::string normals_text(const std::vector<Vec3>& normals) {
    std::vector<Vec3> rounded(normals.size());
    for (std::size_t i = 0; i < normals.size(); ++i)
        rounded[i] = (normals[i].array() * 1e4).round() / 1e4 + 0.0;  // + 0: no "-0"
    return vectors_text(rounded);
}

std::string extent_text(const std::vector<Vec3>& points) {
    Eigen::Vector3f low = points[0].cast<float>(), high = low;
    for (const Vec3& p : points) low = low.cwiseMin(p.cast<float>()), high = high.cwiseMax(p.cast<float>());
    std::string text = "[";
    append_vector(text, low);
    text += ", ";
    append_vector(text, high);
    return text + "]";
}

std::string indices_text(const std::vector<Tri>& triangles) {
    std::string text = "[";
    text.reserve(24 * triangles.size() + 2);
    for (const Tri& t : triangles)
        for (const int i : t) {
            if (text.size() > 1) text += ", ";
            text += std::to_string(i);
        }
    return text + "]";
}

/// Labels per triangle as integers.
std::string labels_text(const Field& field) {
    std::string text = "[";
    text.reserve(3 * field.values.size() + 2);
    for (const float label : field.values) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(static_cast<int>(label));
    }
    return text + "]";
}

/// One normal per corner of each triangle: those of a body that breaks have a crease at its cracks.
std::vector<Vec3> face_varying_normals(const BodyFrame& body) {
    std::vector<Vec3> corners = corner_normals(body);
    if (corners.empty() && body.normals.size() == body.points.size())
        for (const Tri& t : *body.triangles)
            for (const int i : t) corners.push_back(body.normals[static_cast<std::size_t>(i)]);
    return corners;
}

std::string counts_text(std::size_t triangles) {
    std::string text = "[";
    for (std::size_t t = 0; t < triangles; ++t) text += t == 0 ? "3" : ", 3";
    return text + "]";
}

std::string string_text(std::string_view name) {
    std::string text;
    for (const char c : valid_utf8(name)) {
        if (c == '"' || c == '\\') text += '\\';
        text += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
    return text;
}

std::uint64_t hash_vectors(const std::vector<Vec3>& vectors) {
    Hash hash;
    hash.bytes(vectors.data(), vectors.size() * sizeof(Vec3));
    return hash.digest();
}

/// What a body looked like in the frame before: equal arrays are not formatted again.
struct Before {
    std::uint64_t points = 0, normals = 0, revision = 0;
    std::shared_ptr<const std::vector<Tri>> triangles;
    bool known = false;
};

class UsdSink : public FrameSink {
public:
    explicit UsdSink(const fs::path& directory) : directory_(directory), parts_(directory / "usd.parts") {}

    void begin(const RunInfo& info) override {
        info_ = info;
        stage_ = directory_ / (scene_stem(info) + ".usda");
        ensure_directory(parts_);
    }

    void write(const Frame& frame) override {
        if (!open_) open(frame.index);
        std::vector<UsdPartBody> bodies;
        const std::vector<std::string> stems = body_stems(frame);
        for (std::size_t b = 0; b < frame.bodies.size(); ++b)
            if (!frame.bodies[b].points.empty()) bodies.push_back(describe(frame.bodies[b], stems[b]));
        write_usd_part(part(frame.index), frame.index, bodies, samples_);
        parts_to_drop_.push_back(part(frame.index));
        if (static_cast<int>(parts_to_drop_.size()) > frames_in_stage_) assemble();
    }

    void finish() override {
        if (!open_) open(std::numeric_limits<int>::max());
        if (!parts_to_drop_.empty()) assemble();
        std::error_code ignored;  // someone else's files in it: then it stays
        fs::remove(parts_, ignored);
    }

private:
    fs::path part(int index) const { return parts_ / (frame_number(index) + ".part"); }

    /// Takes over what an earlier run left of the frames before `first`.
    void open(int first) {
        drop_frames(parts_, "", ".part", first);
        if (first > 0 && fs::exists(stage_)) samples_ = read_usd_stage(stage_, first);
        frames_in_stage_ = samples_.last_frame - samples_.first_frame + 1;
        for (const int index : frames_in(parts_, "", ".part")) {
            if (frames_in_stage_ == 0 || index > samples_.last_frame) read_usd_part(part(index), samples_);
            parts_to_drop_.push_back(part(index));
        }
        open_ = true;
    }

    UsdPartBody describe(const BodyFrame& body, const std::string& stem) {
        using Value = UsdPartBody::Value;
        Before& before = before_[stem];
        UsdPartBody described{stem, string_text(body.name), {}, {}, {}};
        append_vector(described.color, body.color.cast<float>());
        const auto give = [&](UsdAttribute attribute, bool same, auto&& text) {
            described.values[attribute] = same ? Value{Value::as_before, {}} : Value{Value::given, text()};
        };
        const Field* crack = triangle_field(body, "crack");
        const std::vector<Vec3> corners = crack ? face_varying_normals(body) : std::vector<Vec3>{};
        const std::uint64_t points = hash_vectors(body.points), normals = hash_vectors(crack ? corners : body.normals);
        const bool same_points = before.known && points == before.points;
        give(usd_points, same_points, [&] { return vectors_text(body.points); });
        give(usd_extent, same_points, [&] { return extent_text(body.points); });
        if (body.normals.size() == body.points.size())
            give(usd_normals, before.known && normals == before.normals,
                 [&] { return normals_text(crack ? corners : body.normals); });
        if (has_surface(body)) {
            const bool same =
                before.known && body.triangles == before.triangles && body.surface_revision == before.revision;
            give(usd_indices, same, [&] { return indices_text(*body.triangles); });
            give(usd_counts, same, [&] { return counts_text(body.triangles->size()); });
            const Field *piece = triangle_field(body, "piece"), *flat = triangle_field(body, "flat");
            if (crack) give(usd_crack, same, [&] { return labels_text(*crack); });
            if (piece) give(usd_piece, same, [&] { return labels_text(*piece); });
            if (flat) give(usd_flat, same, [&] { return labels_text(*flat); });
        } else {
            Box box;
            for (const Vec3& p : body.points) box.add(p);
            append_number(described.width, static_cast<float>(box.diagonal() / 100));
        }
        before = {points, normals, body.surface_revision, body.triangles, true};
        return described;
    }

    void assemble() {
        assemble_usd(stage_, info_.fps, samples_);
        frames_in_stage_ = samples_.last_frame - samples_.first_frame + 1;
        for (const fs::path& path : parts_to_drop_) fs::remove(path);
        parts_to_drop_.clear();
    }

    fs::path directory_, parts_, stage_;
    RunInfo info_;
    UsdSamples samples_;
    std::map<std::string, Before> before_;
    std::vector<fs::path> parts_to_drop_;
    int frames_in_stage_ = 0;
    bool open_ = false;
};

}  // namespace

std::unique_ptr<FrameSink> make_usd_sink(const fs::path& directory) { return std::make_unique<UsdSink>(directory); }

}  // namespace pliant
