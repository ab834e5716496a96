// The USD stage as text: /scene with a Mesh per body (Points where there are no triangles), its materials, and the
// scenery: camera, lights and ground.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <map>
#include <system_error>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/sink_usd_samples.hpp"
#include "pliant/io/view_of_run.hpp"

namespace pliant {

namespace {

/// Copies sample texts; keeps the file it read last open, since samples come in runs from the same one.
class SampleReader {
public:
    explicit SampleReader(const std::vector<std::filesystem::path>& files) : files_(files) {}
    ~SampleReader() {
        for (const auto& [file, descriptor] : open_) ::close(descriptor);
    }
    SampleReader(const SampleReader&) = delete;
    SampleReader& operator=(const SampleReader&) = delete;

    std::string_view read(const UsdSample& sample) {
        const std::filesystem::path& path = files_[static_cast<std::size_t>(sample.file)];
        const int descriptor = open(sample.file, path);
        text_.resize(sample.size);
        std::size_t have = 0;
        while (have < text_.size()) {
            const ssize_t got =
                ::pread(descriptor, text_.data() + have, text_.size() - have, static_cast<off_t>(sample.offset + have));
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) fail(path, got < 0 ? errno : EIO);
            have += static_cast<std::size_t>(got);
        }
        return text_;
    }

private:
    [[noreturn]] static void fail(const std::filesystem::path& path, int code) {
        throw UserError("cannot read the file: " + std::generic_category().message(code), {path.string()});
    }
    int open(int file, const std::filesystem::path& path) {
        if (const auto found = open_.find(file); found != open_.end()) return found->second;
        if (open_.size() > 200) {
            for (const auto& [other, descriptor] : open_) ::close(descriptor);
            open_.clear();
        }
        const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) fail(path, errno);
        return open_[file] = descriptor;
    }

    const std::vector<std::filesystem::path>& files_;
    std::map<int, int> open_;
    std::string text_;
};

class Stage {
public:
    Stage(const std::filesystem::path& path, const RunInfo& info, UsdSamples& samples)
        : file_(path), info_(info), samples_(samples), reader_(samples.files) {}

    void write() {
        header();
        put("def Xform \"scene\"\n{\n");
        for (UsdBody& body : samples_.bodies) mesh(body);
        put("    def Scope \"__materials__\"\n    {\n");
        for (const UsdBody& body : samples_.bodies) materials(body);
        put("    }\n\n");
        scenery();
        put("}\n");
        file_.commit_durable();
    }

private:
    void put(std::string_view text) {
        file_.write(text);
        position_ += text.size();
    }

    void header() {
        const std::string rate = number_text(info_.fps);
        std::string bounds;
        if (!samples_.bounds.empty())
            for (const Vec3* corner : {&samples_.bounds.min, &samples_.bounds.max})
                for (int k = 0; k < 3; ++k) bounds += (bounds.empty() ? "" : " ") + number_text((*corner)[k]);
        put(std::string("#usda 1.0\n(\n    customLayerData = {\n        string pliant = \"") + usd_tag + "\"\n" +
            (bounds.empty() ? "" : "        string pliantBounds = \"" + bounds + "\"\n") +
            "    }\n"
            "    defaultPrim = \"scene\"\n    endTimeCode = " +
            std::to_string(samples_.last_frame) + "\n    framesPerSecond = " + rate +
            "\n    metersPerUnit = 1\n    startTimeCode = " + std::to_string(samples_.first_frame) +
            "\n    timeCodesPerSecond = " + rate + "\n    upAxis = \"Y\"\n)\n\n");
    }

