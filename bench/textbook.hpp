#pragma once
// The step as a textbook writes it, with Eigen: a sparse matrix of doubles, a singular value decomposition per element,
// element matrices added one by one, conjugate gradients over whole vectors. One thread. The baseline of `pliant
// bench`.

#include <Eigen/SparseCore>
#include <array>
#include <vector>

#include "pliant/mesh/tet_mesh.hpp"

namespace pliant::bench {

class Textbook {
public:
    struct Report {
        int iterations = 0;
        double assembly_ms = 0, solve_ms = 0;
    };

    /// Nodes with x = 0 are held; gravity acts along −y.
    Textbook(const TetMesh& mesh, double young, double poisson, double density);
    /// tolerance: relative, in the norm of the diagonal preconditioner; 0: always `iterations`.
    Report step(double dt, int iterations, double tolerance);

    const std::vector<Vec3>& x() const { return x_; }

private:
    void assemble(double dt);

    TetMesh mesh_;
    std::vector<std::array<Vec3, 4>> gradient_;
    std::vector<double> volume_;
    std::vector<std::array<std::array<int, 16>, 3>> place_;  ///< of each block's rows in the matrix' values
    double lambda_, mu_;
    std::vector<Vec3> x_, v_;
    std::vector<char> held_;
    Eigen::VectorXd mass_, r_, z_, p_, q_, inverse_, dv_;
    Eigen::SparseMatrix<double, Eigen::RowMajor> A_;
};

}  // namespace pliant::bench
