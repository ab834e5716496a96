#include "studio_sound.hpp"

#ifdef PLIANT_WITH_SOUND

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "mode_cache.hpp"
#include "pliant/core/text.hpp"
#include "pliant/io/json_writer.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

namespace {

constexpr std::size_t most_strikes = 12;     // per frame: more at once are one noise
constexpr double hardly_heard = 1e-3;        // of the loudest blow: 60 dB below it
constexpr double highest_studio_hz = 20000;  // the page's sample rate is its own affair
constexpr double reference_rate = 44100;     // 1/s; for the strength of a blow, which hardly depends on it
constexpr double just_heard = 2e-3;          // of a pitch: a thirtieth of a semitone
constexpr double two_pi = 6.283185307179586;

struct Strike {
    std::size_t voice;
    double since;  ///< s after the frame before
    std::vector<double> strength;
    double loudness;
};

/// The response of each mode to a blow of finite length: what an instant one would give times the spectrum of the
/// Gaussian pulse (see gaussian_pulse) at the mode's frequency.
std::vector<double> strengths(const SoundSource& source, const ContactEvent& blow, double share) {
    const Voice& voice = *source.voice;
    const auto gains = strike_gains(voice, blow.point, source.gain * blow.impulse, reference_rate);
    const double touch = source.contact_time > 0 ? source.contact_time : hertz_contact_time(voice, blow.approach);
    std::vector<double> result(gains.size());
    for (std::size_t i = 0; i < gains.size(); ++i) {
        const double phase = voice.oscillators[i].frequency * touch / 4;
        result[i] = std::copysign(std::abs(gains[i]), gains[i].imag()) * share * std::exp(-0.5 * phase * phase);
    }
    return result;
}

}  // namespace

bool StudioSound::attach(Simulation& simulation) {
    detach();
    auto bodies = sounding_bodies(simulation);
    if (bodies.empty()) return false;
    listen_to(simulation.world(), bodies);
    gravity_ = simulation.desc().world.gravity.norm();
    searches_.push_back(std::async(std::launch::async, [list = std::move(bodies)] {
        Threads one(1);
        return find_voices(list, default_mode_cache(), highest_studio_hz, one);
    }));
    return searching_ = true;
}

void StudioSound::detach() {
    searching_ = false;
    found_ = {};
    loudest_ = 0;
    tuned_.clear();
    // Searches of scenes that are gone: those that have ended.
    std::erase_if(searches_, [](const auto& search) {
        return search.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
}

std::string StudioSound::news(std::vector<std::string>& notes) {
    if (!searching_ || searches_.back().wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
    searching_ = false;
    auto search = std::move(searches_.back());
    searches_.pop_back();
    try {
        found_ = search.get();
    } catch (const std::exception& error) {  // a scene that cannot be heard can still be seen
        notes.push_back(std::string("No sound: ") + error.what());
        return {};
    }
    notes.insert(notes.end(), found_.notes.begin(), found_.notes.end());
    JsonWriter json;
    json.begin_line();
    json.begin_object();
    json.entry("type", "voices");
    json.key("list");
    json.begin_array();
    for (const SoundSource& source : found_.sources) {
        json.begin_object();
        json.entry("name", source.name);
        json.key("modes");  // Hz, 1/s
        json.begin_array();
        for (const Oscillator& o : source.voice->oscillators) {
            json.begin_array();
            json.value(o.frequency / two_pi);
            json.value(o.decay);
            json.end_array();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.end_object();
    return json.take();
}

std::string StudioSound::strikes(const Frame& frame, double fps) {
    std::vector<Strike> list;
    for (const ContactEvent& blow : frame.contact_events)
        for (std::size_t v = 0; v < found_.sources.size(); ++v) {
            if (found_.sources[v].body != blow.body) continue;
            const double share = struck_share(blow, gravity_);
            if (!(share > 0)) continue;
            Strike strike{v, std::max(0.0, blow.time - frame.time + 1 / fps), strengths(found_.sources[v], blow, share),
                          0};
            for (double s : strike.strength) strike.loudness += s * s;
            strike.loudness = std::sqrt(strike.loudness);
            loudest_ = std::max(loudest_, strike.loudness);
            if (strike.loudness > hardly_heard * loudest_) list.push_back(std::move(strike));
        }
    if (list.empty()) return {};
    std::stable_sort(list.begin(), list.end(),
                     [](const Strike& a, const Strike& b) { return a.loudness > b.loudness; });
    if (list.size() > most_strikes) list.resize(most_strikes);
    // Few digits: strengths are heard, not computed with.
    std::string text = "{\"type\": \"strikes\", \"list\": [";
    for (std::size_t i = 0; i < list.size(); ++i) {
        text += (i ? ", [" : "[") + std::to_string(list[i].voice) + ", " + short_number(list[i].since);
        for (double s : list[i].strength) text += ", " + short_number(s);
        text += "]";
    }
    return text + "]}";
}

void StudioSound::tell_all_again() { tuned_.clear(); }

std::string StudioSound::tuning(const World& w) {
    tuned_.resize(found_.sources.size());
    std::string list;
    const int first = solved_count(w);
    for (std::size_t v = 0; v < found_.sources.size(); ++v) {
        const int number = found_.sources[v].body - first;
        if (number < 0 || number >= static_cast<int>(w.modal.size())) continue;
        const ModalBody& body = w.modal[static_cast<std::size_t>(number)];
        const std::vector<double>&cold = body.basis.lambda, &now = body.oscillators.lambda;
        if (!body.heat || cold.empty()) continue;
        const auto& modes = found_.sources[v].voice->oscillators;
        std::vector<double> factors;
        for (const Oscillator& o : modes) {
            const double lambda = o.frequency * o.frequency;
            auto near = static_cast<std::size_t>(std::lower_bound(cold.begin(), cold.end(), lambda) - cold.begin());
            if (near == cold.size() || (near > 0 && lambda / cold[near - 1] < cold[near] / lambda)) --near;
            factors.push_back(std::sqrt(now[near] / cold[near]));
        }
        std::vector<double>& told = tuned_[v];
        if (told.empty()) told.assign(factors.size(), 1);
        bool heard = false;
        for (std::size_t i = 0; i < factors.size(); ++i) heard |= std::abs(factors[i] / told[i] - 1) > just_heard;
        if (!heard) continue;
        told = factors;
        list += (list.empty() ? "[" : ", [") + std::to_string(v);
        for (double f : factors) list += ", " + short_number(f);
        list += "]";
    }
    return list.empty() ? list : "{\"type\": \"tuning\", \"list\": [" + list + "]}";
}

}  // namespace pliant

#else

namespace pliant {

bool StudioSound::attach(Simulation&) { return false; }
void StudioSound::detach() {}
std::string StudioSound::news(std::vector<std::string>&) { return {}; }
std::string StudioSound::strikes(const Frame&, double) { return {}; }
std::string StudioSound::tuning(const World&) { return {}; }
void StudioSound::tell_all_again() {}

}  // namespace pliant

#endif
