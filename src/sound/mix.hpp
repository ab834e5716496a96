#pragma once
// From the signals of single bodies to what a listener hears, and to samples that fit into a file.

#include <span>
#include <string>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/sound/wav.hpp"

namespace pliant {

inline constexpr double speed_of_sound = 343.2;  ///< m/s, air at 20 °C

/// Where a body was over time; positions in between are interpolated, before and after they stay.
struct Path {
    std::vector<double> time;  ///< s, ascending
    std::vector<Vec3> at;      ///< m

    Vec3 operator()(double t) const;
};

/// Ears in the world. Sound falls off with 1/distance from `reference` on and comes late by distance/speed_of_sound,
/// so that moving bodies shift in pitch. Bodies are points that sound the same in every direction.
struct Listener {
    Vec3 at{0, 0, 0};         ///< m
    Vec3 right{1, 0, 0};      ///< unit, towards the right ear
    double ear_distance = 0;  ///< m; 0: one ear, one channel. 0.18: two channels with the delay between real ears
    double reference = 1;  ///< m; the distance at which the sound is as loud as without a listener. Nearer is no louder
    bool delay = true;     ///< false: the sound comes at once, as a synchronous soundtrack may want it

    int channels() const { return ear_distance > 0 ? 2 : 1; }
};

/// A source's signal as it arrives: frames × channels, interleaved, as long as the signal.
std::vector<double> heard(std::span<const double> signal, double rate, const Path& path, const Listener& listener);

/// Loudest sample, and the mean of all, over all channels.
struct Levels {
    double peak = 0;
    double mean = 0;  ///< of the channel where it is largest
    double rms = 0;
};
Levels levels(std::span<const double> samples, int channels = 1);

/// The factor that brings the loudest sample to `peak_db` (dB below full scale, not above 0): one for the mix and all
/// its stems, so that stems add up to the mix. 1 when all is silent.
double peak_gain(double loudest, double peak_db);

/// Subtracts the mean of each channel and fades the ends over `fade` seconds, so that nothing clicks and no constant
/// part is left. What it takes away is returned (the largest mean).
double finish_ends(Audio& audio, double fade);

}  // namespace pliant
