#pragma once
// 3×3 matrices over a number or over lanes of numbers (core/lane_math.hpp): products, cofactors, the singular value
// decomposition with proper rotations, and symmetric matrices made positive.

#include "pliant/core/lane_math.hpp"

namespace pliant {
namespace {

template <class V>
struct Matrix {
    V m[9];  // row by row
    V& operator()(int i, int j) { return m[3 * i + j]; }
    const V& operator()(int i, int j) const { return m[3 * i + j]; }
};

// AᵀB
template <class V>
inline Matrix<V> transposed_times(const Matrix<V>& A, const Matrix<V>& B) {
    Matrix<V> C;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) C(i, j) = A(0, i) * B(0, j) + A(1, i) * B(1, j) + A(2, i) * B(2, j);
    return C;
}

// A B
template <class V>
inline Matrix<V> times(const Matrix<V>& A, const Matrix<V>& B) {
    Matrix<V> C;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) C(i, j) = A(i, 0) * B(0, j) + A(i, 1) * B(1, j) + A(i, 2) * B(2, j);
    return C;
}

// A Bᵀ
template <class V>
inline Matrix<V> times_transposed(const Matrix<V>& A, const Matrix<V>& B) {
    Matrix<V> C;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) C(i, j) = A(i, 0) * B(j, 0) + A(i, 1) * B(j, 1) + A(i, 2) * B(j, 2);
    return C;
}

// U diag(s) Vᵀ
template <class V>
inline Matrix<V> recomposed(const Matrix<V>& U, const V s[3], const Matrix<V>& W) {
    Matrix<V> C;
    for (int i = 0; i < 3; ++i) {
        const V a = U(i, 0) * s[0], b = U(i, 1) * s[1], c = U(i, 2) * s[2];
        for (int j = 0; j < 3; ++j) C(i, j) = a * W(j, 0) + b * W(j, 1) + c * W(j, 2);
    }
    return C;
}

template <class V>
inline V inner(const Matrix<V>& A, const Matrix<V>& B) {
    V sum = A.m[0] * B.m[0];
    for (int k = 1; k < 9; ++k) sum = sum + A.m[k] * B.m[k];
    return sum;
}

// The derivative of the determinant.
template <class V>
inline Matrix<V> cofactor(const Matrix<V>& F) {
    Matrix<V> C;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
            C(i, j) = F(k, m) * F(l, n) - F(k, n) * F(l, m);
        }
    return C;
}

template <class V>
inline V determinant(const Matrix<V>& F) {
    return F(0, 0) * (F(1, 1) * F(2, 2) - F(1, 2) * F(2, 1)) + F(0, 1) * (F(1, 2) * F(2, 0) - F(1, 0) * F(2, 2)) +
           F(0, 2) * (F(1, 0) * F(2, 1) - F(1, 1) * F(2, 0));
}

// Cosine and sine of the Jacobi rotation that makes [a c; c b] diagonal; the identity where `set` is not.
template <class V>
struct Givens {
    V cosine, sine;
};
template <class V>
inline Givens<V> jacobi_rotation(const V& a, const V& b, const V& c, const Mask<V>& set) {
    const V one = filled<V>(1), gap = b - a, twice = c + c;
    // t = sign(gap·c)·|2c| / (|gap| + √(gap² + 4c²)): the smaller of the two rotations that do, without a division by
    // c.
    const V divisor = magnitude(gap) + square_root(gap * gap + twice * twice);
    const V t =
        choose(set, choose(filled<V>(0) > gap, filled<V>(0) - twice, twice) / choose(set, divisor, one), filled<V>(0));
    const V cosine = one / square_root(t * t + one);
    return {cosine, t * cosine};
}

/// F = U diag(s) Vᵀ with proper rotations U and V. s comes in no order, and none or one of its three is negative, the
/// one of least magnitude, where det F is.
template <class V>
struct LaneSvd {
    Matrix<V> U, W;
    V s[3];
};

