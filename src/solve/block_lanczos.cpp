#include "pliant/solve/block_lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/core/rng.hpp"
#include "pliant/solve/dense.hpp"
#include "pliant/solve/dense_kernels.hpp"

namespace pliant {

namespace {

constexpr std::size_t sum_rows = 2048;  // rows whose partial sums are added in order
constexpr std::size_t slice = 256;      // rows that stay in cache while all blocks of the basis pass by

// Orthogonality that rounding leaves, and that is good enough: residuals suffer by this times |θ_max/θ|.
constexpr double lanczos_rounding = 1e-15, level_allowed = 1e-11;

using Blocks = std::vector<const MultiVector*>;

// H = [Q₁ Q₂ …]ᵀ Y: for each block a (width × y.width) matrix, one after the other.
std::vector<double> cross_all(const Blocks& q, const MultiVector& y, const DenseKernels& k, Threads& threads) {
    std::size_t total = 0;
    for (const MultiVector* b : q) total += static_cast<std::size_t>(b->width) * y.width;
    const std::size_t chunks = (static_cast<std::size_t>(y.rows) + sum_rows - 1) / sum_rows;
    std::vector<std::vector<double>> parts(chunks);
    parallel_for(threads, y.rows, sum_rows, [&](std::size_t begin, std::size_t end) {
        std::vector<double>& part = parts[begin / sum_rows];
        part.assign(total, 0.0);
        for (std::size_t i = begin; i < end; i += slice) {
            const int depth = static_cast<int>(std::min(end, i + slice) - i);
            double* h = part.data();
            for (const MultiVector* b : q) {
                k.multiply(b->width, y.width, depth, 1, b->row(static_cast<int>(i)), b->width, true,
                           y.row(static_cast<int>(i)), y.width, k.tile_width, h, y.width);
                h += static_cast<std::size_t>(b->width) * y.width;
            }
        }
    });
    std::vector<double> sum(total, 0.0);
    for (const auto& part : parts)
        for (std::size_t i = 0; i < total; ++i) sum[i] += part[i];
    return sum;
}

// Y −= [Q₁ Q₂ …] H.
void subtract_all(const Blocks& q, const std::vector<double>& h, MultiVector& y, const DenseKernels& k,
                  Threads& threads) {
    parallel_for(threads, y.rows, slice, [&](std::size_t begin, std::size_t end) {
        const double* weights = h.data();
        for (const MultiVector* b : q) {
            k.multiply(static_cast<int>(end - begin), y.width, b->width, -1, b->row(static_cast<int>(begin)), b->width,
                       false, weights, y.width, k.tile_width, y.row(static_cast<int>(begin)), y.width);
            weights += static_cast<std::size_t>(b->width) * y.width;
        }
    });
}

// Y = Y·W with a square W.
void transform(MultiVector& y, const Eigen::MatrixXd& w, const DenseKernels& k, Threads& threads) {
    const int width = y.width;
    std::vector<double> weights(static_cast<std::size_t>(width) * width);
    for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) weights[static_cast<std::size_t>(i) * width + j] = w(i, j);
    parallel_for(threads, y.rows, slice, [&](std::size_t begin, std::size_t end) {
        double* rows = y.row(static_cast<int>(begin));
        const std::vector<double> copy(rows, rows + (end - begin) * width);
        std::fill(rows, rows + (end - begin) * width, 0.0);
        k.multiply(static_cast<int>(end - begin), width, width, 1, copy.data(), width, false, weights.data(), width,
                   k.tile_width, rows, width);
    });
}

Eigen::MatrixXd square(const std::vector<double>& h, int width) {
    Eigen::MatrixXd out(width, width);
    for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) out(i, j) = h[static_cast<std::size_t>(i) * width + j];
    return out;
}

class Search {
public:
    Search(const ShiftInvert& op, const LanczosOptions& options, const std::vector<MultiVector>& deflated,
           Threads& threads)
        : op_(op), options_(options), threads_(threads), kernels_(dense_kernels(options.kernels)), rng_(options.seed) {
        for (const MultiVector& d : deflated) deflated_.push_back(&d);
        capacity_ = lanczos_capacity(options);
        projected_ = Eigen::MatrixXd::Zero(capacity_, capacity_);
    }

