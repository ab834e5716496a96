#pragma once
// Vector types for kernel files (GCC vector extensions). Included by *_kernels.cpp alone: everything sits in an unnamed
// namespace because each of those files is compiled once per vector unit.

#include <immintrin.h>

namespace pliant {
namespace {

#if defined(__AVX512F__)
constexpr int width = 8;  // doubles in a register
#elif defined(__AVX2__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif

typedef double D __attribute__((vector_size(8 * width)));
typedef long long DMask __attribute__((vector_size(8 * width)));
typedef double D4 __attribute__((vector_size(32)));
typedef float F4 __attribute__((vector_size(16)));
typedef float F8 __attribute__((vector_size(32)));
typedef int I4 __attribute__((vector_size(16)));
typedef int I8 __attribute__((vector_size(32)));

// The same in memory: arrays of plain numbers, aligned or not.
typedef D DMemory __attribute__((may_alias));
typedef D4 D4Memory __attribute__((may_alias));
typedef F4 F4Memory __attribute__((may_alias));
typedef F8 F8Memory __attribute__((may_alias));
typedef I8 I8Memory __attribute__((may_alias));
typedef D4 D4Loose __attribute__((may_alias, aligned(8)));

inline D load(const double* p) { return *reinterpret_cast<const DMemory*>(p); }
inline void store(double* p, D v) { *reinterpret_cast<DMemory*>(p) = v; }
inline D4 load4(const double* p) { return *reinterpret_cast<const D4Memory*>(p); }
inline void store4(double* p, D4 v) { *reinterpret_cast<D4Memory*>(p) = v; }
inline F4 load4(const float* p) { return *reinterpret_cast<const F4Memory*>(p); }
inline void store4(float* p, F4 v) { *reinterpret_cast<F4Memory*>(p) = v; }
inline F8 load8(const float* p) { return *reinterpret_cast<const F8Memory*>(p); }
inline void store8(float* p, F8 v) { *reinterpret_cast<F8Memory*>(p) = v; }
inline I8 load8(const int* p) { return *reinterpret_cast<const I8Memory*>(p); }
inline void store8(int* p, I8 v) { *reinterpret_cast<I8Memory*>(p) = v; }
// Intrinsics, because GCC 12 splits __builtin_convertvector into halves; masked ones, because it warns of the others.
#if defined(__AVX512F__)
inline D load(const float* p) { return (D)_mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p)); }
inline void store(float* p, D v) { _mm256_storeu_ps(p, _mm512_maskz_cvtpd_ps(0xff, (__m512d)v)); }
#elif defined(__AVX2__)
inline D load(const float* p) { return (D)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
inline void store(float* p, D v) { _mm_storeu_ps(p, _mm256_cvtpd_ps((__m256d)v)); }
#else
inline D load(const float* p) { return D{p[0], p[1]}; }
inline void store(float* p, D v) { p[0] = float(v[0]), p[1] = float(v[1]); }
#endif
inline D all(double s) { return D{} + s; }
inline F8 all8(float s) { return F8{} + s; }

inline double sum(D v) {
    double s = 0;
    for (int i = 0; i < width; ++i) s += v[i];
    return s;
}

struct D3 {
    D x, y, z;
};
struct F83 {
    F8 x, y, z;
};
struct F84 {
    F8 x, y, z, w;
};

// Stores eight floats past the cache, for what is not read soon: memory is not fetched only to be overwritten, and the
// cache keeps what it holds. Other threads see it after a fence().
#if defined(__AVX2__)
inline void stream8(float* p, F8 v) { _mm256_stream_ps(p, (__m256)v); }
#else
inline void stream8(float* p, F8 v) {
    _mm_stream_ps(p, (__m128)__builtin_shufflevector(v, v, 0, 1, 2, 3));
    _mm_stream_ps(p + 4, (__m128)__builtin_shufflevector(v, v, 4, 5, 6, 7));
}
#endif
inline void fence() { _mm_sfence(); }

// Eight whole numbers as floats, and floats rounded to whole numbers; the larger of two, because GCC 12 does not see
// that a comparison with its choice is a maximum.
#if defined(__AVX2__)
inline F8 larger(F8 a, F8 b) { return (F8)_mm256_max_ps((__m256)a, (__m256)b); }
inline I8 larger(I8 a, I8 b) { return (I8)_mm256_max_epi32((__m256i)a, (__m256i)b); }
inline F8 floats(I8 v) { return (F8)_mm256_cvtepi32_ps((__m256i)v); }
inline I8 whole(F8 v) { return (I8)_mm256_cvtps_epi32((__m256)v); }
#else
inline F8 larger(F8 a, F8 b) { return a > b ? a : b; }
inline I8 larger(I8 a, I8 b) { return a > b ? a : b; }
inline F8 floats(I8 v) { return __builtin_convertvector(v, F8); }
inline I8 whole(F8 v) {
    const I4 low = (I4)_mm_cvtps_epi32((__m128)__builtin_shufflevector(v, v, 0, 1, 2, 3)),
             high = (I4)_mm_cvtps_epi32((__m128)__builtin_shufflevector(v, v, 4, 5, 6, 7));
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
#endif

// The i-th `width` lanes of eight floats, as doubles; and eight doubles times `scale` as floats.
#if defined(__AVX512F__)
inline D widen(F8 v, int) { return (D)_mm512_maskz_cvtps_pd(0xff, (__m256)v); }
inline F8 narrow(const double* p, double scale) { return (F8)_mm512_maskz_cvtpd_ps(0xff, (__m512d)(load(p) * scale)); }
#elif defined(__AVX2__)
inline D widen(F8 v, int i) {
    return (D)_mm256_cvtps_pd(i == 0 ? _mm256_castps256_ps128((__m256)v) : _mm256_extractf128_ps((__m256)v, 1));
}
inline F8 narrow(const double* p, double scale) {
    return (F8)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)(load(p + 4) * scale)),
                               _mm256_cvtpd_ps((__m256d)(load(p) * scale)));
}
#else
inline D widen(F8 v, int i) { return D{v[2 * i], v[2 * i + 1]}; }
inline F8 narrow(const double* p, double scale) {
    F8 v;
    for (int i = 0; i < 8; ++i) v[i] = float(p[i] * scale);
    return v;
}
#endif

