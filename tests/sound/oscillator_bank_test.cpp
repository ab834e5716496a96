// The oscillators against the formula they stand for.

#include "pliant/sound/oscillator_bank.hpp"

#include <gtest/gtest.h>
#include <algorithm>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/sound/spectrum.hpp"

namespace pliant {
namespace {

using std::numbers::pi;
using Gains = std::vector<std::complex<double>>;

std::vector<double> render(OscillatorBank& bank, int blocks) {
    std::vector<double> out(static_cast<std::size_t>(blocks) * sound_block);
    for (int b = 0; b < blocks; ++b) bank.render(out.data() + static_cast<std::ptrdiff_t>(b) * sound_block);
    return out;
}

std::vector<KernelLevel> levels_here() {
    std::vector<KernelLevel> found;
    for (KernelLevel level : {KernelLevel::v2, KernelLevel::v3, KernelLevel::v4})
        if (kernel_level_available(level)) found.push_back(level);
    return found;
}

TEST(OscillatorBank, FollowsTheFormulaOnEveryVectorUnit) {
    const std::vector<Oscillator> oscillators{
        {2 * pi * 20, 0.1}, {2 * pi * 440, 2}, {2 * pi * 4000.5, 30}, {2 * pi * 19999, 5}, {2 * pi * 12000, 800}};
    const double one = 1;
    for (KernelLevel level : levels_here())
        for (Precision precision : {Precision::twofold, Precision::single}) {
            OscillatorBank bank(oscillators, 44100, precision, level);
            bank.push(37, Gains{{1, 0}, {0, 1}, {0.5, -0.5}, {0, 2}, {1, 1}}, std::span(&one, 1));
            const std::vector<double> out = render(bank, 350);  // two seconds
            double worst = 0;
            for (std::size_t n = 0; n < out.size(); ++n) {
                const double t = (static_cast<double>(n) - 37) / 44100;
                std::complex<double> sum = 0;
                if (t >= 0)
                    for (std::size_t i = 0; i < oscillators.size(); ++i) {
                        const Gains gain{{1, 0}, {0, 1}, {0.5, -0.5}, {0, 2}, {1, 1}};
                        sum += gain[i] * std::polar(std::exp(-oscillators[i].decay * t),
                                                    std::fmod(oscillators[i].frequency * t, 2 * pi));
                    }
                worst = std::max(worst, std::abs(out[n] - sum.imag()));
            }
            std::printf("level %d, %s: error %.2g\n", static_cast<int>(level) + 2,
                        precision == Precision::twofold ? "double" : "float", worst);
            EXPECT_LT(worst, precision == Precision::twofold ? 1e-9 : 1e-4);
        }
}

TEST(OscillatorBank, PitchAndAmplitudeDoNotDriftInMinutes) {
    for (Precision precision : {Precision::twofold, Precision::single}) {
        const std::vector<Oscillator> oscillators{{2 * pi * 261.6256, 0}};
        OscillatorBank bank(oscillators, 48000, precision);
        const double one = 1;
        bank.push(0, Gains{{0, 1}}, std::span(&one, 1));
        std::vector<double> scrap(sound_block);
        for (int b = 0; b < 60 * 48000 / sound_block; ++b) bank.render(scrap.data());
        const std::vector<double> late = render(bank, 375);
        const double pitch = strongest_partial(late, 48000, 200, 300);
        const double cents = 1200 * std::log2(pitch / 261.6256);
        double peak = 0;
        for (double s : late) peak = std::max(peak, std::abs(s));
        std::printf("after a minute: %.6f cents, amplitude %.7f\n", cents, peak);
        EXPECT_LT(std::abs(cents), 0.01);
        EXPECT_NEAR(peak, 1, 1e-4);
    }
}

TEST(OscillatorBank, DrivenBlocksAreTheConvolution) {
    const std::vector<Oscillator> oscillators{{2 * pi * 300, 8}, {2 * pi * 1250, 20}, {2 * pi * 7000, 60}};
    const Gains gain{{0.3, 1}, {0, -2}, {1, 0.5}};
    std::vector<double> shape(700);
    for (std::size_t n = 0; n < shape.size(); ++n) shape[n] = std::sin(0.01 * n) * std::cos(0.3 * n);
    OscillatorBank bank(oscillators, 44100);
    bank.push(100, gain, shape);
    bank.push(900, gain, std::span(shape).first(50));
    const std::vector<double> out = render(bank, 8);
    double worst = 0;
    for (std::size_t n = 0; n < out.size(); n += 7) {
        std::complex<double> sum = 0;
        const auto add = [&](std::size_t start, std::size_t length) {
            for (std::size_t m = start; m < start + length && m <= n; ++m)
                for (std::size_t i = 0; i < gain.size(); ++i) {
                    const double t = static_cast<double>(n - m) / 44100;
                    sum += shape[m - start] * gain[i] *
                           std::polar(std::exp(-oscillators[i].decay * t), oscillators[i].frequency * t);
                }
        };
        add(100, 700), add(900, 50);
        worst = std::max(worst, std::abs(out[n] - sum.imag()));
    }
    std::printf("error %.2g\n", worst);
    EXPECT_LT(worst, 1e-9);
}

TEST(OscillatorBank, FallsBy60DecibelsInT60) {
    const double decay = 4.2, t60 = std::log(1000.0) / decay;
    const std::vector<Oscillator> oscillators{{2 * pi * 880, decay}};
    OscillatorBank bank(oscillators, 44100);
    const double one = 1;
    bank.push(0, Gains{{0, 1}}, std::span(&one, 1));
    const std::vector<double> out = render(bank, 400);
    const auto energy = [&](double t) {  // over ten periods from t on
        double sum = 0;
        for (auto n = std::lround(t * 44100); n < std::lround((t + 10.0 / 880) * 44100); ++n) sum += out[n] * out[n];
        return sum;
    };
    const double fall = 10 * std::log10(energy(0.1) / energy(0.1 + t60));
    std::printf("fell by %.4f dB\n", fall);
    EXPECT_NEAR(fall, 60, 0.02);
    EXPECT_FALSE(bank.silent());
    std::vector<double> scrap(sound_block);
    for (int b = 0; b < 800; ++b) bank.render(scrap.data());
    EXPECT_TRUE(bank.silent());
}

TEST(OscillatorBank, SameBitsEveryTime) {
    const auto once = [] {
        std::vector<Oscillator> oscillators;
        for (int i = 0; i < 77; ++i) oscillators.push_back({400.0 + 97 * i, 1.0 + i});
        OscillatorBank bank(oscillators, 44100, Precision::single);
        bank.push(500, Gains(77, {0.1, 0.7}), std::vector<double>(60, 0.01));
        return render(bank, 20);
    };
    EXPECT_EQ(once(), once());
}

}  // namespace
}  // namespace pliant
