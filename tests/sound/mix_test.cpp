// Files, levels and listeners.

#include "pliant/sound/mix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/sound/spectrum.hpp"

namespace pliant {
namespace {

using std::numbers::pi;

std::vector<double> tone(double hz, double rate, int samples) {
    std::vector<double> out(static_cast<std::size_t>(samples));
    for (int n = 0; n < samples; ++n) out[n] = std::sin(2 * pi * hz * n / rate);
    return out;
}

TEST(Wav, ComesBackAsItWas) {
    for (int rate : {44100, 48000, 96000})
        for (int bits : {16, 24, 32})
            for (int channels : {1, 2}) {
                Audio audio{.rate = rate, .channels = channels, .samples = tone(440, rate, 2000)};
                audio.samples[10] = 1, audio.samples[11] = -1;
                const std::string bytes = encode_wav(audio, bits);
                EXPECT_EQ(bytes, encode_wav(audio, bits));
                const Audio back = decode_wav(bytes, "a.wav");
                EXPECT_EQ(back.rate, rate);
                EXPECT_EQ(back.channels, channels);
                ASSERT_EQ(back.samples.size(), audio.samples.size());
                for (std::size_t i = 0; i < back.samples.size(); ++i)
                    ASSERT_NEAR(back.samples[i], audio.samples[i], std::ldexp(1.01, bits == 32 ? -24 : 1 - bits));
            }
}

TEST(Wav, WhatIsNoSoundIsSaid) {
    EXPECT_THROW(encode_wav({}, 20), UserError);
    EXPECT_THROW(decode_wav("RIFF is not enough", "x.wav"), UserError);
    const std::string whole = encode_wav({.samples = tone(440, 44100, 500)}, 16);
    for (std::size_t n = 0; n < whole.size(); n += 13) {  // cut anywhere: an error or fewer samples, nothing worse
        try {
            EXPECT_LE(decode_wav(whole.substr(0, n), "x.wav").samples.size(), 500u);
        } catch (const UserError&) {
        }
    }
}

TEST(Mix, PeakIsWhereItWasAsked) {
    const std::vector<double> t = tone(100, 44100, 4410);
    EXPECT_NEAR(peak_gain(levels(t).peak * 7, -6), std::pow(10, -0.3) / (7 * levels(t).peak), 1e-12);
    EXPECT_EQ(peak_gain(0, -1), 1);
    Audio audio{.samples = t};
    for (double& s : audio.samples) s = 0.5 * s + 0.1;
    finish_ends(audio, 0.01);
    EXPECT_LT(std::abs(levels(audio.samples).mean), 1e-15);
}

TEST(Mix, SoundFallsOffAndComesLate) {
    const double rate = 48000;
    std::vector<double> click(4800, 0.0);
    click[100] = 1;
    const double metres = 0.01 * speed_of_sound;  // 480 samples
    const std::vector<double> out = heard(click, rate, {{0}, {Vec3(metres, 0, 0)}}, {});
    EXPECT_NEAR(out[580], 1 / metres, 1e-9);
    EXPECT_NEAR(out[100], 0, 1e-9);
    // Two ears, the source on the right: the right channel first, and louder.
    Listener two;
    two.ear_distance = 0.2;
    const std::vector<double> both = heard(click, rate, {{0}, {Vec3(metres, 0, 0)}}, two);
    std::size_t left = 0, right = 0;
    for (std::size_t n = 0; n < 4800; ++n) {
        if (std::abs(both[2 * n]) > std::abs(both[2 * left])) left = n;
        if (std::abs(both[2 * n + 1]) > std::abs(both[2 * right + 1])) right = n;
    }
    EXPECT_NEAR(static_cast<double>(left) - static_cast<double>(right), 0.2 / speed_of_sound * rate, 1);
}

TEST(Mix, AComingBodySoundsHigher) {
    const double rate = 44100, v = 20;
    const std::vector<double> source = tone(1000, rate, 44100);
    const Path path{{0, 1}, {Vec3(30, 0, 0), Vec3(30 - v, 0, 0)}};
    const std::vector<double> out = heard(source, rate, path, {});
    const double hz = strongest_partial(std::span(out).subspan(10000), rate, 900, 1200);
    EXPECT_NEAR(hz, 1000 / (1 - v / speed_of_sound), 0.05);  // Doppler, a moving source
}

TEST(Spectrum, FindsATone) {
    for (double hz : {50.3, 1234.567, 15000.25})
        EXPECT_NEAR(strongest_partial(tone(hz, 44100, 44100), 44100, 20, 20000), hz, 2e-3);
    EXPECT_EQ(strongest_partial({}, 44100, 20, 20000), 0);
    const Spectrum s = spectrum(tone(1000, 32768, 32768), 32768);
    EXPECT_NEAR(s.power[1000], 0.25, 1e-6);
}

}  // namespace
}  // namespace pliant
