#include "pliant/meshing/lattice_grid.hpp"

#include <atomic>
#include <bit>
#include <cmath>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

using Word = std::uint64_t;
using Words8 = std::array<Word, 8>;  // of the blocks at offsets x + 2y + 4z

// Per axis: cubes in the last layer of the block, and how far that layer is from the first.
constexpr Word last_layer[3] = {0x8888888888888888ULL, 0xf000f000f000f000ULL, 0xffff000000000000ULL};
constexpr int bits_along[3] = {1, 4, 16};

/// The word whose bit at a cube is the bit of the cube one further along the axis.
Word pulled(Word here, Word next, int axis) {
    return ((here & ~(last_layer[axis] >> (3 * bits_along[axis]))) >> bits_along[axis]) |
           ((next << (3 * bits_along[axis])) & last_layer[axis]);
}

/// The same for an offset of 0 or 1 along each axis (bits of `offset`).
Word pulled(const Words8& w, int offset) {
    Word x[4], y[2];
    for (int n = 0; n < 4; ++n) x[n] = offset & 1 ? pulled(w[2 * n], w[2 * n + 1], 0) : w[2 * n];
    for (int n = 0; n < 2; ++n) y[n] = offset & 2 ? pulled(x[2 * n], x[2 * n + 1], 1) : x[2 * n];
    return offset & 4 ? pulled(y[0], y[1], 2) : y[0];
}

/// The reverse: spreads bits at cubes to the cubes at the offset, over eight blocks.
Words8 pushed(Word w, int offset) {
    Words8 out{w};
    for (int axis = 0; axis < 3; ++axis) {
        if (!(offset >> axis & 1)) continue;
        for (int n = 0; n < (1 << axis); ++n) {
            out[n | 1 << axis] = (out[n] & last_layer[axis]) >> (3 * bits_along[axis]);
            out[n] = (out[n] & ~last_layer[axis]) << bits_along[axis];
        }
    }
    return out;
}

/// Nodes of a tet as (sublattice: 0 corner, 1 centre; offset bits), ordered for positive volume.
struct TetNodes {
    int sublattice[4], offset[4];
};

constexpr TetNodes tet_nodes(int type) {
    const LatticeTet t = lattice_tet(type);
    const int face = 1 << t.axis, p = face | t.side << t.across, q = p | 1 << t.along;
    // (c1 - c0) = axis, then p and q: in the frame (axis, along, across) the nodes are (-½,0,0), (½,0,0),
    // (0,-½,±½), (0,½,±½), whose volume has the sign of -side · handedness.
    const bool right_handed = t.along == (t.axis + 1) % 3;
    const bool swap = right_handed == (t.side == 1);
    return {{1, 1, 0, 0}, {0, face, swap ? q : p, swap ? p : q}};
}

constexpr auto all_tet_nodes = [] {
    std::array<TetNodes, 12> all{};
    for (int type = 0; type < 12; ++type) all[type] = tet_nodes(type);
    return all;
}();

/// Indices of the block and its seven upper neighbours; -1 where there is none.
std::array<std::int32_t, 8> upper_neighbours(const LatticeGrid& grid, const LatticeBlock& block) {
    std::array<std::int32_t, 8> out;
    for (int n = 0; n < 8; ++n)
        out[n] = grid.block_at(block.at[0] + (n & 1), block.at[1] + (n >> 1 & 1), block.at[2] + (n >> 2));
    return out;
}

constexpr std::size_t block_chunk = 64;

void find_used_nodes(LatticeGrid& grid, Threads& threads) {
    parallel_for(threads, grid.blocks.size(), block_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const LatticeBlock& block = grid.blocks[b];
            Word uses[2][8] = {};
            Word any = 0;
            for (int type = 0; type < 12; ++type) {
                const TetNodes& nodes = all_tet_nodes[type];
                for (int n = 0; n < 4; ++n) uses[nodes.sublattice[n]][nodes.offset[n]] |= block.keep[type];
                any |= block.keep[type];
            }
            if (any == 0) continue;
            const auto near = upper_neighbours(grid, block);
            Words8 spread[2] = {};
            for (int sub = 0; sub < 2; ++sub)
                for (int offset = 0; offset < 8; ++offset) {
                    const Words8 part = pushed(uses[sub][offset], offset);
                    for (int n = 0; n < 8; ++n) spread[sub][n] |= part[n];
                }
            for (int sub = 0; sub < 2; ++sub)
                for (int n = 0; n < 8; ++n) {
                    if (spread[sub][n] == 0) continue;
                    CHECK(near[n] >= 0, block.at[0], block.at[1], block.at[2], n);
                    std::atomic_ref(grid.blocks[near[n]].used[sub]).fetch_or(spread[sub][n], std::memory_order_relaxed);
                }
        }
    });
}

void emit_nodes(const LatticeGrid& grid, const LatticeBlock& block, const Vec3& center, double unit, Vec3* out) {
    for (int bit = 0; bit < 64; ++bit)
        for (int sub = 0; sub < 2; ++sub) {
            if (!(block.used[sub] >> bit & 1)) continue;
            const double half = sub == 1 ? 0.5 : 0;
            const Vec3 u(4 * block.at[0] + (bit & 3) + half, 4 * block.at[1] + (bit >> 2 & 3) + half,
                         4 * block.at[2] + (bit >> 4) + half);
            *out++ = (grid.frame.position(u) + center) * unit;
        }
}

