#pragma once
// The vocabulary every room shares: double-precision vectors, and index tuples for elements.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>

namespace pliant {

using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// Indices of a tetrahedron's nodes; (x1-x0, x2-x0, x3-x0) is right-handed (positive volume) at rest.
using Tet = std::array<int, 4>;
/// Indices of a triangle's vertices, counter-clockwise seen from outside.
using Tri = std::array<int, 3>;

/// Axis-aligned box; empty until something is added (min > max).
struct Box {
    Vec3 min = Vec3::Constant(1e300);
    Vec3 max = Vec3::Constant(-1e300);

    bool empty() const { return !(min.array() <= max.array()).all(); }
    void add(const Vec3& p) { min = min.cwiseMin(p), max = max.cwiseMax(p); }
    void add(const Box& b) { min = min.cwiseMin(b.min), max = max.cwiseMax(b.max); }
    Vec3 size() const { return max - min; }
    Vec3 center() const { return 0.5 * (min + max); }
    double diagonal() const { return empty() ? 0.0 : size().norm(); }
    Box grown(double margin) const { return {min - Vec3::Constant(margin), max + Vec3::Constant(margin)}; }
    bool contains(const Vec3& p) const { return (p.array() >= min.array()).all() && (p.array() <= max.array()).all(); }
    bool overlaps(const Box& b) const {
        return (min.array() <= b.max.array()).all() && (b.min.array() <= max.array()).all();
    }
};

/// Rigid placement: p ↦ rotation · p + translation.
struct Pose {
    Quat rotation = Quat::Identity();
    Vec3 translation = Vec3::Zero();

    Vec3 operator*(const Vec3& p) const { return rotation * p + translation; }
    Pose operator*(const Pose& b) const { return {rotation * b.rotation, rotation * b.translation + translation}; }
    Pose inverse() const { return {rotation.conjugate(), rotation.conjugate() * (-translation)}; }
};

}  // namespace pliant
