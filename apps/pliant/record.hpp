#pragma once
// Runs a scene into a run directory, for commands that want to show one.

#include <filesystem>

#include "pliant/io/report.hpp"
#include "pliant/script/scene.hpp"

namespace pliant {

struct RecordOrder {
    std::filesystem::path scene, out;
    SceneOptions options;
    int frames = -1;  ///< stop after so many; -1: all of the scene
    int threads = 0;
    bool sound = false;  ///< also sound.wav, when bodies have a voice and this build has sound
    bool quiet = false;
    std::string title;  ///< of the progress bar; the scene's name when empty
};

/// With a progress bar. Ctrl-C ends it with a UserError. What `pliant run` would report of it; expectations that were
/// not met are no error.
RunReport record_run(const RecordOrder& order);

/// A scene that is run only to be shown: into a folder that goes away again, unless it is to be kept.
class SceneRun {
public:
    SceneRun(const RecordOrder& order, bool keep);
    ~SceneRun() { remove(); }
    SceneRun(const SceneRun&) = delete;
    SceneRun& operator=(const SceneRun&) = delete;

    const std::filesystem::path& folder() const { return folder_; }

private:
    void remove();

    std::filesystem::path folder_;
    bool kept_;
};

/// The sound that lies beside the frames of a run, if there is exactly one .wav; "" otherwise.
std::string sound_of_run(const std::filesystem::path& directory);

}  // namespace pliant
