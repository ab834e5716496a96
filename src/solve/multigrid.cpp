#include "pliant/solve/multigrid.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/rng.hpp"

namespace pliant {

namespace {

constexpr int power_steps = 10;
constexpr double power_margin = 1.1;  // power iteration comes from below
// A pivot below this share of its diagonal entry belongs to a grid node that depends on the others.
constexpr double least_pivot = 1e-9;

LevelArgs level_args(const Multigrid::Level& level, const BlockSystem& a) {
    return {a.slice_begin.data(), a.column.data(), a.block.data(), level.anchor.data(), a.preconditioner.data()};
}

const BlockSystem& matrix_of(const Multigrid& m, const BlockSystem& finest, int l) {
    return l == 0 ? finest : m.levels[l].matrix;
}

// The coefficients of a Chebyshev polynomial of D⁻¹A on [largest/range, largest] (three-term recurrence).
struct Chebyshev {
    double theta, delta, rho;
    explicit Chebyshev(const Multigrid& m, const Multigrid::Level& level) {
        const double low = level.largest / m.range;
        theta = 0.5 * (level.largest + low), delta = 0.5 * (level.largest - low);
        rho = delta / theta;
    }
    double first() const { return 1 / theta; }
    /// keep and step of the next correction.
    std::pair<double, double> next() {
        const double following = 1 / (2 * theta / delta - rho);
        const std::pair<double, double> out{following * rho, 2 * following / delta};
        rho = following;
        return out;
    }
};

void cycle(Multigrid& m, const BlockSystem& finest, int l, const Team& team);

// Entries of the first n rows of a lower triangle.
std::size_t triangle(int n) { return std::size_t(n) * (n + 1) / 2; }

// LDLᵀ; rows that depend on earlier ones are left out.
void factorise(Multigrid& m) {
    const Multigrid::Level& level = m.levels.back();
    const int n = 3 * level.rows;
    m.factor.assign(triangle(n), 0);
    m.solution.assign(n, 0);
    auto at = [&](int i, int j) -> double& { return m.factor[triangle(i) + j]; };
    const BlockSystem& a = level.matrix;
    for (int row = 0; row < level.rows; ++row) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j <= i; ++j)
                at(3 * row + i, 3 * row + j) = level.anchor[72L * (row / 8) + 8 * (3 * i + j) + row % 8];
        for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot) {
            const int other = a.neighbour(slot, row % 8);
            if (other == row) continue;
            for (int e = 0; e < 9; ++e) {
                const double k = a.block[72L * slot + 8 * e + row % 8];
                if (other < row) at(3 * row + e / 3, 3 * other + e % 3) += k;
                if (e % 3 <= e / 3) at(3 * row + e / 3, 3 * row + e % 3) -= k;
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        const double diagonal = at(i, i);
        for (int j = 0; j < i; ++j) {
            double sum = at(i, j);
            for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);  // at(i, k) holds L·D here, at(j, k) holds L
            at(i, j) = sum;
        }
        for (int j = 0; j < i; ++j) {
            const double scaled = at(i, j);
            at(i, j) = scaled * at(j, j);  // the diagonal holds 1/D
            at(i, i) -= scaled * at(i, j);
        }
        at(i, i) = at(i, i) > least_pivot * diagonal ? 1 / at(i, i) : 0;
    }
}

void solve_coarsest(Multigrid& m) {
    Multigrid::Level& level = m.levels.back();
    const int n = 3 * level.rows;
    double* x = m.solution.data();
    for (int i = 0; i < n; ++i) {
        double sum = level.r[24L * (i / 3 / 8) + 8 * (i % 3) + i / 3 % 8];
        const double* row = m.factor.data() + triangle(i);
        for (int j = 0; j < i; ++j) sum -= row[j] * x[j];
        x[i] = sum;
    }
    for (int i = 0; i < n; ++i) x[i] *= m.factor[triangle(i) + i];
    for (int i = n - 1; i >= 0; --i) {
        const double* row = m.factor.data() + triangle(i);
        for (int j = 0; j < i; ++j) x[j] -= row[j] * x[i];
    }
    for (int i = 0; i < n; ++i) level.z[4L * (i / 3) + i % 3] = x[i];
}

