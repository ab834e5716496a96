#include "pliant/io/glb_file.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "pliant/core/error.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace {

constexpr int type_u16 = 5123, type_u32 = 5125, type_float = 5126;
constexpr int target_vertices = 34962, target_indices = 34963;

/// Least and largest of each component, as the file has them.
void add_bounds(GlbFile::Json& accessor, std::span<const float> values, int components) {
    std::vector<float> low(static_cast<std::size_t>(components), std::numeric_limits<float>::max());
    std::vector<float> high(low.size(), std::numeric_limits<float>::lowest());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t k = i % low.size();
        low[k] = std::min(low[k], values[i]), high[k] = std::max(high[k], values[i]);
    }
    accessor["min"] = low, accessor["max"] = high;
}

std::span<const float> as_floats(std::span<const GlbFile::Float3> values) {
    return {values.empty() ? nullptr : values[0].data(), 3 * values.size()};
}

}  // namespace

GlbFile::GlbFile(std::filesystem::path path) : path_(std::move(path)), arrays_path_(path_) {
    root_["asset"] = {{"version", "2.0"}, {"generator", "pliant"}};
    root_["scene"] = 0;
    if (path_.empty()) return;
    arrays_path_ += ".arrays";
    arrays_.open(arrays_path_, std::ios::binary | std::ios::trunc);
    if (!arrays_) throw_write_error(arrays_path_, errno);
}

GlbFile::~GlbFile() {
    if (path_.empty()) return;
    arrays_.close();
    std::error_code ignored;
    std::filesystem::remove(arrays_path_, ignored);
}

int GlbFile::add(const char* name, Json entry) {
    Json& list = root_[name];
    list.push_back(std::move(entry));
    return static_cast<int>(list.size()) - 1;
}

int GlbFile::view(const void* data, std::size_t size, int target) {
    Json view{{"buffer", 0}, {"byteOffset", size_}, {"byteLength", size}};
    if (target != 0) view["target"] = target;
    const std::size_t padding = (4 - size % 4) % 4;
    if (path_.empty()) {
        arrays_here_.append(static_cast<const char*>(data), size).append(padding, '\0');
    } else {
        arrays_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
        arrays_.write("\0\0\0", static_cast<std::streamsize>(padding));
    }
    size_ += size + padding;
    return add("bufferViews", std::move(view));
}

int GlbFile::accessor(int of_view, int type, const char* kind, std::size_t count) {
    Json made;
    if (of_view >= 0) made["bufferView"] = of_view;
    made["componentType"] = type, made["count"] = count, made["type"] = kind;
    return add("accessors", std::move(made));
}

int GlbFile::floats(std::span<const float> values, int components, bool vertices, bool bounds) {
    static constexpr const char* kinds[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const int made = accessor(view(values.data(), values.size_bytes(), vertices ? target_vertices : 0), type_float,
                              kinds[components], values.size() / static_cast<std::size_t>(components));
    if (bounds) add_bounds(entry("accessors", made), values, components);
    return made;
}

int GlbFile::vectors(std::span<const Float3> values, bool bounds) { return floats(as_floats(values), 3, true, bounds); }

int GlbFile::indices(std::span<const std::uint32_t> values, std::size_t vertices) {
    if (vertices > 65535)  // the largest number of either type is kept for other purposes
        return accessor(view(values.data(), values.size_bytes(), target_indices), type_u32, "SCALAR", values.size());
    const std::vector<std::uint16_t> small(values.begin(), values.end());
    return accessor(view(small.data(), 2 * small.size(), target_indices), type_u16, "SCALAR", small.size());
}

int GlbFile::differences(std::span<const Float3> values, bool bounds) {
    std::vector<std::uint32_t> index;
    std::vector<Float3> some;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != Float3{}) index.push_back(static_cast<std::uint32_t>(i)), some.push_back(values[i]);
    int made;
    if (some.empty()) {
        made = accessor(-1, type_float, "VEC3", values.size());
    } else if (16 * some.size() > 11 * values.size()) {
        made = accessor(view(values.data(), values.size_bytes(), target_vertices), type_float, "VEC3", values.size());
    } else {
        made = accessor(-1, type_float, "VEC3", values.size());
        const int where = view(index.data(), 4 * index.size(), 0), what = view(some.data(), 12 * some.size(), 0);
        entry("accessors", made)["sparse"] = {{"count", some.size()},
                                              {"indices", {{"bufferView", where}, {"componentType", type_u32}}},
                                              {"values", {{"bufferView", what}}}};
    }
    if (bounds) add_bounds(entry("accessors", made), as_floats(values), 3);
    return made;
}

int GlbFile::texture(const std::shared_ptr<const PictureFile>& picture, const std::string& media_type) {
    for (const auto& [known, number] : textures_)
        if (known == picture || *known == *picture) return number;
    const int image = add("images", {{"name", valid_utf8(picture->name)},
                                     {"mimeType", media_type},
                                     {"bufferView", view(picture->bytes.data(), picture->bytes.size(), 0)}});
    textures_.emplace_back(picture, add("textures", {{"source", image}}));
    return textures_.back().second;
}

std::string GlbFile::head() {
    if (size_ > 0) root_["buffers"] = Json::array({{{"byteLength", size_}}});
    std::string json = root_.dump(-1, ' ', false, Json::error_handler_t::replace);
    while (json.size() % 4 != 0) json += ' ';
    const std::uint64_t total = 12 + 8 + json.size() + (size_ > 0 ? 8 + size_ : 0);
    if (total > std::numeric_limits<std::uint32_t>::max())
        throw UserError("the run is larger than the 4 GiB that a .glb can hold", {path_.string()},
                        "Export as usd, or fewer frames");
    std::string out = "glTF";
    const auto word = [&](std::uint64_t value) {
        const auto v = static_cast<std::uint32_t>(value);
        out.append(reinterpret_cast<const char*>(&v), sizeof v);
    };
    word(2), word(total), word(json.size()), word(0x4E4F534A);
    out += json;
    if (size_ > 0) word(size_), word(0x004E4942);
    return out;
}

std::string GlbFile::take() { return head() + std::exchange(arrays_here_, {}); }

void GlbFile::save() {
    arrays_.flush();
    if (!arrays_) throw_write_error(arrays_path_, errno != 0 ? errno : EIO);
    OutputFile file(path_);
    file.write(head());
    std::ifstream in(arrays_path_, std::ios::binary);
    std::string part(std::size_t{1} << 20, '\0');
    for (std::uint64_t left = size_; left > 0;) {
        const std::size_t n = std::min<std::uint64_t>(left, part.size());
        if (!in.read(part.data(), static_cast<std::streamsize>(n))) throw_write_error(arrays_path_, EIO);
        file.write(std::string_view(part).substr(0, n));
        left -= n;
    }
    file.commit();
}

}  // namespace pliant
