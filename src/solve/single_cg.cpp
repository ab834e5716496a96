#include "pliant/solve/single_cg.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/solve/cg_rows.hpp"
#include "pliant/solve/coarse_space.hpp"
#include "pliant/solve/single_kernels.hpp"

namespace pliant {

namespace {

// Rounding leaves the residual in single precision wrong by a share of the stiffest row's force, which is so many times
// its inertia: systems beyond the first number would have to take it anew all the time. With the others, the residual
// in single precision is off by 1 to 10 % when it is taken anew (measured on bars of 1,000 to 160,000 tets).
constexpr double too_stiff = 1e5;
constexpr double rounding = 3e-7, packed_rounding = 6e-6;

float* at(float* rows, int row) { return rows + 4L * row; }
Vec3 vector(const float* p) { return {p[0], p[1], p[2]}; }

// impulse = S J of single vectors of rows.
template <class RowsOf>
void push(std::span<const Coupling> couplings, CgScratch& s, const Team& team, const RowsOf& rows_of) {
    for (int c = team.begin(couplings.size()); c < team.end(couplings.size()); ++c) {
        Vec3 u = Vec3::Zero();
        for (int e = s.end_begin[c]; e < s.end_begin[c + 1]; ++e)
            u += s.ends[e].weight * vector(at(rows_of(*s.ends[e].system), s.ends[e].row));
        s.impulse[c] = couplings[c].S * u;
    }
}

}  // namespace

void refresh_residual(const CgScratch& s, const CgOptions& options, const Team& team) {
    const SingleKernels& kernels = single_kernels(options.kernels);
    for (int c = team.begin(s.chunks.size()); c < team.end(s.chunks.size()); ++c) {
        BlockSystem& a = *s.chunks[c].system;
        if (a.pending_correction != 0)
            kernels.subtract(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(),
                             a.pending_correction, a.single_correction(), a.r.data(), s.chunks[c].begin,
                             s.chunks[c].end);
    }
    team.barrier();
    if (team.member == 0)
        for (const CgScratch::Chunk& chunk : s.chunks) chunk.system->pending_correction = 0;
}

bool iterate_single(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings,
                    const CgOptions& options, CgScratch& s, const Team& team, CgReport& report) {
    const SingleKernels& kernels = single_kernels(options.kernels);
    const CoarseKernels& coarse = coarse_kernels(options.kernels);
    const int chunk_begin = team.begin(s.chunks.size()), chunk_end = team.end(s.chunks.size());
    const auto each_chunk = [&](const auto& job) {
        for (int c = chunk_begin; c < chunk_end; ++c) job(s.chunks[c], *s.chunks[c].system, c);
        team.barrier();
    };
    const auto sum = [&](const AlignedVector<double>& partial) {
        const double total = in_order(partial);
        team.barrier();
        return total;
    };

    each_chunk([&](const CgScratch::Chunk& k, BlockSystem& a, int c) {
        s.partial_pq[c] = 1;
        s.partial_rz[c] =
            kernels.measure(a.r.data(), a.preconditioner.data(), a.inertia.data(), s.partial_pq[c], k.begin, k.end);
    });
    const double softest = s.partial_pq.empty() ? 1 : *std::min_element(s.partial_pq.begin(), s.partial_pq.end());
    const double first = sum(s.partial_rz);
    if (softest * too_stiff < 1) return false;
    // Vectors are scaled to about one, by a power of two: small bodies must not leave the range of float.
    const double scale = first > 0 && std::isfinite(first) ? std::exp2(-std::round(0.5 * std::log2(first))) : 1;
    const auto packs = [&](const BlockSystem& a) { return packed_rounding / softest < 0.1 && a.worth_packing(); };
    each_chunk([&](const CgScratch::Chunk& k, BlockSystem& a, int) {
        if (packs(a) && !a.packed_ready)
            kernels.pack(a.block.data(), a.packed.data(), a.slice_begin[k.begin], a.slice_begin[k.end]);
    });
    double trusted = rounding / softest;
    for (const BlockSystem* system : systems)
        if (packs(*system)) trusted = packed_rounding / softest;
    trusted = std::min(trusted, 0.1);
    // How far the square of the residual may fall before it is taken anew.
    const double least = trusted * trusted;

    const auto restart = [&] {
        each_chunk([&](const CgScratch::Chunk& k, BlockSystem& a, int c) {
            s.partial_rz[c] = kernels.start(scale, a.r.data(), a.preconditioner.data(), a.single_residual(),
                                            a.single_product(), a.single_correction(), k.begin, k.end);
        });
        return sum(s.partial_rz);
    };
    const auto turn_search = [&](double turn) {
        each_chunk([&](const CgScratch::Chunk& k, BlockSystem& a, int) {
            kernels.turn(turn, a.single_product(), a.single_direction(), k.begin, k.end);
            if (s.coarse.active && s.coarse.first_aggregate[k.index] >= 0)
                coarse.prolong_single(coarse_args(a), s.coarse.motion.data() + 8L * s.coarse.first_entry[k.index],
                                      a.single_direction(), k.begin, k.end);
        });
    };
    // The sum of s·(preconditioned s), given Jacobi's share.
    const auto measure = [&](double jacobi) {
        return s.coarse.active ? jacobi + solve_coarse(s.coarse, options.kernels, true, team) : jacobi;
    };
    // v += d and the true residual there, couplings included.
    const auto renew = [&] {
        push(couplings, s, team, [](BlockSystem& a) { return a.single_correction(); });
        team.barrier();
        each_chunk([&](const CgScratch::Chunk& k, BlockSystem& a, int) {
            kernels.land(1 / scale, a.single_correction(), a.v.data(), k.begin, k.end);
            kernels.subtract(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(), 1 / scale,
                             a.single_correction(), a.r.data(), k.begin, k.end);
            for (int t = k.touch_begin; t < k.touch_end; ++t)
                a.add(a.r, s.touch[t].row, -touch_impulse(s, s.touch[t]) / scale);
        });
        return restart();
    };

    double size = measure(restart()), trusted_from = size, reference = size / (scale * scale);
    for (const BlockSystem* system : systems) reference = std::max(reference, system->reference);
    const double enough = small_enough(options, reference) * scale * scale;
    turn_search(0);
    int iterations = 0;
    while (iterations < options.iterations && size > enough && std::isfinite(size)) {
        if (!couplings.empty()) {
            push(couplings, s, team, [](BlockSystem& a) { return a.single_direction(); });
            team.barrier();
        }
        each_chunk([&](const CgScratch::Chunk& k, BlockSystem& a, int c) {
            double dot =
                packs(a)
                    ? kernels.packed_product(a.slice_begin.data(), a.column.data(),
                                             a.near.empty() ? nullptr : a.near.data(), a.packed.data(),
                                             a.inertia.data(), a.single_direction(), a.single_product(), k.begin, k.end)
                    : kernels.product(a.slice_begin.data(), a.column.data(), a.block.data(), a.inertia.data(),
                                      a.single_direction(), a.single_product(), k.begin, k.end);
            for (int t = k.touch_begin; t < k.touch_end; ++t) {
                const int row = s.touch[t].row;
                const Vec3 impulse = touch_impulse(s, s.touch[t]);
                float* q = a.single_product() + 24L * (row / 8) + row % 8;
                for (int i = 0; i < 3; ++i) q[8 * i] += float(impulse[i]);
                dot += impulse.dot(vector(at(a.single_direction(), row)));
            }
            s.partial_pq[c] = dot;
        });
        const double pq = in_order(s.partial_pq);
        if (!(pq > 0) || !std::isfinite(pq)) break;  // every member sees the same sum
        each_chunk([&](const CgScratch::Chunk& k, BlockSystem& a, int c) {
            s.partial_rz[c] =
                kernels.advance(size / pq, a.single_direction(), a.preconditioner.data(), a.single_product(),
                                a.single_correction(), a.single_residual(), k.begin, k.end);
        });
        ++iterations;
        const double before = size;
        size = measure(in_order(s.partial_rz));
        if (iterations == options.iterations && options.tolerance == 0) break;
        if (size <= enough || size < least * trusted_from) {
            team.barrier();
            size = measure(renew());
            trusted_from = size;
        }
        if (size > enough) turn_search(size / before);
    }
    team.barrier();
    // r goes back to what it was without couplings, at the v it belongs to.
    if (team.member == 0 && !couplings.empty()) {
        take_impulses(couplings, s);
        add_impulses(systems, -1, s);
    }
    team.barrier();
    for (int c = chunk_begin; c < chunk_end; ++c) {
        BlockSystem& a = *s.chunks[c].system;
        kernels.land(1 / scale, a.single_correction(), a.v.data(), s.chunks[c].begin, s.chunks[c].end);
    }
    if (team.member == 0) {
        report.iterations = iterations;
        report.residual = reference > 0 ? std::sqrt(size / reference) / scale : 0;
        report.missed = options.tolerance > 0 && !(size <= enough);
        for (BlockSystem* system : systems) {
            system->reference = reference, system->pending_correction = 1 / scale;
            system->packs = packs(*system), system->packed_ready |= system->packs;
        }
    }
    return true;
}

}  // namespace pliant
