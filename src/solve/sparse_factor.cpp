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

// Numbers that are written before they are read.
std::unique_ptr<double[]> unset(std::size_t n) { return std::unique_ptr<double[]>(new double[n]); }

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
        schur = unset(static_cast<std::size_t>(h) * h);
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

// L⁻¹ on the rows of one supernode: `top` holds those of its pivots, `below` takes what they do to the rest; then D⁻¹.
template <class ForChunks>
void SparseFactor::forward(const Supernode& s, double* top, double* below, int width, ForChunks&& for_chunks) const {
    const DenseKernels& k = dense_kernels(kernels_);
    const int p = s.pivots, h = static_cast<int>(s.below.size()), tile = k.tile_width;
    const double* l = values_.data() + s.offset;
    auto at = [&](int row, int column) { return l + static_cast<long>(row) * p + column; };
    for (int k0 = 0; k0 < p; k0 += depth_chunk) {
        const int k1 = std::min(k0 + depth_chunk, p);
        const double* done = top + static_cast<long>(k0) * width;
        for (int b = k0; b < k1; b += diagonal_block) {
            const int n = std::min(diagonal_block, k1 - b);
            double* own = top + static_cast<long>(b) * width;
            k.multiply(n, width, b - k0, -1, at(b, k0), p, false, done, width, tile, own, width);
            k.apply_unit_inverse(n, width, at(b, b), p, false, own, width);
        }
        for_chunks(p - k1, [&](int begin, int end) {
            k.multiply(end - begin, width, k1 - k0, -1, at(k1 + begin, k0), p, false, done, width, tile,
                       top + static_cast<long>(k1 + begin) * width, width);
        });
    }
    // Whole rows, in the order in which they lie in memory.
    for_chunks(h, [&](int begin, int end) {
        k.multiply(end - begin, width, p, -1, at(p + begin, 0), p, false, top, width, tile,
                   below + static_cast<long>(begin) * width, width);
    });
    for (int i = 0; i < p; ++i) {
        const double inverse = 1 / *at(i, i);
        for (int c = 0; c < width; ++c) top[static_cast<long>(i) * width + c] *= inverse;
    }
}

// L⁻ᵀ on the rows of one supernode, from what is known of the rows below.
template <class ForChunks>
void SparseFactor::backward(const Supernode& s, double* top, const double* below, int width,
                            ForChunks&& for_chunks) const {
    const DenseKernels& k = dense_kernels(kernels_);
    const int p = s.pivots, h = static_cast<int>(s.below.size()), tile = k.tile_width;
    const double* l = values_.data() + s.offset;
    auto at = [&](int row, int column) { return l + static_cast<long>(row) * p + column; };
    // Columns begin…end − 1 less the rows r0…r1 − 1 of the front times x, a few rows of L at a time: they are read in
    // the order in which they lie in memory.
    auto take = [&](int begin, int end, int r0, int r1, const double* x) {
        for (int i = r0; i < r1; i += depth_chunk)
            k.multiply(end - begin, width, std::min(depth_chunk, r1 - i), -1, at(i, begin), p, true,
                       x + static_cast<long>(i - r0) * width, width, tile, top + static_cast<long>(begin) * width,
                       width);
    };
    for_chunks(p, [&](int begin, int end) { take(begin, end, p, p + h, below); });
    for (int k0 = (p - 1) / depth_chunk * depth_chunk; k0 >= 0; k0 -= depth_chunk) {
        const int k1 = std::min(k0 + depth_chunk, p);
        for (int b = k0 + (k1 - k0 - 1) / diagonal_block * diagonal_block; b >= k0; b -= diagonal_block) {
            const int n = std::min(diagonal_block, k1 - b), after = b + n;
            double* own = top + static_cast<long>(b) * width;
            k.multiply(n, width, k1 - after, -1, at(after, b), p, true, top + static_cast<long>(after) * width, width,
                       tile, own, width);
            k.apply_unit_inverse(n, width, at(b, b), p, true, own, width);
        }
        for_chunks(k0, [&](int begin, int end) { take(begin, end, k0, k1, top + static_cast<long>(k0) * width); });
    }
}