    LanczosResult run() {
        MultiVector next;
        next.resize(op_.rows, options_.block);
        randomise(next, 0, options_.block);
        op_.solve(next);  // smooth from the start
        orthonormalise(next, -1);
        int check_at = std::max(options_.wanted + options_.wanted / 2, 2 * options_.block);
        LanczosResult result;
        for (;;) {
            basis_.push_back(std::move(next));
            next = step();
            ++result.steps;
            const int size = basis_size();
            const bool full = size + options_.block > capacity_;
            if (size < check_at && !full) continue;
            const bool done = ritz(full);
            if (done || (full && (result.restarts == 60 || everything()))) {
                result.found = done;
                extract(next, result);
                return result;
            }
            if (full) {
                restart(), ++result.restarts;
                check_at = capacity_;
            } else {
                check_at = size + blocks_to_go(size) * options_.block;
            }
        }
    }

private:
    int basis_size() const { return static_cast<int>(basis_.size()) * options_.block; }
    bool everything() const { return basis_size() >= op_.rows; }

    void randomise(MultiVector& y, int from, int till) {
        for (int i = 0; i < y.rows; ++i)
            for (int c = from; c < till; ++c)
                y.row(i)[c] = !op_.fixed.empty() && op_.fixed[i] ? 0.0 : rng_.uniform(-1, 1);
    }

    Blocks all_blocks() const {
        Blocks all = deflated_;
        for (const MultiVector& b : basis_) all.push_back(&b);
        return all;
    }

    // y made M-orthogonal to these; what was taken out is added to `h`.
    void orthogonalise(MultiVector& y, const Blocks& all, std::vector<double>* h) {
        op_.mass(y, mass_times_);
        const std::vector<double> part = cross_all(all, mass_times_, kernels_, threads_);
        subtract_all(all, part, y, kernels_, threads_);
        if (!h) return;
        if (h->empty()) h->assign(part.size(), 0.0);
        for (std::size_t i = 0; i < part.size(); ++i) (*h)[i] += part[i];
    }

    // y = (new y)·R with new y M-orthonormal and orthogonal to everything; returns R. Directions that have vanished are
    // replaced by random ones, with zero rows in R. `taken`: size of what has been taken out of y before; negative:
    // nothing is known of y.
    Eigen::MatrixXd orthonormalise(MultiVector& y, double taken) {
        const int width = y.width;
        Eigen::MatrixXd r = Eigen::MatrixXd::Identity(width, width);
        double level = 0;
        for (int pass = 0; pass < 5; ++pass) {
            // Twice is enough (Parlett), and once where little was lost.
            if (pass == 1 && (taken < 0 || level > level_allowed)) {
                orthogonalise(y, all_blocks(), nullptr);
                level = lanczos_rounding;
            }
            op_.mass(y, mass_times_);
            Eigen::MatrixXd g = square(cross_all({&y}, mass_times_, kernels_, threads_), width);
            g = 0.5 * (g + g.transpose()).eval();
            Eigen::VectorXd scale = g.diagonal().cwiseMax(0).cwiseSqrt();
            for (int i = 0; i < width; ++i)
                if (!(scale[i] > 0)) scale[i] = 1;
            const Eigen::MatrixXd scaled = scale.cwiseInverse().asDiagonal() * g * scale.cwiseInverse().asDiagonal();
            eigen_.compute(scaled);
            const auto s = eigen_.values();
            const auto v = eigen_.vectors();
            const double floor = s[width - 1] * 1e-14;
            int lost = 0;  // eigenvalues ascend: the first `lost` directions are rounding
            while (lost < width && !(s[lost] > floor)) ++lost;
            const Eigen::VectorXd root = s.cwiseMax(floor).cwiseSqrt();
            if (pass == 0) {
                // Rounding of what was taken, and its part that is not orthogonal to the blocks it came from (by the
                // recurrence the last two), grow as the rest of y is made a unit.
                const double whole = std::hypot(std::max(taken, 0.0), scale.norm());
                level = lost > 0 ? 1.0
                                 : whole * (lanczos_rounding + std::max(level_, level_before_)) /
                                       (root[0] * scale.minCoeff());
            }
            // y·diag(1/scale)·V·diag(1/root) is orthonormal; y = that · diag(root)·Vᵀ·diag(scale).
            const Eigen::MatrixXd forward = scale.cwiseInverse().asDiagonal() * v * root.cwiseInverse().asDiagonal();
            Eigen::MatrixXd back = root.asDiagonal() * v.transpose() * scale.asDiagonal();
            transform(y, forward, kernels_, threads_);
            if (lost > 0) {
                back.topRows(lost).setZero();
                randomise(y, 0, lost);
                orthogonalise(y, all_blocks(), nullptr);
            }
            r = (back * r).eval();
            const bool tight =
                lost == 0 && (scaled - Eigen::MatrixXd::Identity(width, width)).cwiseAbs().maxCoeff() < 1e-10;
            if (tight && pass > 0) break;
        }
        level_before_ = level_, level_ = level;
        return r;
    }

