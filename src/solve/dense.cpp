#include "pliant/solve/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Jacobi>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {

// Householder reflections H = I − β v vᵀ from the left and the right leave A tridiagonal; q takes them from the right.
void SymmetricEigen::tridiagonalise(Matrix a, Matrix q) {
    const Eigen::Index n = size_;
    for (Eigen::Index k = 0; k + 1 < n; ++k) {
        const Eigen::Index m = n - k - 1;
        auto v = a.col(k).tail(m);
        const double length = v.norm();
        if (m == 1 || !(v.tail(m - 1).squaredNorm() > 0)) {
            beside_[k] = v[0];
            continue;
        }
        const double left = v[0] > 0 ? -length : length;
        v[0] -= left;
        beside_[k] = left;
        const double beta = 2 / v.squaredNorm();
        auto rest = a.bottomRightCorner(m, m);
        Eigen::Map<Eigen::VectorXd> p(work_.data(), m);
        p.noalias() = rest.selfadjointView<Eigen::Lower>() * v;
        p *= beta;
        p -= (0.5 * beta * p.dot(v)) * v;
        for (Eigen::Index c = 0; c < m; ++c) rest.col(c).tail(m - c) -= v[c] * p.tail(m - c) + p[c] * v.tail(m - c);
        Eigen::Map<Eigen::VectorXd> along(work_.data(), rows_);
        auto columns = q.rightCols(m);
        along.noalias() = columns * v;
        for (Eigen::Index c = 0; c < m; ++c) columns.col(c) -= beta * v[c] * along;
    }
    for (Eigen::Index k = 0; k < n; ++k) diagonal_[k] = a(k, k);
}

// Implicit QR steps with Wilkinson's shift on the tridiagonal matrix; q takes the rotations from the right.
bool SymmetricEigen::diagonalise(Matrix q) {
    std::vector<double>&d = diagonal_, &e = beside_;
    const double eps = std::numeric_limits<double>::epsilon();
    double largest = 0;
    for (Eigen::Index k = 0; k < size_; ++k) largest = std::max({largest, std::abs(d[k]), std::abs(e[k])});
    Eigen::Index end = size_ - 1;
    for (Eigen::Index round = 0; end > 0; ++round) {
        if (round > 60 * size_) return false;
        // Off-diagonals that are rounding, next to their neighbours or to the whole matrix.
        auto gone = [&](Eigen::Index k) {
            return std::abs(e[k]) <= eps * (std::abs(d[k]) + std::abs(d[k + 1])) ||
                   std::abs(e[k]) <= 0.01 * eps * largest;
        };
        while (end > 0 && gone(end - 1)) --end;
        if (end == 0) break;
        Eigen::Index start = end - 1;
        while (start > 0 && !gone(start - 1)) --start;
        const double half = 0.5 * (d[end - 1] - d[end]), off = e[end - 1];
        const double root = std::hypot(half, off);
        const double shift = d[end] - off * (off / (half + (half > 0 ? root : -root)));
        double x = d[start] - shift, z = e[start];
        for (Eigen::Index k = start; k < end; ++k) {
            Eigen::JacobiRotation<double> turn;
            turn.makeGivens(x, z);
            const double c = turn.c(), s = turn.s();
            const double sd = s * d[k] + c * e[k], de = s * e[k] + c * d[k + 1];
            d[k] = c * (c * d[k] - s * e[k]) - s * (c * e[k] - s * d[k + 1]);
            d[k + 1] = s * sd + c * de;
            e[k] = c * sd - s * de;
            if (k > start) e[k - 1] = c * e[k - 1] - s * z;
            x = e[k];
            if (k + 1 < end) z = -s * e[k + 1], e[k + 1] = c * e[k + 1];
            q.applyOnTheRight(k, k + 1, turn);
        }
    }
    return true;
}

void SymmetricEigen::sort(Matrix q) {
    for (Eigen::Index i = 0; i + 1 < size_; ++i) {
        const auto least = std::min_element(diagonal_.begin() + i, diagonal_.begin() + size_) - diagonal_.begin();
        if (least == i) continue;
        std::swap(diagonal_[i], diagonal_[least]);
        q.col(i).swap(q.col(least));
    }
}

bool SymmetricEigen::compute(Eigen::Ref<const Eigen::MatrixXd> a, Eigen::Index first_row) {
    size_ = a.rows(), rows_ = size_ - first_row;
    const auto room = [](std::vector<double>& v, Eigen::Index n) {
        if (static_cast<Eigen::Index>(v.size()) < n) v.resize(static_cast<std::size_t>(n));
    };
    room(matrix_, size_ * size_), room(vectors_, rows_ * size_);
    room(diagonal_, size_), room(beside_, size_), room(work_, size_);
    Matrix copy(matrix_.data(), size_, size_), q(vectors_.data(), rows_, size_);
    copy.triangularView<Eigen::Lower>() = a.triangularView<Eigen::Lower>();
    q.setZero();
    for (Eigen::Index r = 0; r < rows_; ++r) q(r, first_row + r) = 1;
    std::fill(beside_.begin(), beside_.end(), 0.0);
    if (size_ > 1)
        tridiagonalise(copy, q);
    else if (size_ == 1)
        diagonal_[0] = a(0, 0);
    const bool converged = diagonalise(q);
    sort(q);
    return converged;
}

bool generalised_eigen(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Eigen::VectorXd& values,
                       Eigen::MatrixXd& vectors) {
    // With B = L·Lᵀ the pairs of L⁻¹·A·L⁻ᵀ are (λ, Lᵀ v).
    const Eigen::LLT<Eigen::MatrixXd> root(b);
    Eigen::MatrixXd reduced = a;
    root.matrixL().solveInPlace(reduced);
    reduced.transposeInPlace();
    root.matrixL().solveInPlace(reduced);
    SymmetricEigen eigen;
    const bool converged = root.info() == Eigen::Success && eigen.compute(reduced);
    values = eigen.values(), vectors = eigen.vectors();
    root.matrixL().transpose().solveInPlace(vectors);
    return converged;
}

void thin_qr(const Eigen::MatrixXd& a, Eigen::MatrixXd& q, Eigen::MatrixXd& r) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(a);
    q.setIdentity(a.rows(), a.cols());
    q.applyOnTheLeft(qr.householderQ());
    r = qr.matrixQR().topRows(a.cols()).triangularView<Eigen::Upper>();
}

Eigen::VectorXd pseudo_solve(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, double cut) {
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(cut);
    return svd.solve(b);
}

Eigen::MatrixXd null_space(const Eigen::MatrixXd& a, double cut) {
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(a, Eigen::ComputeFullV);
    svd.setThreshold(cut);
    return svd.matrixV().rightCols(a.cols() - svd.rank());
}

Eigen::MatrixXd times_inverse_root(const Eigen::MatrixXd& x, const Eigen::MatrixXd& g) {
    return Eigen::LLT<Eigen::MatrixXd>(g).matrixU().solve<Eigen::OnTheRight>(x);
}

}  // namespace pliant
