#pragma once
// Decompositions of small full matrices, compiled once: Eigen's templates for them take longer to compile than all that
// calls them.

#include <Eigen/Core>
#include <vector>

namespace pliant {

/// A v = λ v for symmetric A, of which the lower triangle is read; λ ascending, columns orthonormal. Keeps its memory:
/// matrices no larger than an earlier one allocate nothing.
class SymmetricEigen {
public:
    /// `first_row`: only the rows of the vectors from this one on are wanted, which saves most of the time when they
    /// are few. False: it did not converge.
    bool compute(Eigen::Ref<const Eigen::MatrixXd> a, Eigen::Index first_row = 0);
    Eigen::Map<const Eigen::VectorXd> values() const { return {diagonal_.data(), size_}; }
    Eigen::Map<const Eigen::MatrixXd> vectors() const { return {vectors_.data(), rows_, size_}; }

private:
    using Matrix = Eigen::Map<Eigen::MatrixXd>;
    void tridiagonalise(Matrix a, Matrix q);
    bool diagonalise(Matrix q);
    void sort(Matrix q);

    Eigen::Index size_ = 0, rows_ = 0;
    std::vector<double> matrix_, vectors_, diagonal_, beside_, work_;
};

/// A v = λ B v with positive definite B; vᵀ B v = 1. False: it did not converge.
bool generalised_eigen(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Eigen::VectorXd& values,
                       Eigen::MatrixXd& vectors);

/// A = Q·R with as many columns in Q as A has; A has no fewer rows than columns.
void thin_qr(const Eigen::MatrixXd& a, Eigen::MatrixXd& q, Eigen::MatrixXd& r);

/// The least x for which A x is nearest to b. Singular values below `cut` times the largest count as zero.
Eigen::VectorXd pseudo_solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, double cut);

/// Orthonormal columns that span what A maps to zero, singular values below `cut` times the largest counting as zero.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& a, double cut);

/// X·L⁻ᵀ with L·Lᵀ = G: columns that were orthonormal but for their products G become so.
Eigen::MatrixXd times_inverse_root(const Eigen::MatrixXd& x, const Eigen::MatrixXd& g);

}  // namespace pliant