    // One step: A times the newest block, its part outside the basis made the next block.
    MultiVector step() {
        MultiVector w;
        op_.mass(basis_.back(), w);
        op_.solve(w);
        std::vector<double> h;
        orthogonalise(w, all_blocks(), &h);
        const int b = options_.block, last = basis_size() - b;
        std::size_t skip = 0;
        for (const MultiVector* d : deflated_) skip += static_cast<std::size_t>(d->width) * b;
        for (int i = 0; i < basis_size(); ++i)
            for (int j = 0; j < b; ++j) projected_(i, last + j) = h[skip + static_cast<std::size_t>(i) * b + j];
        for (int i = 0; i < last; ++i)
            for (int j = 0; j < b; ++j) projected_(last + j, i) = projected_(i, last + j);
        for (int i = 0; i < b; ++i)
            for (int j = 0; j < i; ++j) {
                const double mean = 0.5 * (projected_(last + i, last + j) + projected_(last + j, last + i));
                projected_(last + i, last + j) = projected_(last + j, last + i) = mean;
            }
        // After a restart the block is coupled with all kept ones: nothing is known then.
        const double taken =
            restarted_ ? -1 : Eigen::Map<const Eigen::VectorXd>(h.data(), static_cast<Eigen::Index>(h.size())).norm();
        restarted_ = false;
        coupling_ = orthonormalise(w, taken);
        return w;
    }

    // Rayleigh–Ritz; true when enough wanted pairs have converged. Whether they have, the last rows of the vectors say;
    // whole vectors are found when they have, or `anyway`.
    bool ritz(bool anyway) {
        const int m = basis_size(), b = options_.block;
        SymmetricEigen eigen;
        eigen.compute(projected_.topLeftCorner(m, m), m - b);
        order_.resize(m);
        std::iota(order_.begin(), order_.end(), 0);
        theta_ = eigen.values();
        std::stable_sort(order_.begin(), order_.end(),
                         [&](int i, int j) { return std::abs(theta_[i]) > std::abs(theta_[j]); });
        const Eigen::MatrixXd tail = coupling_ * eigen.vectors();
        chosen_.clear();
        worst_ = 0;
        int left_below = options_.negative, left_above = options_.wanted - options_.negative;
        for (int i : order_) {
            if (static_cast<int>(chosen_.size()) == options_.wanted) break;
            if (options_.accept && !options_.accept(theta_[i])) continue;
            if (options_.negative >= 0 && --(theta_[i] < 0 ? left_below : left_above) < 0) continue;
            chosen_.push_back(i);
            const double strict = std::min(1.0, std::abs(1 + options_.shift * theta_[i]));  // |λ/(λ − σ)|
            worst_ = std::max(worst_, tail.col(i).norm() / (options_.tolerance * strict * std::abs(theta_[i])));
        }
        const bool converged = worst_ <= 1 && static_cast<int>(chosen_.size()) == options_.wanted;
        if (converged || anyway) {
            eigen.compute(projected_.topLeftCorner(m, m));
            theta_ = eigen.values(), weights_ = eigen.vectors();
        }
        return converged;
    }

    // Steps until the next look at the pairs. The worst error falls by about the same factor in every step: three
    // quarters of the way that is left by this rule, before a rule is known an eighth of the basis.
    int blocks_to_go(int size) {
        double steps = 0.125 * size / options_.block;
        if (last_size_ > 0 && worst_ < last_worst_)
            steps = 0.75 * std::log(worst_) / std::log(last_worst_ / worst_) * (size - last_size_) / options_.block;
        last_size_ = size, last_worst_ = worst_;
        return std::clamp(static_cast<int>(steps), 1, std::max(1, size / 4 / options_.block));
    }

