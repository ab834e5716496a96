#pragma once
// Preconditioned conjugate gradients over several block systems held together by soft rows.

#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/solve/block_system.hpp"
#include "pliant/solve/coarse_space.hpp"
#include "pliant/solve/coupling.hpp"
#include "pliant/solve/solve_kernels.hpp"

namespace pliant {

struct CgOptions {
    /// 0: as many as the system needs. Those are `soft_iterations` where diagonal Jacobi alone preconditions, since who
    /// chooses it says that the system is soft, and else what it takes to reach the tolerance, at most
    /// `most_iterations`.
    int iterations = 20;
    /// Relative, preconditioned norm; 0: always `iterations`, unless nothing is left. Where these are 0 as well,
    /// `usual_tolerance` stands for it.
    double tolerance = 0;
    static constexpr int soft_iterations = 20, most_iterations = 300;
    static constexpr double usual_tolerance = 2e-3;
    KernelLevel kernels = KernelLevel::v2;
};

struct CgReport {
    int iterations = 0;
    double residual = 0;  ///< at the end, relative, in the norm of Jacobi's preconditioner
    bool missed = false;  ///< a tolerance was asked for, and the residual is above it
};

/// Memory that one solve leaves to the next, so that steps do not allocate.
struct CgScratch {
    std::vector<BlockSystem*> systems;  ///< a place for callers to list them
    struct End {
        BlockSystem* system;
        int index, row;  ///< system's place in the solve, row in it
        double weight;
    };
    struct Touch {  ///< a row of a system that couplings act on
        int system, row;
        int begin, end;  ///< its share of `touching`
    };
    struct Touching {
        int system, row, coupling;
        double weight;
    };
    struct Chunk {
        BlockSystem* system;
        int begin, end;              ///< slices
        int touch_begin, touch_end;  ///< coupled rows in them
        int index;                   ///< of the system
    };
    std::vector<End> ends;
    std::vector<int> end_begin;
    std::vector<Vec3> impulse;  ///< per coupling: S J p, or s − S J v
    std::vector<Touch> touch;
    std::vector<Touching> touching;
    std::vector<Chunk> chunks;
    AlignedVector<double> partial_pq, partial_rz;  ///< sums per chunk, added in order by every member
    // Momentum balance: one translation per free body or piece.
    struct Piece {
        double mass = 0;                    ///< kg
        Vec3 missing = Vec3::Zero();        ///< momentum, kg·m/s
        Vec3 centre = Vec3::Zero();         ///< m
        Mat3 inertia = Mat3::Zero();        ///< around it, kg·m²
        Vec3 missing_spin = Vec3::Zero();   ///< angular momentum around it
        int unknowns = 3;                   ///< a translation; 6: and a rotation
        int root = 0, place = 0;            ///< lowest piece that couplings connect it with; its first unknown there
        std::size_t matrix = 0, shift = 0;  ///< where the common system of those begins
        bool free = false;
    };
    std::vector<Piece> pieces;
    std::vector<int> first_piece, piece_group;
    std::vector<double> balance, shift;
    CoarseSpace coarse;  ///< second level of the preconditioner
};

/// Continues from each system's v and r. Afterwards v is the new solution, exact in the momentum of every body
/// without prescribed nodes, and r the residual without couplings.
CgReport solve_coupled(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                       const CgOptions& options, Threads& threads, CgScratch& scratch);

/// A solve in single precision leaves it to the next one to bring r up to date. For who wants r now, after the solve of
/// these systems.
void settle_residuals(std::span<BlockSystem* const> systems, const CgOptions& options, Threads& threads,
                      CgScratch& scratch);

}  // namespace pliant
