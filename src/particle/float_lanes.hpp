#pragma once
// Eight lanes of floats for the loops of the particle models; for *_kernels.cpp alone, like solve/lanes.hpp.
// Differences of positions are taken in double and then rounded, so that a strain is good to 1e-7 wherever the body is.

#include "pliant/solve/lanes.hpp"

namespace pliant {
namespace {

struct F3 {
    F8 x, y, z;
};
inline F3 operator+(const F3& a, const F3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline F3 operator-(const F3& a, const F3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline F3 operator*(F8 s, const F3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline F8 dot(const F3& a, const F3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline F3 cross(const F3& a, const F3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Intrinsics where GCC 12 makes more than one instruction of the plain words: conversions are split into halves, and
// halves are joined only after both are in registers.
#if defined(__AVX2__)
inline F4 narrow(D4 v) { return (F4)_mm256_cvtpd_ps((__m256d)v); }
inline D4 wide(F4 v) { return (D4)_mm256_cvtps_pd((__m128)v); }
inline F8 estimate(F8 v) { return (F8)_mm256_rsqrt_ps((__m256)v); }
inline F8 join(F4 a, F4 b) { return (F8)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)a), (__m128)b, 1); }
#else
inline F4 narrow(D4 v) { return F4{float(v[0]), float(v[1]), float(v[2]), float(v[3])}; }
inline D4 wide(F4 v) { return D4{v[0], v[1], v[2], v[3]}; }
inline F8 join(F4 a, F4 b) { return F8{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]}; }
inline F8 estimate(F8 v) {
    return join((F4)_mm_rsqrt_ps((__m128)__builtin_shufflevector(v, v, 0, 1, 2, 3)),
                (F4)_mm_rsqrt_ps((__m128)__builtin_shufflevector(v, v, 4, 5, 6, 7)));
}
#endif

// 1/√v for v about 1, to 3e-7. Numbers below 1e-30 are taken for it.
inline F8 rsqrt(F8 v) {
    v = larger(v, all8(1e-30f));
    const F8 y = estimate(v);
    return y * (1.5f - 0.5f * v * y * y);
}

inline double total(F8 v) {
    double sum = 0;
    for (int i = 0; i < 8; ++i) sum += static_cast<double>(v[i]);
    return sum;
}

// Eight rows of four to lanes, and back. Rows come in pairs: 0 and 4, 1 and 5, 2 and 6, 3 and 7.
inline F3 to_lanes(F8 a, F8 b, F8 c, F8 d) {
    transpose(a, b, c, d);
    return {a, b, c};
}

// Rows stay in the pairs they come in: element_row() of force_kernels.hpp says where each of them is.
template <bool opposite>
inline void store_rows(float* out, const F3& f) {
    F8 r04 = f.x, r15 = f.y, r26 = f.z, r37{};
    transpose(r04, r15, r26, r37);
    store8(out, r04), store8(out + 8, r15), store8(out + 16, r26), store8(out + 24, r37);
    if constexpr (opposite)
        store8(out + 32, -r04), store8(out + 40, -r15), store8(out + 48, -r26), store8(out + 56, -r37);
}

// x(to) − x(from).
inline F3 differences(const double* x, const int* from, const int* to) {
    auto row = [&](int i) { return narrow(load4(x + to[i]) - load4(x + from[i])); };
    return to_lanes(join(row(0), row(4)), join(row(1), row(5)), join(row(2), row(6)), join(row(3), row(7)));
}

}  // namespace
}  // namespace pliant