void SparseFactor::solve(MultiVector& x, Threads& threads) const {
    CHECK(x.width % widest_tile == 0 && x.rows == static_cast<int>(plan_->place.size()), x.width, x.rows);
    const int width = x.width;
    const FactorPlan& plan = *plan_;
    std::size_t most = 0;
    for (const Supernode& s : plan.nodes) most = std::max(most, s.below.size());
    const std::unique_ptr<double[]> y = unset(static_cast<std::size_t>(plan.unknowns) * width);
    auto row_of = [&](int i) { return y.get() + static_cast<std::size_t>(i) * width; };
    constexpr int copied = 1024;  // rows
    parallel_for(threads, static_cast<std::size_t>(plan.unknowns), copied, [&](std::size_t begin, std::size_t end) {
        for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i)
            std::copy_n(x.row(unknown_at_[i]), width, row_of(i));
    });

    auto all_at_once = [](int n, auto&& body) {
        if (n > 0) body(0, n);
    };
    auto shared = [&](int n, auto&& body) {
        parallel_for(threads, static_cast<std::size_t>(std::max(n, 0)), row_chunk,
                     [&](std::size_t begin, std::size_t end) { body(static_cast<int>(begin), static_cast<int>(end)); });
    };
    struct Place {
        std::vector<int> where;  // row above the subtree → its place among those of the subtree's root
        std::unique_ptr<double[]> below;
    };
    std::vector<Place> places(threads.count());
    for (Place& p : places) p.below = unset(most * width);
    auto for_subtrees = [&](auto&& body) {
        std::atomic<std::size_t> next{0};
        threads.run([&](int member, int) {
            for (std::size_t t = next.fetch_add(1); t < plan.subtrees.size(); t = next.fetch_add(1))
                body(t, places[member]);
        });
    };
    auto add = [&](const double* from, double* to) {
        for (int c = 0; c < width; ++c) to[c] += from[c];
    };

    // What a subtree does to the rows above it is gathered and added after all of them, in order: the bits do not
    // depend on who was first. These rows are all among those below its root.
    std::vector<std::unique_ptr<double[]>> above(plan.subtrees.size());
    for_subtrees([&](std::size_t t, Place& place) {
        const Supernode& root = plan.nodes[plan.subtrees[t].back()];
        const int end = root.first + root.pivots;
        above[t] = unset(root.below.size() * width);
        std::fill_n(above[t].get(), root.below.size() * width, 0.0);
        place.where.resize(plan.unknowns);
        for (std::size_t i = 0; i < root.below.size(); ++i) place.where[root.below[i]] = static_cast<int>(i);
        for (int number : plan.subtrees[t]) {
            const Supernode& s = plan.nodes[number];
            double* below = place.below.get();
            std::fill_n(below, s.below.size() * width, 0.0);
            forward(s, row_of(s.first), below, width, all_at_once);
            for (std::size_t i = 0; i < s.below.size(); ++i) {
                const int row = s.below[i];
                add(below + i * width,
                    row < end ? row_of(row) : above[t].get() + static_cast<std::size_t>(place.where[row]) * width);
            }
        }
    });
    for (std::size_t t = 0; t < plan.subtrees.size(); ++t) {
        const Supernode& root = plan.nodes[plan.subtrees[t].back()];
        for (std::size_t i = 0; i < root.below.size(); ++i) add(above[t].get() + i * width, row_of(root.below[i]));
    }
    double* below = places[0].below.get();
    for (int number : plan.top) {
        const Supernode& s = plan.nodes[number];
        std::fill_n(below, s.below.size() * width, 0.0);
        forward(s, row_of(s.first), below, width, shared);
        for (std::size_t i = 0; i < s.below.size(); ++i) add(below + i * width, row_of(s.below[i]));
    }

    auto gather = [&](const Supernode& s, double* to) {
        for (std::size_t i = 0; i < s.below.size(); ++i) std::copy_n(row_of(s.below[i]), width, to + i * width);
    };
    for (auto it = plan.top.rbegin(); it != plan.top.rend(); ++it) {
        const Supernode& s = plan.nodes[*it];
        gather(s, below);
        backward(s, row_of(s.first), below, width, shared);
    }
    for_subtrees([&](std::size_t t, Place& place) {
        for (auto it = plan.subtrees[t].rbegin(); it != plan.subtrees[t].rend(); ++it) {
            const Supernode& s = plan.nodes[*it];
            gather(s, place.below.get());
            backward(s, row_of(s.first), place.below.get(), width, all_at_once);
        }
    });
    parallel_for(threads, plan.place.size(), copied, [&](std::size_t begin, std::size_t end) {
        for (std::size_t u = begin; u < end; ++u) {
            double* row = x.row(static_cast<int>(u));
            if (plan.place[u] >= 0)
                std::copy_n(row_of(plan.place[u]), width, row);
            else
                std::fill_n(row, width, 0.0);
        }
    });
}

}  // namespace pliant