// Rows of four doubles to lanes: x, y, z of `width` rows, which are given, or start at base + at[…].
#if defined(__AVX512F__)
inline D pair(D4 low, D4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
inline D pair(const double* a, const double* b) { return pair(load4(a), load4(b)); }
// Each of them holds two rows, 4 apart.
inline D3 to_lanes(D a, D b, D c, D d) {
    const D ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    const D cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
    const D ab1 = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    const D cd1 = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
    return {__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab1, cd1, 0, 1, 8, 9, 4, 5, 12, 13),
            __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15)};
}
inline D3 load_at(const double* base, const int* at) {
    const D a = pair(base + at[0], base + at[4]), b = pair(base + at[1], base + at[5]);
    const D c = pair(base + at[2], base + at[6]), d = pair(base + at[3], base + at[7]);
    return to_lanes(a, b, c, d);
}
inline void store_rows(double* out, const D3& v) {
    const D zero{};
    const D xy = __builtin_shufflevector(v.x, v.y, 0, 8, 2, 10, 4, 12, 6, 14);
    const D xy1 = __builtin_shufflevector(v.x, v.y, 1, 9, 3, 11, 5, 13, 7, 15);
    const D z0 = __builtin_shufflevector(v.z, zero, 0, 8, 2, 10, 4, 12, 6, 14);
    const D z1 = __builtin_shufflevector(v.z, zero, 1, 9, 3, 11, 5, 13, 7, 15);
    auto put = [&](int row, D4 r) { store4(out + 4 * row, r); };
    put(0, __builtin_shufflevector(xy, z0, 0, 1, 8, 9));
    put(1, __builtin_shufflevector(xy1, z1, 0, 1, 8, 9));
    put(2, __builtin_shufflevector(xy, z0, 2, 3, 10, 11));
    put(3, __builtin_shufflevector(xy1, z1, 2, 3, 10, 11));
    put(4, __builtin_shufflevector(xy, z0, 4, 5, 12, 13));
    put(5, __builtin_shufflevector(xy1, z1, 4, 5, 12, 13));
    put(6, __builtin_shufflevector(xy, z0, 6, 7, 14, 15));
    put(7, __builtin_shufflevector(xy1, z1, 6, 7, 14, 15));
}
#elif defined(__AVX2__)
inline D3 to_lanes(D a, D b, D c, D d) {
    const D ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const D ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return {__builtin_shufflevector(ab, cd, 0, 1, 4, 5), __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5),
            __builtin_shufflevector(ab, cd, 2, 3, 6, 7)};
}
inline D3 load_at(const double* base, const int* at) {
    const D a = load(base + at[0]), b = load(base + at[1]), c = load(base + at[2]), d = load(base + at[3]);
    return to_lanes(a, b, c, d);
}
inline void store_rows(double* out, const D3& v) {
    const D zero{};
    const D xy = __builtin_shufflevector(v.x, v.y, 0, 4, 2, 6), xy1 = __builtin_shufflevector(v.x, v.y, 1, 5, 3, 7);
    const D z0 = __builtin_shufflevector(v.z, zero, 0, 4, 2, 6), z1 = __builtin_shufflevector(v.z, zero, 1, 5, 3, 7);
    store(out, __builtin_shufflevector(xy, z0, 0, 1, 4, 5));
    store(out + 4, __builtin_shufflevector(xy1, z1, 0, 1, 4, 5));
    store(out + 8, __builtin_shufflevector(xy, z0, 2, 3, 6, 7));
    store(out + 12, __builtin_shufflevector(xy1, z1, 2, 3, 6, 7));
}
#else
inline D3 load_at(const double* base, const int* at) {
    const double *a = base + at[0], *b = base + at[1];
    return {D{a[0], b[0]}, D{a[1], b[1]}, D{a[2], b[2]}};
}
inline void store_rows(double* out, const D3& v) {
    for (int i = 0; i < 2; ++i) {
        out[4 * i] = v.x[i], out[4 * i + 1] = v.y[i], out[4 * i + 2] = v.z[i];
        out[4 * i + 3] = 0;
    }
}
#endif

