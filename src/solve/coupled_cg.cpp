#include "pliant/solve/coupled_cg.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/solve/cg_rows.hpp"
#include "pliant/solve/coarse_space.hpp"
#include "pliant/solve/momentum_balance.hpp"
#include "pliant/solve/multigrid.hpp"
#include "pliant/solve/single_cg.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

namespace {

// Rows with couplings need the full block: a stiff contact is a hundred times harder along its normal than across.
void couple_preconditioner(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                           const CgScratch& s) {
    for (const CgScratch::Touch& touch : s.touch) {
        BlockSystem& system = *systems[touch.system];
        if (system.prescribed[touch.row]) continue;
        Mat3 C = Mat3::Zero();
        for (int i = touch.begin; i < touch.end; ++i) {
            const CgScratch::Touching& t = s.touching[i];
            C += t.weight * t.weight * couplings[t.coupling].S;
        }
        if (system.multigrid) add_anchor(*system.multigrid, touch.row, C);
        Mat3 inverse = (system.diagonal(touch.row) + C).inverse();
        // Rounding to float must not make it indefinite.
        inverse.diagonal().array() += 2e-7 * inverse.trace();
        system.set_preconditioner(touch.row, inverse);
    }
}

CgOptions resolve(CgOptions options, bool soft) {
    if (options.iterations > 0) return options;
    options.iterations = CgOptions::most_iterations;
    if (options.tolerance > 0) return options;
    if (soft)
        options.iterations = CgOptions::soft_iterations;
    else
        options.tolerance = CgOptions::usual_tolerance;
    return options;
}

/// With the impulses at the v that was reached.
CgReport finish(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, const SolveKernels& kernels,
                const CgReport& report, CgScratch& s) {
    balance_momentum(systems, couplings, kernels, s);
    for (const CgScratch::Touch& touch : s.touch) {
        BlockSystem& system = *systems[touch.system];
        system.reset_preconditioner(touch.row);
        system.part_coupled.resize(system.parts(), 0);
        system.part_coupled[system.part_of(touch.row)] = 1;
    }
    return report;
}

}  // namespace

void settle_residuals(std::span<BlockSystem* const> systems, const CgOptions& options, Threads& threads, CgScratch& s) {
    int slices = 0;
    bool pending = false;
    for (const BlockSystem* system : systems) slices += system->slices, pending |= system->pending_correction != 0;
    if (pending) run_team(threads, slices, [&](const Team& team) { refresh_residual(s, options, team); });
}

