#include "pliant/solve/coarse_space.hpp"

#include <algorithm>
#include <numeric>

#include "pliant/solve/coupled_cg.hpp"

namespace pliant {

namespace {

/// A factor may cost as much as this many products with the matrices of its solve; each product has 72 numbers to a
/// slot. Small systems may in any case have one of this many multiplications.
constexpr double worth_products = 60, always_worth = 1e5;

/// ZᵀAZ of one system without couplings.
void assemble_coarse(BlockSystem& a, const CoarseKernels& kernels, CoarseSpace& space, int first_entry,
                     Threads& threads) {
    update_aggregates(a);
    const Aggregates& g = a.aggregates;
    a.coarse_diagonal.resize(21 * std::size_t(g.count)), a.coarse_pairs.resize(36 * g.pairs.size());
    // Entries' sums take the memory that motions and forces of the entries are in later; 21 numbers each.
    double* sums = space.force.data() + 21 * std::size_t(first_entry);
    run_team(threads, a.slices, [&](const Team& team) {
        const CoarseArgs args = coarse_args(a);
        for (int c = team.begin(g.chunks); c < team.end(g.chunks); ++c) {
            std::fill(sums + 21L * g.chunk_begin[c], sums + 21L * g.chunk_begin[c + 1], 0.0);
            kernels.rows(args, sums, c * Aggregates::chunk_slices,
                         std::min(a.slices, (c + 1) * Aggregates::chunk_slices));
        }
        for (int p = team.begin(g.pairs.size()); p < team.end(g.pairs.size()); ++p)
            kernels.edges(args, g.edge_block.data(), g.edge_from.data(), g.edge_to.data(),
                          a.coarse_pairs.data() + 36L * p, g.pairs[p].begin, g.pairs[p].end);
        team.barrier();
        for (int k = team.begin(g.count); k < team.end(g.count); ++k) {
            double* out = a.coarse_diagonal.data() + 21L * k;
            std::fill_n(out, 21, 0.0);
            for (int i = g.entry_begin[k]; i < g.entry_begin[k + 1]; ++i)
                for (int e = 0; e < 21; ++e) out[e] += sums[21L * g.entry_list[i] + e];
        }
    });
    a.coarse_ready = true;
}

/// What each coupling has of which aggregates.
void share_couplings(std::size_t couplings, const CgScratch& s, CoarseSpace& space) {
    space.shares.clear(), space.share_begin.assign(1, 0);
    for (std::size_t c = 0; c < couplings; ++c) {
        const auto begin = static_cast<std::size_t>(space.share_begin.back());
        for (int e = s.end_begin[c]; e < s.end_begin[c + 1]; ++e) {
            const CgScratch::End& end = s.ends[e];
            const BlockSystem& a = *end.system;
            if (space.first_aggregate[end.index] < 0 || a.aggregates.entry_of_row[end.row] < 0) continue;
            const int own = space.first_aggregate[end.index] + a.aggregates.of_row[end.row];
            std::size_t i = begin;
            while (i < space.shares.size() && space.shares[i].aggregate != own) ++i;
            if (i == space.shares.size()) space.shares.push_back({own, 0, Vec3::Zero()});
            space.shares[i].weight += end.weight;
            space.shares[i].lever += end.weight * Eigen::Map<const Vec3>(a.place.data() + 4L * end.row);
        }
        space.share_begin.push_back(static_cast<int>(space.shares.size()));
    }
}

template <class Job>
void for_each_pair(std::span<BlockSystem* const> systems, const CoarseSpace& space, const Job& job) {
    for (std::size_t i = 0; i < systems.size(); ++i) {
        if (space.first_aggregate[i] < 0) continue;
        const BlockSystem& a = *systems[i];
        for (std::size_t p = 0; p < a.aggregates.pairs.size(); ++p)
            job(space.first_aggregate[i] + a.aggregates.pairs[p].high,
                space.first_aggregate[i] + a.aggregates.pairs[p].low, a.coarse_pairs.data() + 36 * p);
    }
}

void link_aggregates(std::span<BlockSystem* const> systems, CoarseSpace& space) {
    space.links.clear();
    for_each_pair(systems, space, [&](int high, int low, const double*) {
        space.links.push_back({high, low}), space.links.push_back({low, high});
    });
    for (std::size_t c = 0; c + 1 < space.share_begin.size(); ++c)
        for (int i = space.share_begin[c]; i < space.share_begin[c + 1]; ++i)
            for (int j = space.share_begin[c]; j < space.share_begin[c + 1]; ++j)
                if (i != j) space.links.push_back({space.shares[i].aggregate, space.shares[j].aggregate});
    const auto before = [](const CoarseSpace::Link& p, const CoarseSpace::Link& q) {
        return p.from != q.from ? p.from < q.from : p.to < q.to;
    };
    const auto same = [](const CoarseSpace::Link& p, const CoarseSpace::Link& q) {
        return p.from == q.from && p.to == q.to;
    };
    std::sort(space.links.begin(), space.links.end(), before);
    space.links.erase(std::unique(space.links.begin(), space.links.end(), same), space.links.end());
    space.link_begin.assign(space.aggregates + 1, 0);
    for (const CoarseSpace::Link& link : space.links) ++space.link_begin[link.from + 1];
    for (int k = 0; k < space.aggregates; ++k) space.link_begin[k + 1] += space.link_begin[k];
}

/// Breadth first from the lowest aggregate of each group: what is connected comes close together.
void order_aggregates(CoarseSpace& space) {
    space.position.assign(space.aggregates, -1);
    space.aggregate_at.clear(), space.group_of.clear();
    space.group_begin.assign(1, 0);
    for (int k = 0; k < space.aggregates; ++k) {
        if (space.position[k] >= 0) continue;
        std::size_t next = space.aggregate_at.size();
        const auto visit = [&](int aggregate) {
            space.position[aggregate] = static_cast<int>(space.aggregate_at.size());
            space.aggregate_at.push_back(aggregate);
        };
        visit(k);
        for (; next < space.aggregate_at.size(); ++next) {
            const int from = space.aggregate_at[next];
            for (int l = space.link_begin[from]; l < space.link_begin[from + 1]; ++l)
                if (space.position[space.links[l].to] < 0) visit(space.links[l].to);
        }
        space.group_of.resize(space.aggregate_at.size(), space.groups());
        space.group_begin.push_back(static_cast<int>(space.aggregate_at.size()));
    }
}

/// The lowest aggregate of each one's piece; blocks connect the aggregates of a piece.
void find_pieces(std::span<BlockSystem* const> systems, CoarseSpace& space) {
    space.piece.resize(space.aggregates);
    std::iota(space.piece.begin(), space.piece.end(), 0);
    const auto root = [&](int i) {
        while (space.piece[i] != i) i = space.piece[i] = space.piece[space.piece[i]];
        return i;
    };
    for_each_pair(systems, space, [&](int high, int low, const double*) {
        const int a = root(high), b = root(low);
        space.piece[std::max(a, b)] = std::min(a, b);
    });
    for (int i = 0; i < space.aggregates; ++i) space.piece[i] = root(i);
}

/// Multiplications of the factor of a group.
double factor_cost(const CoarseSpace& space, int group) {
    double cost = 0;
    for (int at = space.group_begin[group]; at < space.group_begin[group + 1]; ++at) {
        const double length = 6.0 * (at - space.first[at] + 1);
        cost += 3 * length * length;
    }
    return cost;
}

void set_envelope(std::span<BlockSystem* const> systems, CoarseSpace& space) {
    double slots = 0;
    for (const BlockSystem* system : systems) slots += system->slots();
    space.first.resize(space.aggregates);
    std::iota(space.first.begin(), space.first.end(), 0);
    for (const CoarseSpace::Link& link : space.links) {
        const int at = space.position[link.from];
        space.first[at] = std::min(space.first[at], space.position[link.to]);
    }
    space.separate.assign(space.groups(), 0);
    for (int g = 0; g < space.groups() && !space.shares.empty(); ++g) {
        const int begin = space.group_begin[g], end = space.group_begin[g + 1];
        const double worth = always_worth + worth_products * 72 * slots * (end - begin) / space.aggregates;
        space.separate[g] = factor_cost(space, g) > worth;
        if (!space.separate[g]) continue;
        // Their own order: the aggregates of a piece have numbers that follow each other.
        std::sort(space.aggregate_at.begin() + begin, space.aggregate_at.begin() + end);
        for (int at = begin; at < end; ++at) space.position[space.aggregate_at[at]] = at;
        for (int at = begin; at < end; ++at) space.first[at] = space.position[space.piece[space.aggregate_at[at]]];
    }
    space.row_begin.resize(space.aggregates + 1);
    std::size_t size = 0;
    for (int at = 0; at < space.aggregates; ++at) {
        space.row_begin[at] = size;
        size += 48 * static_cast<std::size_t>(at - space.first[at] + 1);
    }
    space.row_begin[space.aggregates] = size;
    space.value.assign(size, 0);
}

Envelope envelope(CoarseSpace& space) { return {space.first.data(), space.row_begin.data(), space.value.data()}; }

void add_elastic(std::span<BlockSystem* const> systems, CoarseSpace& space) {
    const Envelope m = envelope(space);
    for (std::size_t i = 0; i < systems.size(); ++i) {
        if (space.first_aggregate[i] < 0) continue;
        const BlockSystem& a = *systems[i];
        for (int k = 0; k < a.aggregates.count; ++k) {
            const int at = space.position[space.first_aggregate[i] + k];
            double* out = m.block(at, at);
            for (int r = 0, e = 0; r < 6; ++r)
                for (int c = 0; c <= r; ++c, ++e) out[r * m.length(at) + c] += a.coarse_diagonal[21L * k + e];
        }
    }
    for_each_pair(systems, space, [&](int high, int low, const double* block) {
        const int p = space.position[high], q = space.position[low];
        double* out = p > q ? m.block(p, q) : m.block(q, p);
        for (int r = 0; r < 6; ++r)
            for (int c = 0; c < 6; ++c) out[p > q ? r * m.length(p) + c : c * m.length(q) + r] += block[6 * r + c];
    });
}

void add_couplings(std::span<const Coupling> couplings, CoarseSpace& space) {
    const Envelope m = envelope(space);
    // Zᵀ of a share times a matrix from the left: [weight; lever×].
    const auto row = [](const CoarseSpace::Share& share, const Mat3& S) {
        Eigen::Matrix<double, 6, 3> out;
        out.topRows<3>() = share.weight * S;
        for (int c = 0; c < 3; ++c) out.block<3, 1>(3, c) = share.lever.cross(Vec3(S.col(c)));
        return out;
    };
    for (std::size_t k = 0; k < couplings.size(); ++k)
        for (int i = space.share_begin[k]; i < space.share_begin[k + 1]; ++i) {
            const CoarseSpace::Share& mine = space.shares[i];
            const int p = space.position[mine.aggregate];
            const Eigen::Matrix<double, 6, 3> left = row(mine, couplings[k].S);
            for (int j = space.share_begin[k]; j < space.share_begin[k + 1]; ++j) {
                const CoarseSpace::Share& other = space.shares[j];
                const int q = space.position[other.aggregate];
                if (q > p) continue;
                if (space.separate[space.group_of[p]] && space.piece[mine.aggregate] != space.piece[other.aggregate])
                    continue;
                double* out = m.block(p, q);
                for (int r = 0; r < 6; ++r) {
                    const Vec3 force = left.row(r).transpose();
                    const Vec3 torque = other.lever.cross(force);
                    for (int c = 0; c < 3; ++c) {
                        out[r * m.length(p) + c] += other.weight * force[c];
                        out[r * m.length(p) + 3 + c] += torque[c];
                    }
                }
            }
        }
}

}  // namespace

CoarseArgs coarse_args(const BlockSystem& a) {
    return {a.slice_begin.data(),    a.column.data(), a.block.data(),
            a.inertia.data(),        a.place.data(),  a.aggregates.entry_of_row.data(),
            a.aggregates.same.data()};
}

void prepare_coarse(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, KernelLevel level,
                    Threads& threads, CgScratch& s) {
    CoarseSpace& space = s.coarse;
    const CoarseKernels& kernels = coarse_kernels(level);
    space.first_aggregate.clear(), space.first_entry.clear(), space.chunks.clear(), space.owner.clear();
    space.aggregates = space.entries = 0;
    for (std::size_t i = 0; i < systems.size(); ++i) {
        BlockSystem& a = *systems[i];
        const bool takes_part = a.two_level && !a.multigrid;
        if (takes_part) update_aggregates(a);
        space.first_aggregate.push_back(takes_part ? space.aggregates : -1);
        space.first_entry.push_back(space.entries);
        if (!takes_part) continue;
        space.owner.resize(space.aggregates + a.aggregates.count, {&a, space.aggregates, space.entries});
        space.aggregates += a.aggregates.count, space.entries += a.aggregates.entries;
        for (int c = 0; c < a.aggregates.chunks; ++c) space.chunks.push_back({&a, static_cast<int>(i), c});
    }
    space.active = space.aggregates > 0;
    if (!space.active) return;
    space.force.resize(21 * std::size_t(space.entries)), space.motion.resize(8 * std::size_t(space.entries));
    for (std::size_t i = 0; i < systems.size(); ++i)
        if (space.first_aggregate[i] >= 0 && !systems[i]->coarse_ready)
            assemble_coarse(*systems[i], kernels, space, space.first_entry[i], threads);
    share_couplings(couplings.size(), s, space);
    link_aggregates(systems, space);
    order_aggregates(space);
    if (!space.shares.empty()) find_pieces(systems, space);
    set_envelope(systems, space);
    add_elastic(systems, space);
    if (!space.shares.empty()) add_couplings(couplings, space);
    space.rhs.resize(8 * std::size_t(space.aggregates)), space.solution.resize(8 * std::size_t(space.aggregates));
    space.work.assign(space.groups(), 0);
    const Envelope m = envelope(space);
    parallel_for(threads, space.groups(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g) kernels.factor(m, space.group_begin[g], space.group_begin[g + 1]);
    });
}

