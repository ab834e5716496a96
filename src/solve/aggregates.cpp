#include "pliant/solve/aggregates.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "pliant/solve/block_system.hpp"

namespace pliant {

namespace {

/// Rows of an aggregate in small bodies, and how many aggregates a connected body has at most. Smaller aggregates need
/// fewer iterations, and their matrix costs more: with these two, iterations and matrix cost about the same.
constexpr int rows_per_aggregate = 20, most_aggregates = 20;

template <class Job>
void for_each_neighbour(const BlockSystem& a, int row, const Job& job) {
    for (int slot = a.slice_begin[row / 8]; slot < a.slice_begin[row / 8 + 1]; ++slot)
        if (const int other = a.neighbour(slot, row % 8); other != row) job(other, slot);
}

/// Distances from seeds in the graph of the matrix, each new seed only where it is nearer than those before: what is
/// nearest to a seed is connected, and does not depend on the order of a row's neighbours.
struct Growth {
    const BlockSystem& a;
    std::vector<int>& of_row;
    std::vector<int> distance, queue;

    /// `queue` becomes the rows that are nearer to the seed than to any before, nearest first.
    void grow(int seed, int number) {
        queue.assign(1, seed);
        distance[seed] = 0, of_row[seed] = number;
        for (std::size_t i = 0; i < queue.size(); ++i)
            for_each_neighbour(a, queue[i], [&](int other, int) {
                if (distance[queue[i]] + 1 >= distance[other]) return;
                distance[other] = distance[queue[i]] + 1, of_row[other] = number;
                queue.push_back(other);
            });
    }
    int farthest(std::span<const int> rows) const {
        return *std::min_element(rows.begin(), rows.end(), [&](int p, int q) {
            return distance[p] != distance[q] ? distance[p] > distance[q] : p < q;
        });
    }
};

void find_aggregates(const BlockSystem& a, Aggregates& g) {
    constexpr int far_away = std::numeric_limits<int>::max();
    g.of_row.assign(a.padded(), -1);
    g.count = 0;
    Growth growth{a, g.of_row, std::vector<int>(a.rows, far_away), {}};
    std::vector<int> component;
    for (int row = 0; row < a.rows; ++row) {
        if (g.of_row[row] >= 0) continue;
        growth.grow(row, g.count);
        if (growth.queue.size() == 1) {  // its own diagonal is all there is to solve
            g.of_row[row] = -1;
            continue;
        }
        component = growth.queue;
        // One alone is the rigid motion of a piece, which its frame has already.
        const int rows = static_cast<int>(component.size()), least = rows < rows_per_aggregate ? 1 : 2;
        const int wanted = std::clamp(rows / rows_per_aggregate, least, most_aggregates);
        if (wanted > 1) {
            const int start = growth.farthest(component);
            for (int other : component) growth.distance[other] = far_away;
            growth.grow(start, g.count);
            for (int k = 1; k < wanted; ++k) growth.grow(growth.farthest(component), g.count + k);
        }
        g.count += wanted;
    }
}

void list_entries(const BlockSystem& a, Aggregates& g) {
    g.chunks = (a.slices + Aggregates::chunk_slices - 1) / Aggregates::chunk_slices;
    g.entry_of_row.assign(a.padded(), -1);
    g.chunk_begin.assign(1, 0), g.entry_aggregate.clear();
    std::vector<int> last(g.count, -1);  // entry of each aggregate
    for (int row = 0; row < 8 * a.slices; ++row) {
        if (row % (8 * Aggregates::chunk_slices) == 0 && row > 0)
            g.chunk_begin.push_back(static_cast<int>(g.entry_aggregate.size()));
        const int own = row < a.rows && !a.prescribed[row] ? g.of_row[row] : -1;
        if (own < 0) continue;
        if (last[own] < g.chunk_begin.back()) {
            last[own] = static_cast<int>(g.entry_aggregate.size());
            g.entry_aggregate.push_back(own);
        }
        g.entry_of_row[row] = last[own];
    }
    g.entries = static_cast<int>(g.entry_aggregate.size());
    g.chunk_begin.push_back(g.entries);
    g.entry_begin.assign(g.count + 1, 0);
    for (int aggregate : g.entry_aggregate) ++g.entry_begin[aggregate + 1];
    for (int k = 0; k < g.count; ++k) g.entry_begin[k + 1] += g.entry_begin[k];
    g.entry_list.resize(g.entries);
    std::vector<int> next(g.entry_begin.begin(), g.entry_begin.end() - 1);
    for (int e = 0; e < g.entries; ++e) g.entry_list[next[g.entry_aggregate[e]]++] = e;
}

void list_edges(const BlockSystem& a, Aggregates& g) {
    struct Edge {
        int high, low, from, to, block;
    };
    std::vector<Edge> edges;
    g.same.assign(8 * std::size_t(a.slots()), 0.f);
    for (int row = 0; row < a.rows; ++row) {
        if (g.entry_of_row[row] < 0) continue;
        const int own = g.of_row[row];
        for_each_neighbour(a, row, [&](int other, int slot) {
            if (g.entry_of_row[other] < 0) return;
            const int its = g.of_row[other];
            if (its == own)
                g.same[8L * slot + row % 8] = 1;
            else if (its < own)
                edges.push_back({own, its, row, other, 72 * slot + row % 8});
        });
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& p, const Edge& q) {
        return std::array{p.high, p.low, p.from, p.to} < std::array{q.high, q.low, q.from, q.to};
    });
    g.pairs.clear(), g.edge_block.clear(), g.edge_from.clear(), g.edge_to.clear();
    const auto fill_up = [&] {
        while (g.edge_block.size() % 8) g.edge_block.push_back(-1), g.edge_from.push_back(0), g.edge_to.push_back(0);
        if (!g.pairs.empty()) g.pairs.back().end = static_cast<int>(g.edge_block.size() / 8);
    };
    for (const Edge& e : edges) {
        if (g.pairs.empty() || g.pairs.back().high != e.high || g.pairs.back().low != e.low) {
            fill_up();
            const int at = static_cast<int>(g.edge_block.size() / 8);
            g.pairs.push_back({e.high, e.low, at, at});
        }
        g.edge_block.push_back(e.block), g.edge_from.push_back(4 * e.from), g.edge_to.push_back(4 * e.to);
    }
    fill_up();
}

}  // namespace

void update_aggregates(BlockSystem& a) {
    Aggregates& g = a.aggregates;
    if (!g.pattern_known) find_aggregates(a, g), g.pattern_known = true, g.lists_known = false;
    if (g.lists_known && g.held == a.prescribed) return;
    g.held = a.prescribed;
    list_entries(a, g);
    list_edges(a, g);
    g.lists_known = true;
}

std::size_t memory_bytes(const Aggregates& g) {
    const auto bytes = [](const auto&... arrays) { return ((arrays.capacity() * sizeof(arrays[0])) + ... + 0); };
    return bytes(g.of_row, g.held, g.entry_of_row, g.chunk_begin, g.entry_begin, g.entry_list, g.entry_aggregate,
                 g.same, g.pairs, g.edge_block, g.edge_from, g.edge_to);
}

}  // namespace pliant
