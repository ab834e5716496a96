#pragma once
// The voices of a scene's bodies, for `pliant sound`, `pliant render` and the studio.

#ifdef PLIANT_WITH_SOUND

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/scene/sounding.hpp"
#include "pliant/sound/soundtrack.hpp"

namespace pliant {

struct FoundVoices {
    std::vector<SoundSource> sources;  ///< one per sounding body, in their order
    std::vector<std::string> notes;    ///< what a user should know
    int cached = 0, computed = 0;      ///< bodies whose modes were there, and were not
    double seconds = 0;                ///< that took
};

/// cache: folder of modes that are known already, empty for none. highest_hz: modes above are left out.
FoundVoices find_voices(const std::vector<SoundingBody>& bodies, const std::filesystem::path& cache, double highest_hz,
                        Threads& threads);

/// From now on frames tell the blows that these bodies get.
void listen_to(World& world, const std::vector<SoundingBody>& bodies);

/// How the scene wants to be heard.
SoundtrackOptions soundtrack_options(const SceneDesc& desc);

}  // namespace pliant

#endif
