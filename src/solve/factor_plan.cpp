#include "pliant/solve/factor_plan.hpp"

#include <metis.h>

#include <algorithm>
#include <numeric>

#include "pliant/core/error.hpp"

namespace pliant {

namespace {

// Nested dissection on the nodes that keep at least one unknown; order[k] is the k-th node to eliminate.
std::vector<int> dissect(const NodePattern& pattern, const std::vector<int>& size) {
    const int n = pattern.nodes();
    std::vector<int> number(n, -1), node;
    for (int i = 0; i < n; ++i)
        if (size[i] > 0) number[i] = static_cast<int>(node.size()), node.push_back(i);
    std::vector<idx_t> begin{0}, neighbour;
    for (int i : node) {
        for (int e = pattern.begin[i]; e < pattern.begin[i + 1]; ++e) {
            const int j = pattern.column[e];
            if (j != i && number[j] >= 0) neighbour.push_back(number[j]);
        }
        begin.push_back(static_cast<idx_t>(neighbour.size()));
    }
    if (neighbour.empty()) return node;
    idx_t count = static_cast<idx_t>(node.size());
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    std::vector<idx_t> perm(node.size()), inverse(node.size());
    const int status =
        METIS_NodeND(&count, begin.data(), neighbour.data(), nullptr, options, perm.data(), inverse.data());
    CHECK(status == METIS_OK, status);
    std::vector<int> order(node.size());
    for (std::size_t k = 0; k < node.size(); ++k) order[k] = node[perm[k]];
    return order;
}

// Parents in the elimination tree (Liu 1990) of columns in the given order.
std::vector<int> elimination_tree(const NodePattern& pattern, const std::vector<int>& order,
                                  const std::vector<int>& rank) {
    std::vector<int> parent(order.size(), -1), ancestor(order.size(), -1);
    for (int j = 0; j < static_cast<int>(order.size()); ++j)
        for (int e = pattern.begin[order[j]]; e < pattern.begin[order[j] + 1]; ++e) {
            int i = rank[pattern.column[e]];
            while (i >= 0 && i < j) {
                const int next = ancestor[i];
                ancestor[i] = j;
                if (next < 0) parent[i] = j;
                i = next;
            }
        }
    return parent;
}

// A group of columns (nodes of the mesh, by rank) that are eliminated together, and the ranks of the rows below.
struct Group {
    std::vector<int> columns, below;
    int parent = -1;
    int width = 0, height = 0;  // unknowns in columns and below
    bool gone = false;
};

std::vector<Group> gather_columns(const NodePattern& pattern, const std::vector<int>& order,
                                  const std::vector<int>& rank, const std::vector<int>& parent,
                                  const std::vector<int>& size) {
    const int n = static_cast<int>(order.size());
    std::vector<std::vector<int>> children(n);
    for (int j = 0; j < n; ++j)
        if (parent[j] >= 0) children[parent[j]].push_back(j);
    std::vector<Group> groups;
    std::vector<int> group_of(n), mark(n, -1);
    for (int j = 0; j < n; ++j) {
        std::vector<int> rows;
        mark[j] = j;
        for (int e = pattern.begin[order[j]]; e < pattern.begin[order[j] + 1]; ++e) {
            const int i = rank[pattern.column[e]];
            if (i > j && mark[i] != j) mark[i] = j, rows.push_back(i);
        }
        for (int c : children[j])
            for (int i : groups[group_of[c]].below)
                if (i > j && mark[i] != j) mark[i] = j, rows.push_back(i);
        // The one column below whose structure is this one's plus itself takes this one in.
        if (children[j].size() == 1) {
            const int g = group_of[children[j][0]];
            if (groups[g].below.size() == rows.size() + 1) {
                groups[g].columns.push_back(j);
                groups[g].below = std::move(rows);
                groups[g].width += size[order[j]];
                groups[g].parent = parent[j];
                group_of[j] = g;
                continue;
            }
        }
        group_of[j] = static_cast<int>(groups.size());
        groups.push_back({{j}, std::move(rows), parent[j], size[order[j]], 0, false});
    }
    for (Group& g : groups) {
        g.parent = g.parent >= 0 ? group_of[g.parent] : -1;
        for (int i : g.below) g.height += size[order[i]];
    }
    return groups;
}

double entries(double width, double height) { return width * (width + 1) / 2 + width * height; }

// Merging a child with its parent stores zeros but makes fewer, larger blocks. Groups are in an order where children
// come first, so one sweep from the leaves upwards sees every pair.
void merge_small(std::vector<Group>& groups) {
    std::vector<double> zeros(groups.size(), 0);
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].parent < 0) continue;
        Group &child = groups[g], &parent = groups[child.parent];
        const int width = child.width + parent.width;
        const double merged = entries(width, parent.height);
        const double extra = merged - entries(child.width, child.height) - entries(parent.width, parent.height) +
                             zeros[g] + zeros[child.parent];
        const double share = extra / merged;
        if (!(width <= 12 || (width <= 48 && share < 0.4) || (width <= 128 && share < 0.15) || share < 0.04)) continue;
        zeros[child.parent] = extra;
        parent.columns.insert(parent.columns.begin(), child.columns.begin(), child.columns.end());
        parent.width = width;
        child.gone = true;
    }
}

int surviving(const std::vector<Group>& groups, int g) {
    while (g >= 0 && groups[g].gone) g = groups[g].parent;
    return g;
}

double elimination_cost(const Supernode& s) {
    const double p = s.pivots, f = s.front();
    return p * p * p / 3 + p * p * (f - p) + p * (f - p) * (f - p);
}

