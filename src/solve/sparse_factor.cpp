#include "pliant/solve/sparse_factor.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/solve/dense_kernels.hpp"

namespace pliant {

namespace {

constexpr int panel = 96;         // columns whose effect on the rest of a front is applied at once
constexpr int depth_chunk = 256;  // rows or columns of a product that stay in cache
constexpr int row_chunk = 96;     // rows of a front that one thread takes

}  // namespace

struct SparseFactor::Scratch {
    std::vector<int> where;  // position → row of the present front
    AlignedVector<double> packed, rows;
    std::vector<double> diagonal;
    // Per diagonal block of a panel: its rows of D·Lᵀ left of it, and L⁻ᵀ·D⁻¹ of the block, both in strips.
    alignas(64) double before[panel / diagonal_block][panel * widest_tile];
    alignas(64) double inverse[panel / diagonal_block][diagonal_block * widest_tile];
};

SparseFactor::SparseFactor(std::shared_ptr<const FactorPlan> plan, KernelLevel kernels)
    : plan_(std::move(plan)), kernels_(kernels) {
    unknown_at_.resize(plan_->unknowns);
    for (std::size_t u = 0; u < plan_->place.size(); ++u)
        if (plan_->place[u] >= 0) unknown_at_[plan_->place[u]] = static_cast<int>(u);
    schur_.resize(plan_->nodes.size());
}

// Entries of the matrix itself in the columns of this front.
void SparseFactor::assemble(const Supernode& s, const NodeMatrix& a, Scratch& scratch) {
    double* l = values_.data() + s.offset;
    for (std::size_t k = 0; k < s.below.size(); ++k) scratch.where[s.below[k]] = s.pivots + static_cast<int>(k);
    for (int c = 0; c < s.pivots; ++c) {
        const int unknown = unknown_at_[s.first + c], node = unknown / 3, axis = unknown % 3;
        for (int e = a.pattern.begin[node]; e < a.pattern.begin[node + 1]; ++e)
            for (int b = 0; b < 3; ++b) {
                const int row = plan_->place[3 * a.pattern.column[e] + b];
                if (row < s.first + c) continue;
                const int r = row < s.first + s.pivots ? row - s.first : scratch.where[row];
                l[static_cast<long>(r) * s.pivots + c] += a.block[9L * e + 3 * axis + b];
            }
    }
}

// Assembles and eliminates one front. for_chunks(n, body) calls body(begin, end) over row chunks, maybe in parallel.
template <class ForChunks>
void SparseFactor::eliminate(int number, const NodeMatrix& a, Scratch& scratch, ForChunks&& for_chunks) {
    const DenseKernels& k = dense_kernels(kernels_);
    const Supernode& s = plan_->nodes[number];
    const int p = s.pivots, front = s.front(), h = front - p, tile = k.tile_width;
    double* l = values_.data() + s.offset;
    for_chunks(front, [&](int begin, int end) {
        std::fill(l + static_cast<long>(begin) * p, l + static_cast<long>(end) * p, 0.0);
    });
    std::unique_ptr<double[]> schur;
    if (h > 0) {
        schur.reset(new double[static_cast<std::size_t>(h) * h]);
        for_chunks(h, [&](int begin, int end) {  // as far as `update` writes
            for (int i = begin; i < end; ++i) std::fill_n(schur.get() + static_cast<long>(i) * h, end, 0.0);
        });
    }
    assemble(s, a, scratch);
    for (int c : s.children) {
        const Supernode& child = plan_->nodes[c];
        const int n = static_cast<int>(child.below.size());
        const int split =
            static_cast<int>(std::lower_bound(child.into.begin(), child.into.end(), p) - child.into.begin());
        const double* from = schur_[c].get();
        for_chunks(n, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                const double* row = from + static_cast<long>(i) * n;
                const int to = child.into[i];
                double* left = l + static_cast<long>(to) * p;
                for (int j = 0; j < std::min(split, i + 1); ++j) left[child.into[j]] += row[j];
                if (to < p) continue;
                double* right = schur.get() + static_cast<long>(to - p) * h - p;
                for (int j = split; j <= i; ++j) right[child.into[j]] += row[j];
            }
        });
        schur_[c].reset();
    }

    scratch.diagonal.resize(std::max<std::size_t>(scratch.diagonal.size(), p));
    double* d = scratch.diagonal.data();
    const std::size_t packed_size = (static_cast<std::size_t>(front) + widest_tile) * depth_chunk;
    if (scratch.packed.size() < packed_size) scratch.packed.resize(packed_size);
    if (scratch.rows.size() < static_cast<std::size_t>(front) * diagonal_block)
        scratch.rows.resize(static_cast<std::size_t>(front) * diagonal_block);
    double* packed = scratch.packed.data();

    // Lower part of C −= (rows of L)·D·(rows of L)ᵀ for rows and columns `first`… of the front, columns k0…k1 of L.
    auto update = [&](int first, int rows, int cols, int k0, int k1, double* c, long ldc) {
        const int depth = k1 - k0;
        const double* from = l + static_cast<long>(first) * p + k0;
        for_chunks(cols, [&](int begin, int end) {  // chunks are whole strips: row_chunk is a multiple of all tiles
            k.pack(end - begin, depth, from + static_cast<long>(begin) * p, p, d + k0,
                   packed + static_cast<long>(begin) * depth);
        });
        for_chunks(rows, [&](int begin, int end) {
            k.multiply(end - begin, std::min(cols, end), depth, -1, from + static_cast<long>(begin) * p, p, false,
                       packed, tile, static_cast<long>(depth) * tile, c + static_cast<long>(begin) * ldc, ldc);
        });
    };

    for (int k0 = 0; k0 < p; k0 += panel) {
        const int k1 = std::min(k0 + panel, p);
        // What the panel's earlier columns do to columns b…b + n − 1, for rows r0…r1 − 1.
        auto reduce = [&](int b, int n, int r0, int r1) {
            k.multiply(r1 - r0, n, b - k0, -1, l + static_cast<long>(r0) * p + k0, p, false,
                       scratch.before[(b - k0) / diagonal_block], tile, static_cast<long>(b - k0) * tile,
                       l + static_cast<long>(r0) * p + b, p);
        };
        // Then these rows are A·L⁻ᵀ·D⁻¹ with the diagonal block's L and D.
        auto finish = [&](int b, int n, int r0, int r1, double* copy) {
            for (int i = r0; i < r1; ++i) {
                double* row = l + static_cast<long>(i) * p + b;
                std::copy(row, row + n, copy + static_cast<long>(i - r0) * diagonal_block);
                std::fill(row, row + n, 0.0);
            }
            k.multiply(r1 - r0, n, n, 1, copy, diagonal_block, false, scratch.inverse[(b - k0) / diagonal_block], tile,
                       static_cast<long>(n) * tile, l + static_cast<long>(r0) * p + b, p);
        };
        for (int b = k0; b < k1; b += diagonal_block) {
            const int n = std::min(diagonal_block, k1 - b);
            double* corner = l + static_cast<long>(b) * p + b;
            k.pack(n, b - k0, l + static_cast<long>(b) * p + k0, p, d + k0, scratch.before[(b - k0) / diagonal_block]);
            reduce(b, n, b, k1);
            k.factor_diagonal(n, corner, p);
            for (int i = 0; i < n; ++i) d[b + i] = corner[static_cast<long>(i) * p + i];
            k.invert_unit(n, corner, p);
            double* inverse = scratch.inverse[(b - k0) / diagonal_block];
            for (int j0 = 0; j0 < n; j0 += tile)
                for (int q = 0; q < n; ++q)
                    for (int j = j0; j < j0 + tile; ++j) {
                        double& w = inverse[(j0 * n) + q * tile + (j - j0)];
                        if (j >= n || q > j)
                            w = 0;
                        else
                            w = (q == j ? 1.0 : corner[static_cast<long>(j) * p + q]) / d[b + j];
                    }
            finish(b, n, b + n, k1, scratch.rows.data());
        }
        // Rows below take all columns of the panel while they are in cache.
        for_chunks(front - k1, [&](int begin, int end) {
            for (int b = k0; b < k1; b += diagonal_block) {
                const int n = std::min(diagonal_block, k1 - b);
                reduce(b, n, k1 + begin, k1 + end);
                finish(b, n, k1 + begin, k1 + end, scratch.rows.data() + static_cast<long>(begin) * diagonal_block);
            }
        });
        if (k1 < p) update(k1, front - k1, p - k1, k0, k1, l + static_cast<long>(k1) * p + k1, p);
    }
    for (int k0 = 0; k0 < p && h > 0; k0 += depth_chunk)
        update(p, h, h, k0, std::min(k0 + depth_chunk, p), schur.get(), h);
    schur_[number] = std::move(schur);
}

