// Damped oscillators that one core can run at 44.1 kHz, against what the same recurrence does in registers alone and
// against a plain loop. Medians of several rounds, measured in turn.

#include <algorithm>
#include <complex>
#include <ctime>
#include <vector>

#include "bench/bench.hpp"
#include "pliant/sound/oscillator_bank.hpp"

namespace pliant::bench {

namespace {

/// Time this thread has run, so that others on the machine count less.
double thread_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Work>
double median_seconds(Work&& work) {
    std::vector<double> times;
    work();
    for (int i = 0; i < 7; ++i) {
        const double start = thread_seconds();
        work();
        times.push_back(thread_seconds() - start);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

}  // namespace

void run_sound(const Options&, std::vector<Row>& rows) {
    constexpr double rate = 44100;
    constexpr int count = 100000, blocks = 4;
    std::vector<Oscillator> oscillators(count);
    for (int i = 0; i < count; ++i) oscillators[i] = {2 * 3.14159265 * (50 + 0.19 * i), 1.0 + i % 7};
    const double seconds = blocks * sound_block / rate;
    double sink = 0;
    for (const Precision precision : {Precision::twofold, Precision::single}) {
        const bool twofold = precision == Precision::twofold;
        OscillatorBank bank(oscillators, rate, precision);
        std::vector<double> out(sound_block);
        const double one = 1;
        bank.push(0, std::vector<std::complex<double>>(count, {0.1, 0.2}), std::span(&one, 1));
        bank.render(out.data());
        const double taken = median_seconds([&] {
            for (int b = 0; b < blocks; ++b) bank.render(out.data());
            sink += out[0];
        });
        const OscillatorKernels& kernels = oscillator_kernels(best_kernel_level());
        const long rounds = 200000;
        const double best =
            median_seconds([&] { sink += twofold ? kernels.bound_double(rounds) : kernels.bound_float(rounds); });
        const double samples = static_cast<double>(rounds) * 4 * (twofold ? 64 : 128);
        const double reached = count * seconds / taken, bound = samples / best / rate;
        rows.push_back({.name = twofold ? "sound, double" : "sound, float",
                        .tets = count,
                        .ms = 1e3 * taken / seconds,
                        .stages = {{"thousand oscillators in real time", reached / 1e3}},
                        .limit_fraction = reached / bound});
    }
    // A plain loop over complex numbers, as one would write it first.
    std::vector<std::complex<double>> s(count, {0.1, 0.2}), r(count);
    for (int i = 0; i < count; ++i) r[i] = std::polar(0.9999, oscillators[i].frequency / rate);
    const double plain = median_seconds([&] {
        for (int n = 0; n < 64; ++n) {
            double sum = 0;
            for (int i = 0; i < count; ++i) s[i] *= r[i], sum += s[i].imag();
            sink += sum;
        }
    });
    const double plain_ms = 1e3 * plain / 64 * rate;
    rows.push_back({.name = "sound, plain loop", .tets = count, .ms = sink == 12345 ? 0 : plain_ms});
}

}  // namespace pliant::bench