// Numbers of the nodes around a block, corners then centres, each as 5×5×5 with the upper neighbours' first layers.
constexpr int local_step[3] = {1, 5, 25};
constexpr auto local_offsets = [] {
    std::array<std::array<int, 4>, 12> all{};
    for (int type = 0; type < 12; ++type)
        for (int n = 0; n < 4; ++n) {
            int offset = 125 * all_tet_nodes[type].sublattice[n];
            for (int axis = 0; axis < 3; ++axis)
                if (all_tet_nodes[type].offset[n] >> axis & 1) offset += local_step[axis];
            all[type][n] = offset;
        }
    return all;
}();

void emit_tets(const LatticeGrid& grid, const LatticeBlock& block, Tet* out) {
    const auto near = upper_neighbours(grid, block);
    std::array<int, 250> number;
    for (int z = 0, at = 0; z < 5; ++z)
        for (int y = 0; y < 5; ++y)
            for (int x = 0; x < 5; ++x, ++at) {
                const std::int32_t b = near[(x >> 2) | (y >> 2) << 1 | (z >> 2) << 2];
                const int bit = cube_bit(x, y, z);
                for (int sub = 0; sub < 2; ++sub)
                    number[125 * sub + at] = b >= 0 ? node_number(grid.blocks[b], bit, sub) : -1;
            }
    for (int bit = 0; bit < 64; ++bit) {
        const int* local = number.data() + (bit & 3) + 5 * (bit >> 2 & 3) + 25 * (bit >> 4);
        for (int type = 0; type < 12; ++type) {
            if (!(block.keep[type] >> bit & 1)) continue;
            const auto& o = local_offsets[type];
            *out++ = {local[o[0]], local[o[1]], local[o[2]], local[o[3]]};
        }
    }
}

int kept_in(const LatticeBlock& block) {
    int count = 0;
    for (const Word w : block.keep) count += std::popcount(w);
    return count;
}

}  // namespace

LatticeFrame lattice_frame(const Box& box, double cell) {
    LatticeFrame frame;
    frame.cell = cell;
    for (int axis = 0; axis < 3; ++axis) {
        const double half = 0.5 * box.size()[axis] / cell;
        // Distance of the box' planes from the planes of nodes (multiples of 1/2) when the middle lies on one.
        const double away = std::abs(half - 0.5 * std::round(2 * half));
        const double middle = std::ceil(half) + 6 + (away < 0.125 ? 0.25 : 0.0);
        frame.origin[axis] = box.center()[axis] - cell * middle;
        frame.blocks[axis] = static_cast<int>((middle + half + 2) / 4) + 3;
    }
    return frame;
}

void keep_tets_with_inside_nodes(LatticeGrid& grid, Threads& threads) {
    parallel_for(threads, grid.blocks.size(), block_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            LatticeBlock& block = grid.blocks[b];
            // The uppermost layer of places, which has no upper neighbours, holds no blocks.
            const auto near = upper_neighbours(grid, block);
            Words8 inside[2];
            Word any = 0;
            for (int n = 0; n < 8; ++n)
                for (int sub = 0; sub < 2; ++sub) {
                    inside[sub][n] = near[n] >= 0 ? grid.blocks[near[n]].inside[sub] : 0;
                    any |= inside[sub][n];
                }
            if (any == 0) continue;
            Word at[2][8];
            for (int offset = 0; offset < 8; ++offset)
                for (int sub = 0; sub < 2; ++sub) at[sub][offset] = pulled(inside[sub], offset);
            for (int type = 0; type < 12; ++type) {
                const TetNodes& nodes = all_tet_nodes[type];
                for (int n = 0; n < 4; ++n) block.keep[type] |= at[nodes.sublattice[n]][nodes.offset[n]];
            }
        }
    });
}

long long count_kept(const LatticeGrid& grid) {
    long long count = 0;
    for (const LatticeBlock& block : grid.blocks) count += kept_in(block);
    return count;
}

TetMesh emit_mesh(LatticeGrid& grid, const Vec3& center, double unit, Threads& threads) {
    find_used_nodes(grid, threads);
    int nodes = 0, tets = 0;
    for (LatticeBlock& block : grid.blocks) {
        block.first_node = nodes, block.first_tet = tets;
        nodes += std::popcount(block.used[0]) + std::popcount(block.used[1]);
        tets += kept_in(block);
    }
    TetMesh mesh;
    mesh.rest.resize(nodes);
    mesh.tets.resize(tets);
    parallel_for(threads, grid.blocks.size(), block_chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            const LatticeBlock& block = grid.blocks[b];
            emit_nodes(grid, block, center, unit, mesh.rest.data() + block.first_node);
            emit_tets(grid, block, mesh.tets.data() + block.first_tet);
        }
    });
    return mesh;
}

}  // namespace pliant
