#include "pliant/sound/oscillator_bank.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"

namespace pliant {

namespace v2 {
extern const OscillatorKernels oscillator_table;
}
namespace v3 {
extern const OscillatorKernels oscillator_table;
}
namespace v4 {
extern const OscillatorKernels oscillator_table;
}

const OscillatorKernels& oscillator_kernels(KernelLevel level) {
    CHECK(kernel_level_available(level), static_cast<int>(level));
    switch (level) {
        case KernelLevel::v2: return v2::oscillator_table;
        case KernelLevel::v3: return v3::oscillator_table;
        case KernelLevel::v4: return v4::oscillator_table;
    }
    return v2::oscillator_table;
}

namespace {

/// r^n for r = exp((−decay + i·frequency)/rate), exact to rounding however large n is.
std::complex<double> power(const Oscillator& o, double rate, int n) {
    return std::polar(std::exp(-o.decay * n / rate), o.frequency * n / rate);
}

template <class Real, int Chunk>
void fill(FreeOscillator<Real, Chunk>& free, const Oscillator& o, double rate) {
    const std::complex<double> chunk = power(o, rate, Chunk), block = power(o, rate, sound_block);
    free.re = free.im = 0;
    free.chunk_re = chunk.real(), free.chunk_im = chunk.imag();
    free.block_re = block.real(), free.block_im = block.imag();
    free.a = 2 * chunk.real();
    free.b = -std::norm(chunk);
    for (int j = 0; j < Chunk; ++j) {
        const std::complex<double> p = power(o, rate, j);
        free.power_re[j] = static_cast<Real>(p.real()), free.power_im[j] = static_cast<Real>(p.imag());
    }
}

}  // namespace

OscillatorBank::OscillatorBank(std::span<const Oscillator> oscillators, double rate, Precision precision,
                               KernelLevel level)
    : size_(static_cast<int>(oscillators.size())),
      padded_((size_ + drive_lanes - 1) / drive_lanes * drive_lanes),
      rate_(rate),
      precision_(precision),
      kernels_(oscillator_kernels(level)) {
    const std::size_t n = static_cast<std::size_t>(padded_);
    (precision == Precision::twofold ? doubles_.resize(n) : floats_.resize(n));
    r_re_.assign(n, 0), r_im_.assign(n, 0);
    for (int i = 0; i < padded_; ++i) {
        const Oscillator o = i < size_ ? oscillators[i] : Oscillator{};
        CHECK(std::isfinite(o.frequency) && o.decay >= 0, o.frequency, o.decay);
        const std::complex<double> r = power(o, rate, 1);
        r_re_[i] = r.real(), r_im_[i] = r.imag();
        precision == Precision::twofold ? fill(doubles_[i], o, rate) : fill(floats_[i], o, rate);
    }
    constexpr std::size_t plane = static_cast<std::size_t>(sound_block) * drive_lanes;
    input_re_.resize(plane), input_im_.resize(plane), lanes_.resize(plane);
    single_.resize(sound_block);
}

void OscillatorBank::push(std::int64_t start, std::span<const std::complex<double>> gain,
                          std::span<const double> shape) {
    CHECK(static_cast<int>(gain.size()) == size_, gain.size(), size_);
    CHECK(start >= position_, start, position_);
    Push& push = pushes_.emplace_back();
    push.start = start;
    push.gain_re.assign(static_cast<std::size_t>(padded_), 0), push.gain_im = push.gain_re;
    for (int i = 0; i < size_; ++i) push.gain_re[i] = gain[i].real(), push.gain_im[i] = gain[i].imag();
    push.shape.assign(shape.begin(), shape.end());
}

void OscillatorBank::set_phasor(int i, double re, double im) {
    if (precision_ == Precision::twofold)
        doubles_[i].re = re, doubles_[i].im = im;
    else
        floats_[i].re = re, floats_[i].im = im;
    if (i < size_) loudest_ = std::max(loudest_, re * re + im * im);
}

void OscillatorBank::render(double* out) {
    const std::int64_t end = position_ + sound_block;
    const bool driven = std::any_of(pushes_.begin(), pushes_.end(), [&](const Push& p) { return p.start < end; });
    if (driven) {
        render_driven(out);
        std::erase_if(pushes_,
                      [&](const Push& p) { return p.start + static_cast<std::int64_t>(p.shape.size()) <= end; });
    } else if (precision_ == Precision::twofold) {
        kernels_.free_double(doubles_.data(), padded_, out);
    } else {
        std::fill(single_.begin(), single_.end(), 0.0f);
        kernels_.free_float(floats_.data(), padded_, single_.data());
        for (int n = 0; n < sound_block; ++n) out[n] += single_[n];
    }
    position_ = end;
}

void OscillatorBank::render_driven(double* out) {
    std::fill(lanes_.begin(), lanes_.end(), 0.0);
    std::vector<double> shape(sound_block);
    for (int group = 0; group < padded_; group += drive_lanes) {
        std::fill(input_re_.begin(), input_re_.end(), 0.0);
        std::fill(input_im_.begin(), input_im_.end(), 0.0);
        for (const Push& p : pushes_) {
            const auto length = static_cast<std::int64_t>(p.shape.size());
            const std::int64_t first = std::max<std::int64_t>(0, p.start - position_);
            const std::int64_t last = std::min<std::int64_t>(sound_block, p.start + length - position_);
            if (first >= last) continue;
            for (std::int64_t n = first; n < last; ++n) shape[n] = p.shape[n + position_ - p.start];
            kernels_.push(input_re_.data(), input_im_.data(), p.gain_re.data() + group, p.gain_im.data() + group,
                          shape.data(), static_cast<int>(first), static_cast<int>(last));
        }
        double re[drive_lanes], im[drive_lanes];
        for (int k = 0; k < drive_lanes; ++k) {
            re[k] = precision_ == Precision::twofold ? doubles_[group + k].re : floats_[group + k].re;
            im[k] = precision_ == Precision::twofold ? doubles_[group + k].im : floats_[group + k].im;
        }
        kernels_.driven(re, im, r_re_.data() + group, r_im_.data() + group, input_re_.data(), input_im_.data(),
                        sound_block, lanes_.data());
        for (int k = 0; k < drive_lanes; ++k) set_phasor(group + k, re[k], im[k]);
    }
    for (int n = 0; n < sound_block; ++n)
        for (int k = 0; k < drive_lanes; ++k) out[n] += lanes_[static_cast<std::size_t>(n) * drive_lanes + k];
}

void OscillatorBank::skip() {
    CHECK(pushes_.empty(), pushes_.size());
    for (int i = 0; i < padded_; ++i) set_phasor(i, 0, 0);
    position_ += sound_block;
}

bool OscillatorBank::silent(double floor) const {
    if (!pushes_.empty()) return false;
    if (loudest_ == 0) return true;
    double left = 0;
    for (int i = 0; i < size_; ++i) {
        const double re = precision_ == Precision::twofold ? doubles_[i].re : floats_[i].re;
        const double im = precision_ == Precision::twofold ? doubles_[i].im : floats_[i].im;
        left = std::max(left, re * re + im * im);
    }
    return left <= floor * floor * loudest_;
}

}  // namespace pliant
