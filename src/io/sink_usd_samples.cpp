#include "pliant/io/sink_usd_samples.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

constexpr std::string_view part_magic = "PLUSDPT5";
constexpr std::size_t part_head = 16;  // magic and checksum

}  // namespace

UsdBody& UsdSamples::body(const std::string& stem) {
    for (UsdBody& body : bodies)
        if (body.stem == stem) return body;
    bodies.emplace_back().stem = stem;
    return bodies.back();
}

UsdSubset& UsdBody::subset(const std::string& of_stem) {
    for (UsdSubset& known : subsets)
        if (known.stem == of_stem) return known;
    subsets.emplace_back().stem = of_stem;
    return subsets.back();
}

void UsdSamples::add_frame(int frame) {
    if (last_frame < first_frame) first_frame = frame;
    last_frame = std::max(last_frame, frame);
}

namespace {

// A part: magic, checksum of the rest, frame, bodies.
void add_part(std::string_view bytes, const std::filesystem::path& path, UsdSamples& samples) {
    ByteReader in(bytes, path.string());
    if (in.raw(part_magic.size()) != part_magic) in.damaged("does not start as it should");
    const auto digest = in.value<std::uint64_t>();
    if (hash_of(bytes.substr(part_head)) != digest) in.damaged("has a checksum that does not fit its contents");
    const int frame = in.value<std::int32_t>();
    const int file = static_cast<int>(samples.files.size());
    samples.files.push_back(path);
    samples.add_frame(frame);
    const Vec3 low = in.value<Vec3>(), high = in.value<Vec3>();
    samples.bounds.add(Box{low, high});
    const auto add_value = [&](std::vector<UsdSample>& list) {
        const auto state = in.value<std::uint8_t>();
        if (state == UsdPartBody::Value::as_before) {
            if (list.empty()) in.damaged("refers to a frame that is missing");
            list.push_back(list.back());
            list.back().frame = frame;
        } else if (state == UsdPartBody::Value::given) {
            const std::size_t size = in.count(1), offset = bytes.size() - in.left();
            list.push_back({frame, file, offset, size, hash_of(in.raw(size))});
        }
    };
    const auto take_first = [&](std::string& text) {
        std::string given = in.text();
        if (text.empty()) text = std::move(given);  // the first one stays
    };
    const std::size_t bodies = in.count(50);
    for (std::size_t b = 0; b < bodies; ++b) {
        UsdBody& body = samples.body(in.text());
        for (std::string* text : {&body.name, &body.color, &body.width}) take_first(*text);
        for (auto& list : body.samples) add_value(list);
        const std::size_t subsets = in.count(81);
        for (std::size_t s = 0; s < subsets; ++s) {
            UsdSubset& subset = body.subset(in.text());
            take_first(subset.name), take_first(subset.look.color);
            for (const auto& [word, member] : usd_look_words) take_first(subset.look.*member);
            add_value(subset.samples);
        }
    }
    in.finish();
}

}  // namespace

void write_usd_part(const std::filesystem::path& path, int frame, const Box& bounds,
                    const std::vector<UsdPartBody>& bodies, UsdSamples& samples) {
    ByteWriter out;
    out.raw(part_magic.data(), part_magic.size());
    out.value(std::uint64_t{0});  // the checksum's place
    out.value(static_cast<std::int32_t>(frame));
    out.value(bounds.min), out.value(bounds.max);
    const auto put = [&](const UsdPartBody::Value& value) {
        out.value(static_cast<std::uint8_t>(value.state));
        if (value.state == UsdPartBody::Value::given) out.text(value.text);
    };
    out.value(static_cast<std::uint64_t>(bodies.size()));
    for (const UsdPartBody& body : bodies) {
        for (const std::string* text : {&body.stem, &body.name, &body.color, &body.width}) out.text(*text);
        for (const UsdPartBody::Value& value : body.values) put(value);
        out.value(static_cast<std::uint64_t>(body.subsets.size()));
        for (const UsdPartBody::Subset& subset : body.subsets) {
            for (const std::string* text : {&subset.stem, &subset.name, &subset.look.color}) out.text(*text);
            for (const auto& [word, member] : usd_look_words) out.text(subset.look.*member);
            put(subset.faces);
        }
    }
    std::string bytes = out.take();
    const std::uint64_t digest = hash_of(std::string_view(bytes).substr(part_head));
    std::memcpy(bytes.data() + part_magic.size(), &digest, sizeof digest);
    OutputFile file(path);
    file.write(bytes);
    file.commit();
    add_part(bytes, path, samples);
}

