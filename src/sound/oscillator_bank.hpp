#pragma once
// A body's voice while it sounds: its damped oscillators, what still pushes them, and the samples they give.

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/sound/oscillator_kernels.hpp"

namespace pliant {

/// A damped oscillator z(t) = exp(−decay·t)·sin(frequency·t).
struct Oscillator {
    double frequency = 0;  ///< damped, rad/s; above half the sample rate it is silent
    double decay = 0;      ///< 1/s
};

enum class Precision { single, twofold };  ///< of the samples; phasors are double in either

class OscillatorBank {
public:
    /// rate: samples per second.
    OscillatorBank(std::span<const Oscillator> oscillators, double rate, Precision precision = Precision::twofold,
                   KernelLevel level = best_kernel_level());

    int size() const { return size_; }
    double rate() const { return rate_; }
    std::int64_t position() const { return position_; }  ///< samples rendered so far

    /// From sample `start` on (not before position()), oscillator i is pushed by gain[i]·shape[n]. A push of 1 adds
    /// to the phasor, whose imaginary part is heard: gain i makes a cosine, gain 1 a sine.
    void push(std::int64_t start, std::span<const std::complex<double>> gain, std::span<const double> shape);

    /// Adds the next block of sound_block samples to `out`.
    void render(double* out);

    /// Passes over a block without sound; what was left of it is gone. Only when silent().
    void skip();

    /// Nothing pushes, and what is left is below `floor` times the loudest phasor so far: a block would add silence.
    bool silent(double floor = 1e-9) const;

private:
    struct Push {
        std::int64_t start;
        std::vector<double> gain_re, gain_im;  ///< padded
        std::vector<double> shape;
    };
    void render_driven(double* out);
    void set_phasor(int i, double re, double im);

    int size_ = 0, padded_ = 0;
    double rate_;
    Precision precision_;
    const OscillatorKernels& kernels_;
    std::int64_t position_ = 0;
    double loudest_ = 0;  ///< squared
    std::vector<FreeDouble> doubles_;
    std::vector<FreeFloat> floats_;
    std::vector<double> r_re_, r_im_;
    std::vector<Push> pushes_;
    std::vector<double> input_re_, input_im_, lanes_;
    std::vector<float> single_;
};

}  // namespace pliant
