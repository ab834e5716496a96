// The rows of a shell in the common system: who gathers from whom, and the matrix.

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/fem/shell.hpp"
#include "pliant/solve/coupled_cg.hpp"

namespace pliant {

namespace {

/// As for solids (solid_multigrid.cpp): what Jacobi has to reach for motion to be right.
constexpr double motion_tolerance = 3e-3;
/// As for solids: stiffer systems balance angular momentum, too.
constexpr double balances_spin = 1e4;
constexpr std::size_t rows_at_once = 128, pairs_at_once = 1024;

}  // namespace

void Shell::set_rows() {
    const int nodes = static_cast<int>(rest_.size());
    CHECK(edge_block_.size() < (1u << 31) && pair_.size() < (1u << 31), edge_block_.size(), pair_.size());
    // What elements have for a pair of nodes a < b. `element`: the bend whose normal it goes along, or −1 of an edge.
    struct Part {
        int a, b;
        unsigned at;
        int element;
    };
    std::vector<Part> held;
    std::vector<std::vector<unsigned>> force_of(nodes);
    std::vector<std::vector<ShellAlong>> share_of(nodes);
    UnionFind linked(nodes);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        const ShellEdge& edge = edges_[e];
        const unsigned block = static_cast<unsigned>(432 * (e / 8) + e % 8);
        for (int j = 0; j < edge.corners(); ++j) {
            force_of[edge.node[j]].push_back(static_cast<unsigned>(128 * (e / 8) + 32 * j + 4 * (e % 8)));
            for (int k = j + 1; k < edge.corners(); ++k) {
                const int a = edge.node[j], b = edge.node[k];
                const unsigned at = 2 * (block + 72 * static_cast<unsigned>(shell_pair(4, j, k)));
                if (a != b) held.push_back({std::min(a, b), std::max(a, b), a < b ? at : at + 1, -1});
            }
        }
        linked.join(edge.node[0], edge.node[1]);
    }
    const std::size_t corners = 128 * ((edges_.size() + 7) / 8);
    for (const BendGroups& g : groups_)
        for (int e = 0; e < g.count; ++e) {
            const ShellBend& bend = bends_[g.first + e];
            const int element = 8 * g.first_group + e;
            for (int j = 0; j < bend.count; ++j) {
                if (j < 3)
                    force_of[bend.node[j]].push_back(
                        static_cast<unsigned>(corners + 96 * (element / 8) + 32 * j + 4 * (element % 8)));
                share_of[bend.node[j]].push_back(
                    {static_cast<unsigned>(share_at(g, e, j)), static_cast<unsigned>(element)});
                for (int k = j + 1; k < bend.count; ++k) {
                    const int a = bend.node[j], b = bend.node[k];
                    held.push_back(
                        {std::min(a, b), std::max(a, b), static_cast<unsigned>(pair_at(g, e, j, k)), element});
                }
            }
        }
    // Elements stay in order.
    std::stable_sort(held.begin(), held.end(),
                     [](const Part& p, const Part& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
    std::vector<std::vector<int>> neighbours(nodes);
    for (std::size_t k = 0; k < held.size(); ++k)
        if (k == 0 || held[k].a != held[k - 1].a || held[k].b != held[k - 1].b)
            neighbours[held[k].a].push_back(held[k].b), neighbours[held[k].b].push_back(held[k].a);
    for (std::vector<int>& list : neighbours) std::sort(list.begin(), list.end());
    system_.set_pattern(neighbours);
    std::fill(system_.block.begin(), system_.block.end(), 0.f);  // where rows have no neighbour it stays so

    const auto place = [&](int from, int to) {
        const int row = system_.row_of_node[from];
        const auto& list = neighbours[from];
        const int slot = static_cast<int>(std::lower_bound(list.begin(), list.end(), to) - list.begin());
        return static_cast<unsigned>(72 * (system_.slice_begin[row / 8] + slot) + row % 8);
    };
    pairs_.assign(1, {0, 0, 0, 0}), along_.clear(), from_edge_.clear();
    for (std::size_t k = 0; k < held.size(); ++k) {
        const Part& p = held[k];
        if (k == 0 || p.a != held[k - 1].a || p.b != held[k - 1].b)
            pairs_.push_back({place(p.a, p.b), place(p.b, p.a), 0, 0});
        if (p.element < 0)
            from_edge_.push_back(p.at);
        else
            along_.push_back({p.at, static_cast<unsigned>(p.element)});
        pairs_.back().bend_end = static_cast<unsigned>(along_.size());
        pairs_.back().edge_end = static_cast<unsigned>(from_edge_.size());
    }
    force_end_.assign(1, 0), share_end_.assign(1, 0), force_from_.clear(), share_from_.clear();
    for (int row = 0; row < system_.rows; ++row) {
        const int i = system_.node_of_row[row];
        force_from_.insert(force_from_.end(), force_of[i].begin(), force_of[i].end());
        share_from_.insert(share_from_.end(), share_of[i].begin(), share_of[i].end());
        force_end_.push_back(static_cast<unsigned>(force_from_.size()));
        share_end_.push_back(static_cast<unsigned>(share_from_.size()));
    }
    velocity_.assign(4 * system_.padded(), 0);

    // Pieces that no triangle connects.
    std::vector<int> number(nodes, -1);
    int parts = 0;
    for (int i = 0; i < nodes; ++i) {
        const int name = linked.find(i);
        if (number[name] < 0) number[name] = parts++;
    }
    system_.part.clear(), system_.part_momentum.clear(), system_.part_pinned.clear();
    if (parts > 1) {
        system_.part.resize(system_.rows);
        for (int row = 0; row < system_.rows; ++row) system_.part[row] = number[linked.find(system_.node_of_row[row])];
        system_.part_momentum.assign(parts, Vec3::Zero()), system_.part_pinned.assign(parts, 0);
    }
}

ShellRowArgs Shell::row_args() {
    ShellRowArgs args{};
    args.pair = pairs_.data(), args.along = along_.data(), args.from_edge = from_edge_.data();
    args.bend_pair = pair_.data(), args.square = square_.data(), args.edge_block = edge_block_.data();
    args.block = system_.block.data();
    args.rows = system_.rows;
    args.slice_begin = system_.slice_begin.data(), args.column = system_.column.data();
    args.force_end = force_end_.data(), args.force_from = force_from_.data();
    args.share_end = share_end_.data(), args.share_from = share_from_.data();
    args.force = force_.data(), args.share = share_.data(), args.normal = normal_.data();
    args.node_of_row = system_.node_of_row.data();
    return args;
}

void Shell::forces(std::span<const Vec3> x, std::span<Vec3> out, Threads& threads) {
    CHECK(x.size() == rest_.size() && out.size() == x.size(), x.size(), out.size());
    elements(x, false, threads);
    const ShellRowArgs args = row_args();
    parallel_for(threads, system_.rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
        shell_kernels(kernels_).forces(args, out.data()->data(), static_cast<int>(begin), static_cast<int>(end));
    });
}

double Shell::rate(std::span<const Vec3> v) const {
    const BlockSystem& a = system_;
    double sum = 0;
    for (int row = 0; row < a.rows; ++row) {
        const Vec3& own = v[a.node_of_row[row]];
        for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot) {
            const int other = a.neighbour(slot, row % 8);
            if (other <= row) continue;  // each pair once: rows of K add up to nothing
            const Vec3 d = v[a.node_of_row[other]] - own;
            const float* k = a.block.data() + 72L * slot + row % 8;
            for (int i = 0; i < 3; ++i) sum -= d[i] * (k[24 * i] * d[0] + k[24 * i + 8] * d[1] + k[24 * i + 16] * d[2]);
        }
    }
    return scale_ > 0 ? sum / scale_ : 0;
}

