// One .usda for the whole run. Each frame is kept in a part of its own (usd.parts/000123.part) until the stage is
// assembled, which happens whenever the number of frames has doubled, and at the end: so the stage on disk is always
// valid, all assemblies together copy at most twice what the last one does, and a killed run leaves at least half of
// its frames in the stage and the rest in parts, from which a resumed run goes on.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "pliant/core/hash.hpp"
#include "pliant/io/export_surface.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/rigid_motion.hpp"
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

/// As vectors_text() wrote them.
std::vector<Vec3> vectors_of(const std::string& text) {
    std::vector<Vec3> vectors;
    const char *at = text.data(), *end = at + text.size();
    for (int k = 0; at < end;) {
        float value = 0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc{}) {
            ++at;
            continue;
        }
        if (k == 0) vectors.emplace_back();
        vectors.back()[k] = value;
        k = (k + 1) % 3;
        at = next;
    }
    return vectors;
}

std::string vector_text(const Vec3& v) {
    std::string text;
    append_vector(text, v.cast<float>());
    return text;
}

/// The real part first; of the two quaternions of a rotation the one whose real part is not negative.
std::string quaternion_text(const Quat& turn) {
    std::string text = "(";
    for (const double part : {turn.w(), turn.x(), turn.y(), turn.z()}) {
        if (text.size() > 1) text += ", ";
        // Nine decimals: a rotation by nothing is written as such. + 0: no "-0".
        append_number(text, static_cast<float>(std::round((turn.w() < 0 ? -part : part) * 1e9) / 1e9 + 0.0));
    }
    return text + ")";
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
    /// Normals of a body with hard edges or cracks: corners at a point share one unless a crease is between them.
    struct CornerNormals {
        std::vector<Vec3> normals;
        std::vector<int> index;  ///< per corner, in the order of the faces
    };
    CornerNormals normals() const {
        CornerNormals list;
        list.index.reserve(3 * surface.triangles.size());
        std::unordered_map<std::uint64_t, int> known;    // only looked up, never walked through
        std::map<std::uint64_t, std::uint64_t> numbers;  // of shading, as few digits as there are different ones
        each([&](int, std::span<const int> corners) {
            for (int c : corners) {
                const std::uint64_t number = numbers.try_emplace(surface.shading(c), numbers.size()).first->second;
                const std::uint64_t key = number << 32 | static_cast<std::uint32_t>(surface.point(c));
                const auto [place, fresh] = known.try_emplace(key, static_cast<int>(list.normals.size()));
                if (fresh) list.normals.push_back(surface.normal(c));
                list.index.push_back(place->second);
            }
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

/// A body that moves as a whole, about its middle at the first frame that has it: frames say where that is and how it
/// is turned. What is compared are the points as they are written, so that a resumed run finds the same motions.
struct Start {
    std::vector<Vec3> points;
    std::string points_text, extent_text, normals_text;
};

/// What a body looked like in the frame before: equal arrays are not formatted again.
struct Before {
    std::uint64_t points = 0, normals = 0, revision = 0;
    std::shared_ptr<const std::vector<Tri>> triangles;
    std::shared_ptr<const SurfaceAttributes> attributes;
    std::size_t slots = 0;
    bool known = false;
    bool at_start = false;  ///< its points were those of its start, moved and turned
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
        UsdPartBody described{stem, string_text(body.name), {}, {}, {}, {}};
        append_vector(described.color, body.color.cast<float>());
        const auto give = [&](UsdAttribute attribute, bool same, auto&& text) {
            described.values[attribute] = same ? Value{Value::as_before, {}} : Value{Value::given, text()};
        };
        const Field* crack = triangle_field(body, "crack");
        const ExportSurface surface = export_surface(body);
        const UsdFaces faces{surface};
        const bool by_corner = has_surface(body) && !surface.normals.empty() && (crack || !surface.normal_per_point);
        const UsdFaces::CornerNormals corners = by_corner ? faces.normals() : UsdFaces::CornerNormals{};
        const std::vector<Vec3>& shaded = by_corner ? corners.normals : body.normals;
        const UsdAttribute shading = by_corner ? usd_corner_normals : usd_normals;
        const bool has_normals = body.normals.size() == body.points.size();
        const std::uint64_t points = hash_vectors(body.points), normals = hash_vectors(shaded);
        bool at_start = false;
        if (body.kind == "rigid" || body.kind == "obstacle") {
            const Start& start = start_of(body, stem, has_normals ? shaded : std::vector<Vec3>{});
            const std::optional<Pose> motion = rigid_motion(start.points, body.points);
            const Pose pose = motion.value_or(Pose{});
            give(usd_translate, false, [&] { return vector_text(pose.translation); });
            give(usd_orient, false, [&] { return quaternion_text(pose.rotation); });
            at_start = motion.has_value();
            if (at_start) {
                const bool same = before.known && before.at_start;
                give(usd_points, same, [&] { return start.points_text; });
                give(usd_extent, same, [&] { return start.extent_text; });
                if (has_normals) give(shading, same, [&] { return start.normals_text; });
            }
        }
        if (!at_start) {
            const bool still = before.known && !before.at_start;
            give(usd_points, still && points == before.points, [&] { return vectors_text(body.points); });
            give(usd_extent, still && points == before.points, [&] { return extent_text(body.points); });
            if (has_normals) give(shading, still && normals == before.normals, [&] { return normals_text(shaded); });
        }
        if (has_surface(body)) {
            const bool same = before.known && body.triangles == before.triangles &&
                              body.attributes == before.attributes && body.surface_revision == before.revision;
            give(usd_indices, same, [&] { return faces.indices(); });
            give(usd_counts, same, [&] { return faces.counts(); });
            if (by_corner && has_normals)
                give(usd_normal_indices, same, [&] {
                    return list_text(corners.index.size(), [&](auto&& add) {
                        for (int i : corners.index) add(i);
                    });
                });
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
        before = {points, normals, body.surface_revision, body.triangles, body.attributes, surface.slots.size(),
                  true,   at_start};
        return described;
    }

    /// Of a resumed run it is in the stage.
    const Start& start_of(const BodyFrame& body, const std::string& stem, const std::vector<Vec3>& normals) {
        const auto [place, fresh] = starts_.try_emplace(stem);
        Start& start = place->second;
        if (!fresh) return start;
        const auto known = std::find_if(samples_.bodies.begin(), samples_.bodies.end(),
                                        [&](const UsdBody& of) { return of.stem == stem; });
        if (known == samples_.bodies.end() || known->samples[usd_points].empty()) {
            Box box;
            for (const Vec3& p : body.points) box.add(p);
            start.points = body.points;
            for (Vec3& p : start.points) p -= box.center();
            start.points_text = vectors_text(start.points);
            start.extent_text = extent_text(start.points);
            start.normals_text = normals_text(normals);
        } else {
            const auto& samples = known->samples;
            start.points_text = sample_text(samples_, samples[usd_points].front());
            start.extent_text = sample_text(samples_, samples[usd_extent].front());
            for (const UsdAttribute kind : {usd_normals, usd_corner_normals})
                if (!samples[kind].empty()) start.normals_text = sample_text(samples_, samples[kind].front());
        }
        start.points = vectors_of(start.points_text);
        return start;
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
    std::map<std::string, Start> starts_;  ///< of bodies that move as a whole, by the prim's name
    std::vector<fs::path> parts_to_drop_;
    int frames_in_stage_ = 0;
    bool open_ = false;
};

}  // namespace

std::unique_ptr<FrameSink> make_usd_sink(const fs::path& directory) { return std::make_unique<UsdSink>(directory); }

}  // namespace pliant