// One-sided Jacobi (Hestenes): columns of B = F W are turned until they are at right angles; small values stay
// accurate. Lanes that have converged stay as they are, so that no lane depends on the others.
template <class V>
inline LaneSvd<V> lane_svd(const Matrix<V>& F) {
    constexpr double epsilon = LaneNumber<V>::epsilon;
    const V zero = filled<V>(0), one = filled<V>(1);
    V size = zero;
    for (int k = 0; k < 9; ++k) size = larger_of(size, magnitude(F.m[k]));
    const V down = one / choose(size > filled<V>(LaneNumber<V>::smallest), size, one);
    LaneSvd<V> out;
    Matrix<V> B;
    Matrix<V>& W = out.W;
    for (int k = 0; k < 9; ++k) B.m[k] = F.m[k] * down, W.m[k] = k % 4 == 0 ? one : zero;
    for (int sweep = 0; sweep < 8; ++sweep) {
        Mask<V> turned{};
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                const V a = B(0, p) * B(0, p) + B(1, p) * B(1, p) + B(2, p) * B(2, p);
                const V b = B(0, q) * B(0, q) + B(1, q) * B(1, q) + B(2, q) * B(2, q);
                const V c = B(0, p) * B(0, q) + B(1, p) * B(1, q) + B(2, p) * B(2, q);
                // What is below the rounding of the largest column is no direction any more.
                const Mask<V> open = c * c > filled<V>(16 * epsilon * epsilon) * a * b;
                const Mask<V> set = open & (magnitude(c) > filled<V>(epsilon * epsilon));
                const Givens<V> by = jacobi_rotation<V>(a, b, c, set);
                for (int i = 0; i < 3; ++i) {
                    const V bp = B(i, p), bq = B(i, q), wp = W(i, p), wq = W(i, q);
                    B(i, p) = by.cosine * bp - by.sine * bq, B(i, q) = by.sine * bp + by.cosine * bq;
                    W(i, p) = by.cosine * wp - by.sine * wq, W(i, q) = by.sine * wp + by.cosine * wq;
                }
                turned = p + q == 1 ? set : choose(set, set, turned);
            }
        if (!any_lane(turned)) break;
    }
    // The shortest column goes last; a sign makes the exchange a rotation.
    V square[3];
    for (int j = 0; j < 3; ++j) square[j] = B(0, j) * B(0, j) + B(1, j) * B(1, j) + B(2, j) * B(2, j);
    const auto exchange = [&](int p, int q) {
        const Mask<V> wrong = square[q] > square[p];
        const V larger = choose(wrong, square[q], square[p]), smaller = choose(wrong, square[p], square[q]);
        square[p] = larger, square[q] = smaller;
        for (int i = 0; i < 3; ++i) {
            const V bp = B(i, p), bq = B(i, q), wp = W(i, p), wq = W(i, q);
            B(i, p) = choose(wrong, bq, bp), B(i, q) = choose(wrong, zero - bp, bq);
            W(i, p) = choose(wrong, wq, wp), W(i, q) = choose(wrong, zero - wp, wq);
        }
    };
    exchange(1, 2), exchange(0, 1), exchange(1, 2);
    // U from the two long columns; directions that columns are too short to have are made up.
    const Mask<V> long0 = square[0] > zero;
    const V by0 = one / square_root(choose(long0, square[0], one));
    V u0[3], u1[3];
    for (int i = 0; i < 3; ++i) u0[i] = choose(long0, B(i, 0) * by0, i == 0 ? one : zero);
    const V along = u0[0] * B(0, 1) + u0[1] * B(1, 1) + u0[2] * B(2, 1);
    for (int i = 0; i < 3; ++i) u1[i] = B(i, 1) - along * u0[i];
    V length = u1[0] * u1[0] + u1[1] * u1[1] + u1[2] * u1[2];
    const Mask<V> long1 = length > filled<V>(16 * epsilon * epsilon) * square[0];
    // A vector at right angles to u0, from the axis that is farthest from it.
    const Mask<V> not_x = filled<V>(0.5) > u0[0] * u0[0];
    const V other[3] = {choose(not_x, zero, zero - u0[2]), choose(not_x, zero - u0[2], zero),
                        choose(not_x, u0[1], u0[0])};
    for (int i = 0; i < 3; ++i) u1[i] = choose(long1, u1[i], other[i]);
    length = u1[0] * u1[0] + u1[1] * u1[1] + u1[2] * u1[2];
    const V by1 = one / square_root(choose(length > zero, length, one));
    for (int i = 0; i < 3; ++i) u1[i] = u1[i] * by1;
    const V u2[3] = {u0[1] * u1[2] - u0[2] * u1[1], u0[2] * u1[0] - u0[0] * u1[2], u0[0] * u1[1] - u0[1] * u1[0]};
    for (int i = 0; i < 3; ++i) out.U(i, 0) = u0[i], out.U(i, 1) = u1[i], out.U(i, 2) = u2[i];
    out.s[0] = square_root(square[0]) * size, out.s[1] = choose(long1, one / by1, zero) * size;
    out.s[2] = (u2[0] * B(0, 2) + u2[1] * B(1, 2) + u2[2] * B(2, 2)) * size;
    return out;
}