bool SparseFactor::factor(const NodeMatrix& a, Threads& threads) {
    values_.resize(plan_->factor_entries);
    std::vector<Scratch> scratch(threads.count());
    for (Scratch& s : scratch) s.where.resize(plan_->unknowns);
    std::atomic<std::size_t> next{0};
    threads.run([&](int member, int) {
        auto serial = [](int n, auto&& body) {
            for (int i = 0; i < n; i += row_chunk) body(i, std::min(i + row_chunk, n));
        };
        for (std::size_t t = next.fetch_add(1); t < plan_->subtrees.size(); t = next.fetch_add(1))
            for (int s : plan_->subtrees[t]) eliminate(s, a, scratch[member], serial);
    });
    for (int s : plan_->top)
        eliminate(s, a, scratch[0], [&](int n, auto&& body) {
            parallel_for(
                threads, static_cast<std::size_t>(std::max(n, 0)), row_chunk,
                [&](std::size_t begin, std::size_t end) { body(static_cast<int>(begin), static_cast<int>(end)); });
        });
    negative_ = 0;
    bool sound = true;
    for (const Supernode& s : plan_->nodes)
        for (int i = 0; i < s.pivots; ++i) {
            const double pivot = values_[s.offset + static_cast<std::size_t>(i) * s.pivots + i];
            if (!(std::abs(pivot) > 0) || !std::isfinite(pivot)) sound = false;
            negative_ += pivot < 0;
        }
    return sound;
}

}  // namespace pliant