void smooth_and_correct(Multigrid& m, const BlockSystem& finest, int l, const Team& team) {
    Multigrid::Level& level = m.levels[l];
    Multigrid::Level& coarse = m.levels[l + 1];
    const MultigridKernels& kernels = multigrid_kernels(m.kernels);
    const LevelArgs a = level_args(level, matrix_of(m, finest, l));
    const int begin = team.begin(level.slices), end = team.end(level.slices);
    double *d = level.d.data(), *e = level.e.data(), *t = level.t.data(), *z = level.z.data();

    Chebyshev before(m, level);
    kernels.start(a, before.first(), l == 0 ? finest.r.data() : level.r.data(), t, d, z, begin, end);
    team.barrier();
    for (int k = 1; k < m.degree; ++k) {
        const auto [keep, step] = before.next();
        kernels.smooth(a, keep, step, d, t, e, z, begin, end);
        std::swap(d, e);
        team.barrier();
    }
    kernels.residual(a, d, t, e, begin, end);
    team.barrier();
    kernels.restrict_rows(level.down.args(), e, coarse.r.data(), team.begin(coarse.rows), team.end(coarse.rows));
    team.barrier();
    cycle(m, finest, l + 1, team);
    kernels.prolong(level.up.args(), a.inverse, coarse.z.data(), d, z, 8 * begin, std::min(level.rows, 8 * end));
    team.barrier();
    Chebyshev after(m, level);
    kernels.smooth(a, 0, after.first(), d, t, e, z, begin, end);
    std::swap(d, e);
    team.barrier();
    for (int k = 1; k < m.degree; ++k) {
        const auto [keep, step] = after.next();
        kernels.smooth(a, keep, step, d, t, e, z, begin, end);
        std::swap(d, e);
        team.barrier();
    }
}

void cycle(Multigrid& m, const BlockSystem& finest, int l, const Team& team) {
    const bool coarsest = l + 1 == static_cast<int>(m.levels.size());
    if (!coarsest && m.levels[l].slices >= slices_worth_sharing) return smooth_and_correct(m, finest, l, team);
    if (team.member == 0) {
        if (coarsest)
            solve_coarsest(m);
        else
            smooth_and_correct(m, finest, l, Team{});
    }
    team.barrier();
}

// Largest eigenvalue of D⁻¹A by power iteration from a fixed start, a little above it.
double largest_eigenvalue(Multigrid& m, const BlockSystem& a, int l, const Team& team) {
    Multigrid::Level& level = m.levels[l];
    const MultigridKernels& kernels = multigrid_kernels(m.kernels);
    const LevelArgs args = level_args(level, a);
    constexpr int chunk = 16;  // slices
    const int chunks = (level.slices + chunk - 1) / chunk;
    double length = 1;
    for (int k = 0; k <= power_steps; ++k) {
        for (int c = team.begin(chunks); c < team.end(chunks); ++c) {
            const int begin = chunk * c, end = std::min(level.slices, begin + chunk);
            Rng rng(1 + c);
            for (long i = 24L * begin; i < 24L * end; ++i) level.t[i] = k == 0 ? rng.uniform(-1, 1) : 0;
            if (k > 0) kernels.residual(args, level.d.data(), level.t.data(), level.e.data(), begin, end);
        }
        team.barrier();  // everybody has read d
        for (int c = team.begin(chunks); c < team.end(chunks); ++c) {
            const int begin = chunk * c, end = std::min(level.slices, begin + chunk);
            kernels.start(args, k == 0 ? 1 : -1 / length, level.t.data(), level.t.data(), level.d.data(),
                          level.z.data(), begin, end);
            m.partial[c] = 0;
            for (long i = 32L * begin; i < 32L * end; ++i) m.partial[c] += level.d[i] * level.d[i];
        }
        team.barrier();
        double sum = 0;
        for (int c = 0; c < chunks; ++c) sum += m.partial[c];
        length = std::sqrt(sum);  // of D⁻¹A d for a d of unit length, from the second round on
        team.barrier();
        if (!(length > 0) || !std::isfinite(length)) return 1;
    }
    return power_margin * length;
}

