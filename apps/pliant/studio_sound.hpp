#pragma once
// What the studio's page needs to let bodies ring: the modes of their voices once, and every blow as the strength with
// which it excites each of them. The page turns them into sound.

#include <future>
#include <string>
#include <vector>

#include "pliant/scene/simulation.hpp"
#ifdef PLIANT_WITH_SOUND
#include "voices.hpp"
#endif

namespace pliant {

/// Used on the session's thread. Modes take seconds to find when they are not known yet: that is done aside, and the
/// scene is silent until then.
class StudioSound {
public:
    /// Another scene. True: it has voices, and they are being looked for.
    bool attach(Simulation& simulation);
    void detach();
    /// The voices, as a message for pages, once when they are found; empty otherwise. `notes` receives what a user
    /// should know.
    std::string news(std::vector<std::string>& notes);
    /// The blows of a frame as a message for pages; empty when there were none. fps: frames per simulated second.
    std::string strikes(const Frame& frame, double fps);
    /// What heat did to the pitches since the last time, as a message for pages; empty: nothing that could be heard. A
    /// mode that is heard goes with the mode of the moving body that is nearest in frequency: the two were found on
    /// meshes of their own.
    std::string tuning(const World& w);
    /// The next tuning() tells all there is: another page is listening.
    void tell_all_again();

#ifdef PLIANT_WITH_SOUND
private:
    std::vector<std::future<FoundVoices>> searches_;  ///< the last one is the present scene's, if `searching_`
    bool searching_ = false;
    FoundVoices found_;
    double gravity_ = 9.81;                   ///< m/s²
    double loudest_ = 0;                      ///< blow so far, m³/s
    std::vector<std::vector<double>> tuned_;  ///< per voice and mode: frequency over the cold one, as pages have it
#endif
};

}  // namespace pliant
