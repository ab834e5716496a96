#pragma once
// Which tets and nodes of a lattice are where: answered from the lattice's own bits, without a tree.

#include <algorithm>
#include <cmath>

#include "pliant/meshing/lattice.hpp"
#include "pliant/meshing/lattice_grid.hpp"

namespace pliant {

class LatticeLookup {
public:
    /// `grid`: as emit_mesh(grid, center, unit, …) left it.
    LatticeLookup(LatticeGrid grid, const Vec3& center, double unit)
        : grid_(std::move(grid)), center_(center), unit_(unit) {}

    /// The tet that contains the point, −1 where the mesh has none. In constant time.
    int tet_at(const Vec3& p) const {
        const Vec3 u = coordinate(p);
        int cube[3];
        for (int k = 0; k < 3; ++k) cube[k] = static_cast<int>(std::floor(u[k]));
        // Within a cube, the tets over one face make up the pyramid between the face and the centre.
        const Vec3 from = u - Vec3(cube[0] + 0.5, cube[1] + 0.5, cube[2] + 0.5);
        int axis = 0;
        from.cwiseAbs().maxCoeff(&axis);
        const int one = (axis + 1) % 3, other = (axis + 2) % 3;
        const int across = std::abs(from[one]) >= std::abs(from[other]) ? one : other;
        if (from[axis] < 0) --cube[axis];  // a face belongs to the cube below it
        const LatticeBlock* block = block_of(cube);
        if (!block) return -1;
        const int bit = cube_bit(cube[0], cube[1], cube[2]);
        const int type = lattice_tet_type(axis, across, from[across] > 0 ? 1 : 0);
        if (!(block->keep[type] >> bit & 1)) return -1;
        int number = first_tet_number(*block, bit);
        for (int before = 0; before < type; ++before) number += static_cast<int>(block->keep[before] >> bit & 1);
        return number;
    }

    /// Calls f(tet) for all whose boxes meet the box, in a fixed order.
    template <class F>
    void each_tet(const Box& box, F&& f) const {
        const auto [low, high] = widened(box);
        each_cube(low, high, [&, low = low, high = high](const int* cube, const LatticeBlock& block) {
            const int bit = cube_bit(cube[0], cube[1], cube[2]);
            int number = first_tet_number(block, bit);
            for (int type = 0; type < 12; ++type) {
                if (!(block.keep[type] >> bit & 1)) continue;
                const LatticeTet t = lattice_tet(type);
                double from[3], to[3];
                from[t.axis] = cube[t.axis] + 0.5, to[t.axis] = cube[t.axis] + 1.5;
                from[t.across] = cube[t.across] + 0.5 * t.side, to[t.across] = from[t.across] + 0.5;
                from[t.along] = cube[t.along], to[t.along] = cube[t.along] + 1;
                bool meets = true;
                for (int k = 0; k < 3; ++k) meets = meets && from[k] <= high[k] && to[k] >= low[k];
                if (meets) f(number);
                ++number;
            }
        });
    }

    /// Calls f(node) for all within the box, in a fixed order.
    template <class F>
    void each_node(const Box& box, F&& f) const {
        const auto [low, high] = widened(box);
        each_cube(low, high, [&, low = low, high = high](const int* cube, const LatticeBlock& block) {
            const int bit = cube_bit(cube[0], cube[1], cube[2]);
            for (int sub = 0; sub < 2; ++sub) {
                if (!(block.used[sub] >> bit & 1)) continue;
                bool in = true;
                for (int k = 0; k < 3; ++k) in = in && cube[k] + 0.5 * sub >= low[k] && cube[k] + 0.5 * sub <= high[k];
                if (in) f(node_number(block, bit, sub));
            }
        });
    }

private:
    Vec3 coordinate(const Vec3& p) const { return grid_.frame.coordinate(p / unit_ - center_); }

    /// In cells, a little larger: nodes have been rounded.
    std::pair<Vec3, Vec3> widened(const Box& box) const {
        constexpr double slack = 1e-9;
        return {coordinate(box.min) - Vec3::Constant(slack), coordinate(box.max) + Vec3::Constant(slack)};
    }

    const LatticeBlock* block_of(const int* cube) const {
        for (int k = 0; k < 3; ++k)
            if (cube[k] < 0 || cube[k] >= 4 * grid_.frame.blocks[k]) return nullptr;
        const std::int32_t block = grid_.block_at(cube[0] / 4, cube[1] / 4, cube[2] / 4);
        return block < 0 ? nullptr : &grid_.blocks[block];
    }

    /// Tets reach half a cell beyond the cube above the one they belong to.
    template <class F>
    void each_cube(const Vec3& low, const Vec3& high, F&& f) const {
        int first[3], last[3], cube[3];
        for (int k = 0; k < 3; ++k) {
            const double most = 4.0 * grid_.frame.blocks[k] - 1;
            first[k] = static_cast<int>(std::clamp(std::floor(low[k]) - 1, 0.0, most));
            last[k] = static_cast<int>(std::clamp(std::floor(high[k]), 0.0, most));
        }
        for (cube[2] = first[2]; cube[2] <= last[2]; ++cube[2])
            for (cube[1] = first[1]; cube[1] <= last[1]; ++cube[1])
                for (cube[0] = first[0]; cube[0] <= last[0]; ++cube[0])
                    if (const LatticeBlock* block = block_of(cube)) f(cube, *block);
    }

    LatticeGrid grid_;
    Vec3 center_;
    double unit_;
};

/// A lattice, and where its tets are.
struct IndexedLattice {
    LatticeResult lattice;
    LatticeLookup lookup;
};

/// The lattice of a surface with this cell, m; see lattice().
IndexedLattice indexed_lattice(const TriMesh& surface, double cell, Threads& threads);

}  // namespace pliant
