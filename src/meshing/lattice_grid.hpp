#pragma once
// The lattice as bits. Cubes come in blocks of 4×4×4: one 64-bit word says something about all cubes of a block.
// Blocks exist only where the body is; everything else is arithmetic on integer coordinates.

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/mesh/tet_mesh.hpp"

namespace pliant {

/// Where the lattice lies: node u (integers: corners, halves: centres) is at origin + cell · u.
struct LatticeFrame {
    Vec3 origin = Vec3::Zero();
    double cell = 1;
    int blocks[3] = {0, 0, 0};  ///< size of the grid of blocks; the uppermost layer along each axis stays empty

    std::size_t block_count() const { return static_cast<std::size_t>(blocks[0]) * blocks[1] * blocks[2]; }
    std::size_t place(int i, int j, int k) const {
        return (static_cast<std::size_t>(k) * blocks[1] + j) * blocks[0] + i;
    }
    Vec3 position(const Vec3& u) const { return origin + cell * u; }
    Vec3 coordinate(const Vec3& p) const { return (p - origin) / cell; }
};

/// A frame for a body with this box, so placed that the box' planes are at least cell/8 away from the planes of
/// nodes: bodies with sides of whole cells do not meet the lattice in ties. Mirror symmetry is kept where possible.
LatticeFrame lattice_frame(const Box& box, double cell);

/// Bit of a cube within its block.
inline int cube_bit(int i, int j, int k) { return (i & 3) | (j & 3) << 2 | (k & 3) << 4; }

/// One of the twelve tets that a cube owns, numbered 4·axis + 2·(which other axis) + side: those at its high face
/// along `axis`, over the face's edge at the low or high `side` of the other axis, running along the third.
struct LatticeTet {
    int axis, across, along, side;
};
constexpr LatticeTet lattice_tet(int type) {
    const int axis = type / 4, across = (axis + 1 + (type / 2) % 2) % 3;
    return {axis, across, 3 - axis - across, type % 2};
}
constexpr int lattice_tet_type(int axis, int across, int side) {
    return 4 * axis + 2 * (across == (axis + 2) % 3 ? 1 : 0) + side;
}

struct LatticeBlock {
    int at[3] = {0, 0, 0};                 ///< in blocks
    std::uint64_t inside[2] = {0, 0};      ///< nodes inside the body: corners, centres
    std::array<std::uint64_t, 12> keep{};  ///< per type: tets to keep
    std::uint64_t used[2] = {0, 0};        ///< nodes of kept tets
    int first_node = 0;
    int first_tet = 0;
};

struct LatticeGrid {
    LatticeFrame frame;
    std::vector<std::int32_t> index;   ///< per place: block or -1
    std::vector<LatticeBlock> blocks;  ///< in order of their places

    std::int32_t block_at(int i, int j, int k) const { return index[frame.place(i, j, k)]; }
};

/// Keeps every tet that has a node inside.
void keep_tets_with_inside_nodes(LatticeGrid& grid, Threads& threads);

long long count_kept(const LatticeGrid& grid);

/// Numbers in the mesh that emit_mesh() made of the grid: of a node that is used, and of the first tet of a cube or
/// after it, whose kept tets follow in the order of their types.
inline int node_number(const LatticeBlock& block, int bit, int sublattice) {
    const std::uint64_t below = (std::uint64_t{1} << bit) - 1;  // cubes in order, the corner before the centre
    return block.first_node + std::popcount(block.used[0] & below) + std::popcount(block.used[1] & below) +
           (sublattice == 1 ? static_cast<int>(block.used[0] >> bit & 1) : 0);
}
inline int first_tet_number(const LatticeBlock& block, int bit) {
    const std::uint64_t below = (std::uint64_t{1} << bit) - 1;
    int number = block.first_tet;
    for (const std::uint64_t kept : block.keep) number += std::popcount(kept & below);
    return number;
}

/// The kept tets as a mesh: nodes and tets block by block, so that neighbours in space are near in memory.
/// Positions are (p + center) · unit.
TetMesh emit_mesh(LatticeGrid& grid, const Vec3& center, double unit, Threads& threads);

}  // namespace pliant
