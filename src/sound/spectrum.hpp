#pragma once
// What is in a sound: spectra, and the pitch of single partials.

#include <complex>
#include <span>
#include <vector>

namespace pliant {

/// Fast Fourier transform in place; the size must be a power of two. Forward, without a factor.
void fft(std::vector<std::complex<double>>& x);

/// Power per frequency bin of a windowed signal (Hann), bins 0 … size/2 of width rate/size.
struct Spectrum {
    double bin = 0;             ///< Hz
    std::vector<double> power;  ///< (units of the signal)²; a sine of amplitude A in the middle of a bin has A²/4
};
/// Zero-padded to the next power of two, and `padding` times further.
Spectrum spectrum(std::span<const double> signal, double rate, int padding = 1);

/// The frequency (Hz) of the strongest partial between `low` and `high`: the highest bin, refined by the peak of the
/// continuous transform of the windowed signal. 0 when nothing is there. A partial that decays at the rate d is found
/// within about 0.01·d; others near it pull.
double strongest_partial(std::span<const double> signal, double rate, double low, double high);

}  // namespace pliant