double solve_coarse(CoarseSpace& space, KernelLevel level, bool single, const Team& team) {
    const CoarseKernels& kernels = coarse_kernels(level);
    for (int i = team.begin(space.chunks.size()); i < team.end(space.chunks.size()); ++i) {
        const CoarseSpace::Chunk& k = space.chunks[i];
        BlockSystem& a = *k.system;
        const Aggregates& g = a.aggregates;
        double* force = space.force.data() + 8L * space.first_entry[k.index];
        std::fill(force + 8L * g.chunk_begin[k.chunk], force + 8L * g.chunk_begin[k.chunk + 1], 0.0);
        const int begin = k.chunk * Aggregates::chunk_slices,
                  end = std::min(a.slices, begin + Aggregates::chunk_slices);
        if (single)
            kernels.restrict_single(coarse_args(a), a.single_residual(), force, begin, end);
        else
            kernels.restrict_rows(coarse_args(a), a.r.data(), force, begin, end);
    }
    team.barrier();
    const Envelope m = envelope(space);
    for (int group = team.begin(space.groups()); group < team.end(space.groups()); ++group) {
        double work = 0;
        const int begin = space.group_begin[group], end = space.group_begin[group + 1];
        const auto for_entries = [&](int at, const auto& job) {
            const int aggregate = space.aggregate_at[at];
            const CoarseSpace::Owner& owner = space.owner[aggregate];
            const Aggregates& g = owner.system->aggregates;
            const int own = aggregate - owner.first_aggregate;
            for (int i = g.entry_begin[own]; i < g.entry_begin[own + 1]; ++i) job(owner.first_entry + g.entry_list[i]);
        };
        for (int at = begin; at < end; ++at) {
            double* f = space.rhs.data() + 8L * at;
            std::fill_n(f, 8, 0.0);
            for_entries(at, [&](int entry) {
                const double* part = space.force.data() + 8L * entry;
                for (int c = 0; c < 3; ++c) f[c] += part[c], f[3 + c] += part[4 + c];
            });
            std::copy_n(f, 8, space.solution.data() + 8L * at);
        }
        kernels.solve(m, space.solution.data(), begin, end);
        for (int at = begin; at < end; ++at) {
            const double* c = space.solution.data() + 8L * at;
            for (int k = 0; k < 6; ++k) work += c[k] * space.rhs[8L * at + k];
            for_entries(at, [&](int entry) {
                double* out = space.motion.data() + 8L * entry;
                for (int k = 0; k < 3; ++k) out[k] = c[k], out[4 + k] = c[3 + k];
                out[3] = out[7] = 0;
            });
        }
        space.work[group] = work;
    }
    team.barrier();
    double sum = 0;
    for (double work : space.work) sum += work;
    return sum;
}

}  // namespace pliant
