#pragma once
// The hot loops of sound: many damped oscillators summed into one signal. Compiled for three vector units.
//
// An oscillator is a phasor s (complex) that turns and shrinks by r = exp((−d + iω)·T) per sample of length T; what is
// heard of it is Im s. Free oscillators are run by the two-term recurrence that every damped sinusoid obeys,
//     y[n + k] = a·y[n] + b·y[n − k],   a = 2·Re r^k,   b = −|r|^2k,
// with a stride k of one chunk: the lanes of a register are neighbouring samples, nothing is summed across lanes, and
// two multiplications per sample are all there is to do. The recurrence alone would drift; each block starts anew from
// the phasor, which is kept in double precision and turned by r^block in one multiplication. So neither pitch nor
// amplitude depends on how long a sound lasts, in single precision either.

#include "pliant/solve/kernel_level.hpp"

namespace pliant {

inline constexpr int double_chunk = 8;   ///< stride k of the recurrence in double precision, samples
inline constexpr int float_chunk = 16;   ///< likewise in single precision
inline constexpr int sound_block = 256;  ///< samples from one restart to the next
inline constexpr int drive_lanes = 8;    ///< driven oscillators are worked on in groups of this size

/// What a free block reads of one oscillator. Chunk: samples per chunk, Real: double or float.
template <class Real, int Chunk>
struct FreeOscillator {
    double re, im;              ///< the phasor at the start of the block
    double chunk_re, chunk_im;  ///< r^chunk
    double block_re, block_im;  ///< r^sound_block
    double a, b;
    Real power_re[Chunk], power_im[Chunk];  ///< r^0 … r^(chunk − 1)
};
using FreeDouble = FreeOscillator<double, double_chunk>;
using FreeFloat = FreeOscillator<float, float_chunk>;

struct OscillatorKernels {
    /// Adds one block of `count` free oscillators (a multiple of 4) to out[sound_block] and turns their phasors on.
    void (*free_double)(FreeDouble* oscillator, int count, double* out);
    void (*free_float)(FreeFloat* oscillator, int count, float* out);
    /// One group of drive_lanes oscillators over `samples` samples: s += input, out[sample][lane] += Im s,
    /// then s ← r·s.
    /// All arrays are [drive_lanes], and [samples][drive_lanes] for input and out.
    void (*driven)(double* re, double* im, const double* r_re, const double* r_im, const double* input_re,
                   const double* input_im, int samples, double* out);
    /// input[first … last)[lane] += gain[lane]·shape[sample].
    void (*push)(double* input_re, double* input_im, const double* gain_re, const double* gain_im, const double* shape,
                 int first, int last);
    /// The recurrence alone, in registers, `rounds` times 64 samples of 4 oscillators (double; 128 of 4 in float):
    /// what the machine could do at best. The result keeps the compiler from leaving it out.
    double (*bound_double)(long rounds);
    float (*bound_float)(long rounds);
};

const OscillatorKernels& oscillator_kernels(KernelLevel level);

}  // namespace pliant