    void mesh(UsdBody& body) {
        const bool triangles = !body.samples[usd_indices].empty();
        put("    def " + std::string(triangles ? "Mesh" : "Points") + " \"" + body.stem +
            "\" (\n        prepend apiSchemas = [\"MaterialBindingAPI\"]\n    )\n    {\n");
        put("        custom string pliant:name = \"" + body.name + "\"\n");
        if (body.samples[usd_color].empty())
            put("        color3f[] primvars:displayColor = [" + body.color + "]\n");
        else
            put("        custom color3f pliant:color = " + body.color + "\n");
        if (body.subsets.empty()) put("        rel material:binding = </scene/__materials__/" + body.stem + ">\n");
        if (triangles) {
            if (!body.subsets.empty())
                put("        uniform token subsetFamily:materialBind:familyType = \"partition\"\n");
            put("        uniform token subdivisionScheme = \"none\"\n");
        } else {
            put("        float[] widths = [" + body.width +
                "] (\n            interpolation = \"constant\"\n        )\n");
        }
        if (!body.samples[usd_translate].empty())
            put("        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
        visibility(body.samples[usd_points]);
        for (std::size_t a = 0; a < usd_attributes; ++a)
            samples("        ", usd_kinds[a], usd_kinds[a].interpolation, body.samples[a]);
        for (UsdSubset& one : body.subsets) subset(body, one);
        put("    }\n\n");
    }

    /// A body that comes later or goes earlier than others is invisible meanwhile.
    void visibility(const std::vector<UsdSample>& points) {
        std::string changes;
        int expected = samples_.first_frame;
        bool shown = true;
        const auto change = [&](int frame, bool show) {
            changes += "            " + std::to_string(frame) + (show ? ": \"inherited\",\n" : ": \"invisible\",\n");
            shown = show;
        };
        for (const UsdSample& sample : points) {
            if (sample.frame != expected) change(expected, false);
            if (!shown) change(sample.frame, true);
            expected = sample.frame + 1;
        }
        if (expected <= samples_.last_frame) change(expected, false);
        if (!changes.empty()) put("        token visibility.timeSamples = {\n" + changes + "        }\n");
    }

    /// The faces of a material. Before it has any, as before the first crack, its list is empty.
    void subset(const UsdBody& body, UsdSubset& one) {
        put("\n        def GeomSubset \"" + one.stem +
            "\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {\n"
            "            custom string pliant:name = \"" +
            one.name + "\"\n");
        for (const auto& [word, member] : usd_look_words)
            if (const std::string& value = one.look.*member; !value.empty())
                put(std::string("            custom string pliant:") + word + " = \"" + value + "\"\n");
        put("            custom color3f pliant:color = " + one.look.color +
            "\n            uniform token elementType = \"face\"\n            uniform token familyName = "
            "\"materialBind\"\n"
            "            rel material:binding = </scene/__materials__/" +
            body.stem + "/" + one.stem + ">\n");
        const int first = body.samples[usd_points].front().frame;
        const bool later = !one.samples.empty() && one.samples.front().frame > first;
        samples("            ", {"int[] indices", true}, "", one.samples, later ? first : -1);
        put("        }\n");
    }

    /// All samples of an attribute. `empty_at`: a frame from which on it is empty until its first sample; −1: none.
    void samples(const std::string& indent, const UsdAttributeKind& kind, const std::string& how,
                 std::vector<UsdSample>& list, int empty_at = -1) {
        if (list.empty()) return;
        const std::string name = kind.declaration;
        // Left out: what equals the sample before it, unless values are blended and the sample after it differs.
        std::vector<bool> keep(list.size(), true);
        std::size_t kept = 1;
        for (std::size_t i = 1; i < list.size(); ++i) {
            const bool as_before = list[i].digest == list[i - 1].digest;
            const bool as_after = kind.held || i + 1 == list.size() || list[i].digest == list[i + 1].digest;
            keep[i] = !(as_before && as_after);
            kept += keep[i] ? 1 : 0;
        }
        const std::string interpolation = " (\n    " + indent + "interpolation = \"" + how + "\"\n" + indent + ")\n";
        const bool once = kept == 1 && empty_at < 0;
        if (once) {
            put(indent + name + " = ");
            copy(list[0]);
            put(how.empty() ? "\n" : interpolation);
        } else {
            // Some readers take a declaration for a value; others show the first frame alone. A value serves both.
            const bool value_too = !how.empty() && name.find(':') != std::string::npos;
            if (value_too) {
                put(indent + name + " = ");
                put(reader_.read(list[0]));
                put(interpolation);
            } else if (!how.empty()) {
                put(indent + name + interpolation);
            }
            put(indent + name + ".timeSamples = {\n");
            if (empty_at >= 0) put(indent + "    " + std::to_string(empty_at) + ": [],\n");
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (!once && keep[i]) {
                put(indent + "    " + std::to_string(list[i].frame) + ": ");
                copy(list[i]);
                put(",\n");
            } else if (i > 0) {
                const int frame = list[i].frame;
                list[i] = list[i - 1];
                list[i].frame = frame;
            }
        }
        if (!once) put(indent + "}\n");
    }

    /// From now on the sample is here.
    void copy(UsdSample& sample) {
        const std::string_view text = reader_.read(sample);
        sample.file = 0;
        sample.offset = position_;
        put(text);
    }

    /// One of the body's name, or a scope of that name with one per subset.
    void materials(const UsdBody& body) {
        const std::string scope = "/scene/__materials__/";
        const bool colors = !body.samples[usd_color].empty();
        if (body.subsets.empty()) {
            const UsdLook plain{body.color, "0.5", "0", "1", {}, {}, {}, {}};
            return material("        ", scope + body.stem, body.stem, plain, colors);
        }
        put("        def Scope \"" + body.stem + "\"\n        {\n");
        for (const UsdSubset& one : body.subsets)
            material("            ", scope + body.stem + "/" + one.stem, one.stem, one.look, colors);
        put("        }\n");
    }

    /// The diffuse colour is that of the texture, if there is one, or the one at the corners if there are `colors`.
    void material(const std::string& in, const std::string& path, const std::string& stem, const UsdLook& look,
                  bool colors) {
        put(in + "def Material \"" + stem + "\"\n" + in + "{\n" + in + "    token outputs:surface.connect = <" + path +
            "/surface.outputs:surface>\n\n" + in + "    def Shader \"surface\"\n" + in + "    {\n" + in +
            "        uniform token info:id = \"UsdPreviewSurface\"\n");
        // Readers that do not know what is connected take the value.
        const auto input = [&](const std::string& name, bool connected, const std::string& from,
                               const std::string& value) {
            if (!value.empty()) put(in + "        " + name + " = " + value + "\n");
            if (connected) put(in + "        " + name + ".connect = <" + path + "/" + from + ">\n");
        };
        input("color3f inputs:diffuseColor", !look.texture.empty() || colors,
              look.texture.empty() ? "color.outputs:result" : "texture.outputs:rgb", look.color);
        input("float inputs:roughness", !look.roughness_map.empty(), "roughness.outputs:g", look.roughness);
        input("float inputs:metallic", !look.metallic_map.empty(), "metallic.outputs:b", look.metallic);
        if (!look.normal_map.empty()) input("normal3f inputs:normal", true, "normal.outputs:rgb", "");
        put(in + "        token outputs:surface\n" + in + "    }\n");
        if (!look.texture.empty())
            picture(in, path, "texture", look.texture,
                    {"float4 inputs:scale = (" + look.color.substr(1, look.color.size() - 2) + ", 1)",
                     "float3 outputs:rgb"});
        else if (colors)
            shader(in, "color", "UsdPrimvarReader_float3",
                   {"string inputs:varname = \"displayColor\"", "float3 inputs:fallback = " + look.color,
                    "float3 outputs:result"});
        const std::string raw = "token inputs:sourceColorSpace = \"raw\"";
        const auto share = [&](const std::string& name, const std::string& file, const std::string& x, char channel) {
            if (!file.empty())
                picture(in, path, name, file,
                        {raw, "float4 inputs:scale = (" + x + ", " + x + ", " + x + ", 1)",
                         std::string("float outputs:") + channel});
        };
        share("roughness", look.roughness_map, look.roughness, 'g');
        share("metallic", look.metallic_map, look.metallic, 'b');
        if (!look.normal_map.empty()) {
            // From 0 … 1 to −1 … 1; what lies in the surface is multiplied by the strength.
            const double strength = std::strtod(look.normal_strength.c_str(), nullptr);
            const std::string scale = number_text(2 * strength), bias = number_text(-strength);
            picture(in, path, "normal", look.normal_map,
                    {raw, "float4 inputs:scale = (" + scale + ", " + scale + ", 2, 1)",
                     "float4 inputs:bias = (" + bias + ", " + bias + ", -1, 0)", "float3 outputs:rgb"});
        }
        const auto any_map = {&look.texture, &look.roughness_map, &look.metallic_map, &look.normal_map};
        if (std::any_of(any_map.begin(), any_map.end(), [](const std::string* file) { return !file->empty(); }))
            shader(in, "st", "UsdPrimvarReader_float2", {"string inputs:varname = \"st\"", "float2 outputs:result"});
        put(in + "}\n");
    }
    /// A picture laid on by the texture coordinates.
    void picture(const std::string& in, const std::string& path, const std::string& name, const std::string& file,
                 const std::vector<std::string>& more) {
        std::vector<std::string> lines{"asset inputs:file = @" + file + "@", "token inputs:wrapS = \"repeat\"",
                                       "token inputs:wrapT = \"repeat\"",
                                       "float2 inputs:st.connect = <" + path + "/st.outputs:result>"};
        lines.insert(lines.end(), more.begin(), more.end());
        shader(in, name, "UsdUVTexture", lines);
    }
    void shader(const std::string& in, const std::string& name, const std::string& id,
                const std::vector<std::string>& lines) {
        put("\n" + in + "    def Shader \"" + name + "\"\n" + in + "    {\n" + in +
            "        uniform token info:id = \"" + id + "\"\n");
        for (const std::string& line : lines) put(in + "        " + line + "\n");
        put(in + "    }\n");
    }

    static std::string triple(const Vec3& v) {
        return "(" + number_text(v.x()) + ", " + number_text(v.y()) + ", " + number_text(v.z()) + ")";
    }
    static std::string quaternion(const Quat& q) {
        return "(" + number_text(q.w()) + ", " + number_text(q.x()) + ", " + number_text(q.y()) + ", " +
               number_text(q.z()) + ")";
    }

    /// Lengths of a camera are in tenths of a unit of the scene; an aperture of 24 is that of a small picture.
    void scenery() {
        const ViewOfRun view = view_of_run(info_, samples_.bounds);
        constexpr double aperture = 24;
        const double focal = 0.5 * aperture / std::tan(0.5 * view.fov * M_PI / 180);
        put("    def Scope \"__scenery__\"\n    {\n        def Camera \"camera\"\n        {\n"
            "            token projection = \"perspective\"\n            float horizontalAperture = " +
            number_text(aperture * 16 / 9) + "\n            float verticalAperture = " + number_text(aperture) +
            "\n            float focalLength = " + number_text(focal) + "\n            float2 clippingRange = (" +
            number_text(view.near) + ", " + number_text(view.far) +
            ")\n            float focusDistance = " + number_text((view.eye - view.target).norm()) +
            "\n            double3 xformOp:translate = " + triple(view.eye) +
            "\n            quatd xformOp:orient = " + quaternion(view.rotation()) +
            "\n            uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n        }\n\n");
        // A sun from over the left shoulder of the camera, and an even sky.
        const ViewOfRun sun{Vec3(-0.5, 1, 0.7), Vec3::Zero(), 26, 0.1, 1};
        put("        def DistantLight \"sun\"\n        {\n            float inputs:angle = 2\n"
            "            float inputs:intensity = 2.5\n            quatd xformOp:orient = " +
            quaternion(sun.rotation()) +
            "\n            uniform token[] xformOpOrder = [\"xformOp:orient\"]\n        }\n\n"
            "        def DomeLight \"sky\"\n        {\n            color3f inputs:color = (0.8, 0.87, 1)\n"
            "            float inputs:intensity = 0.6\n        }\n");
        if (info_.ground) ground(*info_.ground);
        put("    }\n");
    }

    void ground(const RunInfo::Ground& plane) {
        const TriMesh patch = ground_patch(plane, samples_.bounds);
        std::string points;
        for (const Vec3& p : patch.points) points += (points.empty() ? "" : ", ") + triple(p);
        put("\n        def Mesh \"ground\"\n        {\n            color3f[] primvars:displayColor = [" +
            triple(plane.color) + "]\n            float3[] extent = [" + triple(patch.bounds().min) + ", " +
            triple(patch.bounds().max) +
            "]\n            int[] faceVertexCounts = [4]\n            int[] faceVertexIndices = [0, 1, 2, 3]\n"
            "            point3f[] points = [" +
            points + "]\n            uniform token subdivisionScheme = \"none\"\n        }\n");
    }

    OutputFile file_;
    RunInfo info_;
    UsdSamples& samples_;
    SampleReader reader_;
    std::uint64_t position_ = 0;
};

}  // namespace

void assemble_usd(const std::filesystem::path& path, const RunInfo& info, UsdSamples& samples) {
    // Work on a copy: if the disk is full, the samples must still be where they were.
    UsdSamples moved = samples;
    Stage(path, info, moved).write();
    moved.files = {path};
    samples = std::move(moved);
}

}  // namespace pliant