    // Keeps the best Ritz vectors (wanted ones first) in place of the basis.
    void restart() {
        const int b = options_.block, m = basis_size();
        int keep = (options_.wanted + (m - options_.wanted) / 3) / b * b;
        keep = std::clamp(keep, b, m - 2 * b);
        std::vector<int> columns = chosen_;
        std::vector<char> taken(m, 0);
        for (int i : columns) taken[i] = 1;
        for (int i : order_)
            if (!taken[i]) columns.push_back(i);
        columns.resize(keep);
        std::vector<MultiVector> kept(keep / b);
        Blocks all;
        for (const MultiVector& block : basis_) all.push_back(&block);
        for (int k = 0; k < keep / b; ++k) {
            std::vector<double> w(static_cast<std::size_t>(m) * b);
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < b; ++j) w[static_cast<std::size_t>(i) * b + j] = weights_(i, columns[k * b + j]);
            combine(all, w, b, kept[k], options_.kernels, threads_);
        }
        basis_ = std::move(kept);
        restarted_ = true;
        projected_.setZero();
        for (int i = 0; i < keep; ++i) projected_(i, i) = theta_[columns[i]];
    }

    // The chosen Ritz vectors, improved by A x / θ, which costs nothing: A Q y = θ Q y + (next block)·R·(tail of y).
    void extract(const MultiVector& next, LanczosResult& result) {
        const int m = basis_size(), b = options_.block, count = static_cast<int>(chosen_.size());
        const int width = (count + widest_tile - 1) / widest_tile * widest_tile;
        Blocks all;
        for (const MultiVector& block : basis_) all.push_back(&block);
        all.push_back(&next);
        std::vector<double> w(static_cast<std::size_t>(m + b) * width, 0.0);
        const Eigen::MatrixXd tail = coupling_ * weights_.bottomRows(b);
        for (int j = 0; j < count; ++j) {
            const int i = chosen_[j];
            result.theta.push_back(theta_[i]);
            for (int r = 0; r < m; ++r) w[static_cast<std::size_t>(r) * width + j] = weights_(r, i);
            for (int r = 0; r < b; ++r) w[static_cast<std::size_t>(m + r) * width + j] = tail(r, i) / theta_[i];
        }
        combine(all, w, width, result.vectors, options_.kernels, threads_);
        result.basis = m;
    }

    const ShiftInvert& op_;
    const LanczosOptions& options_;
    Threads& threads_;
    const DenseKernels& kernels_;
    Rng rng_;
    int capacity_ = 0;
    Blocks deflated_;
    std::vector<MultiVector> basis_;
    MultiVector mass_times_;
    Eigen::MatrixXd projected_, coupling_, weights_;
    Eigen::VectorXd theta_;
    double level_ = 0, level_before_ = 0;  // estimates of QᵀMQ − I for the last two blocks
    bool restarted_ = false;
    double worst_ = 0, last_worst_ = 0;  // error of the worst wanted pair over the tolerance, now and at the last look
    int last_size_ = 0;
    SymmetricEigen eigen_;  // of products within a block
    std::vector<int> order_, chosen_;
};

}  // namespace

int lanczos_capacity(const LanczosOptions& options) {
    const int b = options.block;
    int capacity = options.capacity > 0 ? options.capacity : 4 * options.wanted + 8 * b;
    capacity = std::max(capacity, options.wanted + 4 * b);
    return (capacity + b - 1) / b * b;
}

LanczosResult block_lanczos(const ShiftInvert& op, const LanczosOptions& options,
                            const std::vector<MultiVector>& deflated, Threads& threads) {
    CHECK(options.wanted > 0 && options.block % widest_tile == 0, options.wanted, options.block);
    return Search(op, options, deflated, threads).run();
}

void combine(const std::vector<const MultiVector*>& basis, const std::vector<double>& weights, int cols,
             MultiVector& out, KernelLevel level, Threads& threads) {
    const DenseKernels& k = dense_kernels(level);
    out.resize(basis[0]->rows, cols);
    parallel_for(threads, out.rows, slice, [&](std::size_t begin, std::size_t end) {
        const double* w = weights.data();
        for (const MultiVector* b : basis) {
            k.multiply(static_cast<int>(end - begin), cols, b->width, 1, b->row(static_cast<int>(begin)), b->width,
                       false, w, cols, k.tile_width, out.row(static_cast<int>(begin)), cols);
            w += static_cast<std::size_t>(b->width) * cols;
        }
    });
}

std::vector<double> cross(const MultiVector& x, const MultiVector& y, KernelLevel level, Threads& threads) {
    return cross_all({&x}, y, dense_kernels(level), threads);
}

}  // namespace pliant
