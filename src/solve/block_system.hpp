#pragma once
// One body's share of a linear system A v = b with 3×3 blocks: A = diag(inertia) + stiffness, in the layouts of
// solve_kernels.hpp. Rows are the nodes, sorted by length within windows so that slices of eight need little padding.

#include <span>
#include <vector>

#include "pliant/core/types.hpp"
#include "pliant/solve/aggregates.hpp"
#include "pliant/solve/aligned.hpp"
#include "pliant/solve/packed_slot.hpp"

namespace pliant {

struct Multigrid;

struct BlockSystem {
    int rows = 0;    ///< nodes
    int slices = 0;  ///< of eight rows; the last may be partly empty
    std::vector<int> row_of_node;
    std::vector<int> node_of_row;  ///< 8·slices, −1 in empty rows
    std::vector<int> slice_begin;  ///< slices + 1, first slot of each
    AlignedVector<int>
        column;  ///< [slot][8] 4·row of the neighbour, its place in rows of four; the row itself where there is none
    AlignedVector<float> block;     ///< [slot][9][8], kg; at least that long
    AlignedVector<double> inertia;  ///< [8·slices] kg: what remains of A's rows when all blocks of a row are added
    AlignedVector<float> preconditioner;  ///< [slice][6][8]
    AlignedVector<double> v, r;           ///< [slice][3][8]: solution so far, residual without couplings between solves
    std::vector<char> prescribed;         ///< [8·slices]
    /// 0, or r is not yet the residual of v: A·pending_correction·(correction of the last solve) is still to be taken
    /// from it.
    double pending_correction = 0;

    /// A packed copy of a large matrix, for solves in single precision.
    AlignedVector<PackedSlot> packed;
    AlignedVector<short> near;  ///< its columns, see single_kernels.hpp; empty where some neighbours are too far away
    bool packs = false;         ///< the last solve wanted it: who assembles the next may write it beside the blocks
    bool packed_ready = false;  ///< it is there
    bool near_known = false;    ///< `near` belongs to the present columns
    std::size_t matrix_bytes() const { return 72 * sizeof(float) * slots(); }
    /// Larger matrices do not stay in the cache.
    bool worth_packing() const { return matrix_bytes() > 12 << 20; }

    /// Memory that its owner does not need from one assembly to the next: what solves work with is there if it is large
    /// enough, and multigrid's vectors after it.
    std::span<float> spare;
    AlignedVector<float> search;  ///< the same memory where there is no spare one
    static constexpr int search_floats = 14;
    std::size_t padded() const { return 8 * std::size_t(slices); }
    bool has_spare() const { return spare.size() >= search_floats * padded(); }
    float* work() { return has_spare() ? spare.data() : search.data(); }
    /// Before a solve.
    void size_work() {
        if (!has_spare()) search.resize(search_floats * padded());
    }
    double* direction() { return reinterpret_cast<double*>(work()); }               ///< p, [row][4]
    double* product() { return reinterpret_cast<double*>(work()) + 4 * padded(); }  ///< q, [slice][3][8]
    // The same in single precision, with correction and residual (single_kernels.hpp).
    float* single_direction() { return work(); }
    float* single_correction() { return work() + 4 * padded(); }
    float* single_product() { return work() + 8 * padded(); }
    float* single_residual() { return work() + 11 * padded(); }
    std::span<float> behind_work() const { return has_spare() ? spare.subspan(search_floats * padded()) : spare; }

    /// Σ inertia·v that the momentum balance asks for at the end of the solve when nothing is coupled, kg·m/s.
    Vec3 momentum = Vec3::Zero();
    bool pinned = false;             ///< some velocity is prescribed: no momentum balance
    double reference = 0;            ///< first residual (squared, Jacobi-scaled) since the system was assembled
    Multigrid* multigrid = nullptr;  ///< preconditions this system's share of a solve; null: diagonal Jacobi does

    /// Diagonal Jacobi and the rigid modes of aggregates precondition this system together (coarse_space.hpp). `place`,
    /// [row][4] with the fourth zero, says where the rows are, m, from any point near their piece.
    bool two_level = false;
    AlignedVector<double> place;
    Aggregates aggregates;
    bool coarse_ready = false;                            ///< the two below belong to the present matrix
    AlignedVector<double> coarse_diagonal, coarse_pairs;  ///< [aggregate][21], [pair][36]: ZᵀAZ without couplings

    /// Rows that no block connects, such as the pieces of a broken body, each balance their own momentum: part of each
    /// row, 0 … parts−1, with the momentum and `pinned` of each part. Empty: all rows hang together.
    std::vector<int> part;
    std::vector<Vec3> part_momentum;
    std::vector<char> part_pinned;
    std::vector<char> part_coupled;  ///< per part: a solve of this step had couplings that act on it
    /// Where the rows are, m, for a system so stiff that its parts move like rigid bodies in this step: they balance
    /// their angular momentum too, Σ lever × inertia·v. Empty: it is softer.
    std::vector<Vec3> lever;
    std::vector<Vec3> part_spin;    ///< what that sum should be, kg·m²/s
    std::vector<double> part_mass;  ///< Σ inertia, kg
    int parts() const { return part.empty() ? 1 : static_cast<int>(part_momentum.size()); }

    int neighbour(int slot, int lane) const { return column[8L * slot + lane] / 4; }
    int slots() const { return slice_begin.empty() ? 0 : slice_begin.back(); }
    /// Fixes the sparsity from each node's neighbours (sorted, without itself) and sizes every array.
    void set_pattern(std::span<const std::vector<int>> neighbours);
    /// The same from the number of each node's neighbours; who they are is then to be written to `column`. `order`: the
    /// node of each row; empty: sorted by length. `shared`: floats that `block` holds at least, for who uses it as
    /// scratch.
    void set_rows(std::span<const int> length, std::span<const int> order = {}, std::size_t shared = 0);
    /// Room for as many rows and slots as there are. Rows keep what they have, blocks do not.
    void size_arrays(std::size_t shared);
    /// Room for `packed`, and columns for it.
    void prepare_packed();

    Vec3 at(const double* blocked, int row) const {
        const double* e = blocked + 24L * (row / 8) + row % 8;
        return {e[0], e[8], e[16]};
    }
    Vec3 at(const AlignedVector<double>& blocked, int row) const { return at(blocked.data(), row); }
    void add(double* blocked, int row, const Vec3& value) {
        double* e = blocked + 24L * (row / 8) + row % 8;
        e[0] += value[0], e[8] += value[1], e[16] += value[2];
    }
    void add(AlignedVector<double>& blocked, int row, const Vec3& value) { add(blocked.data(), row, value); }
    /// The diagonal block of A: inertia − Σ neighbours' blocks.
    Mat3 diagonal(int row) const;

    int part_of(int row) const { return part.empty() ? 0 : part[row]; }
    bool is_pinned(int of) const { return part.empty() ? pinned : part_pinned[of] != 0; }

    /// How hard the row is to move, kg: the mean of the diagonal, but little more than all of a part that moves as one;
    /// infinite where the velocity is prescribed.
    double effective_mass(int row) const;
    /// Puts the inverse of an SPD block in the preconditioner.
    void set_preconditioner(int row, const Mat3& inverse);
    /// Diagonal Jacobi of A alone; zero where prescribed.
    void reset_preconditioner(int row);
};

}  // namespace pliant
