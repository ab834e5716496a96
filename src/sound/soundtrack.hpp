#pragma once
// A run's sound: a sink that collects the blows bodies receive, then plays their voices.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/sound/mix.hpp"
#include "pliant/sound/voice.hpp"
#include "pliant/world/frame.hpp"

namespace pliant {

/// A body that is heard.
struct SoundSource {
    std::string name;
    int body = 0;  ///< place in Frame::bodies
    std::shared_ptr<const Voice> voice;
    /// Seconds that a blow lasts. 0: after Hertz. Long: dull, as with a felt hammer; short: bright and hard.
    double contact_time = 0;
    /// How much the force of a sliding contact varies, over its mean, as the surfaces' grain passes. 0: smooth and
    /// silent; 1: scraping.
    double roughness = 0;
    double grain = 1e-3;  ///< m: length of that grain. Sliding at v, it is heard up to v/grain Hz.
    double gain = 1;
};

struct SoundtrackOptions {
    int rate = 44100;
    Precision precision = Precision::twofold;
    /// Where the loudest sample of mix and stems lies below full scale, dB: one gain for all. 0 uses all bits.
    double peak_db = -1;
    std::optional<Listener> listener;  ///< none: all bodies are heard alike, at once, in one channel
    double tail = 0;                   ///< s after the last frame, for what still rings
    double gravity = 9.81;             ///< m/s²; tells blows from what only rests
};

struct Stem {
    std::string name;
    Audio audio;
    int modes = 0;
    int blows = 0;                             ///< at which it met something, rather than rest on it
    std::size_t free_from = 0, free_till = 0;  ///< frames: the loudest 0.1 s or more without a blow; none: 0, 0
    double loudest = 0;                        ///< dB below full scale; −∞ when silent
};

struct Soundtrack {
    Audio mix;
    std::vector<Stem> stems;  ///< add up to the mix
    double gain = 1;          ///< that volume flow (m³/s) at the ear was multiplied by
    double dc = 0;            ///< constant part that was taken out, over the peak
    double seconds = 0;       ///< of wall time for synthesis
};

/// The share of a blow's impulse that stops a body, as against the share that carries it. gravity: m/s².
double struck_share(const ContactEvent& event, double gravity);

class SoundtrackSink : public FrameSink {
public:
    explicit SoundtrackSink(std::vector<SoundSource> sources);

    void write(const Frame& frame) override;

    /// What was collected so far as sound. The same bits for any number of threads.
    Soundtrack render(const SoundtrackOptions& options, Threads& threads) const;

private:
    double touch_time(std::size_t source, const ContactEvent& event) const;
    std::vector<double> play(std::size_t source, const SoundtrackOptions& options, std::size_t samples) const;

    std::vector<SoundSource> sources_;
    std::vector<std::vector<ContactEvent>> events_;  ///< per source, in the order of time
    std::vector<Path> paths_;
    double end_ = 0;
};

}  // namespace pliant
