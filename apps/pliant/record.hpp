#pragma once
// Runs a scene into a run directory, for commands that want to show one.

#include <filesystem>

#include "pliant/script/scene.hpp"

namespace pliant {

struct RecordOrder {
    std::filesystem::path scene, out;
    SceneOptions options;
    int frames = -1;  ///< stop after so many; -1: all of the scene
    int threads = 0;
    bool sound = false;  ///< also sound.wav, when bodies have a voice and this build has sound
    bool quiet = false;
};

/// With a progress bar. Ctrl-C ends it with a UserError.
void record_run(const RecordOrder& order);

}  // namespace pliant
