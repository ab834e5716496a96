#include "pliant/sound/mix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/core/error.hpp"

namespace pliant {

Vec3 Path::operator()(double t) const {
    if (at.empty()) return Vec3::Zero();
    const auto next = std::upper_bound(time.begin(), time.end(), t);
    if (next == time.begin()) return at.front();
    if (next == time.end()) return at.back();
    const auto i = static_cast<std::size_t>(next - time.begin());
    const double u = (t - time[i - 1]) / (time[i] - time[i - 1]);
    return (1 - u) * at[i - 1] + u * at[i];
}

namespace {

/// Between samples: a windowed sinc of 16 taps, flat to about 0.4 of the rate.
double between(std::span<const double> x, double at) {
    constexpr int reach = 8;
    const double whole = std::floor(at), u = at - whole;
    const auto n = static_cast<std::ptrdiff_t>(whole);
    const auto size = static_cast<std::ptrdiff_t>(x.size());
    if (u == 0) return n >= 0 && n < size ? x[static_cast<std::size_t>(n)] : 0;
    double sum = 0;
    const double s = std::sin(std::numbers::pi * u) / std::numbers::pi;
    for (int k = 1 - reach; k <= reach; ++k) {
        const std::ptrdiff_t i = n + k;
        if (i < 0 || i >= size) continue;
        const double d = u - k, window = 0.5 + 0.5 * std::cos(std::numbers::pi * d / (reach + 0.5));
        sum += x[static_cast<std::size_t>(i)] * (k % 2 == 0 ? s : -s) / d * window;
    }
    return sum;
}

}  // namespace

std::vector<double> heard(std::span<const double> signal, double rate, const Path& path, const Listener& listener) {
    const int channels = listener.channels();
    std::vector<double> out(signal.size() * static_cast<std::size_t>(channels));
    for (int channel = 0; channel < channels; ++channel) {
        const Vec3 ear = listener.at + (channels == 1  ? 0.0
                                        : channel == 0 ? -0.5
                                                       : 0.5) *
                                           listener.ear_distance * listener.right;
        for (std::size_t n = 0; n < signal.size(); ++n) {
            const double t = static_cast<double>(n) / rate;
            // What arrives now left the body one delay earlier: the fixed point of |x(t − delay) − ear| = c·delay,
            // reached in a few rounds because bodies are slower than sound.
            double distance = (path(t) - ear).norm();
            if (listener.delay)
                for (int round = 0; round < 2; ++round) distance = (path(t - distance / speed_of_sound) - ear).norm();
            const double late = listener.delay ? distance / speed_of_sound * rate : 0;
            const double fall = listener.reference / std::max(distance, listener.reference);
            out[n * static_cast<std::size_t>(channels) + static_cast<std::size_t>(channel)] =
                fall * between(signal, static_cast<double>(n) - late);
        }
    }
    return out;
}

Levels levels(std::span<const double> samples, int channels) {
    Levels l;
    const auto step = static_cast<std::size_t>(channels);
    double squares = 0;
    for (double s : samples) l.peak = std::max(l.peak, std::abs(s)), squares += s * s;
    if (!samples.empty()) l.rms = std::sqrt(squares / static_cast<double>(samples.size()));
    for (std::size_t c = 0; c < step; ++c) {
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t i = c; i < samples.size(); i += step) sum += samples[i], ++count;
        if (count > 0 && std::abs(sum) / static_cast<double>(count) > std::abs(l.mean))
            l.mean = sum / static_cast<double>(count);
    }
    return l;
}

double peak_gain(double loudest, double peak_db) {
    CHECK(peak_db <= 0, peak_db);
    return loudest > 0 ? std::pow(10.0, peak_db / 20) / loudest : 1;
}

double finish_ends(Audio& audio, double fade) {
    const std::size_t frames = audio.frames(), channels = static_cast<std::size_t>(audio.channels);
    const auto length = std::min(frames, static_cast<std::size_t>(std::lround(fade * audio.rate)));
    for (std::size_t n = 0; n < length; ++n) {
        const double w =
            0.5 - 0.5 * std::cos(std::numbers::pi * (static_cast<double>(n) + 0.5) / static_cast<double>(length));
        for (std::size_t c = 0; c < channels; ++c) audio.samples[(frames - 1 - n) * channels + c] *= w;
    }
    double taken = 0;
    for (std::size_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (std::size_t n = 0; n < frames; ++n) sum += audio.samples[n * channels + c];
        const double mean = frames > 0 ? sum / static_cast<double>(frames) : 0;
        for (std::size_t n = 0; n < frames; ++n) audio.samples[n * channels + c] -= mean;
        taken = std::max(taken, std::abs(mean));
    }
    return taken;
}

}  // namespace pliant