void Shell::assemble(std::span<const Vec3> x, std::span<const Vec3> v, const ShellInput& input, Threads& threads,
                     StageTimes& times) {
    const std::size_t n = rest_.size();
    CHECK(x.size() == n && v.size() == n && input.force.size() == n, x.size(), v.size(), input.force.size(), n);
    CHECK(input.dt > 0, input.dt);
    BlockSystem& a = system_;
    const double dt = input.dt, damping = options_.mass_damping;
    const double scale = scale_ = dt * (dt + options_.stiffness_damping);
    // Of K v: elastic forces at the end of the step are still to come, unless x is there already.
    const double ahead = input.at_end ? dt * options_.stiffness_damping / scale : 1;
    {
        StageTimer timer(times, "forces");
        elements(x, true, threads);
    }
    StageTimer timer(times, "assembly");
    a.reference = 0, a.pending_correction = 0, a.packed_ready = false, a.multigrid = nullptr;
    ShellRowArgs args = row_args();
    args.scale = scale, args.dt = dt, args.mass_damping = damping, args.ahead = ahead;
    args.v = velocity_.data(), args.external = input.force.data()->data(), args.mass = mass_.data();
    args.inertia = a.inertia.data(), args.prescribed = a.prescribed.data();
    args.preconditioner = a.preconditioner.data(), args.out_v = a.v.data(), args.out_r = a.r.data();
    const ShellKernels& kernels = shell_kernels(kernels_);
    parallel_for(threads, pairs_.size() - 1, pairs_at_once, [&](std::size_t begin, std::size_t end) {
        kernels.blocks(args, static_cast<int>(begin), static_cast<int>(end));
    });
    parallel_for(threads, a.rows, 8 * rows_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const int i = a.node_of_row[row];
            for (int c = 0; c < 3; ++c) velocity_[4 * row + c] = v[i][c];
            a.inertia[row] = (1 + dt * damping) * mass_[i];
            a.prescribed[row] = !input.prescribed.empty() && input.prescribed[i];
        }
    });
    parallel_for(threads, a.slices, rows_at_once / 8, [&](std::size_t begin, std::size_t end) {
        kernels.rows(args, static_cast<int>(begin), static_cast<int>(end));
    });
    // What the momentum balance asks for, and where the rows are.
    a.momentum.setZero(), a.pinned = false;
    std::fill(a.part_momentum.begin(), a.part_momentum.end(), Vec3::Zero());
    std::fill(a.part_pinned.begin(), a.part_pinned.end(), 0);
    const bool levers = stiffness_per_mass_ * dt * dt > balances_spin;
    a.lever.clear();
    if (levers) {
        a.lever.resize(a.rows);
        a.part_spin.assign(a.parts(), Vec3::Zero()), a.part_mass.assign(a.parts(), 0);
    }
    for (int row = 0; row < a.rows; ++row) {
        const int i = a.node_of_row[row], part = a.part_of(row);
        const Vec3 p = mass_[i] * v[i] + dt * input.force[i];
        a.momentum += p;
        a.pinned |= a.prescribed[row] != 0;
        if (!a.part.empty()) a.part_momentum[part] += p, a.part_pinned[part] |= a.prescribed[row];
        if (levers) a.lever[row] = x[i], a.part_mass[part] += a.inertia[row], a.part_spin[part] += x[i].cross(p);
    }
    // The same choice between Jacobi and two levels as for solids.
    a.coarse_ready = false;
    const SolveOptions& solve = input.solve;
    const double tolerance = solve.tolerance > 0 ? solve.tolerance : motion_tolerance;
    const double expected =
        0.62 * std::min(std::sqrt(scale * stiffness_per_mass_), 4 * diameter_ / spacing_) * std::log(2 / tolerance);
    a.two_level = solve.preconditioner == Preconditioner::automatic
                      ? !(solve.iterations > 0 && !(solve.tolerance > 0)) && expected > CgOptions::soft_iterations
                      : solve.preconditioner != Preconditioner::jacobi;
    if (!a.two_level) return;
    part_origin_.resize(a.parts());
    for (int row = a.rows - 1; row >= 0; --row) part_origin_[a.part_of(row)] = x[a.node_of_row[row]];
    a.place.resize(4 * a.padded());
    for (int row = 0; row < a.rows; ++row) {
        const Vec3 d = x[a.node_of_row[row]] - part_origin_[a.part_of(row)];
        for (int c = 0; c < 3; ++c) a.place[4 * std::size_t(row) + c] = d[c];
    }
}

}  // namespace pliant