CgReport solve_coupled(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                       const CgOptions& given, Threads& threads, CgScratch& s) {
    const bool jacobi_alone =
        std::none_of(systems.begin(), systems.end(), [](const BlockSystem* a) { return a->two_level || a->multigrid; });
    const CgOptions options = resolve(given, jacobi_alone);
    flatten_couplings(systems, couplings, s);
    cut_chunks(systems, s);
    int slices = 0;
    bool soft = true;
    for (BlockSystem* system : systems) {
        system->size_work();
        slices += system->slices;
        soft &= !system->multigrid && system->lever.empty();
    }
    settle_residuals(systems, options, threads, s);
    for (const BlockSystem* system : systems)
        if (system->multigrid) set_anchor(*system->multigrid, *system, 0, system->slices);
    couple_preconditioner(systems, couplings, s);
    prepare_coarse(systems, couplings, options.kernels, threads, s);
    const SolveKernels& kernels = solve_kernels(options.kernels);

    take_impulses(couplings, s);
    add_impulses(systems, 1, s);

    const MultigridKernels& grids = multigrid_kernels(options.kernels);
    CgReport report;
    for (BlockSystem* system : systems) system->packs = false;
    if (soft) {
        for (BlockSystem* system : systems)
            if (system->worth_packing()) system->prepare_packed();
        bool done = false;
        const auto iterate = [&](const Team& team) {
            const bool mine = iterate_single(systems, couplings, options, s, team, report);
            if (team.member == 0) done = mine;
        };
        run_team(threads, slices, iterate, slices_worth_solving_together);
        if (done) {
            take_impulses(couplings, s);
            return finish(systems, couplings, kernels, report, s);
        }
    }
    auto iterate = [&](const Team& team) {
        const int chunk_begin = team.begin(s.chunks.size()), chunk_end = team.end(s.chunks.size());
        bool any_multigrid = false;
        for (const BlockSystem* system : systems) any_multigrid |= system->multigrid != nullptr;
        const bool more_than_jacobi = any_multigrid || s.coarse.active;
        const CoarseKernels& coarse = coarse_kernels(options.kernels);
        // Coarse corrections of the systems with two levels, and their share of r·(preconditioned r).
        double second = 0;
        auto measure = [&](double jacobi) {
            if (s.coarse.active) second = solve_coarse(s.coarse, options.kernels, false, team);
            return jacobi + second;
        };
        // V-cycles of the systems that have grids; then the sum of r·(preconditioned r).
        auto precondition = [&](double measured) {
            if (!any_multigrid) return measured;
            for (const BlockSystem* system : systems)
                if (system->multigrid) v_cycle(*system->multigrid, *system, team);
            for (int c = chunk_begin; c < chunk_end; ++c) {
                const CgScratch::Chunk& k = s.chunks[c];
                if (k.system->multigrid)
                    s.partial_rz[c] =
                        grids.dot(k.system->r.data(), k.system->multigrid->levels[0].z.data(), k.begin, k.end);
            }
            team.barrier();
            const double sum = in_order(s.partial_rz);
            team.barrier();
            return sum + second;
        };
        auto turn_search = [&](double turn) {
            for (int c = chunk_begin; c < chunk_end; ++c) {
                const CgScratch::Chunk& k = s.chunks[c];
                if (k.system->multigrid)
                    grids.turn(turn, k.system->multigrid->levels[0].z.data(), k.system->direction(), k.begin, k.end);
                else
                    kernels.turn(turn, k.system->r.data(), k.system->preconditioner.data(), k.system->direction(),
                                 k.begin, k.end);
                if (s.coarse.active && s.coarse.first_aggregate[k.index] >= 0)
                    coarse.prolong(coarse_args(*k.system), s.coarse.motion.data() + 8L * s.coarse.first_entry[k.index],
                                   k.system->direction(), k.begin, k.end);
            }
        };
        for (int c = chunk_begin; c < chunk_end; ++c) {
            const CgScratch::Chunk& k = s.chunks[c];
            s.partial_rz[c] = kernels.turn(0, k.system->r.data(), k.system->preconditioner.data(),
                                           k.system->direction(), k.begin, k.end);
        }
        team.barrier();
        // The residual is measured with Jacobi's scaling and, where there are two levels, with that of the coarse
        // space: Jacobi's alone hardly sees what is missing of the motion of a whole stiff body.
        double size = measure(in_order(s.partial_rz)), reference = size;
        for (const BlockSystem* system : systems) reference = std::max(reference, system->reference);
        team.barrier();
        const double enough = small_enough(options, reference);
        double rz = size;
        int iterations = 0;
        if (more_than_jacobi && size > enough && std::isfinite(size)) {
            rz = precondition(size);
            turn_search(0);
            team.barrier();  // couplings read rows of others
        }
        for (; iterations < options.iterations && size > enough && std::isfinite(rz); ++iterations) {
            if (!couplings.empty()) {
                for (int c = team.begin(couplings.size()); c < team.end(couplings.size()); ++c) {
                    Vec3 u = Vec3::Zero();
                    for (int e = s.end_begin[c]; e < s.end_begin[c + 1]; ++e)
                        u += s.ends[e].weight *
                             Eigen::Map<const Vec3>(s.ends[e].system->direction() + 4L * s.ends[e].row);
                    s.impulse[c] = couplings[c].S * u;
                }
            }
            team.barrier();  // everybody's part of p and of the impulses is there
            for (int c = chunk_begin; c < chunk_end; ++c) {
                const CgScratch::Chunk& k = s.chunks[c];
                BlockSystem& a = *k.system;
                double dot = kernels.product(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(),
                                             a.direction(), a.product(), k.begin, k.end);
                for (int t = k.touch_begin; t < k.touch_end; ++t) {
                    const Vec3 impulse = touch_impulse(s, s.touch[t]);
                    a.add(a.product(), s.touch[t].row, impulse);
                    dot += impulse.dot(Eigen::Map<const Vec3>(a.direction() + 4L * s.touch[t].row));
                }
                s.partial_pq[c] = dot;
            }
            team.barrier();
            const double pq = in_order(s.partial_pq);
            if (!(pq > 0) || !std::isfinite(pq)) break;  // every member sees the same sum
            for (int c = chunk_begin; c < chunk_end; ++c) {
                const CgScratch::Chunk& k = s.chunks[c];
                BlockSystem& a = *k.system;
                s.partial_rz[c] = kernels.advance(rz / pq, a.direction(), a.product(), a.preconditioner.data(),
                                                  a.v.data(), a.r.data(), k.begin, k.end);
            }
            team.barrier();
            size = measure(in_order(s.partial_rz));
            if (more_than_jacobi) {
                team.barrier();
                if (size <= enough || iterations + 1 == options.iterations) {  // the rest would be for nothing
                    ++iterations;
                    break;
                }
            }
            const double next = precondition(size);
            const double turn = next / rz;
            rz = next;
            turn_search(turn);
            if (!couplings.empty()) team.barrier();
        }
        if (team.member == 0) {
            report.iterations = iterations;
            report.residual = reference > 0 ? std::sqrt(size / reference) : 0;
            report.missed = options.tolerance > 0 && !(size <= enough);
            for (BlockSystem* system : systems) system->reference = reference;
        }
    };
    run_team(threads, slices, iterate, slices_worth_solving_together);
    take_impulses(couplings, s);
    add_impulses(systems, -1, s);
    return finish(systems, couplings, kernels, report, s);
}

}  // namespace pliant
