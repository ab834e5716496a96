#include "pliant/meshing/lattice_raster.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "pliant/core/error.hpp"
#include "pliant/meshing/lattice_cross.hpp"

namespace pliant {

namespace {

using Triangle = std::array<Vec3, 3>;

/// A node is inside when its crossing number N is at least this; per block of nodes.
using Threshold = std::int8_t;
constexpr Threshold plain = 1;
constexpr Threshold node_by_node = 127;

struct Raster {
    LatticeFrame frame;
    Vec3 low, high;                     // box of the body in lattice coordinates
    std::vector<Vec3> u;                // points in lattice coordinates
    std::vector<unsigned char> mark;    // per place: the surface or a cap comes near, or nodes are looked at singly
    std::vector<std::int32_t> drawn;    // per place: index among marked blocks, or -1
    std::vector<std::int16_t> step;     // per marked block and node: change of N just before the node
    std::vector<Threshold> threshold;   // per place; empty: plain everywhere
    std::vector<std::uint64_t> inside;  // per marked block: corners, centres
    std::vector<unsigned char> full;    // per place: unmarked and inside
};

/// Few triangles may be huge and many tiny: chunks by their number alone, so that they never depend on the threads.
std::size_t triangle_chunk(std::size_t count) { return std::clamp<std::size_t>(count / 256, 1, 512); }

/// visit(piece) for pieces of the triangle that are at most `size` long along each axis.
template <class Visit>
void each_piece(const Triangle& t, double size, Visit&& visit) {
    const Vec3 low = t[0].cwiseMin(t[1]).cwiseMin(t[2]), high = t[0].cwiseMax(t[1]).cwiseMax(t[2]);
    if ((high - low).maxCoeff() <= size) return visit(t, low, high);
    int longest = 0;
    double length2 = 0;
    for (int e = 0; e < 3; ++e)
        if (const double l2 = (t[(e + 1) % 3] - t[e]).squaredNorm(); l2 > length2) length2 = l2, longest = e;
    const Vec3 &a = t[longest], &b = t[(longest + 1) % 3], &c = t[(longest + 2) % 3];
    const Vec3 middle = 0.5 * (a + b);
    each_piece({a, middle, c}, size, visit);
    each_piece({middle, b, c}, size, visit);
}

Triangle corners(const Raster& r, const Tri& t) { return {r.u[t[0]], r.u[t[1]], r.u[t[2]]}; }

/// Marks every block that owns a tet which the surface may touch, holds a node of one, or the next node of a row.
void mark_blocks(Raster& r, const std::vector<Tri>& triangles, Threads& threads) {
    parallel_for(threads, triangles.size(), triangle_chunk(triangles.size()), [&](std::size_t begin, std::size_t end) {
        std::array<int, 3> marked_from{}, marked_to{-1, -1, -1};  // just before: mostly the same blocks again
        for (std::size_t t = begin; t < end; ++t)
            each_piece(corners(r, triangles[t]), 4, [&](const Triangle&, const Vec3& low, const Vec3& high) {
                std::array<int, 3> from, to;
                for (int k = 0; k < 3; ++k) {
                    // A cube's tets reach from its low side to 1.5 above; a hair more for the rounding of pieces.
                    from[k] = static_cast<int>(low[k] - 1.51) >> 2;
                    to[k] = static_cast<int>(high[k] + 1.01) >> 2;
                }
                if (from == marked_from && to == marked_to) return;
                marked_from = from, marked_to = to;
                for (int k = from[2]; k <= to[2]; ++k)
                    for (int j = from[1]; j <= to[1]; ++j)
                        for (int i = from[0]; i <= to[0]; ++i) {
                            std::atomic_ref m(r.mark[r.frame.place(i, j, k)]);
                            if (!m.load(std::memory_order_relaxed)) m.store(1, std::memory_order_relaxed);
                        }
            });
    });
}

/// Where the edge a-b crosses the line y = j: (z, x). Always computed from the lower index, so that the triangles on
/// both sides of an edge agree to the last bit and no row slips through between them.
struct EdgeCrossing {
    double z, x;
};
EdgeCrossing edge_crossing(const std::vector<Vec3>& u, int a, int b, double y, double shift) {
    if (a > b) std::swap(a, b);
    const Vec3 &p = u[a], &q = u[b];
    const double py = p[1] - shift, qy = q[1] - shift, t = (y - py) / (qy - py);
    return {(p[2] - shift) + t * (q[2] - p[2]), (p[0] - shift) + t * (q[0] - p[0])};
}

/// Adds the triangle's crossings with the rows of one sublattice (along x) to the steps of N.
void draw_triangle(Raster& r, const Tri& t, int sublattice) {
    const double shift = 0.5 * sublattice;
    const double y[3] = {r.u[t[0]][1] - shift, r.u[t[1]][1] - shift, r.u[t[2]][1] - shift};
    const int first = static_cast<int>(std::ceil(std::min({y[0], y[1], y[2]})));
    const int last = static_cast<int>(std::ceil(std::max({y[0], y[1], y[2]}))) - 1;
    for (int j = first; j <= last; ++j) {
        // One edge goes up through the line (from y ≤ j to y > j), one comes down.
        EdgeCrossing up{}, down{};
        for (int e = 0; e < 3; ++e) {
            const int f = e == 2 ? 0 : e + 1;
            if (y[e] <= j && y[f] > j) up = edge_crossing(r.u, t[e], t[f], j, shift);
            if (y[f] <= j && y[e] > j) down = edge_crossing(r.u, t[e], t[f], j, shift);
        }
        // Rows with z in (low, high] are covered; entering the body along +x counts +1.
        const int k_first = static_cast<int>(std::floor(std::min(up.z, down.z))) + 1;
        const int k_last = static_cast<int>(std::floor(std::max(up.z, down.z)));
        const std::int16_t sign = up.z > down.z ? 1 : -1;
        for (int k = k_first; k <= k_last; ++k) {
            const double s = (k - down.z) / (up.z - down.z);
            const int i = static_cast<int>(std::floor(down.x + s * (up.x - down.x))) + 1;
            const std::int32_t block = r.drawn[r.frame.place(i >> 2, j >> 2, k >> 2)];
            CHECK(block >= 0, i, j, k);
            std::atomic_ref(r.step[128 * static_cast<std::size_t>(block) + 64 * sublattice + cube_bit(i, j, k)])
                .fetch_add(sign, std::memory_order_relaxed);
        }
    }
}

void draw(Raster& r, const std::vector<Tri>& triangles, Threads& threads) {
    parallel_for(threads, triangles.size(), triangle_chunk(triangles.size()), [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            for (int sublattice = 0; sublattice < 2; ++sublattice) draw_triangle(r, triangles[t], sublattice);
    });
}

/// Ball around the nodes of the blocks from[k] … to[k]-1, in the surface's units.
struct Ball {
    Vec3 center;
    double radius;
};
Ball ball_of_blocks(const LatticeFrame& frame, const std::array<int, 3>& from, const std::array<int, 3>& to) {
    Vec3 low, high;
    for (int k = 0; k < 3; ++k) low[k] = 4 * from[k], high[k] = 4 * to[k] - 0.5;
    return {frame.position(0.5 * (low + high)), 0.5 * (high - low).norm() * frame.cell};
}

/// N - w(caps) > 1/2 decides. Where w(caps) stays clear of the halves over a whole region, one integer threshold on
/// N does for all its nodes; regions are halved until that is so, single blocks that resist go node by node.
void set_thresholds(Raster& r, const WindingNumber& caps, std::array<int, 3> from, std::array<int, 3> to) {
    const Ball ball = ball_of_blocks(r.frame, from, to);
    const WindingNumber::Range range = caps.over_ball(ball.center, ball.radius);
    const double slack = range.variation + 0.02;  // the far field's error is below that
    const double low = std::floor(range.value - slack + 0.5), high = std::floor(range.value + slack + 0.5);
    const bool one_block = to[0] - from[0] == 1 && to[1] - from[1] == 1 && to[2] - from[2] == 1;
    if (low == high || one_block) {
        const bool clear = low == high && std::abs(low) < 100;
        for (int k = from[2]; k < to[2]; ++k)
            for (int j = from[1]; j < to[1]; ++j)
                for (int i = from[0]; i < to[0]; ++i) {
                    const std::size_t place = r.frame.place(i, j, k);
                    r.threshold[place] = clear ? static_cast<Threshold>(low + 1) : node_by_node;
                    if (!clear) r.mark[place] = 1;
                }
        return;
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (to[k] - from[k] > to[axis] - from[axis]) axis = k;
    const int middle = (from[axis] + to[axis]) / 2;
    std::array<int, 3> cut = to;
    cut[axis] = middle;
    set_thresholds(r, caps, from, cut);
    from[axis] = middle;
    set_thresholds(r, caps, from, to);
}

void set_all_thresholds(Raster& r, const WindingNumber& caps, Threads& threads) {
    if (caps.empty()) return;
    r.threshold.assign(r.frame.block_count(), plain);
    constexpr int tile = 8;
    int first[3], tiles[3];
    std::array<int, 3> end;
    for (int k = 0; k < 3; ++k) {
        first[k] = static_cast<int>(r.low[k]) >> 2;
        end[k] = (static_cast<int>(r.high[k]) >> 2) + 1;
        tiles[k] = (end[k] - first[k] + tile - 1) / tile;
    }
    parallel_for(threads, static_cast<std::size_t>(tiles[0]) * tiles[1] * tiles[2], 1, [&](std::size_t n, std::size_t) {
        const int at[3] = {static_cast<int>(n % tiles[0]), static_cast<int>(n / tiles[0] % tiles[1]),
                           static_cast<int>(n / tiles[0] / tiles[1])};
        std::array<int, 3> from, to;
        for (int k = 0; k < 3; ++k) from[k] = first[k] + tile * at[k], to[k] = std::min(from[k] + tile, end[k]);
        set_thresholds(r, caps, from, to);
    });
}

/// Nodes of a block within the body's box: no others are ever inside, whatever a surface drawn twice may claim.
std::array<std::uint64_t, 2> nodes_in_box(const Raster& r, int i, int j, int k) {
    std::array<std::uint64_t, 2> out{0, 0};
    for (int sub = 0; sub < 2; ++sub)
        for (int bit = 0; bit < 64; ++bit) {
            const Vec3 u(4 * i + (bit & 3) + 0.5 * sub, 4 * j + (bit >> 2 & 3) + 0.5 * sub,
                         4 * k + (bit >> 4) + 0.5 * sub);
            const bool in = (u.array() >= r.low.array()).all() && (u.array() <= r.high.array()).all();
            out[sub] |= static_cast<std::uint64_t>(in) << bit;
        }
    return out;
}

using RowNumbers = std::array<int, 32>;  // N at the end of each row of a line of blocks: 16 of corners, 16 of centres

/// Inside bits of an eighth of a block, near a hole: at once when the caps' winding number stays clear of the halves,
/// else node by node.
void decide_part(const Raster& r, const WindingNumber& caps, int i, int j, int k, int part, const std::int16_t* n,
                 std::uint64_t* bits) {
    const Vec3 low(4 * i + 2 * (part & 1), 4 * j + (part & 2), 4 * k + (part >> 2) * 2);
    const Vec3 center = r.frame.position(low + Vec3::Constant(0.75));
    const double radius = 0.75 * std::sqrt(3.0) * r.frame.cell;
    const WindingNumber::Range range = caps.over_ball(center, radius);
    const double slack = range.variation + 0.02;
    const bool clear = std::floor(range.value - slack + 0.5) == std::floor(range.value + slack + 0.5);
    std::array<Vec3, 16> points;
    std::array<double, 16> winding;
    std::array<int, 16> node;
    for (int m = 0; m < 16; ++m) {
        const int x = m & 1, y = m >> 1 & 1, z = m >> 2 & 1, sublattice = m >> 3;
        node[m] = 64 * sublattice + cube_bit(2 * (part & 1) + x, (part & 2) + y, 2 * (part >> 2) + z);
        points[m] = r.frame.position(low + Vec3(x, y, z) + Vec3::Constant(0.5 * sublattice));
    }
    if (clear)
        winding.fill(range.value);
    else
        caps.evaluate(center, radius, points, winding);
    for (int m = 0; m < 16; ++m)
        bits[node[m] >> 6] |= static_cast<std::uint64_t>(n[node[m]] - winding[m] > 0.5) << (node[m] & 63);
}

/// Inside bits of one marked block; `rows` go in as N before the block and come out as N after it.
void decide_block(Raster& r, const WindingNumber& caps, int i, int j, int k, std::int32_t block, RowNumbers& rows) {
    std::int16_t n[128];
    const std::int16_t* step = r.step.data() + 128 * static_cast<std::size_t>(block);
    for (int row = 0; row < 32; ++row) {
        int number = rows[row];
        for (int x = 0; x < 4; ++x) n[4 * row + x] = static_cast<std::int16_t>(number += step[4 * row + x]);
        rows[row] = static_cast<std::int16_t>(number);
    }
    const Threshold threshold = r.threshold.empty() ? plain : r.threshold[r.frame.place(i, j, k)];
    std::uint64_t bits[2] = {0, 0};
    if (threshold == node_by_node) {
        for (int part = 0; part < 8; ++part) decide_part(r, caps, i, j, k, part, n, bits);
    } else {
        for (int node = 0; node < 128; ++node)
            bits[node >> 6] |= static_cast<std::uint64_t>(n[node] >= threshold) << (node & 63);
    }
    if (threshold != plain) {
        const auto box = nodes_in_box(r, i, j, k);
        bits[0] &= box[0], bits[1] &= box[1];
    }
    r.inside[2 * static_cast<std::size_t>(block)] = bits[0];
    r.inside[2 * static_cast<std::size_t>(block) + 1] = bits[1];
}

/// Walks along every line of blocks, adding up the steps. N is constant where nothing is drawn.
void decide_nodes(Raster& r, const WindingNumber& caps, Threads& threads) {
    const LatticeFrame& f = r.frame;
    parallel_for(
        threads, static_cast<std::size_t>(f.blocks[1]) * f.blocks[2], 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t line = begin; line < end; ++line) {
                const int j = static_cast<int>(line % f.blocks[1]), k = static_cast<int>(line / f.blocks[1]);
                RowNumbers rows{};
                for (int i = 0; i < f.blocks[0]; ++i) {
                    const std::size_t place = f.place(i, j, k);
                    if (r.drawn[place] >= 0) {
                        decide_block(r, caps, i, j, k, r.drawn[place], rows);
                        continue;
                    }
                    const Threshold threshold = r.threshold.empty() ? plain : r.threshold[place];
                    if (rows[0] < threshold) continue;
                    for (const int n : rows) CHECK(n == rows[0], i, j, k, n, rows[0]);
                    // With another threshold than 1 the block may stick out of the body's box; then it is left
                    // out.
                    r.full[place] =
                        threshold == plain || nodes_in_box(r, i, j, k) == std::array<std::uint64_t, 2>{~0ULL, ~0ULL};
                }
                for (const int n : rows) CHECK(n == 0, j, k, n);  // a closed chain is left as often as it is entered
            }
        });
}

/// The blocks that matter: drawn ones, and those with a node inside together with all their neighbours.
LatticeGrid collect_blocks(const Raster& r) {
    const LatticeFrame& f = r.frame;
    LatticeGrid grid;
    grid.frame = f;
    grid.index.assign(f.block_count(), -1);
    for (int k = 0; k < f.blocks[2]; ++k)
        for (int j = 0; j < f.blocks[1]; ++j)
            for (int i = 0; i < f.blocks[0]; ++i) {
                const std::size_t place = f.place(i, j, k);
                const std::int32_t d = r.drawn[place];
                if (d >= 0) grid.index[place] = 0;
                if (!(r.full[place] || (d >= 0 && (r.inside[2 * d] | r.inside[2 * d + 1])))) continue;
                CHECK(i > 0 && j > 0 && k > 0 && i + 2 < f.blocks[0] && j + 2 < f.blocks[1] && k + 2 < f.blocks[2], i,
                      j, k);
                for (int z = -1; z <= 1; ++z)
                    for (int y = -1; y <= 1; ++y)
                        for (int x = -1; x <= 1; ++x) grid.index[f.place(i + x, j + y, k + z)] = 0;
            }
    grid.blocks.reserve(static_cast<std::size_t>(std::count(grid.index.begin(), grid.index.end(), 0)));
    for (int k = 0; k < f.blocks[2]; ++k)
        for (int j = 0; j < f.blocks[1]; ++j)
            for (int i = 0; i < f.blocks[0]; ++i) {
                const std::size_t place = f.place(i, j, k);
                if (grid.index[place] < 0) continue;
                grid.index[place] = static_cast<std::int32_t>(grid.blocks.size());
                LatticeBlock block;
                block.at[0] = i, block.at[1] = j, block.at[2] = k;
                if (r.full[place]) block.inside[0] = block.inside[1] = ~0ULL;
                if (const std::int32_t d = r.drawn[place]; d >= 0)
                    block.inside[0] = r.inside[2 * d], block.inside[1] = r.inside[2 * d + 1];
                grid.blocks.push_back(block);
            }
    return grid;
}

void keep_crossed_tets(const Raster& r, const std::vector<Tri>& triangles, LatticeGrid& grid, Threads& threads) {
    parallel_for(threads, triangles.size(), triangle_chunk(triangles.size()), [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            each_piece(corners(r, triangles[t]), 2, [&](const Triangle& piece, const Vec3& low, const Vec3& high) {
                keep_tets_crossed_by(piece, low, high, grid);
            });
    });
}

}  // namespace

