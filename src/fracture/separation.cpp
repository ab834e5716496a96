#include "pliant/fracture/separation.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace pliant {

Mat3 along(const Vec3& a) {
    const double size = a.norm();
    return size > 0 ? Mat3(a * a.transpose() / size) : Mat3(Mat3::Zero());
}

SplitStress split_stress(const Mat3& cauchy) {
    SplitStress out;
    if (!cauchy.allFinite()) return out;
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(cauchy);
    for (int k = 0; k < 3; ++k) {
        const Vec3 n = eigen.eigenvectors().col(k);
        (eigen.eigenvalues()[k] > 0 ? out.tensile : out.compressive) += eigen.eigenvalues()[k] * n * n.transpose();
    }
    return out;
}

Mat3 separation_tensor(std::span<const NodeCorner> corners) {
    Mat3 sum = Mat3::Zero();
    Vec3 tensile = Vec3::Zero(), compressive = Vec3::Zero();
    for (const NodeCorner& corner : corners) {
        // The force on the node is −V σ∇N, and V∇N = −a/3 for its shape function N.
        const Vec3 pull = corner.stress->tensile * corner.area / 3, push = corner.stress->compressive * corner.area / 3;
        sum += along(pull) - along(push);
        tensile += pull, compressive += push;
    }
    return 0.5 * (sum - along(tensile) + along(compressive));
}

namespace {

/// The eigenvector of the largest eigenvalue, by the rule of separation_at() where it has company.
Vec3 direction_of_largest(const Eigen::SelfAdjointEigenSolver<Mat3>& eigen) {
    const Vec3& value = eigen.eigenvalues();  // ascending
    constexpr double same = 1e-6;
    Mat3 space = Mat3::Zero();
    for (int k = 0; k < 3; ++k)
        if (value[2] - value[k] <= same * std::abs(value[2]))
            space += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose();
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 nearest = space.col(axis);
        if (nearest.norm() >= 0.5) return nearest.normalized();
    }
    return eigen.eigenvectors().col(2);  // cannot be: the columns of a projection have squares that sum to 1 at least
}

}  // namespace

Separation separation_at(std::span<const NodeCorner> corners) {
    Separation out;
    const Mat3 tensor = separation_tensor(corners);
    if (!tensor.allFinite()) return out;
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(tensor);
    out.force = eigen.eigenvalues()[2];
    if (!(out.force > 0)) return out;
    out.normal = direction_of_largest(eigen);
    double area = 0, borne = 0;
    for (const NodeCorner& corner : corners) {
        const double share = std::abs(corner.area.dot(out.normal)) / 6;
        area += share, borne += corner.toughness * share;
    }
    out.stress = out.force / area;
    out.ratio = out.force / borne;
    return out;
}

void SeparationBound::add(const Vec3& face, double stress) {
    const double size = face.norm();
    // |f⁺| + |f⁻| ≤ |a|/3 (λ⁺ + λ⁻) ≤ |a|/3 √2 ‖σ‖, and no eigenvalue of ζ exceeds half of their sum.
    force += size / 6 * std::sqrt(2.0) * stress;
    area += size / 6;
    spread += along(face) / 6;
}

bool SeparationBound::holds(double toughness) const {
    // Σ |a·n| ≥ Σ (a·n)²/|a| ≥ the least eigenvalue of the spread. Of the three, that is at least 4 det / trace², since
    // the others are at most half the trace on average, and at least the mean less √(2/3) of the norm of what deviates.
    const double trace = spread.trace(), mean = trace / 3;
    if (!(trace > 0)) return force <= 0;
    const double deviation = (spread - mean * Mat3::Identity()).norm();
    const double least = std::max(4 * spread.determinant() / (trace * trace), mean - std::sqrt(2.0 / 3) * deviation);
    return force <= toughness * least;
}

}  // namespace pliant