std::string sample_text(const UsdSamples& samples, const UsdSample& sample) {
    const std::filesystem::path& path = samples.files[static_cast<std::size_t>(sample.file)];
    std::ifstream in(path, std::ios::binary);
    std::string text(sample.size, ' ');
    in.seekg(static_cast<std::streamoff>(sample.offset));
    if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
        throw UserError("cannot read the file", {path.string()});
    return text;
}

void read_usd_part(const std::filesystem::path& path, UsdSamples& samples) { add_part(read_file(path), path, samples); }

namespace {

/// A stage read line by line. Its lines are those that assemble_usd() writes; anything else is not ours.
class StageScan {
public:
    StageScan(const std::filesystem::path& path, int end) : path_(path), end_(end), in_(path, std::ios::binary) {}

    UsdSamples run() {
        samples_.files.push_back(path_);
        std::string line;
        if (!next(line) || line != "#usda 1.0") foreign();
        while (next(line)) take(line);
        if (!ours_ || last_ < first_) foreign();
        for (std::size_t b = 0; b < samples_.bodies.size(); ++b) fill_gaps(samples_.bodies[b], hidden_[b]);
        std::erase_if(samples_.bodies, [](const UsdBody& body) { return body.samples[usd_points].empty(); });
        samples_.first_frame = first_;
        samples_.last_frame = std::min(last_, end_ - 1);
        return std::move(samples_);
    }

private:
    [[noreturn]] void foreign() const {
        throw UserError("was not written by this run, so it cannot be continued", {path_.string()},
                        "Move it away, or start the run anew");
    }

    bool next(std::string& line) {
        line_start_ += line_size_;
        if (!std::getline(in_, line)) return false;
        line_size_ = line.size() + 1;
        return true;
    }

    /// The value behind `key` in a line "key = value".
    static std::optional<std::string_view> after(std::string_view line, std::string_view key) {
        if (!line.starts_with(key) || !line.substr(key.size()).starts_with(" = ")) return {};
        return line.substr(key.size() + 3);
    }

    int number(std::string_view text) const {
        int value = 0;
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) foreign();
        return value;
    }

    void add(std::vector<UsdSample>& list, int frame, std::string_view line, std::size_t begin, std::size_t end) {
        if (end == std::string_view::npos || end < begin) foreign();
        const std::string_view text = line.substr(begin, end - begin);
        list.push_back({frame, 0, line_start_ + begin, text.size(), hash_of(text)});
    }
    /// What the lines of a body or of one of its subsets are about.
    std::vector<UsdSample>& list_of(int attribute) {
        UsdBody& body = samples_.bodies.back();
        return in_subset_ ? body.subsets.back().samples : body.samples[static_cast<std::size_t>(attribute)];
    }
    static std::string_view quoted(std::string_view line) {
        const std::size_t quote = line.find('"'), end = line.find('"', quote + 1);
        return end == std::string_view::npos ? std::string_view{} : line.substr(quote + 1, end - quote - 1);
    }
    void take_bounds(std::string_view text) {
        const char *at = text.data(), *end = text.data() + text.size();
        for (int i = 0; i < 6; ++i) {
            double& value = i < 3 ? samples_.bounds.min[i] : samples_.bounds.max[i - 3];
            const auto [next, error] = std::from_chars(at, end, value);
            if (error != std::errc{}) foreign();
            at = next == end ? next : next + 1;
        }
    }

    void take(std::string_view whole) {
        const std::size_t indent = std::min(whole.find_first_not_of(' '), whole.size());
        const std::string_view line = whole.substr(indent);
        if (line.starts_with("def Scope \"__scenery__\"")) in_scenery_ = true;
        if (in_scenery_) return;  // is made anew, and comes last
        if (line == std::string("string pliant = \"") + usd_tag + '"') ours_ = true;
        if (line.starts_with("string pliantBounds = ")) take_bounds(quoted(line));
        if (const auto value = after(line, "startTimeCode")) first_ = number(*value);
        if (const auto value = after(line, "endTimeCode")) last_ = number(*value);
        if (line.starts_with("def ")) {
            const std::string stem(quoted(line));
            in_subset_ = in_body_ && line.starts_with("def GeomSubset ");
            in_body_ = in_subset_ || line.starts_with("def Mesh ") || line.starts_with("def Points ");
            if (!in_body_) return;
            if (stem.empty()) foreign();
            if (in_subset_) {
                samples_.bodies.back().subset(stem);
                return;
            }
            samples_.bodies.emplace_back().stem = stem;
            hidden_.emplace_back();
            return;
        }
        if (in_body_) take_in_body(whole, line, indent);
    }

