#include "pliant/sound/wav.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

/// A file that lives in memory, as libsndfile wants to see it.
struct Memory {
    std::string written;
    std::string_view bytes;  ///< when reading
    sf_count_t at = 0;
    bool reading = false;

    std::size_t size() const { return reading ? bytes.size() : written.size(); }
};

Memory& memory(void* user) { return *static_cast<Memory*>(user); }
sf_count_t length_of(void* user) { return static_cast<sf_count_t>(memory(user).size()); }
sf_count_t tell(void* user) { return memory(user).at; }
sf_count_t seek(sf_count_t offset, int whence, void* user) {
    Memory& m = memory(user);
    const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? m.at : static_cast<sf_count_t>(m.size());
    const sf_count_t to = from + offset;
    if (to < 0 || to > static_cast<sf_count_t>(m.size()) + (sf_count_t{1} << 32)) return -1;
    return m.at = to;
}
sf_count_t read(void* data, sf_count_t count, void* user) {
    Memory& m = memory(user);
    const auto size = static_cast<sf_count_t>(m.bytes.size());
    const sf_count_t n = std::clamp<sf_count_t>(size - m.at, 0, std::max<sf_count_t>(count, 0));
    if (n > 0) std::memcpy(data, m.bytes.data() + m.at, static_cast<std::size_t>(n));
    m.at += n;
    return n;
}
sf_count_t write(const void* data, sf_count_t count, void* user) {
    Memory& m = memory(user);
    const auto end = static_cast<std::size_t>(m.at + count);
    if (m.written.size() < end) m.written.resize(end);
    std::memcpy(m.written.data() + m.at, data, static_cast<std::size_t>(count));
    m.at += count;
    return count;
}

SF_VIRTUAL_IO in_memory() { return {length_of, seek, read, write, tell}; }

}  // namespace

std::string encode_wav(const Audio& audio, int bits) {
    const int subtype = bits == 16   ? SF_FORMAT_PCM_16
                        : bits == 24 ? SF_FORMAT_PCM_24
                        : bits == 32 ? SF_FORMAT_FLOAT
                                     : 0;
    if (subtype == 0)
        throw UserError("a WAV file has 16, 24 or 32 bits, not " + std::to_string(bits), {}, "Use --bits 24");
    CHECK(audio.channels > 0 && audio.rate > 0, audio.channels, audio.rate);
    if (audio.samples.size() * static_cast<std::size_t>(bits / 8) > (std::size_t{1} << 32) - 4096)
        throw UserError("the sound is too long for a WAV file, which holds 4 GB", {},
                        "Use fewer bits, a lower rate or a shorter scene");
    for (double s : audio.samples) CHECK(std::abs(s) <= 1, s);

    SF_INFO info{};
    info.samplerate = audio.rate, info.channels = audio.channels, info.format = SF_FORMAT_WAV | subtype;
    SF_VIRTUAL_IO io = in_memory();
    Memory file;
    SNDFILE* sound = sf_open_virtual(&io, SFM_WRITE, &info, &file);
    CHECK(sound != nullptr, sf_strerror(nullptr));
    // The time of writing, which libsndfile adds to peak chunks of float files, would make equal sounds differ.
    sf_command(sound, SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);
    sf_command(sound, SFC_SET_CLIPPING, nullptr, SF_TRUE);  // +1 becomes the largest integer, not the smallest
    const auto frames = static_cast<sf_count_t>(audio.frames());
    const sf_count_t done = sf_writef_double(sound, audio.samples.data(), frames);
    sf_close(sound);
    CHECK(done == frames, done, frames);
    return std::move(file.written);
}

Audio decode_wav(std::string_view bytes, const std::string& name) {
    SF_INFO info{};
    SF_VIRTUAL_IO io = in_memory();
    Memory file;
    file.bytes = bytes, file.reading = true;
    SNDFILE* sound = sf_open_virtual(&io, SFM_READ, &info, &file);
    if (!sound) throw UserError(name + " is no sound file: " + sf_strerror(nullptr));
    Audio audio{.rate = info.samplerate, .channels = info.channels, .samples = {}};
    std::vector<double> piece(static_cast<std::size_t>(4096) * static_cast<std::size_t>(std::max(1, info.channels)));
    for (;;) {  // the header's count is not believed: what is there is read
        const sf_count_t n = sf_readf_double(sound, piece.data(), 4096);
        if (n <= 0) break;
        audio.samples.insert(audio.samples.end(), piece.begin(), piece.begin() + n * info.channels);
    }
    sf_close(sound);
    return audio;
}

}  // namespace pliant
