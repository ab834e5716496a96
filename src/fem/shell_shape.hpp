#pragma once
// How the elements of a shell stand at x: metrics of edges, angles of hinges, slopes of triangles. Plain code, for
// energies, measures and creases; the step has kernels (shell_kernels.cpp).

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>

#include "pliant/fem/shell_stencils.hpp"

namespace pliant {

using Mat32 = Eigen::Matrix<double, 3, 2>;

/// Triangles flatter than this share of their area at rest have no normal to speak of: it fades away below.
constexpr double least_area = 1e-3;

/// The corner of the edge element that is the k-th corner (a, b, third) of its triangle on a side.
inline int corner_of(int side, int k) { return k < 2 ? k : 2 + side; }

inline Mat32 deformation(std::span<const Vec3> x, const ShellEdge& e, int side) {
    Mat32 F = Mat32::Zero();
    for (int k = 0; k < 3; ++k) F += x[e.node[corner_of(side, k)]] * e.gradient[side][k].transpose();
    return F;
}

inline Eigen::Matrix2d mean_metric(std::span<const Vec3> x, const ShellEdge& e, Mat32 F[2]) {
    Eigen::Matrix2d C = Eigen::Matrix2d::Zero();
    for (int side = 0; side < e.sides(); ++side) {
        F[side] = deformation(x, e, side);
        C += e.share[side] * F[side].transpose() * F[side];
    }
    return C;
}

/// Angle between the normals of an edge's two triangles, positive where the surface is convex seen from its front.
inline double hinge_angle(std::span<const Vec3> x, const ShellEdge& e) {
    const Vec3 &a = x[e.node[0]], &b = x[e.node[1]], &c = x[e.node[2]], &d = x[e.node[3]];
    const Vec3 m = (b - a).cross(c - a), n = (a - b).cross(d - b);
    const double length = (b - a).norm();
    if (!(length > 0)) return 0;
    const double sine = m.cross(n).dot(b - a) / length, cosine = m.dot(n);
    return sine == 0 && cosine == 0 ? 0 : std::atan2(sine, cosine);
}

/// The same with its gradient (Bridson et al. 2003). Of a triangle that has no area left: none.
inline double hinge_angle(std::span<const Vec3> x, const ShellEdge& e, Vec3 gradient[4]) {
    const Vec3 &a = x[e.node[0]], &b = x[e.node[1]], &c = x[e.node[2]], &d = x[e.node[3]];
    const Vec3 edge = b - a, m = edge.cross(c - a), n = (a - b).cross(d - b);
    const double length = edge.norm(), mm = m.squaredNorm(), nn = n.squaredNorm();
    for (int k = 0; k < 4; ++k) gradient[k].setZero();
    // Heights over the edge below a thousandth of the edge: such a hinge could turn any way.
    const double least = std::pow(least_area * length * length, 2);
    if (!(length > 0) || !(mm > least) || !(nn > least)) return hinge_angle(x, e);
    const Vec3 u = m * (length / mm), w = n * (length / nn);
    const double tc = (c - a).dot(edge) / (length * length), td = (d - a).dot(edge) / (length * length);
    gradient[2] = -u, gradient[3] = -w;
    gradient[0] = (1 - tc) * u + (1 - td) * w;
    gradient[1] = tc * u + td * w;
    return hinge_angle(x, e);
}

/// The angle from `from` to `to`, in (−π, π]: hinges may pass the straight fold.
inline double turned(double to, double from) { return std::remainder(to - from, 2 * M_PI); }

/// Where the three slopes of a triangle come from: its normal, and the derivative of the surface across each edge.
struct Bent {
    Vec3 normal, across[3];
    double length;  ///< of the unnormalised normal, floored
    double slope[3];
};

inline Bent bent(std::span<const Vec3> x, const ShellBend& b) {
    Bent out;
    const Vec3 n = (x[b.node[1]] - x[b.node[0]]).cross(x[b.node[2]] - x[b.node[0]]);
    const double floor = least_area * 2 * b.area;
    out.length = std::sqrt(n.squaredNorm() + floor * floor);
    out.normal = n / out.length;
    const Vec3 origin = x[b.node[0]];  // weights add up to zero: differences lose less
    for (int i = 0; i < 3; ++i) {
        out.across[i] = b.kept[i];
        for (int j = 1; j < b.count; ++j) out.across[i] += b.weight[i][j] * (x[b.node[j]] - origin);
        out.slope[i] = out.normal.dot(out.across[i]);
    }
    return out;
}

}  // namespace pliant
