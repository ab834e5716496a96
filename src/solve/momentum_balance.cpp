#include "pliant/solve/momentum_balance.hpp"

#include <cmath>

namespace pliant {

namespace {

// In-place LDLᵀ of a dense symmetric matrix within its envelope: rows of bodies that never touch stay empty.
void solve_dense(std::vector<double>& A, std::vector<double>& b, int n) {
    auto at = [&](int i, int j) -> double& { return A[std::size_t(i) * n + j]; };
    for (int i = 0; i < n; ++i) {
        int first = 0;
        while (first < i && at(i, first) == 0) ++first;
        for (int j = first; j < i; ++j) {
            double sum = at(i, j);
            for (int k = first; k < j; ++k) sum -= at(i, k) * at(j, k);  // at(i, k) holds L·D here, at(j, k) holds L
            at(i, j) = sum;
        }
        for (int j = first; j < i; ++j) {
            const double scaled = at(i, j);
            at(i, j) = scaled / at(j, j);
            at(i, i) -= scaled * at(i, j);
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) b[i] -= at(i, j) * b[j];
    for (int i = 0; i < n; ++i) b[i] /= at(i, i);
    for (int i = n - 1; i >= 0; --i)
        for (int j = i + 1; j < n; ++j) b[i] -= at(j, i) * b[j];
}

}  // namespace

void balance_momentum(std::span<BlockSystem* const> systems, std::span<const Coupling> couplings, CgScratch& s) {
    const int bodies = static_cast<int>(systems.size()), n = 3 * bodies;
    s.balance.assign(std::size_t(n) * n, 0), s.shift.assign(n, 0);
    auto matrix = [&](int i, int j) -> double& { return s.balance[std::size_t(i) * n + j]; };
    for (int b = 0; b < bodies; ++b) {
        const BlockSystem& a = *systems[b];
        double mass = 1;
        Vec3 missing = Vec3::Zero();
        if (!a.pinned) {
            mass = 0;
            Vec3 now = Vec3::Zero();
            for (int row = 0; row < a.rows; ++row) mass += a.inertia[row], now += a.inertia[row] * a.at(a.v, row);
            missing = a.momentum - now;
        }
        for (int c = 0; c < 3; ++c) matrix(3 * b + c, 3 * b + c) = mass, s.shift[3 * b + c] = missing[c];
    }
    for (std::size_t k = 0; k < couplings.size(); ++k) {
        // s.impulse still holds s − S u at the v that conjugate gradients reached.
        for (int e = s.end_begin[k]; e < s.end_begin[k + 1]; ++e) {
            const CgScratch::End& end = s.ends[e];
            if (end.system->pinned) continue;
            for (int c = 0; c < 3; ++c) s.shift[3 * end.index + c] += end.weight * s.impulse[k][c];
            for (int f = s.end_begin[k]; f < s.end_begin[k + 1]; ++f) {
                const CgScratch::End& other = s.ends[f];
                if (other.system->pinned) continue;
                for (int c = 0; c < 3; ++c)
                    for (int d = 0; d < 3; ++d)
                        matrix(3 * end.index + c, 3 * other.index + d) +=
                            end.weight * other.weight * couplings[k].S(c, d);
            }
        }
    }
    solve_dense(s.balance, s.shift, n);
    for (int b = 0; b < bodies; ++b) {
        BlockSystem& a = *systems[b];
        if (a.pinned) continue;
        const Vec3 shift(s.shift[3 * b], s.shift[3 * b + 1], s.shift[3 * b + 2]);
        if (!shift.allFinite()) continue;
        for (int row = 0; row < a.rows; ++row) a.add(a.v, row, shift), a.add(a.r, row, -a.inertia[row] * shift);
    }
}

}  // namespace pliant
