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
constexpr std::size_t rows_at_once = 128;

}  // namespace

void Shell::set_rows() {
    const int nodes = static_cast<int>(rest_.size());
    struct Item {
        int node;
        unsigned from;
    };
    // Corners of elements, element by element; `from` as in force_from_.
    std::vector<std::vector<unsigned>> around(nodes);
    std::vector<std::vector<std::array<unsigned, 3>>> pairs(nodes);  // neighbour, own corner, its corner
    const auto add = [&](std::span<const Item> items) {
        for (const Item& i : items) {
            around[i.node].push_back(i.from);
            for (const Item& j : items)
                if (j.node != i.node) pairs[i.node].push_back({static_cast<unsigned>(j.node), i.from, j.from});
        }
    };
    std::vector<Item> items;
    UnionFind linked(nodes);
    for (std::size_t e = 0; e < edges_.size(); ++e) {
        items.clear();
        for (int k = 0; k < edges_[e].corners(); ++k)
            items.push_back({edges_[e].node[k], static_cast<unsigned>(4 * e + k)});
        add(items);
        linked.join(edges_[e].node[0], edges_[e].node[1]);
    }
    for (std::size_t t = 0; t < bends_.size(); ++t) {
        items.clear();
        for (int j = 0; j < bends_[t].count; ++j)
            items.push_back({bends_[t].node[j], static_cast<unsigned>(4 * edges_.size() + bend_begin_[t] + j)});
        add(items);
    }
    std::vector<std::vector<int>> neighbours(nodes);
    for (int i = 0; i < nodes; ++i) {
        std::stable_sort(pairs[i].begin(), pairs[i].end(),
                         [](const auto& a, const auto& b) { return a[0] < b[0]; });  // elements stay in order
        for (const auto& p : pairs[i])
            if (neighbours[i].empty() || neighbours[i].back() != static_cast<int>(p[0]))
                neighbours[i].push_back(static_cast<int>(p[0]));
    }
    system_.set_pattern(neighbours);
    force_begin_.assign(1, 0), pair_begin_.clear(), row_pairs_.clear();
    force_from_.clear(), pair_from_.clear();
    for (int row = 0; row < system_.rows; ++row) {
        const int i = system_.node_of_row[row];
        force_from_.insert(force_from_.end(), around[i].begin(), around[i].end());
        force_begin_.push_back(static_cast<unsigned>(force_from_.size()));
        row_pairs_.push_back(static_cast<unsigned>(pair_begin_.size()));
        for (std::size_t k = 0; k < pairs[i].size(); ++k) {
            if (k == 0 || pairs[i][k][0] != pairs[i][k - 1][0])
                pair_begin_.push_back(static_cast<unsigned>(pair_from_.size()));
            pair_from_.push_back({pairs[i][k][1], pairs[i][k][2]});
        }
    }
    pair_begin_.push_back(static_cast<unsigned>(pair_from_.size()));
    row_pairs_.push_back(static_cast<unsigned>(pair_begin_.size() - 1));

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

Vec3 Shell::gathered_force(int row) const {
    Vec3 sum = Vec3::Zero();
    const std::size_t edge_corners = 4 * edges_.size();
    for (unsigned k = force_begin_[row]; k < force_begin_[row + 1]; ++k) {
        const std::size_t from = force_from_[k];
        sum += from < edge_corners ? edge_force_[from] : bend_force_[from - edge_corners];
    }
    return sum;
}

/// Both blocks of a pair of nodes are summed in the same order: each is the other's transpose to the last bit.
void Shell::write_row(int row, double scale) {
    const std::size_t edge_corners = 4 * edges_.size();
    int slot = system_.slice_begin[row / 8];
    for (unsigned k = row_pairs_[row]; k < row_pairs_[row + 1]; ++k, ++slot) {
        double sum[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
        for (unsigned p = pair_begin_[k]; p < pair_begin_[k + 1]; ++p) {
            const std::size_t a = pair_from_[p].a, b = pair_from_[p].b;
            const bool edge = a < edge_corners;
            const int modes = edge ? edge_modes : bend_modes;
            const Vec3* u = edge ? &edge_mode_[edge_modes * a] : &bend_mode_[bend_modes * (a - edge_corners)];
            const Vec3* w = edge ? &edge_mode_[edge_modes * b] : &bend_mode_[bend_modes * (b - edge_corners)];
            for (int m = 0; m < modes; ++m)
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j) sum[3 * i + j] += u[m][i] * w[m][j];
            if (edge) {
                const double tension = edge_tension_[6 * (a / 4) + pair_of[a % 4][b % 4]];
                sum[0] += tension, sum[4] += tension, sum[8] += tension;
            }
        }
        float* block = system_.block.data() + 72L * slot + row % 8;
        for (int i = 0; i < 9; ++i) block[8 * i] = static_cast<float>(scale * sum[i]);
    }
    for (; slot < system_.slice_begin[row / 8 + 1]; ++slot)
        for (int i = 0; i < 9; ++i) system_.block[72L * slot + 8 * i + row % 8] = 0;
}

void Shell::assemble(std::span<const Vec3> x, std::span<const Vec3> v, const ShellInput& input, Threads& threads,
                     StageTimes& times) {
    const std::size_t n = rest_.size();
    CHECK(x.size() == n && v.size() == n && input.force.size() == n, x.size(), v.size(), input.force.size(), n);
    CHECK(input.dt > 0, input.dt);
    BlockSystem& a = system_;
    const double dt = input.dt, damping = options_.mass_damping;
    const double scale = dt * (dt + options_.stiffness_damping);
    // Of K v: elastic forces at the end of the step are still to come, unless x is there already.
    const double ahead = input.at_end ? dt * options_.stiffness_damping / scale : 1;
    {
        StageTimer timer(times, "forces");
        elements(x, true, threads);
    }
    StageTimer timer(times, "assembly");
    a.reference = 0, a.pending_correction = 0, a.packed_ready = false, a.multigrid = nullptr;
    parallel_for(threads, a.rows, rows_at_once, [&](std::size_t begin, std::size_t end) {
        for (int row = static_cast<int>(begin); row < static_cast<int>(end); ++row) {
            const int i = a.node_of_row[row];
            write_row(row, scale);
            a.inertia[row] = (1 + dt * damping) * mass_[i];
            a.prescribed[row] = !input.prescribed.empty() && input.prescribed[i];
            Vec3 r = dt * (gathered_force(row) + input.force[i]) - dt * damping * mass_[i] * v[i];
            for (unsigned k = row_pairs_[row]; k < row_pairs_[row + 1]; ++k) {
                const int slot = a.slice_begin[row / 8] + static_cast<int>(k - row_pairs_[row]);
                const Vec3 d = v[a.node_of_row[a.neighbour(slot, row % 8)]] - v[i];
                const float* block = a.block.data() + 72L * slot + row % 8;
                for (int c = 0; c < 3; ++c)
                    r[c] -= ahead *
                            (block[8 * (3 * c)] * d[0] + block[8 * (3 * c + 1)] * d[1] + block[8 * (3 * c + 2)] * d[2]);
            }
            for (int c = 0; c < 3; ++c) {
                a.v[24L * (row / 8) + 8 * c + row % 8] = v[i][c];
                a.r[24L * (row / 8) + 8 * c + row % 8] = r[c];
            }
            a.reset_preconditioner(row);
        }
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
