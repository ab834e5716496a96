#include "pliant/sound/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

double hann(std::size_t i, std::size_t n) {
    return 0.5 - 0.5 * std::cos(2 * pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n));
}

/// |Σ x[n]·exp(−2πi·f·n/rate)|² at any frequency, by Goertzel's turning phasor, restarted often enough to stay exact.
double power_at(std::span<const double> x, double rate, double f) {
    Complex sum = 0;
    const double angle = -2 * pi * f / rate;
    const Complex turn = std::polar(1.0, angle);
    for (std::size_t begin = 0; begin < x.size(); begin += 256) {
        Complex phase = std::polar(1.0, std::fmod(angle * static_cast<double>(begin), 2 * pi));
        for (std::size_t n = begin; n < std::min(x.size(), begin + 256); ++n) sum += x[n] * phase, phase *= turn;
    }
    return std::norm(sum);
}

}  // namespace

void fft(std::vector<Complex>& x) {
    const std::size_t n = x.size();
    CHECK(std::has_single_bit(n), n);
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(x[i], x[j]);
    }
    std::vector<Complex> root(n / 2);
    for (std::size_t k = 0; k < n / 2; ++k)
        root[k] = std::polar(1.0, -2 * pi * static_cast<double>(k) / static_cast<double>(n));
    for (std::size_t half = 1; half < n; half *= 2)
        for (std::size_t i = 0; i < n; i += 2 * half)
            for (std::size_t k = 0; k < half; ++k) {
                const Complex u = x[i + k], v = x[i + k + half] * root[k * (n / (2 * half))];
                x[i + k] = u + v, x[i + k + half] = u - v;
            }
}

Spectrum spectrum(std::span<const double> signal, double rate, int padding) {
    if (signal.empty()) return {};
    const std::size_t n = std::bit_ceil(signal.size()) * std::bit_ceil(static_cast<std::size_t>(padding));
    std::vector<Complex> x(n);
    double weight = 0;
    for (std::size_t i = 0; i < signal.size(); ++i) {
        const double w = hann(i, signal.size());
        weight += w;
        x[i] = w * signal[i];
    }
    fft(x);
    Spectrum s{.bin = rate / static_cast<double>(n), .power = std::vector<double>(n / 2 + 1)};
    for (std::size_t k = 0; k <= n / 2; ++k) s.power[k] = std::norm(x[k]) / (weight * weight);
    return s;
}

double strongest_partial(std::span<const double> signal, double rate, double low, double high) {
    const Spectrum s = spectrum(signal, rate, 2);
    std::size_t best = 0;
    double most = 0;
    for (std::size_t k = 1; k + 1 < s.power.size(); ++k) {
        const double f = static_cast<double>(k) * s.bin;
        if (f >= low && f <= high && s.power[k] > most) best = k, most = s.power[k];
    }
    if (best == 0) return 0;
    std::vector<double> windowed(signal.size());
    for (std::size_t i = 0; i < signal.size(); ++i) windowed[i] = hann(i, signal.size()) * signal[i];
    // Golden section on the transform itself, within a bin to either side, where it has one maximum.
    double a = static_cast<double>(best - 1) * s.bin, b = static_cast<double>(best + 1) * s.bin;
    constexpr double golden = 0.6180339887498949;
    double c = b - golden * (b - a), d = a + golden * (b - a);
    double at_c = power_at(windowed, rate, c), at_d = power_at(windowed, rate, d);
    for (int i = 0; i < 40; ++i) {
        if (at_c > at_d) {
            b = d, d = c, at_d = at_c;
            c = b - golden * (b - a), at_c = power_at(windowed, rate, c);
        } else {
            a = c, c = d, at_c = at_d;
            d = a + golden * (b - a), at_d = power_at(windowed, rate, d);
        }
    }
    return 0.5 * (a + b);
}

}  // namespace pliant
