#pragma once
// The rotation nearest to a deformation gradient by Newton's method, in lanes. For *_kernels.cpp.

#include "pliant/geometry/lane_matrix.hpp"
#include "pliant/solve/lanes.hpp"

namespace pliant {
namespace {

// Where |q| is 1.
template <class V>
inline Matrix<V> rotation_matrix(const V* q) {
    const V w = q[0], x = q[1], y = q[2], z = q[3], one = filled<V>(1);
    const V x2 = x + x, y2 = y + y, z2 = z + z;
    const V xx = x * x2, yy = y * y2, zz = z * z2, xy = x * y2, yz = y * z2, zx = z * x2, wx = w * x2, wy = w * y2,
            wz = w * z2;
    return {{one - (yy + zz), xy - wz, zx + wy, xy + wz, one - (xx + zz), yz - wx, zx - wy, yz + wx, one - (xx + yy)}};
}

// |q|² − 1, and what makes a quaternion of that excess one of unit length: three terms of (1 + δ)^(−1/2).
template <class V>
inline V excess(const V* q) {
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - filled<V>(1);
}
template <class V>
inline V to_unit(V excess) {
    return filled<V>(1) + excess * (excess * filled<V>(0.375) - filled<V>(0.5));
}

template <class V>
struct Turn {
    V x, y, z;  // ω, rad
    V square;
    Mask<V> sound;
};

// How far H may be from singular, against the cube of its trace, before an element goes to the robust search. H has the
// sums of pairs of signed singular values as eigenvalues: it is singular where the nearest rotation is not unique.
constexpr double least_determinant = 1e-6;

// One Newton step for max tr(RᵀF) over rotations: with A = RᵀF = exp([ω])S, the axial vector of A − Aᵀ is Hω to second
// order, where H = tr A I − (A + Aᵀ)/2. So the error after a step is of third order in it: about ω³/4 while strains are
// moderate, growing with the inverse of H's least eigenvalue. `sound` lanes have a positive definite Hessian, which at
// a stationary point means the one and only maximum. In others ω is zero.
template <class V>
inline Turn<V> newton_turn(const Matrix<V>& R, const Matrix<V>& F) {
    const Matrix<V> A = transposed_times(R, F);
    const V gx = A(2, 1) - A(1, 2), gy = A(0, 2) - A(2, 0), gz = A(1, 0) - A(0, 1), minus_half = filled<V>(-0.5);
    const V a = A(1, 1) + A(2, 2), b = A(0, 0) + A(2, 2), c = A(0, 0) + A(1, 1);
    const V d = (A(0, 1) + A(1, 0)) * minus_half, e = (A(1, 2) + A(2, 1)) * minus_half,
            f = (A(0, 2) + A(2, 0)) * minus_half;
    // H = [a d f; d b e; f e c]: adjugate and determinant.
    const V bc = b * c - e * e, ac = a * c - f * f, ab = a * b - d * d;
    const V de = f * e - d * c, df = d * e - f * b, ef = d * f - e * a;
    const V det = a * bc + d * de + f * df, trace = a + b + c;
    const Mask<V> sound =
        (a > filled<V>(0)) & (ab > filled<V>(0)) & (det > filled<V>(least_determinant) * trace * trace * trace);
    // Chosen rather than multiplied by zero: lanes that are not sound may hold anything.
    const V inverse = filled<V>(1) / choose(sound, det, filled<V>(1));
    const V ox = (bc * gx + de * gy + df * gz) * inverse, oy = (de * gx + ac * gy + ef * gz) * inverse,
            oz = (df * gx + ef * gy + ab * gz) * inverse;
    const V x = choose(sound, ox, filled<V>(0)), y = choose(sound, oy, filled<V>(0)),
            z = choose(sound, oz, filled<V>(0));
    return {x, y, z, x * x + y * y + z * z, sound};
}

// q ← scale · q (1, ω/2)
template <class V>
inline void turn(V* q, V ox, V oy, V oz, V scale) {
    const V half = filled<V>(0.5);
    ox = ox * half, oy = oy * half, oz = oz * half;
    const V w = q[0], x = q[1], y = q[2], z = q[3];
    q[0] = (w - x * ox - (y * oy + z * oz)) * scale;
    q[1] = (x + w * ox + (y * oz - z * oy)) * scale;
    q[2] = (y + w * oy + (z * ox - x * oz)) * scale;
    q[3] = (z + w * oz + (x * oy - y * ox)) * scale;
}

// What makes the result a unit quaternion, for |ω|² = square and q of the given excess: lengths of quaternions
// multiply. What long turns leave, the next one mends.
template <class V>
inline V turn_scale(V square, V excess) {
    const V quarter = filled<V>(0.25) * square;
    return to_unit<V>(excess + quarter + excess * quarter);
}

}  // namespace
}  // namespace pliant