void invert_diagonal(Multigrid::Level& level, int begin, int end) {
    const BlockSystem& a = level.matrix;
    for (int row = 8 * begin; row < 8 * end; ++row) {
        const long at = 48L * (row / 8) + row % 8;
        const float* anchor = level.anchor.data() + 72L * (row / 8) + row % 8;
        double d[3] = {anchor[0], anchor[32], anchor[64]};
        for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot)
            for (int i = 0; i < 3; ++i) d[i] -= a.block[72L * slot + 32 * i + row % 8];
        const bool moves = d[0] > 0 && d[1] > 0 && d[2] > 0;
        for (int i = 0; i < 3; ++i) level.matrix.preconditioner[at + 8 * i] = moves ? float(1 / d[i]) : 0.f;
    }
}

}  // namespace

void set_anchor(Multigrid& m, const BlockSystem& system, int begin, int end) {
    for (int s = begin; s < end; ++s)
        for (int lane = 0; lane < 8; ++lane) {
            float* c = m.levels[0].anchor.data() + 72L * s + lane;
            for (int e = 0; e < 9; ++e) c[8 * e] = e % 4 == 0 ? float(system.inertia[8 * s + lane]) : 0.f;
        }
}

void add_anchor(Multigrid& m, int row, const Mat3& block) {
    float* c = m.levels[0].anchor.data() + 72L * (row / 8) + row % 8;
    for (int e = 0; e < 9; ++e) c[8 * e] += float(block(e / 3, e % 3));
}

void set_operators(Multigrid& m, const BlockSystem& system, Threads& threads) {
    // Each member's share: sums of a row, and places of coarse rows among them.
    const std::size_t sums = 12 * (m.most_neighbours + 2), share = sums + (m.levels[1].rows + 7) / 8 * 4;
    double* scratch = reinterpret_cast<double*>(m.spare.data());
    if (m.spare.size() < 2 * share * threads.count()) {
        m.scratch.resize(share * threads.count());
        scratch = m.scratch.data();
    }
    run_team(threads, system.slices, [&](const Team& team) {
        const MultigridKernels& kernels = multigrid_kernels(m.kernels);
        set_anchor(m, system, team.begin(system.slices), team.end(system.slices));
        double* sum = scratch + share * team.member;
        int* place = reinterpret_cast<int*>(sum + sums);
        std::fill_n(place, m.levels[1].rows, -1);
        team.barrier();
        for (std::size_t l = 0; l < m.levels.size(); ++l) {
            Multigrid::Level& level = m.levels[l];
            const BlockSystem& a = matrix_of(m, system, static_cast<int>(l));
            if (l + 1 == m.levels.size()) break;
            const double largest = largest_eigenvalue(m, a, static_cast<int>(l), team);
            if (team.member == 0) level.largest = largest;
            Multigrid::Level& coarse = m.levels[l + 1];
            const GalerkinArgs args{.fine = level_args(level, a),
                                    .up = level.up.args(),
                                    .down = level.down.args(),
                                    .slice_begin = coarse.matrix.slice_begin.data(),
                                    .column = coarse.matrix.column.data(),
                                    .block = coarse.matrix.block.data(),
                                    .anchor = coarse.anchor.data()};
            const int begin = team.begin(coarse.slices), end = team.end(coarse.slices);
            kernels.galerkin(args, 8 * begin, std::min(coarse.rows, 8 * end), place, sum);
            invert_diagonal(coarse, begin, end);
            team.barrier();
        }
    });
    if (m.levels.size() > 1) factorise(m);
}

void v_cycle(Multigrid& m, const BlockSystem& system, const Team& team) { smooth_and_correct(m, system, 0, team); }

}  // namespace pliant
