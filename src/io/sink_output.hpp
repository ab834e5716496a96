#pragma once
// What all exporters share: files that appear whole or not at all, and names for bodies and frames.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pliant/world/frame.hpp"

namespace pliant {

/// A file written piece by piece under a temporary name (`path` + ".part"); commit() gives it its own. Without
/// commit() nothing is left behind, and an older file of that name stays as it was.
class OutputFile {
public:
    explicit OutputFile(std::filesystem::path path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes);
    /// Fast: safe against the end of this process, but the file may be lost when the machine stops at once.
    void commit();
    /// Slow (milliseconds to tens of them): on the disk, with its name, when the call returns.
    void commit_durable();
    /// The part of commit_durable() before the name appears.
    void sync();

private:
    [[noreturn]] void fail(int code);
    void flush();

    std::filesystem::path path_, part_;
    std::string buffer_;
    int descriptor_ = -1;
    bool committed_ = false;
};

/// Throws "path: cannot write the file: reason" with a remedy that fits the error code.
[[noreturn]] void throw_write_error(const std::filesystem::path& path, int code);

/// Puts everything written so far to the file system of a directory on the disk.
void sync_file_system(const std::filesystem::path& directory);
/// Puts a directory's entries on the disk, after files in it were renamed.
void sync_directory(const std::filesystem::path& directory);

/// "000123"
std::string frame_number(int index);

/// The index in a name of the form prefix + "000123" + suffix, or -1.
int frame_index_in(std::string_view name, std::string_view prefix, std::string_view suffix);

/// Indices of all files prefix + number + suffix in a directory, ascending; none if there is no such directory.
std::vector<int> frames_in(const std::filesystem::path& directory, std::string_view prefix, std::string_view suffix);

/// Removes such files from frame `first` on, and what a killed process left half-written. A sink whose first frame is k
/// keeps what an earlier part of the run wrote before k and nothing else; k is 0 for a new run, and the checkpoint's
/// successor for a resumed one.
void drop_frames(const std::filesystem::path& directory, std::string_view prefix, std::string_view suffix, int first);

/// One name per body that is fit for files and for USD (letters, digits and '_', not starting with a digit), no two
/// alike.
std::vector<std::string> body_stems(const Frame& frame);

/// "quickstart" for "scenes/quickstart.lua".
std::string scene_stem(const RunInfo& info);

/// Appends the shortest text that reads back as the same float.
void append_number(std::string& text, float value);
/// Nine significant digits: more than any reader keeps, and no noise in the last ones.
void append_number(std::string& text, double value);

/// How many things a field on that part of the body has a value for.
std::size_t field_items(const BodyFrame& body, Field::On on);
/// CHECKs that every field has as many values as its part of the body asks for.
void check_fields(const Frame& frame);

/// A field with one number per triangle of the seen surface, or null.
const Field* triangle_field(const BodyFrame& body, std::string_view name);
bool has_surface(const BodyFrame& body);  ///< at least one triangle
bool has_tets(const BodyFrame& body);

}  // namespace pliant