LatticeGrid rasterise(const LatticeSurface& surface, const WindingNumber& caps, double cell, Threads& threads) {
    Raster r;
    r.frame = lattice_frame(surface.box, cell);
    r.low = r.frame.coordinate(surface.box.min), r.high = r.frame.coordinate(surface.box.max);
    r.u.resize(surface.points.size());
    parallel_for(threads, r.u.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) r.u[i] = r.frame.coordinate(surface.points[i]);
    });
    r.mark.assign(r.frame.block_count(), 0);
    mark_blocks(r, surface.triangles, threads);
    mark_blocks(r, surface.caps, threads);
    set_all_thresholds(r, caps, threads);

    r.drawn.resize(r.mark.size());
    std::int32_t count = 0;
    for (std::size_t place = 0; place < r.mark.size(); ++place) r.drawn[place] = r.mark[place] ? count++ : -1;
    r.step.assign(128 * static_cast<std::size_t>(count), 0);
    r.inside.assign(2 * static_cast<std::size_t>(count), 0);
    r.full.assign(r.mark.size(), 0);
    draw(r, surface.triangles, threads);
    draw(r, surface.caps, threads);
    decide_nodes(r, caps, threads);
    r.step = {};

    LatticeGrid grid = collect_blocks(r);
    keep_tets_with_inside_nodes(grid, threads);
    keep_crossed_tets(r, surface.triangles, grid, threads);
    return grid;
}

}  // namespace pliant
