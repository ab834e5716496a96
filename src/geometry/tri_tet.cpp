#include "pliant/geometry/tri_tet.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

bool triangle_touches_tet(const Vec3& a, const Vec3& b, const Vec3& c, const std::array<Vec3, 4>& tet) {
    // Relative to one corner, so that the rounding below is that of the shapes and not of their place.
    const std::array<Vec3, 3> p{a - tet[0], b - tet[0], c - tet[0]};
    const std::array<Vec3, 4> q{Vec3::Zero(), tet[1] - tet[0], tet[2] - tet[0], tet[3] - tet[0]};
    double size = 0;
    for (const Vec3& v : p) size = std::max(size, v.lpNorm<Eigen::Infinity>());
    for (const Vec3& v : q) size = std::max(size, v.lpNorm<Eigen::Infinity>());

    const auto separates = [&](const Vec3& axis) {
        double p_low = p[0].dot(axis), p_high = p_low, q_low = 0, q_high = 0;
        for (int i = 1; i < 3; ++i) {
            const double d = p[i].dot(axis);
            p_low = std::min(p_low, d), p_high = std::max(p_high, d);
        }
        for (int i = 1; i < 4; ++i) {
            const double d = q[i].dot(axis);
            q_low = std::min(q_low, d), q_high = std::max(q_high, d);
        }
        const double slack = 1e-14 * size * axis.lpNorm<1>();
        return p_low > q_high + slack || q_low > p_high + slack;
    };

    for (int k = 0; k < 3; ++k)
        if (separates(Vec3::Unit(k))) return false;
    const Vec3 edges[3] = {p[1] - p[0], p[2] - p[1], p[0] - p[2]};
    const Vec3 normal = edges[0].cross(edges[1]);
    if (separates(normal)) return false;
    constexpr int faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (const auto& f : faces)
        if (separates((q[f[1]] - q[f[0]]).cross(q[f[2]] - q[f[0]]))) return false;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            for (const Vec3& e : edges)
                if (separates(e.cross(q[j] - q[i]))) return false;
    // A flat pair in one plane needs the axes within the plane.
    for (const Vec3& e : edges)
        if (separates(e.cross(normal))) return false;
    return true;
}

}  // namespace pliant
