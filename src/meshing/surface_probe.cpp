#include "pliant/meshing/surface_probe.hpp"

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>

namespace pliant {

namespace {

// Normals count as different when they spread by more than about 16 degrees: tan²(8°).
constexpr double least_spread = 0.02;

}  // namespace

Vec3 SurfaceProbe::gradient(const Vec3& p) const {
    Vec3 g;
    for (int k = 0; k < 3; ++k) {
        Vec3 a = p, b = p;
        a[k] -= step_, b[k] += step_;
        g[k] = (shape_.distance(b) - shape_.distance(a)) / (b[k] - a[k]);
    }
    return g;
}

bool SurfaceProbe::normal(const Vec3& p, Vec3& n) const {
    const double here = shape_.distance(p);
    for (int k = 0; k < 3; ++k) {
        Vec3 a = p, b = p;
        a[k] -= step_, b[k] += step_;
        const double below = shape_.distance(a), above = shape_.distance(b);
        n[k] = (above - below) / (b[k] - a[k]);
        // Slopes before and after p agree where the distance is smooth; at a kink their mean is nobody's normal.
        if (std::abs(above - 2 * here + below) > 0.15 * step_) return false;
    }
    const double length = n.norm();
    if (!(length > 0.1)) return false;
    n /= length;
    return true;
}

bool SurfaceProbe::project(Vec3& p, double reach) const { return project_to(p, reach, tolerance_); }

bool SurfaceProbe::project_to(Vec3& p, double reach, double tolerance) const {
    Vec3 x = p;
    double d = shape_.distance(x);
    for (int iteration = 0; iteration < 12 && std::abs(d) > tolerance; ++iteration) {
        const Vec3 g = gradient(x);
        const double length2 = g.squaredNorm();
        if (!(length2 > 1e-4)) break;  // on the medial axis: no way is down
        Vec3 step = -d * g / std::max(length2, 0.25);
        double next = 0;
        bool better = false;
        for (int halving = 0; halving < 4 && !better; ++halving, step *= 0.5) {
            next = shape_.distance(x + step);
            better = std::abs(next) < std::abs(d);
            if (better) x += step;
        }
        if (!better) break;
        d = next;
        if ((x - p).squaredNorm() > reach * reach) return false;
    }
    if (std::abs(d) > 1e3 * tolerance || (x - p).squaredNorm() > reach * reach) return false;
    p = x;
    return true;
}

int SurfaceProbe::to_crease(Vec3& p, std::span<const Vec3> toward, double radius) const {
    Vec3 x = p;
    int rank = 0;
    for (double rho : {radius, 0.05 * radius, 0.0025 * radius}) {
        // Planes of the sheets around x; the crease is where they meet (least squares, in the directions they fix).
        Mat3 a = Mat3::Zero();
        Vec3 b = Vec3::Zero();
        for (const Vec3& direction : toward) {
            Vec3 q = x + rho * direction;
            // A sample need only be on the sheet as nearly as its plane is flat.
            if (!project_to(q, 2 * rho, std::max(1e-7 * rho, tolerance_))) continue;
            Vec3 n;
            if (!normal(q, n)) continue;
            a += n * n.transpose();
            b += n * n.dot(q - x);
        }
        const Eigen::SelfAdjointEigenSolver<Mat3> solver(a);
        const Vec3 values = solver.eigenvalues();
        if (!(values[2] > 0)) return 0;
        rank = 0;
        Vec3 move = Vec3::Zero();
        for (int k = 0; k < 3; ++k)
            if (values[k] > least_spread * values[2]) {
                ++rank;
                move += solver.eigenvectors().col(k) * (solver.eigenvectors().col(k).dot(b) / values[k]);
            }
        if (rank == 1 || move.norm() > 3 * rho) return 1;
        x += move;
    }
    if (std::abs(shape_.distance(x)) > 1e-5 * radius) return 1;
    p = x;
    return rank;
}

int SurfaceProbe::to_crease(Vec3& p, double radius) const {
    constexpr double s = 0.5773502691896258;
    static const std::array<Vec3, 14> around = {Vec3(1, 0, 0),   Vec3(-1, 0, 0),  Vec3(0, 1, 0),  Vec3(0, -1, 0),
                                                Vec3(0, 0, 1),   Vec3(0, 0, -1),  Vec3(s, s, s),  Vec3(s, s, -s),
                                                Vec3(s, -s, s),  Vec3(s, -s, -s), Vec3(-s, s, s), Vec3(-s, s, -s),
                                                Vec3(-s, -s, s), Vec3(-s, -s, -s)};
    return to_crease(p, around, radius);
}

}  // namespace pliant
