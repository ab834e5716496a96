#pragma once
// Blocks of a lattice held together by stiff rods, as a block system and as the dense matrix that it stands for. Rods
// resist no rigid motion, and stiffness over mass is as large as one likes.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

#include "pliant/core/rng.hpp"
#include "pliant/solve/block_system.hpp"

namespace pliant {

struct TrussDesc {
    int nx = 8, ny = 3, nz = 3;  ///< nodes of a piece
    int pieces = 1;              ///< one behind the other along x, not connected
    double mass = 1;             ///< of a node, kg
    double stiffness = 1e4;      ///< of a rod, kg
    bool held = false;           ///< the nodes at the lower end of each piece are prescribed
};

struct Truss {
    BlockSystem system;
    std::vector<Vec3> x;
    std::vector<std::vector<int>> neighbours;
    TrussDesc desc;

    explicit Truss(const TrussDesc& d, std::uint64_t seed = 1, bool two_level = true) : desc(d) {
        for (int p = 0; p < d.pieces; ++p)
            for (int i = 0; i < d.nx; ++i)
                for (int j = 0; j < d.ny; ++j)
                    for (int k = 0; k < d.nz; ++k) x.push_back(0.1 * Vec3(p * (d.nx + 1) + i, j, k));
        const int nodes = static_cast<int>(x.size()), each = nodes / d.pieces;
        neighbours.resize(nodes);
        for (int i = 0; i < nodes; ++i)
            for (int j = i / each * each; j < (i / each + 1) * each; ++j)
                if (j != i && (x[i] - x[j]).norm() < 0.18) neighbours[i].push_back(j);
        system.set_pattern(neighbours);
        system.place.resize(4 * system.padded());
        system.two_level = two_level;
        system.pinned = d.held;
        if (d.pieces > 1) {
            system.part.resize(system.rows);
            system.part_momentum.assign(d.pieces, Vec3::Zero()), system.part_pinned.assign(d.pieces, d.held);
        }
        Rng rng(seed);
        for (int i = 0; i < nodes; ++i) {
            const int row = system.row_of_node[i];
            system.inertia[row] = d.mass * rng.uniform(0.5, 2);
            for (int c = 0; c < 3; ++c) system.place[4L * row + c] = x[i][c] - x[0][c];
            system.prescribed[row] = d.held && i % each < d.ny * d.nz;
            for (std::size_t k = 0; k < neighbours[i].size(); ++k) {
                const Mat3 K = block(i, neighbours[i][k]);
                const long slot = system.slice_begin[row / 8] + static_cast<long>(k);
                for (int e = 0; e < 9; ++e) system.block[72 * slot + 8 * e + row % 8] = float(K(e / 3, e % 3));
            }
            const Vec3 r = d.mass * Vec3(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1) - 3);
            system.add(system.r, row, r);
            system.momentum += r;
            if (d.pieces > 1) system.part[row] = i / each, system.part_momentum[i / each] += r;
        }
        for (int row = 0; row < system.rows; ++row) system.reset_preconditioner(row);
    }

    /// −k n nᵀ, as the system holds it.
    Mat3 block(int i, int j) const {
        const Vec3 n = (x[i] - x[j]).normalized();
        const Mat3 K = -desc.stiffness * n * n.transpose();
        return K.cast<float>().cast<double>();
    }
    /// Adds matrix and right-hand side at `offset`.
    void add_dense(Eigen::MatrixXd& A, Eigen::VectorXd& b, int offset) const {
        for (int i = 0; i < system.rows; ++i) {
            const int row = system.row_of_node[i], at = offset + 3 * i;
            A.block<3, 3>(at, at) += system.inertia[row] * Mat3::Identity();
            for (int j : neighbours[i]) {
                A.block<3, 3>(at, offset + 3 * j) += block(i, j);
                A.block<3, 3>(at, at) -= block(i, j);
            }
            b.segment<3>(at) += system.at(system.r, row);
        }
    }
    /// Identity rows where prescribed, after everything was added.
    void eliminate(Eigen::MatrixXd& A, Eigen::VectorXd& b, int offset) const {
        for (int i = 0; i < system.rows; ++i)
            for (int c = 0; c < 3 && system.prescribed[system.row_of_node[i]]; ++c) {
                const int k = offset + 3 * i + c;
                A.row(k).setZero(), A.col(k).setZero();
                A(k, k) = 1, b[k] = 0;
            }
    }
    void solution(Eigen::VectorXd& v, int offset) const {
        for (int i = 0; i < system.rows; ++i) v.segment<3>(offset + 3 * i) = system.at(system.v, system.row_of_node[i]);
    }
};

}  // namespace pliant
