#pragma once
// A multigrid preconditioner for one block system: Cartesian grids laid over the rest shape, each twice as coarse as
// the one before; trilinear interpolation P, Galerkin operators PᵀAP, Chebyshev smoothing. One V-cycle is a symmetric
// positive definite approximation of A⁻¹ without any sum over rows, so it gives the same bits for any number of
// threads.
//
// The grids see the mesh through its nodes alone, so any mesh will do. Where they fit a lattice (nodes at whole and
// half cells), most weights are zero and left out, and set-up and cycles are cheapest.

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/solve/block_system.hpp"
#include "pliant/solve/multigrid_kernels.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

struct Multigrid {
    /// Rows i take from rows row[k] with weight[k]·weight_unit, k in [begin[i], begin[i + 1]).
    struct Transfer {
        std::vector<int> begin, row;
        std::vector<std::uint16_t> weight;
        TransferArgs args() const { return {begin.data(), row.data(), weight.data()}; }
    };
    struct Level {
        int rows = 0, slices = 0;
        BlockSystem matrix;       ///< of a coarse level; the finest one belongs to the caller
        std::span<float> anchor;  ///< [slice][9][8]
        std::span<double> r;      ///< right-hand side of a coarse level, [slice][3][8]
        std::span<double> t;      ///< what is left of it, likewise
        std::span<double> d, e;   ///< corrections, [row][4]
        std::span<double> z;      ///< the solution, [row][4]
        Transfer up;              ///< from this level's rows to the next coarser one's
        Transfer down;            ///< its transpose
        double largest = 0;       ///< eigenvalue of D⁻¹A, a little above
    };
    std::vector<Level> levels;            ///< finest first
    AlignedVector<float> coarse_anchors;  ///< of all levels but the finest, which sets its own in every solve
    AlignedVector<double> memory;         ///< of all vectors, unless there is enough spare memory in the finest system
    std::span<float> spare;               ///< what the vectors have left of that
    std::vector<double> factor;           ///< LDLᵀ of the coarsest matrix, dense: the lower triangle, row by row
    std::vector<double> solution;         ///< of it
    std::size_t most_neighbours = 0;      ///< of a coarse row
    AlignedVector<double> scratch;        ///< of the Galerkin products, unless `spare` is enough for them
    std::vector<double> partial;          ///< sums per chunk
    int degree = 2;                       ///< of the Chebyshev polynomial before and after each coarse correction
    double range = 10;                    ///< the smoother damps eigenvalues from largest/range to largest
    KernelLevel kernels = KernelLevel::v2;

    bool empty() const { return levels.empty(); }
};

/// Lays the grids over nodes at `position` (per node of `system`, any unit). `spacing`: distance of neighbouring nodes.
void lay_grids(Multigrid& multigrid, const BlockSystem& system, std::span<const Vec3> position, double spacing,
               Threads& threads);

/// Coarse operators for the matrix that `system` holds now, its prescribed rows included. The hierarchy may then be
/// used for other matrices that are not too different: it stays symmetric positive definite.
void set_operators(Multigrid& multigrid, const BlockSystem& system, Threads& threads);

/// Rows of A as the finest level sees them: inertia, and in coupled rows the couplings' blocks (added afterwards).
void set_anchor(Multigrid& multigrid, const BlockSystem& system, int begin_slice, int end_slice);
void add_anchor(Multigrid& multigrid, int row, const Mat3& block);

/// z of the finest level = one V-cycle on system.r. Called by every member of the team; ends with a barrier.
void v_cycle(Multigrid& multigrid, const BlockSystem& system, const Team& team);

std::size_t memory_bytes(const Multigrid& multigrid);

}  // namespace pliant
