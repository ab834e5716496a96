// One .usda for the whole run. Each frame is kept in a part of its own (usd.parts/000123.part) until the stage is
// assembled, which happens whenever the number of frames has doubled, and at the end: so the stage on disk is always
// valid, all assemblies together copy at most twice what the last one does, and a killed run leaves at least half of
// its frames in the stage and the rest in parts, from which a resumed run goes on.

#include <limits>
#include <map>

#include "pliant/core/hash.hpp"
#include "pliant/io/export_surface.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/sink_list.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/sink_usd_samples.hpp"
#include "pliant/io/texture_files.hpp"

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

/// "[1, 2, 3]" of what `visit` gives to its argument.
template <class Visit>
std::string list_text(std::size_t expected, Visit&& visit) {
    std::string text = "[";
    text.reserve(6 * expected + 2);
    visit([&](int value) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(value);
    });
    return text + "]";
}

/// The polygons of a surface and what belongs to them, as USD lists them.
struct UsdFaces {
    const ExportSurface& surface;

    template <class Visit>
    void each(Visit&& visit) const {
        for_each_polygon(surface.attributes, surface.triangles.size(), visit);
    }
    std::string counts() const {
        return list_text(surface.triangles.size(), [&](auto&& add) {
            each([&](int, std::span<const int> corners) { add(static_cast<int>(corners.size())); });
        });
    }
    std::string indices() const {
        return list_text(3 * surface.triangles.size(), [&](auto&& add) {
            each([&](int, std::span<const int> corners) {
                for (int c : corners) add(surface.point(c));
            });
        });
    }
    /// Labels per triangle as integers; those of a polygon are all the same.
    std::string labels(const Field& field) const {
        return list_text(surface.triangles.size(), [&](auto&& add) {
            each([&](int first, std::span<const int>) {
                add(static_cast<int>(field.values[static_cast<std::size_t>(first)]));
            });
        });
    }
    std::string of_slot(int slot) const {
        return list_text(surface.triangles.size(), [&](auto&& add) {
            int face = 0;
            each([&](int first, std::span<const int>) {
                if (surface.slot_of(first) == slot) add(face);
                ++face;
            });
        });
    }
    /// One normal per corner: those of a body with hard edges or cracks have creases there.
    std::vector<Vec3> normals() const {
        std::vector<Vec3> list;
        list.reserve(3 * surface.triangles.size());
        each([&](int, std::span<const int> corners) {
            for (int c : corners) list.push_back(surface.normal(c));
        });
        return list;
    }
    std::string uv() const {
        std::string text = "[";
        each([&](int, std::span<const int> corners) {
            for (int c : corners) {
                const auto& at = surface.attributes->uv[static_cast<std::size_t>(c)];
                text += text.size() > 1 ? ", (" : "(";
                append_number(text, at[0]), text += ", ", append_number(text, at[1]), text += ')';
            }
        });
        return text + "]";
    }
    std::string colors() const {
        std::string text = "[";
        each([&](int, std::span<const int> corners) {
            for (int c : corners) {
                const auto& color = surface.attributes->color[static_cast<std::size_t>(c)];
                if (text.size() > 1) text += ", ";
                append_vector(text, {color[0], color[1], color[2]});
            }
        });
        return text + "]";
    }
};

/// Names of materials as names of prims, no two alike.
std::vector<std::string> slot_stems(const std::vector<SurfaceMaterial>& slots) {
    Frame names;
    for (const SurfaceMaterial& slot : slots) names.bodies.emplace_back().name = slot.name;
    return body_stems(names);
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
    std::shared_ptr<const SurfaceAttributes> attributes;
    std::size_t slots = 0;
    bool known = false;
};

class UsdSink : public FrameSink {
public:
    explicit UsdSink(const fs::path& directory)
        : directory_(directory), parts_(directory / "usd.parts"), textures_(directory) {}

    void begin(const RunInfo& info) override {
        info_ = info;
        stage_ = directory_ / (scene_stem(info) + ".usda");
        ensure_directory(parts_);
    }

