#include "pliant/solve/coupled_cg.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/solve/momentum_balance.hpp"
#include "pliant/solve/multigrid.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

namespace {

void flatten(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, CgScratch& s) {
    s.ends.clear(), s.touching.clear(), s.touch.clear();
    s.end_begin.assign(1, 0);
    s.impulse.resize(couplings.size());
    for (std::size_t c = 0; c < couplings.size(); ++c) {
        for (int e = 0; e < couplings[c].count; ++e) {
            const Coupling::End& end = couplings[c].ends[e];
            BlockSystem* system = systems[end.system];
            const int row = system->row_of_node[end.node];
            s.ends.push_back({system->p.data() + 4L * row, system, end.system, row, end.weight});
            s.touching.push_back({end.system, row, static_cast<int>(c), end.weight});
        }
        s.end_begin.push_back(static_cast<int>(s.ends.size()));
    }
    // By row, couplings in their order: each row sums its impulses alone, the same for any number of threads.
    std::sort(s.touching.begin(), s.touching.end(), [](const CgScratch::Touching& a, const CgScratch::Touching& b) {
        if (a.system != b.system) return a.system < b.system;
        if (a.row != b.row) return a.row < b.row;
        if (a.coupling != b.coupling) return a.coupling < b.coupling;
        return a.weight < b.weight;
    });
    for (int i = 0; i < static_cast<int>(s.touching.size()); ++i) {
        const CgScratch::Touching& t = s.touching[i];
        if (s.touch.empty() || s.touch.back().system != t.system || s.touch.back().row != t.row)
            s.touch.push_back({t.system, t.row, i, i});
        s.touch.back().end = i + 1;
    }
}

void cut_chunks(std::span<BlockSystem* const> systems, CgScratch& s) {
    int total = 0;
    for (const BlockSystem* system : systems) total += system->slices;
    const int size = std::clamp(total / 64, 4, 64);
    s.chunks.clear();
    int touch = 0;
    for (int index = 0; index < static_cast<int>(systems.size()); ++index)
        for (int begin = 0; begin < systems[index]->slices; begin += size) {
            CgScratch::Chunk chunk{systems[index], begin, std::min(systems[index]->slices, begin + size),
                                   touch,          touch, index};
            while (touch < static_cast<int>(s.touch.size()) && s.touch[touch].system == index &&
                   s.touch[touch].row < 8 * chunk.end)
                ++touch;
            chunk.touch_end = touch;
            s.chunks.push_back(chunk);
        }
    s.partial_pq.assign(s.chunks.size(), 0), s.partial_rz.assign(s.chunks.size(), 0);
}

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

double in_order(const AlignedVector<double>& partial) {
    double sum = 0;
    for (double part : partial) sum += part;
    return sum;
}

}  // namespace

