#pragma once
// A block system with the matrix and right-hand side that it stands for.

#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "pliant/core/rng.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

// A ring of nodes with chords: SPD blocks between neighbours, as a stiffness matrix has them.
struct Ring {
    BlockSystem system;
    Eigen::MatrixXd A;
    Eigen::VectorXd b;

    Ring(int nodes, std::uint64_t seed, bool fix) : A(Eigen::MatrixXd::Zero(3 * nodes, 3 * nodes)), b(3 * nodes) {
        std::vector<std::vector<int>> neighbours(nodes);
        auto link = [&](int i, int j) {
            for (auto [p, q] : {std::pair{i, j}, std::pair{j, i}})
                if (std::find(neighbours[p].begin(), neighbours[p].end(), q) == neighbours[p].end())
                    neighbours[p].push_back(q);
        };
        for (int i = 0; i < nodes; ++i) {
            link(i, (i + 1) % nodes);
            if (i % 3 == 0) link(i, (i + nodes / 2) % nodes);
            if (i % 5 == 0) link(i, (i + 2) % nodes);
        }
        for (auto& list : neighbours) std::sort(list.begin(), list.end());
        system.set_pattern(neighbours);
        Rng rng(seed);
        for (int i = 0; i < nodes; ++i) {
            const int row = system.row_of_node[i];
            system.inertia[row] = rng.uniform(0.5, 2);
            A.block<3, 3>(3 * i, 3 * i) += system.inertia[row] * Mat3::Identity();
        }
        for (int i = 0; i < nodes; ++i)
            for (int j : neighbours[i]) {
                if (j < i) continue;
                Mat3 K;
                for (int e = 0; e < 9; ++e) K(e) = rng.uniform(-1, 1);
                K = -(K * K.transpose()).cast<float>().cast<double>();
                for (auto [p, q] : {std::pair{i, j}, std::pair{j, i}}) {
                    const int row = system.row_of_node[p];
                    for (int slot = system.slice_begin[row / 8]; slot < system.slice_begin[row / 8 + 1]; ++slot)
                        if (system.neighbour(slot, row % 8) == system.row_of_node[q])
                            for (int e = 0; e < 9; ++e)
                                system.block[72L * slot + 8 * e + row % 8] = float(K(e / 3, e % 3));
                    A.block<3, 3>(3 * p, 3 * q) += K;
                    A.block<3, 3>(3 * p, 3 * p) -= K;
                }
            }
        for (int i = 0; i < nodes; ++i) {
            const int row = system.row_of_node[i];
            system.prescribed[row] = fix && i % 7 == 0;
            system.reset_preconditioner(row);
            const Vec3 r(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1));
            system.add(system.r, row, r);
            b.segment<3>(3 * i) = r;
            system.momentum += r;
        }
        system.pinned = fix;
    }
    Eigen::VectorXd solution() const {
        Eigen::VectorXd x(b.size());
        for (int i = 0; i < system.rows; ++i) x.segment<3>(3 * i) = system.at(system.v, system.row_of_node[i]);
        return x;
    }
    // Identity rows where prescribed.
    void eliminate(Eigen::MatrixXd& M, Eigen::VectorXd& rhs, int offset) const {
        for (int i = 0; i < system.rows; ++i)
            if (system.prescribed[system.row_of_node[i]])
                for (int c = 0; c < 3; ++c) {
                    const int k = offset + 3 * i + c;
                    M.row(k).setZero(), M.col(k).setZero();
                    M(k, k) = 1, rhs[k] = 0;
                }
    }
};

}  // namespace pliant
