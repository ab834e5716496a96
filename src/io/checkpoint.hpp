#pragma once
// Checkpoints: the state of a run in named sections of bytes (core/bytes.hpp writes and reads them), in a file that is
// either there in full or not at all. The last two are kept: checkpoint.plc and, before it, checkpoint.prev.plc.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "pliant/core/bytes.hpp"

namespace pliant {

struct Checkpoint {
    /// Hashes of the files and arguments that the scene was made from, each by the name that users know it by: with
    /// others, another run would go on from here.
    std::map<std::string, std::uint64_t> sources;
    std::int64_t step = 0;  ///< steps done
    int frame = 0;          ///< index of the last frame that was written
    double time = 0;        ///< s
    std::map<std::string, std::string> sections;

    bool operator==(const Checkpoint&) const = default;
};

/// On the disk when the call returns. At every moment before, during and after there is a valid checkpoint in the
/// directory if there was one before. UserError when it cannot be written.
void save_checkpoint(const std::filesystem::path& directory, const Checkpoint& checkpoint);

struct LoadedCheckpoint {
    Checkpoint checkpoint;
    std::string warning;  ///< one sentence when the newest was damaged and the previous one is given; else empty
};

/// The newest valid checkpoint; nothing if there has never been one. UserError when there are only damaged ones.
std::optional<LoadedCheckpoint> load_checkpoint(const std::filesystem::path& directory);

/// Names of what differs between the sources of a checkpoint and those of a scene, such as "'cow.obj' and --set young";
/// empty when nothing does.
std::string changed_sources(const Checkpoint& checkpoint, const std::map<std::string, std::uint64_t>& sources);

/// For a run that starts anew in the same directory.
void remove_checkpoints(const std::filesystem::path& directory);

/// A reader of one section; UserError when there is no such section.
ByteReader section_reader(const Checkpoint& checkpoint, const std::string& section);

/// One file. Both throw a UserError of one sentence.
void write_checkpoint_file(const std::filesystem::path& path, const Checkpoint& checkpoint);
Checkpoint read_checkpoint_file(const std::filesystem::path& path);

}  // namespace pliant
