#pragma once
// Modes of sounding bodies, kept on disk under the hash of all they depend on.

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/scene/sounding.hpp"

namespace pliant {

struct FoundModes {
    ModalBasis basis;
    bool cached = false;
    double seconds = 0;
    std::vector<std::string> notes;
};

/// $XDG_CACHE_HOME/pliant/modes, or ~/.cache/pliant/modes; empty when there is no home.
std::filesystem::path default_mode_cache();

/// Bodies with the same hash have the same modes.
std::uint64_t modes_hash(const SoundingBody& body);

/// From the cache, or computed and put there. A damaged or foreign cache file counts as none and is written anew; a
/// folder that cannot be written is no error but noted. folder empty: no cache.
FoundModes find_modes(const SoundingBody& body, const std::filesystem::path& folder, Threads& threads);

}  // namespace pliant
