#pragma once
// WAV files through libsndfile, in memory: whoever writes the bytes decides how a file becomes whole.

#include <string>
#include <string_view>
#include <vector>

namespace pliant {

/// Samples between −1 and 1, channels interleaved.
struct Audio {
    int rate = 44100;  ///< samples per second
    int channels = 1;
    std::vector<double> samples;

    std::size_t frames() const { return channels > 0 ? samples.size() / static_cast<std::size_t>(channels) : 0; }
    double seconds() const { return static_cast<double>(frames()) / rate; }
};

/// The bytes of a WAV file with 16 or 24 bit integers, or 32 bit floating point. Integers are rounded to nearest; a
/// sample beyond ±1 is a mistake of ours (see normalise in mix.hpp). UserError when the format is not one of those, or
/// the sound too long for the format (4 GB).
std::string encode_wav(const Audio& audio, int bits);

/// Reads what libsndfile can read. UserError, naming `name`, when the bytes are no sound.
Audio decode_wav(std::string_view bytes, const std::string& name);

}  // namespace pliant
