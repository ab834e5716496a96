#pragma once
// Pictures of a sound: its spectrum and its spectrogram, as SVG text.

#include <span>
#include <string>

#include "pliant/sound/wav.hpp"

namespace pliant {

/// Above: power of the first channel over frequency, linear, scaled to its largest value (as in O'Brien, Shen &
/// Gatchalian 2002, figure 5). Below: level over time (right) and frequency (up), 80 dB from dark to light.
std::string sound_svg(const Audio& audio, const std::string& title, double highest_hz = 5000);

struct NamedAudio {
    std::string name;
    Audio audio;
};
/// Spectra of several sounds, one below the other on the same axis, each scaled to its own largest value.
std::string spectra_svg(std::span<const NamedAudio> sounds, double highest_hz = 5000);

}  // namespace pliant
