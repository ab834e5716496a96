#include "pliant/io/checkpoint.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "pliant/core/hash.hpp"
#include "pliant/io/file.hpp"
#include "pliant/io/sink_output.hpp"

namespace pliant {

namespace fs = std::filesystem;

namespace {

// The file: magic, version, the contents (a list of what follows, with a checksum per section), the checksum of
// everything so far, then the sections one after the other. So every byte is covered, and nothing is copied together.
constexpr std::string_view checkpoint_magic = "PLIANTCP";
constexpr std::uint32_t checkpoint_version = 9;

const char* const newest_name = "checkpoint.plc";
const char* const previous_name = "checkpoint.prev.plc";

std::string head_of(const Checkpoint& checkpoint) {
    ByteWriter contents;
    contents.value(static_cast<std::uint64_t>(checkpoint.sources.size()));
    for (const auto& [name, content] : checkpoint.sources) contents.text(name), contents.value(content);
    contents.value(checkpoint.step);
    contents.value(static_cast<std::int64_t>(checkpoint.frame));
    contents.value(checkpoint.time);
    contents.value(static_cast<std::uint64_t>(checkpoint.sections.size()));
    for (const auto& [name, bytes] : checkpoint.sections) {
        contents.text(name);
        contents.value(static_cast<std::uint64_t>(bytes.size()));
        contents.value(hash_of(bytes));
    }
    ByteWriter out;
    out.raw(checkpoint_magic.data(), checkpoint_magic.size());
    out.value(checkpoint_version);
    out.text(contents.bytes());
    out.value(hash_of(out.bytes()));
    return out.take();
}

Checkpoint parse(std::string_view bytes, const std::string& name) {
    const Where where{name, 0};
    const std::string_view whole = bytes;
    ByteReader in(bytes, "the checkpoint");
    if (in.raw(std::min(checkpoint_magic.size(), bytes.size())) != checkpoint_magic)
        throw UserError("is not a checkpoint", where);
    if (const auto found = in.value<std::uint32_t>(); found != checkpoint_version)
        throw UserError("has checkpoint version " + std::to_string(found) + ", and this program reads version " +
                            std::to_string(checkpoint_version),
                        where);
    const std::size_t contents_size = in.count(1);
    ByteReader contents(in.raw(contents_size), "the checkpoint");
    const std::string_view covered = whole.substr(0, whole.size() - in.left());
    if (in.value<std::uint64_t>() != hash_of(covered)) in.damaged("has a checksum that does not fit its contents");

    Checkpoint checkpoint;
    for (std::size_t n = contents.count(16); n > 0; --n) {
        std::string source = contents.text();
        contents.value(checkpoint.sources[std::move(source)]);
    }
    contents.value(checkpoint.step);
    checkpoint.frame = static_cast<int>(contents.value<std::int64_t>());
    contents.value(checkpoint.time);
    const std::size_t sections = contents.count(24);
    for (std::size_t s = 0; s < sections; ++s) {
        std::string section = contents.text();
        const auto size = contents.value<std::uint64_t>();
        const auto digest = contents.value<std::uint64_t>();
        const std::string_view data = in.raw(size);
        if (hash_of(data) != digest) in.damaged("has a section '" + section + "' that does not fit its checksum");
        checkpoint.sections.emplace(std::move(section), data);
    }
    contents.finish();
    in.finish();
    return checkpoint;
}

/// The checkpoint in a file, or one sentence on why there is none.
struct Attempt {
    std::optional<Checkpoint> checkpoint;
    std::string trouble;
};

Attempt attempt(const fs::path& path) {
    try {
        return {read_checkpoint_file(path), {}};
    } catch (const UserError& error) {
        return {{}, error.where().text() + ": " + error.message()};
    }
}

}  // namespace

void write_checkpoint_file(const fs::path& path, const Checkpoint& checkpoint) {
    OutputFile file(path);
    file.write(head_of(checkpoint));
    for (const auto& [name, bytes] : checkpoint.sections) file.write(bytes);
    file.commit_durable();
}

Checkpoint read_checkpoint_file(const fs::path& path) {
    const std::string name = path.string();
    try {
        return parse(read_file(name), name);
    } catch (const UserError& error) {
        if (error.where().known()) throw;
        throw UserError(error.message(), {name, 0}, error.remedy());
    }
}

void save_checkpoint(const fs::path& directory, const Checkpoint& checkpoint) {
    ensure_directory(directory);
    const fs::path newest = directory / newest_name, previous = directory / previous_name;
    // Frames written so far first: a checkpoint must not be on the disk before what a resumed run builds upon.
    sync_file_system(directory);
    OutputFile file(newest);
    file.write(head_of(checkpoint));
    for (const auto& [name, bytes] : checkpoint.sections) file.write(bytes);
    file.sync();
    // The newest becomes the previous one, but a damaged one must not take the place of a good one. A second name for
    // it first, so that there is no moment without checkpoint.plc; where there are no second names, a moment without.
    if (attempt(newest).checkpoint) {
        const fs::path second = directory / "checkpoint.prev.plc.part";
        ::unlink(second.c_str());
        const bool linked = ::link(newest.c_str(), second.c_str()) == 0;
        if (::rename((linked ? second : newest).c_str(), previous.c_str()) != 0) throw_write_error(previous, errno);
    }
    file.commit();
    sync_directory(directory);
}

std::optional<LoadedCheckpoint> load_checkpoint(const fs::path& directory) {
    const fs::path newest = directory / newest_name, previous = directory / previous_name;
    const bool has_newest = fs::exists(newest), has_previous = fs::exists(previous);
    if (!has_newest && !has_previous) return {};
    const Attempt first = has_newest ? attempt(newest) : Attempt{{}, newest.string() + ": is missing"};
    if (first.checkpoint) return LoadedCheckpoint{*first.checkpoint, {}};
    if (has_previous) {
        const Attempt second = attempt(previous);
        if (second.checkpoint)
            return LoadedCheckpoint{*second.checkpoint, first.trouble +
                                                            "; going on from the previous checkpoint, of frame " +
                                                            std::to_string(second.checkpoint->frame)};
    }
    throw UserError("has no undamaged checkpoint (" + first.trouble + ")", {directory.string()},
                    "Start the run anew, without --resume");
}

std::string changed_sources(const Checkpoint& checkpoint, const std::map<std::string, std::uint64_t>& sources) {
    std::set<std::string> names;
    for (const auto& [name, content] : checkpoint.sources)
        if (const auto found = sources.find(name); found == sources.end() || found->second != content)
            names.insert(name);
    for (const auto& [name, content] : sources)
        if (!checkpoint.sources.contains(name)) names.insert(name);
    std::string text;
    for (std::size_t left = names.size(); const std::string& name : names) {
        text += (text.empty() ? "" : left == 1 ? " and " : ", ") + name;
        --left;
    }
    return text;
}

void remove_checkpoints(const fs::path& directory) {
    // The older one first: what is left if this is interrupted is then the newer one, as always.
    for (const char* name : {previous_name, newest_name}) {
        const fs::path path = directory / name;
        if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) throw_write_error(path, errno);
    }
}

ByteReader section_reader(const Checkpoint& checkpoint, const std::string& section) {
    const auto found = checkpoint.sections.find(section);
    if (found == checkpoint.sections.end())
        throw UserError("the checkpoint has nothing about '" + section + "'", {},
                        "The scene was changed since: start the run anew, without --resume");
    return ByteReader(found->second, "section '" + section + "' of the checkpoint");
}

}  // namespace pliant
