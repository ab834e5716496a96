#include "pliant/solve/lcp.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

using Piece = Eigen::Map<Eigen::VectorXd>;
using ConstPiece = Eigen::Map<const Eigen::VectorXd>;

double dot(const double* x, const double* y, std::size_t n) {
    const auto size = static_cast<Eigen::Index>(n);
    return ConstPiece(x, size).dot(ConstPiece(y, size));
}

}  // namespace

// Rows of the factor from `first` on; those before depend on nothing that follows them.
void LcpSolver::factor_from(std::span<const double> a, std::size_t first) {
    for (std::size_t i = first; i < passive_.size(); ++i) {
        double* row = root_.data() + i * rows_;
        const double* from = a.data() + static_cast<std::size_t>(passive_[i]) * rows_;
        for (std::size_t j = 0; j < i; ++j) {
            const double* other = root_.data() + j * rows_;
            row[j] = (from[passive_[j]] - dot(row, other, j)) / other[j];
        }
        const double own = from[passive_[i]] + added_ - dot(row, row, i);
        row[i] = std::sqrt(std::max(own, 1e-3 * added_));  // never less than rounding leaves of `added_`
    }
}

// trial_: forces of the passive rows with which their w vanish.
void LcpSolver::forces(std::span<const double> b) {
    const std::size_t m = passive_.size();
    for (std::size_t i = 0; i < m; ++i) {
        const double* row = root_.data() + i * rows_;
        trial_[i] = (-b[static_cast<std::size_t>(passive_[i])] - dot(row, trial_.data(), i)) / row[i];
    }
    for (std::size_t i = m; i-- > 0;) {
        const double* row = root_.data() + i * rows_;
        trial_[i] /= row[i];
        for (std::size_t j = 0; j < i; ++j) trial_[j] -= row[j] * trial_[i];
    }
}

LcpReport LcpSolver::solve(std::span<const double> a, std::span<const double> b,
                           std::span<const std::uint8_t> bilateral, std::span<double> f) {
    const std::size_t n = b.size();
    CHECK(a.size() == n * n && f.size() == n && (bilateral.empty() || bilateral.size() == n), a.size(), n, f.size());
    LcpReport report;
    std::fill(f.begin(), f.end(), 0.0);
    if (n == 0) {
        report.solved = true;
        return report;
    }
    rows_ = n;
    double scale = 1e-300, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        scale = std::max(scale, std::abs(a[i * n + i]));
        largest = std::max(largest, std::abs(b[i]));
    }
    added_ = 1e-9 * scale;
    const double tiny = 1e-9 * largest;
    if (trial_.size() < n) {  // with room for more, so that a few rows on top cost no memory
        const std::size_t room = n + n / 2;
        root_.resize(room * room), trial_.resize(room), w_.resize(room), passive_.reserve(room), barred_.reserve(room);
    }
    passive_.clear();
    barred_.assign(n, 0);  // rows that were thrown out at once when they came in: rounding, not contact
    auto free = [&](int i) { return !bilateral.empty() && bilateral[static_cast<std::size_t>(i)]; };
    for (int i = 0; i < static_cast<int>(n); ++i)
        if (free(i)) passive_.push_back(i);
    if (!passive_.empty()) {
        factor_from(a, 0);
        forces(b);
        for (std::size_t i = 0; i < passive_.size(); ++i) f[static_cast<std::size_t>(passive_[i])] = trial_[i];
    }
    // The set grows by the worst row and is cut back where forces would pull, so that its matrix never holds more rows
    // than the bodies have ways to move.
    const int most = 20 + 10 * static_cast<int>(n);
    for (; report.pivots < most; ++report.pivots) {
        Piece w(w_.data(), static_cast<Eigen::Index>(n));
        w = ConstPiece(b.data(), static_cast<Eigen::Index>(n));
        for (int row : passive_) {
            const std::size_t r = static_cast<std::size_t>(row);
            w += f[r] * ConstPiece(a.data() + r * n, static_cast<Eigen::Index>(n));
            w[row] += f[r] * added_;
        }
        int worst = -1;
        for (int i = 0; i < static_cast<int>(n); ++i) {
            const std::size_t at = static_cast<std::size_t>(i);
            if (!free(i) && !barred_[at] && f[at] == 0 && w[i] < -tiny && (worst < 0 || w[i] < w[worst])) worst = i;
        }
        if (worst < 0) {
            report.solved = true;
            break;
        }
        passive_.push_back(worst);
        factor_from(a, passive_.size() - 1);
        for (;;) {
            forces(b);
            double step = 1;
            std::size_t out = passive_.size();
            for (std::size_t i = 0; i < passive_.size(); ++i) {
                const double now = f[static_cast<std::size_t>(passive_[i])];
                if (free(passive_[i]) || trial_[i] > 0) continue;
                const double part = now > 0 ? now / (now - trial_[i]) : 0.0;
                if (part < step) step = part, out = i;
            }
            for (std::size_t i = 0; i < passive_.size(); ++i) {
                double& now = f[static_cast<std::size_t>(passive_[i])];
                now += step * (trial_[i] - now);
            }
            if (out == passive_.size()) break;
            const int gone = passive_[out];
            f[static_cast<std::size_t>(gone)] = 0;
            if (gone == worst) barred_[static_cast<std::size_t>(gone)] = 1;
            passive_.erase(passive_.begin() + static_cast<std::ptrdiff_t>(out));
            factor_from(a, out);
        }
    }
    for (int i = 0; i < static_cast<int>(n); ++i)
        if (!free(i)) f[static_cast<std::size_t>(i)] = std::max(0.0, f[static_cast<std::size_t>(i)]);
    return report;
}

}  // namespace pliant
