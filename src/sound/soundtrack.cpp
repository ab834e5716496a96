#include "pliant/sound/soundtrack.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/rng.hpp"
#include "pliant/core/timer.hpp"

namespace pliant {

namespace {

/// Surface noise along the way slid, in −1 … 1: random values one grain apart, straight lines between them.
double grain_noise(double slid, double grain, std::uint64_t seed) {
    const double cell = std::floor(slid / grain), u = slid / grain - cell;
    const auto value = [&](double k) {
        return Rng(seed, static_cast<std::uint64_t>(static_cast<std::int64_t>(k))).uniform(-1, 1);
    };
    return (1 - u) * value(cell) + u * value(cell + 1);
}

}  // namespace

// Square, because what lies still trembles by a per cent of the speed that gravity gives it in a substep, and every
// substep would be a small blow.
double struck_share(const ContactEvent& event, double gravity) {
    const double resting = 2 * gravity * event.interval;  // m/s that gravity gives meanwhile
    const double v2 = event.approach * event.approach;
    return v2 > 0 ? v2 / (v2 + resting * resting) : 0;
}

SoundtrackSink::SoundtrackSink(std::vector<SoundSource> sources)
    : sources_(std::move(sources)), events_(sources_.size()), paths_(sources_.size()) {}

void SoundtrackSink::write(const Frame& frame) {
    for (std::size_t s = 0; s < sources_.size(); ++s) {
        const auto body = static_cast<std::size_t>(sources_[s].body);
        if (body >= frame.bodies.size()) continue;
        Box box;
        for (const Vec3& p : frame.bodies[body].points) box.add(p);
        if (!box.empty()) paths_[s].time.push_back(frame.time), paths_[s].at.push_back(box.center());
    }
    for (const ContactEvent& event : frame.contact_events)
        for (std::size_t s = 0; s < sources_.size(); ++s)
            if (sources_[s].body == event.body) events_[s].push_back(event);
    end_ = std::max(end_, frame.time);
}

/// How long a blow's pulse lasts, s.
double SoundtrackSink::touch_time(std::size_t source, const ContactEvent& event) const {
    const SoundSource& s = sources_[source];
    return s.contact_time > 0 ? s.contact_time : hertz_contact_time(*s.voice, event.approach);
}

std::vector<double> SoundtrackSink::play(std::size_t source, const SoundtrackOptions& options,
                                         std::size_t samples) const {
    const SoundSource& s = sources_[source];
    const Voice& voice = *s.voice;
    std::vector<Oscillator> oscillators = voice.oscillators;
    for (Oscillator& o : oscillators)  // beyond half the rate a mode would fold down into what is heard
        if (o.frequency >= 3.14159265358979 * options.rate) o = {0, 1e9};
    OscillatorBank bank(oscillators, options.rate, options.precision);
    const std::size_t blocks = (samples + sound_block - 1) / sound_block;
    std::vector<double> out(blocks * sound_block, 0.0);
    std::size_t next = 0;
    double slid = 0;  // so far, m
    for (std::size_t b = 0; b < blocks; ++b) {
        const auto end = static_cast<std::int64_t>((b + 1) * sound_block);
        for (; next < events_[source].size(); ++next) {
            const ContactEvent& event = events_[source][next];
            // A substep's impulse is spread over the substep that gave it and what follows.
            const double at = std::max(0.0, event.time - event.interval) * options.rate;
            const auto start = static_cast<std::int64_t>(at);
            if (start >= end) break;
            auto gains = strike_gains(voice, event.point, s.gain * event.impulse, options.rate);
            for (std::size_t i = 0; i < gains.size(); ++i)
                if (oscillators[i].frequency == 0) gains[i] = 0;
            const double struck = struck_share(event, options.gravity), fraction = at - std::floor(at);
            const double touch = touch_time(source, event);
            if (struck > 0) {
                Pulse pulse = gaussian_pulse(touch, options.rate, fraction);
                for (double& f : pulse.shape) f *= struck;
                bank.push(std::max(start, bank.position()), gains, pulse.shape);
            }
            // What rests is a steady force: pulses as wide as four substeps merge into one without a ripple.
            Pulse rest = gaussian_pulse(4 * event.interval, options.rate, fraction);
            for (std::size_t n = 0; n < rest.shape.size(); ++n) {
                double f = 1 - struck;
                if (s.roughness > 0)
                    f *= 1 + s.roughness * grain_noise(slid + event.slide * static_cast<double>(n) / options.rate,
                                                       s.grain, source + 1);
                rest.shape[n] *= f;
            }
            slid += event.slide * event.interval;
            bank.push(std::max(start, bank.position()), gains, rest.shape);
        }
        if (bank.silent())
            bank.skip();
        else
            bank.render(out.data() + b * sound_block);
    }
    out.resize(samples);
    return out;
}

Soundtrack SoundtrackSink::render(const SoundtrackOptions& options, Threads& threads) const {
    const double start = seconds_now();
    const auto samples = static_cast<std::size_t>(std::llround((end_ + options.tail) * options.rate));
    const int channels = options.listener ? options.listener->channels() : 1;
    Soundtrack track;
    track.stems.resize(sources_.size());
    parallel_for(threads, sources_.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t s = begin; s < end; ++s) {
            Stem& stem = track.stems[s];
            stem.name = sources_[s].name;
            stem.modes = sources_[s].voice->size();
            for (const ContactEvent& event : events_[s]) stem.blows += struck_share(event, options.gravity) > 0.5;
            std::vector<double> dry = play(s, options, samples);
            std::size_t struck = samples;  // when last, in samples; none yet
            double most = 0;               // energy of the freest ringing so far
            const auto note_rest = [&](std::size_t till) {
                if (struck + static_cast<std::size_t>(options.rate / 10) > till) return;  // too short to tell a pitch
                double energy = 0;
                for (std::size_t n = struck; n < till; ++n) energy += dry[n] * dry[n];
                if (energy > most) most = energy, stem.free_from = struck, stem.free_till = till;
            };
            for (const ContactEvent& event : events_[s]) {
                if (struck_share(event, options.gravity) < 0.1) continue;
                const auto at = std::min(samples, static_cast<std::size_t>(event.time * options.rate));
                note_rest(at);
                // The pulse reaches 4σ to both sides of its middle.
                const double touch = touch_time(s, event);
                struck = std::min(samples, at + static_cast<std::size_t>(std::ceil(2 * touch * options.rate)));
            }
            note_rest(samples);
            double all = 0;
            for (double x : dry) all += x * x;
            if (most < 1e-6 * all) stem.free_from = stem.free_till = 0;  // it lies still and only trembles
            stem.audio = {.rate = options.rate, .channels = channels, .samples = std::move(dry)};
            if (options.listener)
                stem.audio.samples = heard(stem.audio.samples, options.rate, paths_[s], *options.listener);
        }
    });
    track.mix = {.rate = options.rate,
                 .channels = channels,
                 .samples = std::vector<double>(samples * static_cast<std::size_t>(channels), 0.0)};
    double loudest = 0, taken = 0;
    for (Stem& stem : track.stems) {
        taken = std::max(taken, finish_ends(stem.audio, 0.02));
        loudest = std::max(loudest, levels(stem.audio.samples, channels).peak);
        for (std::size_t n = 0; n < stem.audio.samples.size(); ++n) track.mix.samples[n] += stem.audio.samples[n];
    }
    loudest = std::max(loudest, levels(track.mix.samples, channels).peak);
    track.gain = peak_gain(loudest, options.peak_db);
    track.dc = loudest > 0 ? taken / loudest : 0;
    const auto scale = [&](Audio& audio) {
        for (double& x : audio.samples) x = std::clamp(x * track.gain, -1.0, 1.0);  // rounding alone could pass 1
    };
    scale(track.mix);
    for (Stem& stem : track.stems) {
        scale(stem.audio);
        stem.loudest = 20 * std::log10(levels(stem.audio.samples, channels).peak);
    }
    track.seconds = seconds_now() - start;
    return track;
}

}  // namespace pliant