CgReport solve_coupled(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                       const CgOptions& options, Threads& threads, CgScratch& s) {
    flatten(systems, couplings, s);
    cut_chunks(systems, s);
    for (const BlockSystem* system : systems)
        if (system->multigrid) set_anchor(*system->multigrid, *system, 0, system->slices);
    couple_preconditioner(systems, couplings, s);
    const SolveKernels& kernels = solve_kernels(options.kernels);

    // r += sign·Jᵀ(s − S J v)
    auto add_impulses = [&](double sign) {
        for (std::size_t c = 0; c < couplings.size(); ++c) {
            Vec3 u = Vec3::Zero();
            for (int e = s.end_begin[c]; e < s.end_begin[c + 1]; ++e)
                u += s.ends[e].weight * s.ends[e].system->at(s.ends[e].system->v, s.ends[e].row);
            s.impulse[c] = couplings[c].s - couplings[c].S * u;
        }
        for (const CgScratch::Touch& touch : s.touch)
            for (int i = touch.begin; i < touch.end; ++i)
                systems[touch.system]->add(systems[touch.system]->r, touch.row,
                                           sign * s.touching[i].weight * s.impulse[s.touching[i].coupling]);
    };
    add_impulses(1);

    const MultigridKernels& grids = multigrid_kernels(options.kernels);
    CgReport report;
    auto iterate = [&](const Team& team) {
        const int chunk_begin = team.begin(s.chunks.size()), chunk_end = team.end(s.chunks.size());
        bool any_multigrid = false;
        for (const BlockSystem* system : systems) any_multigrid |= system->multigrid != nullptr;
        // V-cycles of the systems that have grids; then the sum of r·(preconditioned r).
        auto precondition = [&](double jacobi) {
            if (!any_multigrid) return jacobi;
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
            return sum;
        };
        auto turn_search = [&](double turn) {
            for (int c = chunk_begin; c < chunk_end; ++c) {
                const CgScratch::Chunk& k = s.chunks[c];
                if (k.system->multigrid)
                    grids.turn(turn, k.system->multigrid->levels[0].z.data(), k.system->p.data(), k.begin, k.end);
                else
                    kernels.turn(turn, k.system->r.data(), k.system->preconditioner.data(), k.system->p.data(), k.begin,
                                 k.end);
            }
        };
        for (int c = chunk_begin; c < chunk_end; ++c) {
            const CgScratch::Chunk& k = s.chunks[c];
            s.partial_rz[c] = kernels.turn(0, k.system->r.data(), k.system->preconditioner.data(), k.system->p.data(),
                                           k.begin, k.end);
        }
        team.barrier();
        // The residual is measured with Jacobi's scaling whatever preconditions, so that tolerances mean the same.
        double size = in_order(s.partial_rz), reference = size;
        team.barrier();
        for (const BlockSystem* system : systems) reference = std::max(reference, system->reference);
        const double enough = options.tolerance * options.tolerance * reference;
        double rz = size;
        int iterations = 0;
        if (any_multigrid && size > enough && std::isfinite(size)) rz = precondition(size), turn_search(0);
        for (; iterations < options.iterations && size > enough && std::isfinite(rz); ++iterations) {
            if (!couplings.empty()) {
                for (int c = team.begin(couplings.size()); c < team.end(couplings.size()); ++c) {
                    Vec3 u = Vec3::Zero();
                    for (int e = s.end_begin[c]; e < s.end_begin[c + 1]; ++e)
                        u += s.ends[e].weight * Eigen::Map<const Vec3>(s.ends[e].p);
                    s.impulse[c] = couplings[c].S * u;
                }
            }
            team.barrier();  // everybody's part of p and of the impulses is there
            for (int c = chunk_begin; c < chunk_end; ++c) {
                const CgScratch::Chunk& k = s.chunks[c];
                BlockSystem& a = *k.system;
                double dot = kernels.product(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(),
                                             a.p.data(), a.q.data(), k.begin, k.end);
                for (int t = k.touch_begin; t < k.touch_end; ++t) {
                    Vec3 impulse = Vec3::Zero();
                    for (int i = s.touch[t].begin; i < s.touch[t].end; ++i)
                        impulse += s.touching[i].weight * s.impulse[s.touching[i].coupling];
                    a.add(a.q, s.touch[t].row, impulse);
                    dot += impulse.dot(Eigen::Map<const Vec3>(a.p.data() + 4L * s.touch[t].row));
                }
                s.partial_pq[c] = dot;
            }
            team.barrier();
            const double pq = in_order(s.partial_pq);
            if (!(pq > 0) || !std::isfinite(pq)) break;  // every member sees the same sum
            for (int c = chunk_begin; c < chunk_end; ++c) {
                const CgScratch::Chunk& k = s.chunks[c];
                BlockSystem& a = *k.system;
                s.partial_rz[c] = kernels.advance(rz / pq, a.p.data(), a.q.data(), a.preconditioner.data(), a.v.data(),
                                                  a.r.data(), k.begin, k.end);
            }
            team.barrier();
            size = in_order(s.partial_rz);
            if (any_multigrid) {
                team.barrier();
                if (size <= enough || iterations + 1 == options.iterations) {  // the cycle would be for nothing
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
            for (BlockSystem* system : systems) system->reference = reference;
        }
    };
    int slices = 0;
    for (const BlockSystem* system : systems) slices += system->slices;
    run_team(threads, slices, iterate);

    add_impulses(-1);
    balance_momentum(systems, couplings, kernels, s);
    for (const CgScratch::Touch& touch : s.touch) systems[touch.system]->reset_preconditioner(touch.row);
    return report;
}

}  // namespace pliant
