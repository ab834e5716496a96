// The USD stage as text: /scene with a Mesh per body (Points where there are no triangles), and a plain material each.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>

#include "pliant/core/error.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/sink_output.hpp"
#include "pliant/io/sink_usd_samples.hpp"

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
    Stage(const std::filesystem::path& path, double fps, UsdSamples& samples)
        : file_(path), fps_(fps), samples_(samples), reader_(samples.files) {}

    void write() {
        header();
        put("def Xform \"scene\"\n{\n");
        for (UsdBody& body : samples_.bodies) mesh(body);
        put("    def Scope \"__materials__\"\n    {\n");
        for (const UsdBody& body : samples_.bodies) material(body);
        put("    }\n}\n");
        file_.commit_durable();
    }

private:
    void put(std::string_view text) {
        file_.write(text);
        position_ += text.size();
    }

    void header() {
        const std::string rate = number_text(fps_);
        put("#usda 1.0\n(\n    customLayerData = {\n        string pliant = \"meshes with time samples, 1\"\n    }\n"
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
        put("        color3f[] primvars:displayColor = [" + body.color + "]\n");
        put("        rel material:binding = </scene/__materials__/" + body.stem + ">\n");
        if (triangles) {
            put("        uniform token subdivisionScheme = \"none\"\n");
        } else {
            put("        float[] widths = [" + body.width +
                "] (\n            interpolation = \"constant\"\n        )\n");
        }
        visibility(body.samples[usd_points]);
        for (int a = 0; a < usd_attributes; ++a) attribute(static_cast<UsdAttribute>(a), body);
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

    void attribute(UsdAttribute attribute, UsdBody& body) {
        std::vector<UsdSample>& list = body.samples[attribute];
        if (list.empty()) return;
        const UsdAttributeKind& kind = usd_kinds[attribute];
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
        std::string how = kind.interpolation;
        if (attribute == usd_normals && !body.samples[usd_crack].empty()) how = "faceVarying";
        const std::string interpolation = " (\n            interpolation = \"" + how + "\"\n        )\n";
        if (kept == 1) {
            put("        " + name + " = ");
            copy(list[0]);
            put(how.empty() ? "\n" : interpolation);
        } else {
            if (!how.empty()) put("        " + name + interpolation);
            put("        " + name + ".timeSamples = {\n");
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            if (kept > 1 && keep[i]) {
                put("            " + std::to_string(list[i].frame) + ": ");
                copy(list[i]);
                put(",\n");
            } else if (i > 0) {
                const int frame = list[i].frame;
                list[i] = list[i - 1];
                list[i].frame = frame;
            }
        }
        if (kept > 1) put("        }\n");
    }

    /// From now on the sample is here.
    void copy(UsdSample& sample) {
        const std::string_view text = reader_.read(sample);
        sample.file = 0;
        sample.offset = position_;
        put(text);
    }

    void material(const UsdBody& body) {
        const std::string path = "/scene/__materials__/" + body.stem;
        put("        def Material \"" + body.stem + "\"\n        {\n            token outputs:surface.connect = <" +
            path +
            "/surface.outputs:surface>\n\n            def Shader \"surface\"\n            {\n"
            "                uniform token info:id = \"UsdPreviewSurface\"\n"
            "                color3f inputs:diffuseColor = " +
            body.color +
            "\n                float inputs:roughness = 0.5\n                token outputs:surface\n"
            "            }\n        }\n");
    }

    OutputFile file_;
    double fps_;
    UsdSamples& samples_;
    SampleReader reader_;
    std::uint64_t position_ = 0;
};

}  // namespace

void assemble_usd(const std::filesystem::path& path, double fps, UsdSamples& samples) {
    // Work on a copy: if the disk is full, the samples must still be where they were.
    UsdSamples moved = samples;
    Stage(path, fps, moved).write();
    moved.files = {path};
    samples = std::move(moved);
}

}  // namespace pliant
