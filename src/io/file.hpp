#pragma once
// Whole files in and out. A file is written whole or not at all.

#include <cstdint>
#include <string>
#include <string_view>

namespace pliant {

/// The bytes of a regular file. UserError when it is missing, a folder, unreadable or larger than `limit` bytes.
std::string read_file(const std::string& path, std::uint64_t limit = std::uint64_t{1} << 34);

/// Writes a temporary name beside `path`, syncs it and renames it over `path`, so that a reader, a crash or a full
/// disk never leaves half a file. The temporary is removed on failure; UserError says why.
void write_file_atomic(const std::string& path, std::string_view bytes);

/// Makes the folder and its parents; UserError when that cannot be done or the name is taken by a file.
void ensure_directory(const std::string& path);

}  // namespace pliant
