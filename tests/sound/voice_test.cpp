// A bar that rings as Euler and Bernoulli say, struck in different places.

#include "pliant/sound/voice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/sound/mix.hpp"
#include "pliant/sound/spectrum.hpp"

namespace pliant {
namespace {

using std::numbers::pi;
constexpr double rate = 44100;
const double beta_length[3] = {4.730040744862704, 7.853204624095838, 10.99560783800167};

/// Free–free bending shape along a bar of unit length; ∫ shape² = 1.
double bending(int mode, double x) {
    const double b = beta_length[mode];
    const double s = (std::cosh(b) - std::cos(b)) / (std::sinh(b) - std::sin(b));
    return std::cosh(b * x) + std::cos(b * x) - s * (std::sinh(b * x) + std::sin(b * x));
}

/// Three bending modes of an aluminium bar of 300 × 10 × 10 mm, in the y direction.
ModalBasis bar() {
    const double length = 0.3, side = 0.01, young = 69e9, density = 2700;
    ModalBasis basis;
    TetMesh mesh = bar_mesh(60, 2, 2, Vec3(0, -side / 2, -side / 2), Vec3(length, side / 2, side / 2));
    basis.rest = mesh.rest, basis.tets = mesh.tets;
    basis.mass.assign(basis.rest.size(), density * length * side * side / static_cast<double>(basis.rest.size()));
    basis.shape.setZero(3 * static_cast<Eigen::Index>(basis.rest.size()), 3);
    const double first = mesh.bounds().min.x();
    for (int m = 0; m < 3; ++m) {
        basis.lambda.push_back(std::pow(beta_length[m] / length, 4) * young * side * side / (12 * density));
        for (std::size_t i = 0; i < basis.rest.size(); ++i)
            basis.shape(3 * static_cast<Eigen::Index>(i) + 1, m) =
                bending(m, (basis.rest[i].x() - first) / length) / std::sqrt(density * length * side * side);
    }
    basis.young = young, basis.poisson = 0.33, basis.density = density;
    basis.alpha = 3, basis.beta = 1e-8;
    return basis;
}

std::vector<double> strike(const Voice& voice, const Vec3& at, const Vec3& impulse, double contact_time, int blocks) {
    OscillatorBank bank(voice.oscillators, rate);
    const Pulse pulse = gaussian_pulse(contact_time, rate);
    bank.push(0, strike_gains(voice, at, impulse, rate), pulse.shape);
    std::vector<double> out(static_cast<std::size_t>(blocks) * sound_block);
    for (int b = 0; b < blocks; ++b) bank.render(out.data() + static_cast<std::ptrdiff_t>(b) * sound_block);
    return out;
}

TEST(Voice, StruckBarHasItsPitchWithinACent) {
    const ModalBasis basis = bar();
    const Voice voice = make_voice(basis, {});
    ASSERT_EQ(voice.size(), 3);
    const Vec3 end(basis.rest[0].x(), 0.005, 0);
    const std::vector<double> out = strike(voice, end, Vec3(0, -0.01, 0), 1e-4, 400);
    for (int m = 0; m < 3; ++m) {
        const double f = frequency_hz(basis, m);
        const double cents = 1200 * std::log2(strongest_partial(out, rate, 0.9 * f, 1.1 * f) / f);
        std::printf("mode %d: %.3f Hz, off by %.5f cents\n", m, f, cents);
        EXPECT_LT(std::abs(cents), 1);
    }
    EXPECT_NEAR(frequency_hz(basis, 1) / frequency_hz(basis, 0), 2.7565, 1e-3);
}

TEST(Voice, ABlowOnANodeOfAModeLeavesItSilent) {
    const ModalBasis basis = bar();
    const Voice voice = make_voice(basis, {});
    const double middle = 0.5 * (basis.rest.front().x() + basis.rest.back().x());
    const auto gains = strike_gains(voice, Vec3(middle, 0.005, 0), Vec3(0, 1, 0), rate);
    EXPECT_LT(std::abs(gains[1]), 1e-6 * std::abs(gains[0]));  // the second mode turns about the middle
    const auto along = strike_gains(voice, Vec3(middle, 0.005, 0), Vec3(1, 0, 0), rate);
    EXPECT_LT(std::abs(along[0]), 1e-12 * std::abs(gains[0]));
    // Amplitude by hand: ∫|n·φ|dA · φ(middle) · J, ∫ over top and bottom of |bending|/√m.
    const double mass = 2700 * 0.3 * 1e-4;
    double integral = 0;
    for (int i = 0; i < 10000; ++i) integral += std::abs(bending(0, (i + 0.5) / 10000)) / 10000;
    const double hand = 2 * 0.3 * 0.01 * integral * std::abs(bending(0, 0.5)) / mass;
    std::printf("gain %.6f, by hand %.6f\n", std::abs(gains[0]), hand);
    EXPECT_NEAR(std::abs(gains[0]), hand, 0.01 * hand);
}

TEST(Voice, SoftBlowsAreDarkerAsTheGaussianSays) {
    const ModalBasis basis = bar();
    const Voice voice = make_voice(basis, {});
    const Vec3 end(basis.rest[0].x(), 0.005, 0);
    const auto level = [&](double contact_time, int m) {
        const std::vector<double> out = strike(voice, end, Vec3(0, -1, 0), contact_time, 170);
        const double f = frequency_hz(basis, m);
        const Spectrum s = spectrum(std::span(out).subspan(2000), rate);
        double most = 0;
        for (std::size_t k = 0; k < s.power.size(); ++k)
            if (std::abs(static_cast<double>(k) * s.bin - f) < 20) most = std::max(most, s.power[k]);
        return 10 * std::log10(most);
    };
    const double f = frequency_hz(basis, 1), soft = 1.2e-3, sigma = soft / 4;
    const double fall = level(1e-6, 1) - level(soft, 1);
    const double expected = 20 / std::log(10.0) * 2 * pi * pi * sigma * sigma * f * f;
    std::printf("%.3f dB less, the Gaussian's transform says %.3f\n", fall, expected);
    EXPECT_NEAR(fall, expected, 0.15);
}

TEST(Voice, ARestingLoadMakesNoConstantPart) {
    ModalBasis basis = bar();
    basis.alpha = 60;  // the ringing is over before the mean is taken
    const Voice voice = make_voice(basis, {});
    OscillatorBank bank(voice.oscillators, rate);
    // A load that comes within 5 ms and stays.
    std::vector<double> load(40000, 1.0 / rate);
    for (int n = 0; n < 220; ++n) load[n] *= 0.5 - 0.5 * std::cos(pi * n / 220);
    bank.push(0, strike_gains(voice, Vec3(0, 0.005, 0), Vec3(0, -10, 0), rate), load);
    std::vector<double> out(150 * sound_block);
    for (int b = 0; b < 150; ++b) bank.render(out.data() + static_cast<std::ptrdiff_t>(b) * sound_block);
    double sum = 0;
    for (std::size_t n = 20000; n < 38000; ++n) sum += out[n];
    const double peak = levels(out).peak;
    std::printf("mean %.3g of the peak\n", sum / 18000 / peak);
    EXPECT_LT(std::abs(sum / 18000), 1e-6 * peak);
}

TEST(Voice, PulsesHaveUnitSumAndWidth) {
    for (double contact_time : {1e-6, 1e-4, 3e-3})
        for (double fraction : {0.0, 0.4}) {
            const Pulse pulse = gaussian_pulse(contact_time, rate, fraction);
            double sum = 0, mean = 0, square = 0;
            for (std::size_t n = 0; n < pulse.shape.size(); ++n)
                sum += pulse.shape[n], mean += pulse.shape[n] * static_cast<double>(n);
            for (std::size_t n = 0; n < pulse.shape.size(); ++n)
                square += pulse.shape[n] * std::pow(static_cast<double>(n) - mean, 2);
            EXPECT_NEAR(sum, 1, 1e-12);
            if (contact_time < 1e-5) continue;
            EXPECT_NEAR(std::sqrt(square) / rate, contact_time / 4, 2e-3 * contact_time);
            EXPECT_NEAR(mean, pulse.centre, 2e-3 * contact_time * rate);
        }
    const Voice voice = make_voice(bar(), {});
    // Hertz by hand: m = 0.081 kg, E/(1−ν²) = 77.4 GPa, R = 19.28 mm, 1 m/s.
    const double radius = std::cbrt(3 * 0.3e-4 / (4 * pi)), e = 69e9 / (1 - 0.33 * 0.33);
    EXPECT_NEAR(hertz_contact_time(voice, 1), 2.87 * std::pow(0.081 * 0.081 / (radius * e * e), 0.2), 1e-8);
}

}  // namespace
}  // namespace pliant
