#include "pliant/meshing/lattice_cross.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <optional>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

/// Cubes of a block by the layers across an axis that they lie in: a bit per layer.
constexpr auto layer_words = [] {
    std::array<std::array<std::uint64_t, 16>, 3> words{};
    for (int bit = 0; bit < 64; ++bit)
        for (int k = 0; k < 3; ++k)
            for (int layers = 0; layers < 16; ++layers)
                if (layers >> (bit >> 2 * k & 3) & 1) words[k][layers] |= std::uint64_t{1} << bit;
    return words;
}();

// In cells. Lattice coordinates are below 10⁵, so their rounding is below this.
constexpr double crossing_tolerance = 1e-10;

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

// Separating axes. `slack` > 0: touching counts as separate, < 0: as crossing.

/// The triangle lies beyond one of the tet's own faces: c ≥ b, c ≥ -b, c ≤ ½ - a, c ≤ ½ + a.
bool beyond_a_face(const Local& t, double slack) {
    const auto lowest = [](double x, double y, double z) { return std::min(x, std::min(y, z)); };
    const auto highest = [](double x, double y, double z) { return std::max(x, std::max(y, z)); };
    return highest(t.c[0] - t.b[0], t.c[1] - t.b[1], t.c[2] - t.b[2]) < slack ||
           highest(t.c[0] + t.b[0], t.c[1] + t.b[1], t.c[2] + t.b[2]) < slack ||
           lowest(t.c[0] + t.a[0], t.c[1] + t.a[1], t.c[2] + t.a[2]) > 0.5 - slack ||
           lowest(t.c[0] - t.a[0], t.c[1] - t.a[1], t.c[2] - t.a[2]) > 0.5 - slack;
}

/// The plane of the triangle misses the tet.
bool plane_misses(const Local& t, double slack) {
    const double *n = t.normal, d = n[0] * t.a[0] + n[1] * t.b[0] + n[2] * t.c[0];
    const Extent tet = tet_extent(n[0], n[1], n[2]);
    const double room = slack * (std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]));
    return d > tet.high - room || d < tet.low + room;
}

/// An edge of the tet and one of the triangle span a plane that lies between the two.
bool edges_separate(const Local& t, double slack) {
    // The tet's edges: along a, along b, and the four diagonals (da, db, 1).
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
        if (separates(0, ec, -eb) || separates(-ec, 0, ea)) return true;
        for (const auto& d : diagonal)
            if (separates(eb - ec * d[1], ec * d[0] - ea, ea * d[1] - eb * d[0])) return true;
    }
    return false;
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
            if (high - low < 8 * crossing_tolerance) return true;
        }
    return false;
}

/// The tests of one triangle against tets near it.
struct CrossingTest {
    const std::array<Vec3, 3>& triangle;
    Vec3 normal;
    double slack;

    explicit CrossingTest(const std::array<Vec3, 3>& corners)
        : triangle(corners),
          normal((corners[1] - corners[0]).cross(corners[2] - corners[0])),
          slack(lies_in_faces(corners) ? -crossing_tolerance : crossing_tolerance) {}

    bool with(int type, const int* cube) const {
        const LatticeTet tet = lattice_tet(type);
        const double sign = tet.side ? 1 : -1;
        Local local;
        for (int v = 0; v < 3; ++v) {
            local.a[v] = triangle[v][tet.axis] - (cube[tet.axis] + 1);
            local.b[v] = triangle[v][tet.along] - (cube[tet.along] + 0.5);
            local.c[v] = sign * (triangle[v][tet.across] - (cube[tet.across] + 0.5));
        }
        if (beyond_a_face(local, slack)) return false;
        local.normal[0] = normal[tet.axis], local.normal[1] = normal[tet.along];
        local.normal[2] = sign * normal[tet.across];
        return !plane_misses(local, slack) && !edges_separate(local, slack);
    }
};

