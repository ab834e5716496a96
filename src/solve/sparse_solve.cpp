// Triangular solves with the factor, for many right-hand sides at once.

#include <algorithm>
#include <atomic>

#include "pliant/core/error.hpp"
#include "pliant/solve/dense_kernels.hpp"
#include "pliant/solve/sparse_factor.hpp"

namespace pliant {

namespace {

constexpr int solve_depth = 256;  // rows or columns of a product that stay in cache
constexpr int solve_chunk = 96;   // rows or columns of a front that one thread takes
constexpr int copied_rows = 1024;

// Numbers that are written before they are read.
std::unique_ptr<double[]> unset_numbers(std::size_t n) { return std::unique_ptr<double[]>(new double[n]); }

}  // namespace

// L⁻¹ on the rows of one supernode: `top` holds those of its pivots, `below` takes what they do to the rest; then D⁻¹.
template <class ForChunks>
void SparseFactor::forward(const Supernode& s, double* top, double* below, int width, ForChunks&& for_chunks) const {
    const DenseKernels& k = dense_kernels(kernels_);
    const int p = s.pivots, h = static_cast<int>(s.below.size()), tile = k.tile_width;
    const double* l = values_.data() + s.offset;
    auto at = [&](int row, int column) { return l + static_cast<long>(row) * p + column; };
    for (int k0 = 0; k0 < p; k0 += solve_depth) {
        const int k1 = std::min(k0 + solve_depth, p);
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
        for (int i = r0; i < r1; i += solve_depth)
            k.multiply(end - begin, width, std::min(solve_depth, r1 - i), -1, at(i, begin), p, true,
                       x + static_cast<long>(i - r0) * width, width, tile, top + static_cast<long>(begin) * width,
                       width);
    };
    for_chunks(p, [&](int begin, int end) { take(begin, end, p, p + h, below); });
    for (int k0 = (p - 1) / solve_depth * solve_depth; k0 >= 0; k0 -= solve_depth) {
        const int k1 = std::min(k0 + solve_depth, p);
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
    const std::unique_ptr<double[]> y = unset_numbers(static_cast<std::size_t>(plan.unknowns) * width);
    auto row_of = [&](int i) { return y.get() + static_cast<std::size_t>(i) * width; };
    parallel_for(threads, static_cast<std::size_t>(plan.unknowns), copied_rows,
                 [&](std::size_t begin, std::size_t end) {
                     for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i)
                         std::copy_n(x.row(unknown_at_[i]), width, row_of(i));
                 });

    auto all_at_once = [](int n, auto&& body) {
        if (n > 0) body(0, n);
    };
    auto shared = [&](int n, auto&& body) {
        parallel_for(threads, static_cast<std::size_t>(std::max(n, 0)), solve_chunk,
                     [&](std::size_t begin, std::size_t end) { body(static_cast<int>(begin), static_cast<int>(end)); });
    };
    struct Place {
        std::vector<int> where;  // row above the subtree → its place among those of the subtree's root
        std::unique_ptr<double[]> below;
    };
    std::vector<Place> places(threads.count());
    for (Place& p : places) p.below = unset_numbers(most * width);
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
        above[t] = unset_numbers(root.below.size() * width);
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
    parallel_for(threads, plan.place.size(), copied_rows, [&](std::size_t begin, std::size_t end) {
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
