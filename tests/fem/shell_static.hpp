#pragma once
// Static equilibrium of a shell by Newton's method on its public interface, and meshes of sheets mapped to any surface.

#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <cmath>
#include <functional>
#include <vector>

#include "pliant/core/rng.hpp"
#include "pliant/fem/shell.hpp"
#include "pliant/material/material.hpp"

namespace pliant::test {

struct Sheet {
    std::vector<Vec3> points;
    std::vector<Tri> triangles;
};

/// A grid of nu × nv squares, each two triangles, with corners at map(u, v), u and v from 0 to 1. `closed`: u = 1 is
/// u = 0. `shake` moves inner nodes by so many cells at random; diagonals then lie at random, too.
inline Sheet mapped_sheet(int nu, int nv, bool closed, const std::function<Vec3(double, double)>& map,
                          double shake = 0) {
    Sheet s;
    Rng random(7);
    const int columns = closed ? nu : nu + 1;
    for (int j = 0; j <= nv; ++j)
        for (int i = 0; i < columns; ++i) {
            double u = i, v = j;
            const double du = shake * (2 * random.uniform() - 1), dv = shake * (2 * random.uniform() - 1);
            if (closed || (i > 0 && i < nu)) u += j > 0 && j < nv ? du : 0;
            if (j > 0 && j < nv && (closed || (i > 0 && i < nu))) v += dv;
            s.points.push_back(map(u / nu, v / nv));
        }
    for (int j = 0; j < nv; ++j)
        for (int i = 0; i < nu; ++i) {
            const auto at = [&](int a, int b) { return b * columns + a % columns; };
            const int a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
            const bool flip = shake > 0 && random.uniform() < 0.5;
            if (flip)
                s.triangles.push_back({a, b, d}), s.triangles.push_back({b, c, d});
            else
                s.triangles.push_back({a, b, c}), s.triangles.push_back({a, c, d});
        }
    return s;
}

inline Shell make_shell(const Sheet& s, double young, double poisson, double thickness, Bending bending,
                        const char* law = "corotational", double density = 1) {
    ShellOptions options;
    options.bending = bending, options.thickness = thickness;
    options.law = &material_laws().get(law);
    return Shell(s.points, s.triangles, std::vector<ElementMaterial>(s.triangles.size(), {young, poisson, density}),
                 options);
}

using Held = std::vector<std::array<char, 3>>;  ///< per node and coordinate: it stays

/// The tangent at x without inertia, as a sparse matrix.
inline Eigen::SparseMatrix<double> tangent_matrix(Shell& shell, const std::vector<Vec3>& x, Threads& threads) {
    const std::vector<Vec3> zero(x.size(), Vec3::Zero());
    StageTimes times;
    shell.assemble(x, zero, {.dt = 1, .force = zero, .prescribed = {}}, threads, times);
    const BlockSystem& a = shell.system();
    std::vector<Eigen::Triplet<double>> entries;
    for (int row = 0; row < a.rows; ++row) {
        const int i = a.node_of_row[row];
        Mat3 diagonal = a.diagonal(row) - a.inertia[row] * Mat3::Identity();
        diagonal = 0.5 * (diagonal + diagonal.transpose()).eval();
        for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot) {
            const int other = a.neighbour(slot, row % 8);
            if (other == row) continue;
            for (int e = 0; e < 9; ++e)
                entries.emplace_back(3 * i + e / 3, 3 * a.node_of_row[other] + e % 3,
                                     a.block[72L * slot + 8 * e + row % 8]);
        }
        for (int e = 0; e < 9; ++e) entries.emplace_back(3 * i + e / 3, 3 * i + e % 3, diagonal(e / 3, e % 3));
    }
    Eigen::SparseMatrix<double> K(3 * x.size(), 3 * x.size());
    K.setFromTriplets(entries.begin(), entries.end());
    return K;
}

/// One Newton step from x; a share of the diagonal is added, so that motions that nothing resists have a solution.
inline std::vector<Vec3> newton_direction(Shell& shell, const std::vector<Vec3>& x, const std::vector<Vec3>& load,
                                          const Held& held, double ridge, Threads& threads, double* residual) {
    Eigen::SparseMatrix<double> K = tangent_matrix(shell, x, threads);
    std::vector<Vec3> f(x.size());
    shell.forces(x, f, threads);
    Eigen::VectorXd b(3 * x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        for (int c = 0; c < 3; ++c) b[3 * i + c] = held[i][c] ? 0 : f[i][c] + load[i][c];
    if (residual) *residual = b.norm();
    double most = 0;
    for (int k = 0; k < K.outerSize(); ++k) most = std::max(most, K.coeff(k, k));
    for (int k = 0; k < K.outerSize(); ++k)
        for (Eigen::SparseMatrix<double>::InnerIterator it(K, k); it; ++it) {
            if (held[it.row() / 3][it.row() % 3] || held[it.col() / 3][it.col() % 3])
                it.valueRef() = it.row() == it.col() ? most : 0;
            else if (it.row() == it.col())
                it.valueRef() += ridge * it.value();
        }
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(K);
    const Eigen::VectorXd d = solver.solve(b);
    std::vector<Vec3> step(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) step[i] = d.segment<3>(3 * i);
    return step;
}

/// Newton's method with a line search on the energy, until the residual is `tolerance` of the first.
inline int solve_static(Shell& shell, std::vector<Vec3>& x, const std::vector<Vec3>& load, const Held& held,
                        Threads& threads, double tolerance = 1e-7, int most = 200, double ridge = 1e-9) {
    const auto potential = [&](const std::vector<Vec3>& y) {
        double e = shell.energy(y);
        for (std::size_t i = 0; i < y.size(); ++i) e -= load[i].dot(y[i]);
        return e;
    };
    double first = 0;
    for (int k = 0; k < most; ++k) {
        double residual = 0;
        const std::vector<Vec3> step = newton_direction(shell, x, load, held, ridge, threads, &residual);
        if (k == 0) first = residual;
        if (residual <= tolerance * first) return k;
        const double here = potential(x);
        std::vector<Vec3> y(x.size());
        double share = 1;
        for (; share > 1e-6; share *= 0.5) {
            for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + share * step[i];
            if (potential(y) < here) break;
        }
        if (share <= 1e-6) return k;  // as exact as numbers are
        x = y;
    }
    return most;
}

}  // namespace pliant::test
