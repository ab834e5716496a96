#pragma once
// The rotation in a 3×3 matrix. Everything here is defined for every finite matrix: flat, mirrored or zero.

#include "pliant/core/types.hpp"

namespace pliant {

/// The rotation R that maximises tr(RᵀF): the polar factor where det F > 0, and the nearest proper rotation where
/// it is not. Where several are equally near (F of rank one, a point reflection, zero) it is the one nearest to
/// `guess`, so a collapsed element keeps the rotation it had.
Quat closest_rotation(const Mat3& F, const Quat& guess = Quat::Identity());

/// The same, faster when `guess` is near: Newton's method, with closest_rotation() where that is not safe.
Quat tracked_rotation(const Mat3& F, const Quat& guess);

/// F = U diag(s) Vᵀ with proper rotations U and V and s0 ≥ s1 ≥ |s2|; s2 carries the sign of det F.
struct SignedSvd {
    Mat3 U, V;
    Vec3 s;
};
SignedSvd signed_svd(const Mat3& F);

}  // namespace pliant