constexpr int own_rows[8] = {0, 4, 8, 12, 16, 20, 24, 28};
inline D3 load_own_rows(const double* p) { return load_at(p, own_rows); }

// The same with floats, eight rows of four: rows i and i + 4 share a register.
inline F8 pair(const float* a, const float* b) {
#if defined(__AVX2__)
    // Any unit can blend; the one that inserts halves is busy with shuffles.
    const __m256 lo = _mm256_castps128_ps256(_mm_load_ps(a));
    return (F8)_mm256_blend_ps(lo, _mm256_broadcast_ps(reinterpret_cast<const __m128*>(b)), 0xf0);
#else
    const F4 lo = load4(a), hi = load4(b);
    return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}
// Four rows of four in the lower halves and four in the upper ones: rows become columns.
inline void transpose(F8& a, F8& b, F8& c, F8& d) {
    const F8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const F8 ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const F8 cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    a = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    b = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    c = __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13);
    d = __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15);
}
template <class At>
inline F84 load_fours(const float* base, const At* at) {
    F8 a = pair(base + at[0], base + at[4]), b = pair(base + at[1], base + at[5]);
    F8 c = pair(base + at[2], base + at[6]), d = pair(base + at[3], base + at[7]);
    transpose(a, b, c, d);
    return {a, b, c, d};
}
template <class At>
inline F83 load_at(const float* base, const At* at) {
    const F84 v = load_fours(base, at);
    return {v.x, v.y, v.z};
}
inline F83 load_own_rows(const float* p) { return load_at(p, own_rows); }
// rows = v + by·rows; with by = 0 they are not read.
inline void turn_rows(float* rows, float by, const F83& v) {
    F8 a = v.x, b = v.y, c = v.z, d{};
    transpose(a, b, c, d);
    auto put = [&](int row, F8 to) {
        float *low = rows + 4 * row, *high = rows + 4 * (row + 4);
        if (by != 0) to += by * pair(low, high);
        store4(low, __builtin_shufflevector(to, to, 0, 1, 2, 3));
        store4(high, __builtin_shufflevector(to, to, 4, 5, 6, 7));
    };
    put(0, a), put(1, b), put(2, c), put(3, d);
}

}  // namespace
}  // namespace pliant
