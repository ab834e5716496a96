#include "pliant/meshing/lattice_shape.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

enum State : unsigned char { outside, full, mixed };

/// Where |distance| exceeds the radius of a region, the whole region is on one side; else halve it.
void classify_blocks(const LatticeShape& shape, const LatticeFrame& f, std::vector<unsigned char>& state,
                     std::array<int, 3> from, std::array<int, 3> to) {
    Vec3 low, high;  // of everything that the blocks' tets reach
    for (int k = 0; k < 3; ++k) low[k] = 4 * from[k], high[k] = 4 * to[k] + 0.5;
    const double d = shape.distance(f.position(0.5 * (low + high)));
    const double radius = 0.5 * (high - low).norm() * f.cell;
    const bool one_block = to[0] - from[0] == 1 && to[1] - from[1] == 1 && to[2] - from[2] == 1;
    if (one_block || std::abs(d) > radius) {
        const unsigned char s = d > radius ? outside : d < -radius ? full : mixed;
        for (int k = from[2]; k < to[2]; ++k)
            for (int j = from[1]; j < to[1]; ++j)
                for (int i = from[0]; i < to[0]; ++i) state[f.place(i, j, k)] = s;
        return;
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (to[k] - from[k] > to[axis] - from[axis]) axis = k;
    const int middle = (from[axis] + to[axis]) / 2;
    std::array<int, 3> cut = to;
    cut[axis] = middle;
    classify_blocks(shape, f, state, from, cut);
    from[axis] = middle;
    classify_blocks(shape, f, state, from, to);
}

/// Does the solid reach into the tet? Halves the longest edge until pieces are surely in, surely out, or a fifteenth
/// of a cell long; those that are then still in doubt count as touched.
bool reaches_into(const LatticeShape& shape, const std::array<Vec3, 4>& tet, int halvings) {
    const Vec3 middle = 0.25 * (tet[0] + tet[1] + tet[2] + tet[3]);
    const double d = shape.distance(middle);
    if (d < 0) return true;
    double radius2 = 0;
    for (const Vec3& corner : tet) radius2 = std::max(radius2, (corner - middle).squaredNorm());
    if (!(d * d < radius2)) return false;
    if (halvings == 0) return true;
    int a = 0, b = 1;
    for (int i = 0; i < 4; ++i)
        for (int j = i + 1; j < 4; ++j)
            if ((tet[j] - tet[i]).squaredNorm() > (tet[b] - tet[a]).squaredNorm()) a = i, b = j;
    const Vec3 cut = 0.5 * (tet[a] + tet[b]);
    std::array<Vec3, 4> half = tet;
    half[a] = cut;
    if (reaches_into(shape, half, halvings - 1)) return true;
    half = tet;
    half[b] = cut;
    return reaches_into(shape, half, halvings - 1);
}

Vec3 node_coordinate(const int* cube, int sublattice) {
    return Vec3(cube[0], cube[1], cube[2]) + Vec3::Constant(0.5 * sublattice);
}

void find_inside_nodes(const LatticeShape& shape, LatticeGrid& grid, const std::vector<unsigned char>& state,
                       std::vector<float>& distance, Threads& threads) {
    parallel_for(threads, grid.blocks.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            LatticeBlock& block = grid.blocks[b];
            if (state[grid.frame.place(block.at[0], block.at[1], block.at[2])] == full) {
                block.inside[0] = block.inside[1] = ~0ULL;
                continue;
            }
            for (int node = 0; node < 128; ++node) {
                const int cube[3] = {4 * block.at[0] + (node & 3), 4 * block.at[1] + (node >> 2 & 3),
                                     4 * block.at[2] + (node >> 4 & 3)};
                const double d = shape.distance(grid.frame.position(node_coordinate(cube, node >> 6)));
                distance[128 * b + node] = static_cast<float>(d / grid.frame.cell);
                block.inside[node >> 6] |= static_cast<std::uint64_t>(d < 0) << (node & 63);
            }
        }
    });
}

