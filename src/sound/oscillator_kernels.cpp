// See oscillator_kernels.hpp. Compiled once per vector unit: no std templates, no Eigen.

#include "pliant/sound/oscillator_kernels.hpp"

namespace pliant {
namespace {

#if defined(__AVX512F__)
constexpr int bytes = 64;
#elif defined(__AVX2__)
constexpr int bytes = 32;
#else
constexpr int bytes = 16;
#endif

typedef double Doubles __attribute__((vector_size(bytes), may_alias));
typedef float Floats __attribute__((vector_size(bytes), may_alias));

template <class Real>
struct Register;
template <>
struct Register<double> {
    typedef Doubles type;
    typedef double loose __attribute__((vector_size(bytes), may_alias, aligned(8)));
};
template <>
struct Register<float> {
    typedef Floats type;
    typedef float loose __attribute__((vector_size(bytes), may_alias, aligned(4)));
};
template <class Real>
using Vector = typename Register<Real>::type;

template <class Real>
inline Vector<Real> load(const Real* p) {
    return *reinterpret_cast<const typename Register<Real>::loose*>(p);
}
template <class Real>
inline void store(Real* p, Vector<Real> v) {
    *reinterpret_cast<typename Register<Real>::loose*>(p) = v;
}
template <class Real>
inline Vector<Real> all(Real x) {
    return x - Vector<Real>{};
}

/// Two neighbouring chunks of one oscillator, the coefficients spread over the lanes.
template <class Real, int Parts>
struct Running {
    Vector<Real> even[Parts], odd[Parts], a, b;
};

template <class Real, int Chunk, int Parts>
inline void start(FreeOscillator<Real, Chunk>& o, Running<Real, Parts>& run) {
    const double next_re = o.re * o.chunk_re - o.im * o.chunk_im, next_im = o.re * o.chunk_im + o.im * o.chunk_re;
    constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
    const Vector<Real> re = all(Real(o.re)), im = all(Real(o.im));
    const Vector<Real> re2 = all(Real(next_re)), im2 = all(Real(next_im));
    for (int part = 0; part < Parts; ++part) {
        const Vector<Real> p = load(o.power_re + part * lanes), q = load(o.power_im + part * lanes);
        run.even[part] = re * q + im * p;
        run.odd[part] = re2 * q + im2 * p;
    }
    run.a = all(Real(o.a)), run.b = all(Real(o.b));
    const double re0 = o.re;
    o.re = re0 * o.block_re - o.im * o.block_im;
    o.im = re0 * o.block_im + o.im * o.block_re;
}

template <class Real, int Chunk>
inline void run_free(FreeOscillator<Real, Chunk>* oscillator, int count, Real* out) {
    constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
    constexpr int parts = Chunk / lanes;
    constexpr int together = parts <= 1 ? 4 : 2;  // enough independent chains to hide the latency of a multiplication
    for (int i = 0; i < count; i += together) {
        Running<Real, parts> run[together];
        for (int u = 0; u < together; ++u) start<Real, Chunk, parts>(oscillator[i + u], run[u]);
        for (int n = 0; n < sound_block; n += 2 * Chunk) {
            for (int part = 0; part < parts; ++part) {
                Real* even = out + n + part * lanes;
                Real* odd = even + Chunk;
                Vector<Real> sum = run[0].even[part];
                for (int u = 1; u < together; ++u) sum += run[u].even[part];
                store(even, load(even) + sum);
                for (int u = 0; u < together; ++u)
                    run[u].even[part] = run[u].a * run[u].odd[part] + run[u].b * run[u].even[part];
                sum = run[0].odd[part];
                for (int u = 1; u < together; ++u) sum += run[u].odd[part];
                store(odd, load(odd) + sum);
                for (int u = 0; u < together; ++u)
                    run[u].odd[part] = run[u].a * run[u].even[part] + run[u].b * run[u].odd[part];
            }
        }
    }
}

void free_double(FreeDouble* oscillator, int count, double* out) { run_free(oscillator, count, out); }
void free_float(FreeFloat* oscillator, int count, float* out) { run_free(oscillator, count, out); }

void driven(double* re, double* im, const double* r_re, const double* r_im, const double* input_re,
            const double* input_im, int samples, double* out) {
    constexpr int lanes = bytes / 8;
    for (int part = 0; part < drive_lanes; part += lanes) {
        Doubles x = load(re + part), y = load(im + part);
        const Doubles c = load(r_re + part), s = load(r_im + part);
        for (int n = 0; n < samples; ++n) {
            const int at = n * drive_lanes + part;
            x += load(input_re + at);
            y += load(input_im + at);
            store(out + at, load(out + at) + y);
            const Doubles turned = c * x - s * y;
            y = s * x + c * y;
            x = turned;
        }
        store(re + part, x), store(im + part, y);
    }
}

void push(double* input_re, double* input_im, const double* gain_re, const double* gain_im, const double* shape,
          int first, int last) {
    constexpr int lanes = bytes / 8;
    for (int part = 0; part < drive_lanes; part += lanes) {
        const Doubles g = load(gain_re + part), h = load(gain_im + part);
        for (int n = first; n < last; ++n) {
            const int at = n * drive_lanes + part;
            const Doubles f = all(shape[n]);
            store(input_re + at, load(input_re + at) + g * f);
            store(input_im + at, load(input_im + at) + h * f);
        }
    }
}

template <class Real, int Chunk>
Real bound(long rounds) {
    constexpr int lanes = bytes / static_cast<int>(sizeof(Real));
    constexpr int chains = 8;  // registers in flight: 8·lanes samples a round and step
    constexpr int steps = 4 * 8 * Chunk / (chains * lanes);
    Vector<Real> even[chains / 2], odd[chains / 2];
    for (int i = 0; i < chains / 2; ++i) even[i] = all(Real(0.25 + 0.1 * i)), odd[i] = all(Real(0.3 - 0.05 * i));
    const Vector<Real> a = all(Real(1.9)), b = all(Real(-0.999));
    Vector<Real> sum[chains / 2]{};
    for (long r = 0; r < rounds; ++r)
        for (int k = 0; k < steps; ++k)
            for (int i = 0; i < chains / 2; ++i) {
                sum[i] += even[i];
                even[i] = a * odd[i] + b * even[i];
                sum[i] += odd[i];
                odd[i] = a * even[i] + b * odd[i];
            }
    Real total = 0;
    for (int i = 0; i < chains / 2; ++i)
        for (int k = 0; k < lanes; ++k) total += sum[i][k];
    return total;
}

double bound_double(long rounds) { return bound<double, double_chunk>(rounds); }
float bound_float(long rounds) { return bound<float, float_chunk>(rounds); }

}  // namespace

namespace PLIANT_KERNEL {
extern const OscillatorKernels oscillator_table;
const OscillatorKernels oscillator_table{free_double, free_float, driven, push, bound_double, bound_float};
}  // namespace PLIANT_KERNEL

}  // namespace pliant
