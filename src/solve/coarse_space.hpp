#pragma once
// The second level of the two-level preconditioner
//     z = D⁻¹r + Z (ZᵀAZ)⁻¹ Zᵀr,
// D the (block) diagonal of A and Z the rigid modes of connected aggregates of rows (aggregates.hpp), zero in
// prescribed rows. What Jacobi is slow at, motions of whole regions of a stiff body, is solved at once by the second
// term.
//
// Couplings are part of A: bodies and pieces that they connect share one coarse matrix, so that what one pushes the
// other with is solved at once, too. It is factorised within its envelope. Where that would cost more than the solve
// itself, as in a large pile of pieces, the blocks between pieces are left out: it remains symmetric positive definite.

#include <cstddef>
#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/solve/block_system.hpp"
#include "pliant/solve/coarse_kernels.hpp"
#include "pliant/solve/coupling.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

struct CgScratch;

/// The coarse system of one solve. Memory is kept for the next.
struct CoarseSpace {
    bool active = false;               ///< some system of the solve has two levels
    std::vector<int> first_aggregate;  ///< of each system; −1: it has one level
    std::vector<int> first_entry;      ///< likewise
    int aggregates = 0, entries = 0;
    struct Owner {
        const BlockSystem* system;
        int first_aggregate, first_entry;  ///< of the system
    };
    std::vector<Owner> owner;  ///< per aggregate

    // Order of elimination: groups of aggregates that hang together, each in the order of Cuthill & McKee.
    std::vector<int> aggregate_at, position;
    std::vector<int> group_of;           ///< per position
    std::vector<int> group_begin;        ///< [groups + 1] positions
    std::vector<char> separate;          ///< per group: couplings between its pieces are left out
    std::vector<int> first;              ///< per position, see Envelope
    std::vector<std::size_t> row_begin;  ///< likewise
    AlignedVector<double> value;
    int groups() const { return static_cast<int>(group_begin.size()) - 1; }

    // What the couplings have of an aggregate: u = weight·t + ω×lever.
    struct Share {
        int aggregate;
        double weight;
        Vec3 lever;
    };
    std::vector<Share> shares;
    std::vector<int> share_begin;  ///< per coupling
    // Neighbours of each aggregate.
    struct Link {
        int from, to;
    };
    std::vector<Link> links;
    std::vector<int> link_begin, piece;  ///< piece: lowest aggregate that blocks connect it with

    struct Chunk {
        BlockSystem* system;
        int index, chunk;
    };
    std::vector<Chunk> chunks;
    AlignedVector<double> force;          ///< [entry][8] shares of Zᵀr: force, 0, torque, 0
    AlignedVector<double> motion;         ///< [entry][8] t, 0, ω, 0
    AlignedVector<double> rhs, solution;  ///< [position][8]
    std::vector<double> work;             ///< per group: rhs·solution
};

/// After flatten_couplings(): the factor of ZᵀAZ for the matrices that the systems hold now.
void prepare_coarse(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, KernelLevel kernels,
                    Threads& threads, CgScratch& scratch);

/// Finds c = (ZᵀAZ)⁻¹Zᵀr of the systems' r, or of their residuals in single precision; returns r·Zc. Called by every
/// member of the team when r is complete; ends with a barrier.
double solve_coarse(CoarseSpace& space, KernelLevel kernels, bool single, const Team& team);

CoarseArgs coarse_args(const BlockSystem& system);

}  // namespace pliant