    void take_in_body(std::string_view whole, std::string_view line, std::size_t indent) {
        UsdBody& body = samples_.bodies.back();
        if (line == "}") {
            block_.reset();
            in_visibility_ = false;
        } else if (in_visibility_) {
            hidden_.back()[number(line)] = line.find("invisible") != std::string_view::npos;
        } else if (block_) {
            const std::size_t colon = whole.find(": ");
            if (colon == std::string_view::npos) foreign();
            add(list_of(*block_), number(line), whole, colon + 2, whole.rfind(','));
        } else if (const auto name = after(line, "custom string pliant:name")) {
            (in_subset_ ? body.subsets.back().name : body.name) = name->substr(1, name->size() - 2);
        } else if (const auto color = after(line, "custom color3f pliant:color")) {
            (in_subset_ ? body.subsets.back().look.color : body.color) = *color;
        } else if (in_subset_) {
            for (const auto& [word, member] : usd_look_words)
                if (const auto value = after(line, std::string("custom string pliant:") + word))
                    body.subsets.back().look.*member = value->substr(1, value->size() - 2);
            if (line == "int[] indices.timeSamples = {") block_ = usd_indices;
            if (after(line, "int[] indices"))
                add(list_of(usd_indices), first_, whole, indent + 16, whole.rfind(']') + 1);
        } else if (const auto one = after(line, "color3f[] primvars:displayColor"); one && body.color.empty()) {
            body.color = one->substr(1, one->size() - 2);
        } else if (const auto width = after(line, "float[] widths")) {
            body.width = width->substr(1, width->find(']') - 1);
        } else if (line == "token visibility.timeSamples = {") {
            in_visibility_ = true;
        } else {
            for (int a = 0; a < usd_attributes; ++a) {
                const std::string declaration = usd_kinds[static_cast<std::size_t>(a)].declaration;
                if (line == declaration + ".timeSamples = {") {
                    block_ = static_cast<UsdAttribute>(a);
                    list_of(a).clear();  // the value before it is that of the first frame
                }
                const std::size_t end =
                    declaration.find("[]") == std::string::npos ? whole.size() : whole.rfind(']') + 1;
                if (after(line, declaration)) add(list_of(a), first_, whole, indent + declaration.size() + 3, end);
            }
        }
    }

    /// Samples equal to their neighbours were left out; here each frame at which the body is seen gets its own again.
    void fill_gaps(UsdBody& body, const std::map<int, bool>& hidden) const {
        std::vector<std::vector<UsdSample>*> lists;
        for (auto& list : body.samples) lists.push_back(&list);
        for (UsdSubset& subset : body.subsets) lists.push_back(&subset.samples);
        for (std::vector<UsdSample>* each : lists) {
            std::vector<UsdSample>& list = *each;
            std::vector<UsdSample> full;
            std::size_t at = 0;
            for (int frame = first_; !list.empty() && frame <= last_ && frame < end_; ++frame) {
                const auto change = hidden.upper_bound(frame);
                if (change != hidden.begin() && std::prev(change)->second) continue;
                while (at + 1 < list.size() && list[at + 1].frame <= frame) ++at;
                full.push_back(list[at]);
                full.back().frame = frame;
            }
            list = std::move(full);
        }
    }

    std::filesystem::path path_;
    int end_;
    std::ifstream in_;
    std::uint64_t line_start_ = 0, line_size_ = 0;
    UsdSamples samples_;
    std::vector<std::map<int, bool>> hidden_;  ///< per body: from that frame on invisible, or not
    std::optional<UsdAttribute> block_;
    bool ours_ = false, in_body_ = false, in_subset_ = false, in_visibility_ = false, in_scenery_ = false;
    int first_ = 0, last_ = -1;
};

}  // namespace

UsdSamples read_usd_stage(const std::filesystem::path& path, int end) { return StageScan(path, end).run(); }

}  // namespace pliant