/// A symmetric 3×3 matrix as xx yy zz xy yz zx.
template <class V>
struct Symmetric3 {
    V e[6];
};

// The nearest symmetric positive semidefinite matrix: negative eigenvalues become zero (cyclic Jacobi). Lanes that are
// positive already stay as they are.
template <class V>
inline Symmetric3<V> positive_part(const Symmetric3<V>& A) {
    constexpr double epsilon = LaneNumber<V>::epsilon;
    const V zero = filled<V>(0);
    const V *d = A.e, bc = d[1] * d[2] - d[4] * d[4], ab = d[0] * d[1] - d[3] * d[3];
    const V det = d[0] * bc - d[3] * (d[3] * d[2] - d[4] * d[5]) + d[5] * (d[3] * d[4] - d[1] * d[5]);
    const Mask<V> positive = (d[0] > zero) & (ab > zero) & (det > zero);
    if (!any_lane(choose(positive, zero, filled<V>(1)) > zero)) return A;
    V size = zero;
    for (int k = 0; k < 6; ++k) size = larger_of(size, magnitude(d[k]));
    const Mask<V> there = size > filled<V>(LaneNumber<V>::smallest);
    const V down = filled<V>(1) / choose(there, size, filled<V>(1));
    Matrix<V> S{{d[0], d[3], d[5], d[3], d[1], d[4], d[5], d[4], d[2]}}, E;
    for (int k = 0; k < 9; ++k) S.m[k] = choose(there, S.m[k] * down, zero), E.m[k] = filled<V>(k % 4 == 0);
    for (int sweep = 0; sweep < 8; ++sweep) {
        Mask<V> turned{};
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                const int r = 3 - p - q;
                const V a = S(p, p), b = S(q, q), c = S(p, q);
                const Mask<V> set = magnitude(c) > filled<V>(0.25 * epsilon) * (magnitude(a) + magnitude(b));
                const Givens<V> by = jacobi_rotation<V>(a, b, c, set);
                const V tangent = by.sine / by.cosine, shift = tangent * c;
                S(p, p) = a - shift, S(q, q) = b + shift;
                S(p, q) = S(q, p) = choose(set, zero, c);
                const V rp = S(r, p), rq = S(r, q);
                S(r, p) = S(p, r) = by.cosine * rp - by.sine * rq;
                S(r, q) = S(q, r) = by.sine * rp + by.cosine * rq;
                for (int i = 0; i < 3; ++i) {
                    const V ep = E(i, p), eq = E(i, q);
                    E(i, p) = by.cosine * ep - by.sine * eq, E(i, q) = by.sine * ep + by.cosine * eq;
                }
                turned = p + q == 1 ? set : choose(set, set, turned);
            }
        if (!any_lane(turned)) break;
    }
    V s[3];
    for (int i = 0; i < 3; ++i) s[i] = larger_of(S(i, i), zero) * size;
    const Matrix<V> P = recomposed(E, s, E);
    const V part[6] = {P(0, 0), P(1, 1), P(2, 2), P(0, 1), P(1, 2), P(2, 0)};
    Symmetric3<V> out;
    for (int k = 0; k < 6; ++k) out.e[k] = choose(positive, A.e[k], part[k]);
    return out;
}

}  // namespace
}  // namespace pliant
