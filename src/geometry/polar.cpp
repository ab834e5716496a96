#include "pliant/geometry/polar.hpp"

#include <Eigen/LU>
#include <cmath>
#include <limits>

namespace pliant {

namespace {

using Mat4 = Eigen::Matrix4d;

// tr(R(q)ᵀF) = qᵀ N q for a unit quaternion q = (w, x, y, z) (Davenport's q-method).
Mat4 quaternion_form(const Mat3& F) {
    Mat4 N;
    N(0, 0) = F(0, 0) + F(1, 1) + F(2, 2);
    N(1, 1) = F(0, 0) - F(1, 1) - F(2, 2);
    N(2, 2) = -F(0, 0) + F(1, 1) - F(2, 2);
    N(3, 3) = -F(0, 0) - F(1, 1) + F(2, 2);
    N(0, 1) = N(1, 0) = F(2, 1) - F(1, 2);
    N(0, 2) = N(2, 0) = F(0, 2) - F(2, 0);
    N(0, 3) = N(3, 0) = F(1, 0) - F(0, 1);
    N(1, 2) = N(2, 1) = F(0, 1) + F(1, 0);
    N(1, 3) = N(3, 1) = F(2, 0) + F(0, 2);
    N(2, 3) = N(3, 2) = F(1, 2) + F(2, 1);
    return N;
}

// Cyclic Jacobi: for a symmetric matrix it converges whatever the spectrum. Eigenvectors in the columns of `E`.
void jacobi_eigen(Mat4& A, Mat4& E) {
    E.setIdentity();
    for (int sweep = 0; sweep < 12; ++sweep) {
        bool done = true;
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 4; ++q) {
                const double off = A(p, q), gap = A(q, q) - A(p, p);
                const double scale = std::abs(A(p, p)) + std::abs(A(q, q));
                if (std::abs(off) <= 1e-17 * scale) continue;
                if (off == 0) continue;
                done = false;
                const double theta = gap / (2 * off);
                const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 4; ++k) {
                    const double a = A(k, p), b = A(k, q);
                    A(k, p) = c * a - s * b, A(k, q) = s * a + c * b;
                }
                for (int k = 0; k < 4; ++k) {
                    const double a = A(p, k), b = A(q, k);
                    A(p, k) = c * a - s * b, A(q, k) = s * a + c * b;
                }
                for (int k = 0; k < 4; ++k) {
                    const double a = E(k, p), b = E(k, q);
                    E(k, p) = c * a - s * b, E(k, q) = s * a + c * b;
                }
            }
        if (done) return;
    }
}

}  // namespace

Quat closest_rotation(const Mat3& F, const Quat& guess) {
    const double size = F.cwiseAbs().maxCoeff();
    if (!(size > 0) || !std::isfinite(size)) return guess;
    Mat4 A = quaternion_form(F / size), E;
    jacobi_eigen(A, E);
    const double top = A.diagonal().maxCoeff();
    // Eigenvalues this near to the largest one are ties: their vectors span equally good rotations.
    const double tie = top - 1e-9 * std::abs(top);
    const Vec4 wish(guess.w(), guess.x(), guess.y(), guess.z());
    Vec4 q = Vec4::Zero(), best = Vec4::Zero();
    for (int k = 0; k < 4; ++k) {
        if (A(k, k) < tie) continue;
        if (A(k, k) == top) best = E.col(k);
        q += E.col(k) * E.col(k).dot(wish);
    }
    // A wish at right angles to the whole space decides nothing.
    if (!(q.squaredNorm() > 1e-6)) q = best;
    if (q.dot(wish) < 0) q = -q;
    q /= q.norm();
    return {q[0], q[1], q[2], q[3]};
}

Quat tracked_rotation(const Mat3& F, const Quat& guess) {
    Quat q = guess.normalized();
    for (int step = 0; step < 8; ++step) {
        // A = RᵀF = exp([ω])S; to first order the axial vector of A − Aᵀ is (tr S I − S)ω. A positive definite
        // tr S I − S at a stationary point marks the only maximum.
        const Mat3 A = q.toRotationMatrix().transpose() * F;
        const Mat3 S = 0.5 * (A + A.transpose());
        const Mat3 H = S.trace() * Mat3::Identity() - S;
        const double trace = H.trace(), determinant = H.determinant();
        const bool sound =
            H(0, 0) > 0 && H(0, 0) * H(1, 1) > H(0, 1) * H(0, 1) && determinant > 1e-6 * trace * trace * trace;
        if (!sound) break;
        Vec3 turn = H.inverse() * Vec3(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
        const double length = turn.norm();
        if (length > 1) turn /= length;
        q = (q * Quat(1, 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2])).normalized();
        if (length < 1e-6) return q;
    }
    return closest_rotation(F, guess);
}

SignedSvd signed_svd(const Mat3& F) {
    SignedSvd out{Mat3::Identity(), Mat3::Identity(), Vec3::Zero()};
    const double size = F.cwiseAbs().maxCoeff();
    if (!(size > 0) || !std::isfinite(size)) return out;
    // One-sided Jacobi (Hestenes): rotate columns until they are at right angles; small values stay accurate.
    Mat3 B = F / size, V = Mat3::Identity();
    for (int sweep = 0; sweep < 16; ++sweep) {
        bool done = true;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                const double a = B.col(p).squaredNorm(), b = B.col(q).squaredNorm(), c = B.col(p).dot(B.col(q));
                if (std::abs(c) <= 1e-16 * std::sqrt(a * b) || c == 0) continue;
                done = false;
                const double theta = (b - a) / (2 * c);
                const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double cs = 1 / std::sqrt(t * t + 1), sn = t * cs;
                const Vec3 bp = B.col(p), vp = V.col(p);
                B.col(p) = cs * bp - sn * B.col(q);
                B.col(q) = sn * bp + cs * B.col(q);
                V.col(p) = cs * vp - sn * V.col(q);
                V.col(q) = sn * vp + cs * V.col(q);
            }
        if (done) break;
    }
    // Largest first; swaps of two columns are made proper by a sign.
    Vec3 n = B.colwise().norm();
    auto order = [&](int p, int q) {
        if (n[p] >= n[q]) return;
        std::swap(n[p], n[q]);
        const Vec3 b = B.col(p), v = V.col(p);
        B.col(p) = B.col(q), V.col(p) = V.col(q);
        B.col(q) = -b, V.col(q) = -v;
    };
    order(0, 1), order(1, 2), order(0, 1);
    // Columns too short to have a direction get one that completes a rotation.
    const double none = 4 * std::numeric_limits<double>::epsilon();
    Mat3 U;
    U.col(0) = B.col(0) / n[0];
    if (n[1] > none * n[0]) {
        U.col(1) = B.col(1) / n[1];
        U.col(1) = (U.col(1) - U.col(0) * U.col(0).dot(U.col(1))).normalized();
    } else {
        U.col(1) = U.col(0).unitOrthogonal();
    }
    U.col(2) = U.col(0).cross(U.col(1));
    out.U = U;
    out.V = V;
    out.s = Vec3(n[0], n[1], U.col(2).dot(B.col(2))) * size;
    return out;
}

}  // namespace pliant
