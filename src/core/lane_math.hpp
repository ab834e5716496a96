#pragma once
// Arithmetic that is written once for a number or for a vector of numbers: V is double, float, a vector of GCC's, or
// Two of these. Everything sits in an unnamed namespace, because files that include this are compiled once per vector
// unit: no function compiled for a wide unit can then be picked by the linker for a narrow one.

#include <immintrin.h>

namespace pliant {
namespace {

/// Two vectors that go through the same arithmetic: a chain of dependent operations on one leaves the units of a core
/// idle half of the time, the other fills them.
template <class V>
struct Two {
    V a, b;
};

template <class V>
inline Two<V> operator+(const Two<V>& s, const Two<V>& t) {
    return {s.a + t.a, s.b + t.b};
}
template <class V>
inline Two<V> operator-(const Two<V>& s, const Two<V>& t) {
    return {s.a - t.a, s.b - t.b};
}
template <class V>
inline Two<V> operator-(const Two<V>& s) {
    return {-s.a, -s.b};
}
template <class V>
inline Two<V> operator*(const Two<V>& s, const Two<V>& t) {
    return {s.a * t.a, s.b * t.b};
}
template <class V>
inline Two<V> operator/(const Two<V>& s, const Two<V>& t) {
    return {s.a / t.a, s.b / t.b};
}
template <class V>
inline Two<V> operator&(const Two<V>& s, const Two<V>& t) {
    return {s.a & t.a, s.b & t.b};
}
template <class V>
inline auto operator>(const Two<V>& s, const Two<V>& t) {
    return Two<decltype(s.a > t.a)>{s.a > t.a, s.b > t.b};
}

template <class V>
using Mask = decltype(V{} > V{});

/// The same number in all lanes.
template <class V>
struct Filled {
    static V with(double s) {
        V v{};
        return v + static_cast<decltype(v[0] + v[0])>(s);
    }
};
template <class V>
struct Filled<Two<V>> {
    static Two<V> with(double s) { return {Filled<V>::with(s), Filled<V>::with(s)}; }
};
template <>
struct Filled<double> {
    static double with(double s) { return s; }
};
template <>
struct Filled<float> {
    static float with(double s) { return static_cast<float>(s); }
};
template <class V>
inline V filled(double s) {
    return Filled<V>::with(s);
}

/// Lane by lane: `yes` where the mask is set, else `no`.
template <class M, class V>
inline V choose(const M& mask, const V& yes, const V& no) {
    return mask ? yes : no;
}
template <class M, class V>
inline Two<V> choose(const Two<M>& mask, const Two<V>& yes, const Two<V>& no) {
    return {choose(mask.a, yes.a, no.a), choose(mask.b, yes.b, no.b)};
}

/// True where the mask is set in some lane.
inline bool any_lane(bool mask) { return mask; }
template <class M>
inline bool any_lane(const M& mask) {
#if defined(__AVX512F__)
    if constexpr (sizeof(M) == 64) return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask) != 0;
#endif
#if defined(__AVX2__)
    if constexpr (sizeof(M) == 32) return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
#endif
    bool some = false;
    for (unsigned i = 0; i < sizeof(M) / sizeof(mask[0]); ++i) some |= mask[i] != 0;
    return some;
}
template <class M>
inline bool any_lane(const Two<M>& mask) {
    return any_lane(mask.a) | any_lane(mask.b);
}

/// Square root. Intrinsics, because the compiler keeps a library call for negative numbers otherwise.
inline double square_root(double v) { return __builtin_sqrt(v); }
inline float square_root(float v) { return __builtin_sqrtf(v); }
template <class V>
inline V square_root(const V& v) {
    [[maybe_unused]] constexpr bool doubles = sizeof(v[0]) == 8;
#if defined(__AVX512F__)
    if constexpr (doubles && sizeof(V) == 64) return (V)_mm512_maskz_sqrt_pd(0xff, (__m512d)v);
#endif
#if defined(__AVX__)
    if constexpr (doubles && sizeof(V) == 32) return (V)_mm256_sqrt_pd((__m256d)v);
    if constexpr (!doubles && sizeof(V) == 32) return (V)_mm256_sqrt_ps((__m256)v);
#endif
    V out = v;
    for (unsigned i = 0; i < sizeof(V) / sizeof(v[0]); ++i) out[i] = square_root(v[i]);
    return out;
}
template <class V>
inline Two<V> square_root(const Two<V>& v) {
    return {square_root(v.a), square_root(v.b)};
}

/// Natural logarithm, lane by lane.
inline double logarithm(double v) { return __builtin_log(v); }
inline float logarithm(float v) { return __builtin_logf(v); }
template <class V>
inline V logarithm(const V& v) {
    V out = v;
    for (unsigned i = 0; i < sizeof(V) / sizeof(v[0]); ++i) out[i] = logarithm(v[i]);
    return out;
}
template <class V>
inline Two<V> logarithm(const Two<V>& v) {
    return {logarithm(v.a), logarithm(v.b)};
}

template <class V>
inline V magnitude(const V& v) {
    return choose(v > filled<V>(0), v, filled<V>(0) - v);
}
template <class V>
inline V larger_of(const V& a, const V& b) {
    return choose(a > b, a, b);
}

/// Of the numbers in the lanes: the smallest relative step, and a number whose inverse is still finite.
template <bool Double>
struct LaneNumberOf {
    static constexpr double epsilon = Double ? 0x1p-52 : 0x1p-23, smallest = Double ? 0x1p-1020 : 0x1p-124;
};
template <class V>
struct LaneNumber : LaneNumberOf<sizeof(V{}[0]) == 8>{};
template <>
struct LaneNumber<double> : LaneNumberOf<true> {};
template <>
struct LaneNumber<float> : LaneNumberOf<false> {};
template <class V>
struct LaneNumber<Two<V>> : LaneNumber<V> {};

}  // namespace
}  // namespace pliant