/// Tets with all nodes outside that the solid reaches into all the same.
void keep_reached_tets(const LatticeShape& shape, LatticeGrid& grid, const std::vector<unsigned char>& state,
                       const std::vector<float>& distance, Threads& threads) {
    parallel_for(threads, grid.blocks.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            LatticeBlock& block = grid.blocks[b];
            if (state[grid.frame.place(block.at[0], block.at[1], block.at[2])] != mixed) continue;
            for (int bit = 0; bit < 64; ++bit)
                for (int type = 0; type < 12; ++type) {
                    if (block.keep[type] >> bit & 1) continue;
                    const LatticeTet t = lattice_tet(type);
                    const int cube[3] = {4 * block.at[0] + (bit & 3), 4 * block.at[1] + (bit >> 2 & 3),
                                         4 * block.at[2] + (bit >> 4)};
                    // No point of a tet is further than a cell from a node of it.
                    if (distance[128 * b + 64 + bit] > 1) continue;
                    int next[3] = {cube[0], cube[1], cube[2]};
                    ++next[t.axis];
                    int p[3] = {next[0], next[1], next[2]};
                    p[t.across] += t.side;
                    int q[3] = {p[0], p[1], p[2]};
                    ++q[t.along];
                    const std::array<Vec3, 4> corners{
                        grid.frame.position(node_coordinate(cube, 1)), grid.frame.position(node_coordinate(next, 1)),
                        grid.frame.position(node_coordinate(p, 0)), grid.frame.position(node_coordinate(q, 0))};
                    if (reaches_into(shape, corners, 9)) block.keep[type] |= std::uint64_t{1} << bit;
                }
        }
    });
}

}  // namespace

LatticeGrid sample_shape(const LatticeShape& shape, double cell, Threads& threads) {
    LatticeGrid grid;
    grid.frame = lattice_frame(shape.box, cell);
    const LatticeFrame& f = grid.frame;
    std::vector<unsigned char> state(f.block_count(), outside);
    constexpr int tile = 8;
    int tiles[3];
    // Without the outermost layers, where the body's box does not reach.
    for (int k = 0; k < 3; ++k) tiles[k] = (f.blocks[k] - 2 + tile - 1) / tile;
    parallel_for(threads, static_cast<std::size_t>(tiles[0]) * tiles[1] * tiles[2], 1, [&](std::size_t n, std::size_t) {
        const int at[3] = {static_cast<int>(n % tiles[0]), static_cast<int>(n / tiles[0] % tiles[1]),
                           static_cast<int>(n / tiles[0] / tiles[1])};
        std::array<int, 3> from, to;
        for (int k = 0; k < 3; ++k) from[k] = tile * at[k], to[k] = std::min(from[k] + tile, f.blocks[k] - 2);
        classify_blocks(shape, f, state, from, to);
    });

    // A block's tets use nodes of its upper neighbours, so those exist too.
    grid.index.assign(f.block_count(), -1);
    for (int k = 0; k + 2 < f.blocks[2]; ++k)
        for (int j = 0; j + 2 < f.blocks[1]; ++j)
            for (int i = 0; i + 2 < f.blocks[0]; ++i) {
                if (state[f.place(i, j, k)] == outside) continue;
                for (int n = 0; n < 8; ++n) grid.index[f.place(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2))] = 0;
            }
    for (int k = 0; k < f.blocks[2]; ++k)
        for (int j = 0; j < f.blocks[1]; ++j)
            for (int i = 0; i < f.blocks[0]; ++i) {
                std::int32_t& index = grid.index[f.place(i, j, k)];
                if (index < 0) continue;
                index = static_cast<std::int32_t>(grid.blocks.size());
                LatticeBlock block;
                block.at[0] = i, block.at[1] = j, block.at[2] = k;
                grid.blocks.push_back(block);
            }
    std::vector<float> distance(128 * grid.blocks.size(), 0);
    find_inside_nodes(shape, grid, state, distance, threads);
    keep_tets_with_inside_nodes(grid, threads);
    keep_reached_tets(shape, grid, state, distance, threads);
    return grid;
}

}  // namespace pliant