    void write(const Frame& frame) override {
        if (!open_) open(frame.index);
        std::vector<UsdPartBody> bodies;
        const std::vector<std::string> stems = body_stems(frame);
        Box bounds;
        for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
            for (const Vec3& p : frame.bodies[b].points) bounds.add(p);
            if (!frame.bodies[b].points.empty()) bodies.push_back(describe(frame.bodies[b], stems[b]));
        }
        write_usd_part(part(frame.index), frame.index, bounds, bodies, samples_);
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
        UsdPartBody described{stem, string_text(body.name), {}, {}, {}, {}, {}};
        append_vector(described.color, body.color.cast<float>());
        const auto give = [&](UsdAttribute attribute, bool same, auto&& text) {
            described.values[attribute] = same ? Value{Value::as_before, {}} : Value{Value::given, text()};
        };
        const Field* crack = triangle_field(body, "crack");
        const ExportSurface surface = export_surface(body);
        const UsdFaces faces{surface};
        const bool by_corner = has_surface(body) && !surface.normals.empty() && (crack || !surface.normal_per_point);
        const std::vector<Vec3> corners = by_corner ? faces.normals() : std::vector<Vec3>{};
        const std::uint64_t points = hash_vectors(body.points),
                            normals = hash_vectors(by_corner ? corners : body.normals);
        const bool same_points = before.known && points == before.points;
        give(usd_points, same_points, [&] { return vectors_text(body.points); });
        give(usd_extent, same_points, [&] { return extent_text(body.points); });
        if (body.normals.size() == body.points.size())
            give(usd_normals, before.known && normals == before.normals,
                 [&] { return normals_text(by_corner ? corners : body.normals); });
        if (by_corner) described.normals = "faceVarying";
        if (has_surface(body)) {
            const bool same = before.known && body.triangles == before.triangles &&
                              body.attributes == before.attributes && body.surface_revision == before.revision;
            give(usd_indices, same, [&] { return faces.indices(); });
            give(usd_counts, same, [&] { return faces.counts(); });
            const Field *piece = triangle_field(body, "piece"), *flat = triangle_field(body, "flat");
            if (crack) give(usd_crack, same, [&] { return faces.labels(*crack); });
            if (piece) give(usd_piece, same, [&] { return faces.labels(*piece); });
            if (flat) give(usd_flat, same, [&] { return faces.labels(*flat); });
            if (surface.has_uv()) give(usd_uv, same, [&] { return faces.uv(); });
            if (surface.has_colors()) give(usd_color, same, [&] { return faces.colors(); });
            describe_slots(body, surface, faces, same && surface.slots.size() == before.slots, described);
        } else {
            Box box;
            for (const Vec3& p : body.points) box.add(p);
            append_number(described.width, static_cast<float>(box.diagonal() / 100));
        }
        before = {points, normals, body.surface_revision, body.triangles, body.attributes, surface.slots.size(), true};
        return described;
    }

    /// Bodies that break get their slots when they do, others by what was brought.
    void describe_slots(const BodyFrame& body, const ExportSurface& surface, const UsdFaces& faces, bool same,
                        UsdPartBody& described) {
        using Value = UsdPartBody::Value;
        if (!triangle_field(body, "crack") && (!body.attributes || body.attributes->material.empty())) return;
        const std::vector<std::string> stems = slot_stems(surface.slots);
        for (std::size_t i = 0; i < stems.size(); ++i) {
            const SurfaceMaterial& slot = surface.slots[i];
            UsdPartBody::Subset subset{stems[i], string_text(slot.name), look_of(slot, surface.has_uv()), {}};
            subset.faces = same ? Value{Value::as_before, {}} : Value{Value::given, faces.of_slot(static_cast<int>(i))};
            described.subsets.push_back(std::move(subset));
        }
    }

    UsdLook look_of(const SurfaceMaterial& slot, bool has_uv) {
        UsdLook look;
        append_vector(look.color, {slot.color[0], slot.color[1], slot.color[2]});
        append_number(look.roughness, slot.roughness.value_or(0.5F));
        append_number(look.metallic, slot.metallic.value_or(0.F));
        append_number(look.normal_strength, slot.normal_strength);
        if (!has_uv) return look;
        look.texture = textures_.place(slot.texture);
        look.roughness_map = textures_.place(slot.roughness_map);
        look.metallic_map = textures_.place(slot.metallic_map);
        look.normal_map = textures_.place(slot.normal_map);
        return look;
    }

    void assemble() {
        assemble_usd(stage_, info_, samples_);
        frames_in_stage_ = samples_.last_frame - samples_.first_frame + 1;
        for (const fs::path& path : parts_to_drop_) fs::remove(path);
        parts_to_drop_.clear();
    }

    fs::path directory_, parts_, stage_;
    RunInfo info_;
    TextureFolder textures_;
    UsdSamples samples_;
    std::map<std::string, Before> before_;
    std::vector<fs::path> parts_to_drop_;
    int frames_in_stage_ = 0;
    bool open_ = false;
};

}  // namespace

std::unique_ptr<FrameSink> make_usd_sink(const fs::path& directory) { return std::make_unique<UsdSink>(directory); }

}  // namespace pliant