/// Which cubes own tets whose boxes the triangle's box meets, as bits of the blocks: for each coordinate the layers
/// that do when it is the tets' axis, runs along their edge, or goes across (with the edge at the low, the high side).
/// A triangle two cells long straddles two blocks at most.
enum Role { axis_role, along_role, across_role };
using Layers = std::array<std::uint64_t, 4>;
struct CandidateLayers {
    int lowest;       // block
    bool straddles;   // into the next
    Layers block[2];  // per role

    CandidateLayers(int k, double low, double high) {
        // Tets reach from ½ to 1½ along the axis, from 0 to 1 along their edge, and half a cell across.
        const int axis_first = ceiling(low - 1.5 - crossing_tolerance),
                  axis_last = floor(high - 0.5 + crossing_tolerance);
        const int along_first = ceiling(low - 1 - crossing_tolerance), along_last = floor(high + crossing_tolerance);
        const int half_first = ceiling(2 * low - 1 - crossing_tolerance),
                  half_last = floor(2 * high + crossing_tolerance);
        lowest = axis_first >> 2;
        straddles = along_last >> 2 != lowest;
        const auto set = [&](int role, int first, int last) {
            // Eight layers in two blocks; none if last < first.
            const unsigned both = (1u << (last + 1 - 4 * lowest)) - (1u << (first - 4 * lowest));
            block[0][role] = layer_words[k][both & 15];
            block[1][role] = layer_words[k][both >> 4 & 15];
        };
        set(axis_role, axis_first, axis_last);
        set(along_role, along_first, along_last);
        set(across_role, (half_first + 1) >> 1, half_last >> 1);
        set(across_role + 1, half_first >> 1, (half_last - 1) >> 1);
    }

    static int floor(double x) { return static_cast<int>(std::floor(x)); }
    static int ceiling(double x) { return static_cast<int>(std::ceil(x)); }
};

/// Per type the tets of a block that may be crossed and are not kept yet; false if there are none.
bool find_open_tets(LatticeBlock& block, const Layers* const (&of)[3], std::array<std::uint64_t, 12>& open) {
    std::uint64_t any = 0;
#pragma GCC unroll 12
    for (int type = 0; type < 12; ++type) {
        const LatticeTet t = lattice_tet(type);
        const std::uint64_t near =
            (*of[t.axis])[axis_role] & (*of[t.along])[along_role] & (*of[t.across])[across_role + t.side];
        open[type] = near & ~std::atomic_ref(block.keep[type]).load(std::memory_order_relaxed);
        any |= open[type];
    }
    return any != 0;
}

}  // namespace

void keep_tets_crossed_by(const std::array<Vec3, 3>& triangle, const Vec3& low, const Vec3& high, LatticeGrid& grid) {
    const CandidateLayers x(0, low[0], high[0]), y(1, low[1], high[1]), z(2, low[2], high[2]);
    std::optional<CrossingTest> crossing;  // nearly all candidates are kept already, for the sake of a node inside
    std::array<std::uint64_t, 12> open;
    for (int side_z = 0; side_z <= z.straddles; ++side_z)
        for (int side_y = 0; side_y <= y.straddles; ++side_y)
            for (int side_x = 0; side_x <= x.straddles; ++side_x) {
                const int at[3] = {x.lowest + side_x, y.lowest + side_y, z.lowest + side_z};
                const std::int32_t index = grid.block_at(at[0], at[1], at[2]);
                CHECK(index >= 0, at[0], at[1], at[2]);
                LatticeBlock& block = grid.blocks[index];
                if (!find_open_tets(block, {&x.block[side_x], &y.block[side_y], &z.block[side_z]}, open)) continue;
                if (!crossing) crossing.emplace(triangle);
                for (int type = 0; type < 12; ++type)
                    for (; open[type] != 0; open[type] &= open[type] - 1) {
                        const int bit = std::countr_zero(open[type]);
                        const int cube[3] = {4 * at[0] + (bit & 3), 4 * at[1] + (bit >> 2 & 3), 4 * at[2] + (bit >> 4)};
                        if (crossing->with(type, cube))
                            std::atomic_ref(block.keep[type])
                                .fetch_or(open[type] & -open[type], std::memory_order_relaxed);
                    }
            }
}

}  // namespace pliant
