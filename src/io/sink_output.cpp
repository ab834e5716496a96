#include "pliant/io/sink_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>
#include <system_error>
#include <utility>

#include "pliant/core/error.hpp"

namespace pliant {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t buffer_size = 1 << 18;

/// All of it, whatever the kernel takes at a time; 0 or an error code.
int write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t done = ::write(descriptor, bytes.data(), bytes.size());
        if (done < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return 0;
}

}  // namespace

void throw_write_error(const fs::path& path, int code) {
    std::string remedy;
    if (code == ENOSPC || code == EDQUOT || code == EFBIG)
        remedy = "Free some space, or write to another disk";
    else if (code == EACCES || code == EPERM || code == EROFS || code == ENOTDIR || code == ENOENT || code == EISDIR)
        remedy = "Choose a folder you may write to";
    throw UserError("cannot write the file: " + std::generic_category().message(code), {path.string()}, remedy);
}

OutputFile::OutputFile(fs::path path) : path_(std::move(path)), part_(path_) {
    part_ += ".part";
    descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) throw_write_error(path_, errno);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!committed_) ::unlink(part_.c_str());
}

void OutputFile::fail(int code) { throw_write_error(path_, code); }

void OutputFile::flush() {
    if (const int code = write_all(descriptor_, buffer_)) fail(code);
    buffer_.clear();
}

void OutputFile::write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > buffer_size) flush();
    if (bytes.size() < buffer_size) {
        buffer_ += bytes;
    } else if (const int code = write_all(descriptor_, bytes)) {
        fail(code);
    }
}

void OutputFile::sync() {
    flush();
    if (::fsync(descriptor_) != 0) fail(errno);
}

void OutputFile::commit() {
    flush();
    const int descriptor = std::exchange(descriptor_, -1);
    if (::close(descriptor) != 0) fail(errno);  // network file systems report a full disk only here
    if (::rename(part_.c_str(), path_.c_str()) != 0) fail(errno);
    committed_ = true;
}

void OutputFile::commit_durable() {
    sync();
    commit();
    sync_directory(path_.parent_path());
}

namespace {

void with_directory(const fs::path& directory, int (*call)(int)) {
    const fs::path here = directory.empty() ? fs::path(".") : directory;
    const int descriptor = ::open(here.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) throw_write_error(here, errno);
    const int code = call(descriptor) == 0 ? 0 : errno;
    ::close(descriptor);
    if (code != 0 && code != EINVAL) throw_write_error(here, code);  // EINVAL: a file system without the notion
}

}  // namespace

void sync_directory(const fs::path& directory) { with_directory(directory, ::fsync); }
void sync_file_system(const fs::path& directory) { with_directory(directory, ::syncfs); }

std::string frame_number(int index) {
    std::string digits = std::to_string(index);
    if (digits.size() < 6) digits.insert(0, 6 - digits.size(), '0');
    return digits;
}

int frame_index_in(std::string_view name, std::string_view prefix, std::string_view suffix) {
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() < prefix.size() + suffix.size() + 6)
        return -1;
    const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    int index = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool ours = error == std::errc{} && end == digits.data() + digits.size() && index >= 0;
    return ours && frame_number(index) == digits ? index : -1;
}

std::vector<int> frames_in(const fs::path& directory, std::string_view prefix, std::string_view suffix) {
    std::vector<int> indices;
    std::error_code error;
    for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
        const int index = frame_index_in(it->path().filename().string(), prefix, suffix);
        if (index >= 0) indices.push_back(index);
    }
    std::sort(indices.begin(), indices.end());
    return indices;
}

void drop_frames(const fs::path& directory, std::string_view prefix, std::string_view suffix, int first) {
    const std::string half = std::string(suffix) + ".part";
    const auto drop = [&](int index, std::string_view ending) {
        const fs::path path = directory / (std::string(prefix) + frame_number(index) + std::string(ending));
        if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_write_error(path, errno);
    };
    for (const int index : frames_in(directory, prefix, suffix))
        if (index >= first) drop(index, suffix);
    for (const int index : frames_in(directory, prefix, half)) drop(index, half);
}

std::vector<std::string> body_stems(const Frame& frame) {
    std::vector<std::string> stems;
    std::set<std::string> taken;
    for (const BodyFrame& body : frame.bodies) {
        std::string stem;
        for (const char c : body.name) {
            const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            stem += letter ? c : '_';
        }
        if (stem.empty()) stem = "body";
        if (stem[0] >= '0' && stem[0] <= '9') stem.insert(0, "_");
        stem.resize(std::min<std::size_t>(stem.size(), 100));
        std::string unique = stem;
        for (int n = 2; !taken.insert(unique).second; ++n) unique = stem + "_" + std::to_string(n);
        stems.push_back(unique);
    }
    return stems;
}

std::string scene_stem(const RunInfo& info) {
    std::string stem;
    for (const char c : fs::path(info.scene).stem().string())
        stem += static_cast<unsigned char>(c) < 32 || c == '/' || c == '\\' || c == ':' ? '_' : c;
    return stem.empty() ? "scene" : stem;
}

void append_number(std::string& text, float value) {
    char buffer[32];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    text.append(buffer, result.ptr);
}

void append_number(std::string& text, double value) {
    char buffer[32];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 9);
    text.append(buffer, result.ptr);
}

void check_fields(const Frame& frame) {
    for (const BodyFrame& body : frame.bodies)
        for (const Field& field : body.fields) {
            const std::size_t items = field_items(body, field.on);
            CHECK(field.components >= 1, body.name, field.name, field.components);
            CHECK(field.values.size() == items * static_cast<std::size_t>(field.components), body.name, field.name,
                  field.values.size(), items, field.components);
        }
}

std::size_t field_items(const BodyFrame& body, Field::On on) {
    switch (on) {
        case Field::On::node: return body.nodes.size();
        case Field::On::tet: return body.tets ? body.tets->size() : 0;
        case Field::On::vertex: return body.points.size();
        case Field::On::triangle: return body.triangles ? body.triangles->size() : 0;
    }
    return 0;
}

const Field* triangle_field(const BodyFrame& body, std::string_view name) {
    for (const Field& field : body.fields)
        if (field.name == name && field.on == Field::On::triangle && field.components == 1 && has_surface(body) &&
            field.values.size() == body.triangles->size())
            return &field;
    return nullptr;
}

bool has_surface(const BodyFrame& body) { return body.triangles && !body.triangles->empty(); }
bool has_tets(const BodyFrame& body) { return body.tets && !body.tets->empty(); }

}  // namespace pliant