// Cuts the forest into subtrees of at most a part of the whole work, so that two or a few threads find enough of them.
void split_work(FactorPlan& plan) {
    std::vector<double> cost(plan.nodes.size(), 0);
    std::vector<std::size_t> stack(plan.nodes.size(), 0);
    for (std::size_t s = 0; s < plan.nodes.size(); ++s) {
        const Supernode& node = plan.nodes[s];
        cost[s] += elimination_cost(node);
        plan.operations += elimination_cost(node);
        std::size_t peak = 0, held = 0;
        for (int c : node.children) {
            peak = std::max(peak, held + stack[c]);
            const std::size_t h = plan.nodes[c].below.size();
            held += h * h * sizeof(double);
        }
        const std::size_t own = node.below.size() * node.below.size() * sizeof(double);
        stack[s] = std::max(peak, held + own);
        plan.stack_bytes = std::max(plan.stack_bytes, stack[s]);
        if (node.parent >= 0) cost[node.parent] += cost[s];
    }
    const double share = plan.operations / 24;
    std::vector<int> tree(plan.nodes.size(), -1);
    std::vector<std::pair<double, int>> roots;
    for (int s = static_cast<int>(plan.nodes.size()) - 1; s >= 0; --s) {
        const int parent = plan.nodes[s].parent;
        if (parent >= 0 && tree[parent] >= 0) {
            tree[s] = tree[parent];
        } else if (cost[s] <= share) {
            tree[s] = static_cast<int>(roots.size());
            roots.push_back({cost[s], s});
        }
    }
    std::vector<int> rank(roots.size());
    std::iota(rank.begin(), rank.end(), 0);
    std::stable_sort(rank.begin(), rank.end(), [&](int a, int b) { return roots[a].first > roots[b].first; });
    std::vector<int> at(roots.size());
    for (std::size_t k = 0; k < rank.size(); ++k) at[rank[k]] = static_cast<int>(k);
    plan.subtrees.resize(roots.size());
    for (int s = 0; s < static_cast<int>(plan.nodes.size()); ++s)
        if (tree[s] >= 0)
            plan.subtrees[at[tree[s]]].push_back(s);
        else
            plan.top.push_back(s);
}

}  // namespace

FactorPlan plan_factor(const NodePattern& pattern, const std::vector<std::uint8_t>& fixed) {
    const int n = pattern.nodes();
    std::vector<int> size(n, 3);
    if (!fixed.empty())
        for (int i = 0; i < n; ++i)
            size[i] = 3 - (fixed[3 * i] != 0) - (fixed[3 * i + 1] != 0) - (fixed[3 * i + 2] != 0);
    const std::vector<int> order = dissect(pattern, size);
    std::vector<int> rank(n, -1);
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<int>(k);
    const std::vector<int> parent = elimination_tree(pattern, order, rank);
    std::vector<Group> groups = gather_columns(pattern, order, rank, parent, size);
    merge_small(groups);

    // Depth-first order of what is left, children before parents.
    std::vector<std::vector<int>> children(groups.size());
    std::vector<int> roots;
    for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
        if (groups[g].gone) continue;
        const int p = surviving(groups, groups[g].parent);
        (p >= 0 ? children[p] : roots).push_back(g);
    }
    FactorPlan plan;
    plan.place.assign(3 * static_cast<std::size_t>(n), -1);
    std::vector<int> number(groups.size(), -1), first(order.size(), -1);
    std::vector<std::pair<int, std::size_t>> stack;
    for (int root : roots) {
        stack.push_back({root, 0});
        while (!stack.empty()) {
            auto& [g, next] = stack.back();
            if (next < children[g].size()) {
                const int child = children[g][next++];
                stack.push_back({child, 0});
                continue;
            }
            Supernode s;
            s.first = plan.unknowns;
            for (int column : groups[g].columns) {
                first[column] = plan.unknowns;
                for (int axis = 0; axis < 3; ++axis)
                    if (fixed.empty() || !fixed[3 * order[column] + axis])
                        plan.place[3 * order[column] + axis] = plan.unknowns++;
            }
            s.pivots = plan.unknowns - s.first;
            for (int c : children[g]) s.children.push_back(number[c]);
            number[g] = static_cast<int>(plan.nodes.size());
            plan.nodes.push_back(std::move(s));
            stack.pop_back();
        }
    }
    for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
        if (groups[g].gone) continue;
        Supernode& s = plan.nodes[number[g]];
        for (int i : groups[g].below)
            for (int k = 0; k < size[order[i]]; ++k) s.below.push_back(first[i] + k);
        std::sort(s.below.begin(), s.below.end());
        const int p = surviving(groups, groups[g].parent);
        s.parent = p >= 0 ? number[p] : -1;
    }
    for (Supernode& s : plan.nodes) {
        s.offset = plan.factor_entries;
        // Rows start on cache lines when pivots are a multiple of eight; otherwise at least the block does.
        plan.factor_entries += (static_cast<std::size_t>(s.front()) * s.pivots + 7) / 8 * 8;
        if (s.parent < 0) continue;
        const Supernode& up = plan.nodes[s.parent];
        std::size_t k = 0;
        for (int row : s.below) {
            if (row < up.first + up.pivots) {
                s.into.push_back(row - up.first);
                continue;
            }
            while (k < up.below.size() && up.below[k] < row) ++k;
            CHECK(k < up.below.size() && up.below[k] == row, row);
            s.into.push_back(up.pivots + static_cast<int>(k));
        }
    }
    split_work(plan);
    return plan;
}

}  // namespace pliant
