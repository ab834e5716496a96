#pragma once
// Two vectors that go through the same arithmetic: a chain of dependent operations on one leaves the units of a core
// idle half of the time, the other fills them. For *_kernels.cpp, like lanes.hpp.

#include "pliant/solve/lanes.hpp"

namespace pliant {
namespace {

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
inline Two<V> operator*(const Two<V>& s, const Two<V>& t) {
    return {s.a * t.a, s.b * t.b};
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
inline Two<V> operator/(const Two<V>& s, const Two<V>& t) {
    return {s.a / t.a, s.b / t.b};
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

}  // namespace
}  // namespace pliant
