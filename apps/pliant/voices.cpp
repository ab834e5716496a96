#ifdef PLIANT_WITH_SOUND

#include "voices.hpp"

#include <algorithm>

#include "mode_cache.hpp"

namespace pliant {

FoundVoices find_voices(const std::vector<SoundingBody>& bodies, const std::filesystem::path& cache, double highest_hz,
                        Threads& threads) {
    FoundVoices result;
    for (const SoundingBody& body : bodies) {
        const FoundModes found = find_modes(body, cache, threads);
        result.notes.insert(result.notes.end(), found.notes.begin(), found.notes.end());
        (found.cached ? result.cached : result.computed) += 1;
        result.seconds += found.seconds;
        HearingRange range;
        range.high = std::min(range.high, highest_hz);
        auto voice = std::make_shared<const Voice>(make_voice(found.basis, range));
        if (voice->size() == 0)
            result.notes.push_back("'" + body.name + "' cannot be heard: none of its " +
                                   std::to_string(found.basis.mode_count()) +
                                   " modes swings between 20 Hz and 20 kHz; it is too soft, too damped or "
                                   "has too few modes");
        result.sources.push_back({.name = body.name,
                                  .body = body.place,
                                  .voice = std::move(voice),
                                  .contact_time = body.sound.contact_time,
                                  .roughness = body.sound.roughness,
                                  .grain = body.sound.grain,
                                  .gain = body.sound.gain});
    }
    return result;
}

void listen_to(World& world, const std::vector<SoundingBody>& bodies) {
    for (const SoundingBody& body : bodies) record_contacts(world, body.place);
}

SoundtrackOptions soundtrack_options(const SceneDesc& desc) {
    SoundtrackOptions options;
    options.gravity = desc.world.gravity.norm();
    if (desc.listener)
        options.listener = Listener{desc.listener->at, desc.listener->right, desc.listener->ears,
                                    desc.listener->reference, desc.listener->delay};
    return options;
}

}  // namespace pliant

#endif
