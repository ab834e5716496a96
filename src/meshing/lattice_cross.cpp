#include "pliant/meshing/lattice_cross.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace pliant {

namespace {

// In cells. Lattice coordinates are below 10⁵, so their rounding is below this.
constexpr double tolerance = 1e-10;

/// A triangle in the frame of one tet: origin in the middle of the tet's face, axes (axis, along, ±across), in which
/// every tet of the lattice is the same: corners (±½, 0, 0) and (0, ±½, ½), that is |b| ≤ c ≤ ½ - |a|.
struct Local {
    double a[3], b[3], c[3];
    double normal[3];
};

/// Extent of that tet along an axis.
struct Extent {
    double low, high;
};
Extent tet_extent(double na, double nb, double nc) {
    const double ends = 0.5 * std::abs(na), edge = 0.5 * std::abs(nb), top = 0.5 * nc;
    return {std::min(-ends, top - edge), std::max(ends, top + edge)};
}

/// Separating axes; `slack` > 0: touching counts as separate, < 0: as crossing.
bool crosses(const Local& t, double slack) {
    const auto lowest = [](double x, double y, double z) { return std::min(x, std::min(y, z)); };
    const auto highest = [](double x, double y, double z) { return std::max(x, std::max(y, z)); };
    // The tet's own faces: c ≥ b, c ≥ -b, c ≤ ½ - a, c ≤ ½ + a.
    if (highest(t.c[0] - t.b[0], t.c[1] - t.b[1], t.c[2] - t.b[2]) < slack) return false;
    if (highest(t.c[0] + t.b[0], t.c[1] + t.b[1], t.c[2] + t.b[2]) < slack) return false;
    if (lowest(t.c[0] + t.a[0], t.c[1] + t.a[1], t.c[2] + t.a[2]) > 0.5 - slack) return false;
    if (lowest(t.c[0] - t.a[0], t.c[1] - t.a[1], t.c[2] - t.a[2]) > 0.5 - slack) return false;
    // Edges: along a, along b, and the four diagonals (da, db, 1).
    constexpr double diagonal[4][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
    for (int e = 0; e < 3; ++e) {
        const int f = (e + 1) % 3, g = (e + 2) % 3;
        const double ea = t.a[f] - t.a[e], eb = t.b[f] - t.b[e], ec = t.c[f] - t.c[e];
        const auto separates = [&](double na, double nb, double nc) {
            const double p = na * t.a[e] + nb * t.b[e] + nc * t.c[e], q = na * t.a[g] + nb * t.b[g] + nc * t.c[g];
            const Extent tet = tet_extent(na, nb, nc);
            const double room = slack * (std::abs(na) + std::abs(nb) + std::abs(nc));
            return std::min(p, q) > tet.high - room || std::max(p, q) < tet.low + room;
        };
        if (separates(0, ec, -eb) || separates(-ec, 0, ea)) return false;
        for (const auto& d : diagonal)
            if (separates(eb - ec * d[1], ec * d[0] - ea, ea * d[1] - eb * d[0])) return false;
    }
    return true;
}

/// The plane of the triangle misses the tet.
bool plane_misses(const Local& t, double slack) {
    const double *n = t.normal, d = n[0] * t.a[0] + n[1] * t.b[0] + n[2] * t.c[0];
    const Extent tet = tet_extent(n[0], n[1], n[2]);
    const double room = slack * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]));
    return d > tet.high - room || d < tet.low + room;
}

/// Does the triangle lie (within rounding) in a plane of the family that the tets' faces belong to: {110}?
bool lies_in_faces(const std::array<Vec3, 3>& t) {
    for (int k = 0; k < 3; ++k)
        for (const double sign : {1.0, -1.0}) {
            double low = 1e300, high = -1e300;
            for (const Vec3& p : t) {
                const double d = p[k] + sign * p[(k + 1) % 3];
                low = std::min(low, d), high = std::max(high, d);
            }
            if (high - low < 8 * tolerance) return true;
        }
    return false;
}

}  // namespace

void keep_tets_crossed_by(const std::array<Vec3, 3>& triangle, LatticeGrid& grid) {
    const Vec3 low = triangle[0].cwiseMin(triangle[1]).cwiseMin(triangle[2]);
    const Vec3 high = triangle[0].cwiseMax(triangle[1]).cwiseMax(triangle[2]);
    const Vec3 normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
    const double slack = lies_in_faces(triangle) ? -tolerance : tolerance;
    Local local;
    for (int axis = 0; axis < 3; ++axis)
        for (int which = 0; which < 2; ++which) {
            const int across = (axis + 1 + which) % 3, along = 3 - axis - across;
            // Tets reach from ½ to 1½ along the axis, from 0 to 1 along their edge, and half a cell across.
            const int i_first = static_cast<int>(std::ceil(low[axis] - 1.5 - tolerance));
            const int i_last = static_cast<int>(std::floor(high[axis] - 0.5 + tolerance));
            const int j_first = static_cast<int>(std::ceil(low[along] - 1 - tolerance));
            const int j_last = static_cast<int>(std::floor(high[along] + tolerance));
            const int q_first = static_cast<int>(std::ceil(2 * low[across] - 1 - tolerance));
            const int q_last = static_cast<int>(std::floor(2 * high[across] + tolerance));
            int cube[3];
            for (int q = q_first; q <= q_last; ++q) {
                const int type = lattice_tet_type(axis, across, q & 1);
                const double sign = q & 1 ? 1 : -1;
                cube[across] = q >> 1;
                for (int v = 0; v < 3; ++v) local.c[v] = sign * (triangle[v][across] - (cube[across] + 0.5));
                local.normal[2] = sign * normal[across];
                for (int j = j_first; j <= j_last; ++j) {
                    cube[along] = j;
                    for (int v = 0; v < 3; ++v) local.b[v] = triangle[v][along] - (j + 0.5);
                    local.normal[1] = normal[along];
                    for (int i = i_first; i <= i_last; ++i) {
                        cube[axis] = i;
                        LatticeBlock& block = grid.blocks[grid.block_at(cube[0] >> 2, cube[1] >> 2, cube[2] >> 2)];
                        std::atomic_ref keep(block.keep[type]);
                        const std::uint64_t bit = std::uint64_t{1} << cube_bit(cube[0], cube[1], cube[2]);
                        if (keep.load(std::memory_order_relaxed) & bit) continue;
                        for (int v = 0; v < 3; ++v) local.a[v] = triangle[v][axis] - (i + 1);
                        local.normal[0] = normal[axis];
                        if (plane_misses(local, slack) || !crosses(local, slack)) continue;
                        keep.fetch_or(bit, std::memory_order_relaxed);
                    }
                }
            }
        }
}

}  // namespace pliant
