#include "pliant/geometry/aabb_tree.hpp"

#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"

namespace pliant {

namespace {

constexpr int bin_count = 16;
constexpr int leaf_items = 4;

double half_area(const Box& box) {
    const Vec3 s = box.size();
    return s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
}

struct Entry {
    Box box;
    std::int32_t item;

    double twice_center(int axis) const { return box.min[axis] + box.max[axis]; }
};

struct Binning {
    int axis;
    double low, scale;

    int bin(const Entry& e) const {
        const double b = (e.twice_center(axis) - low) * scale;
        // Written so that a box that is not a number falls in bin 0.
        return b >= 1 ? std::min(static_cast<int>(std::min(b, 1e6)), bin_count - 1) : 0;
    }
};

}  // namespace

// Top-down, surface area heuristic over 16 bins on the widest axis of the centres (Wald 2007).
struct AabbTree::Builder {
    std::span<Entry> entries = {};
    std::vector<Node> nodes = {};
    /// Ranges of at most so many entries are put off, for others to build.
    std::int32_t put_off_size = 0;
    struct PutOff {
        std::int32_t node, begin, end;
        int depth;
    };
    std::vector<PutOff> put_off = {};

    std::int32_t build(std::int32_t begin, std::int32_t end, int depth) {
        const auto index = static_cast<std::int32_t>(nodes.size());
        nodes.push_back({Box{}, begin, end - begin});
        if (end - begin <= put_off_size) {
            put_off.push_back({index, begin, end, depth});
            return index;
        }
        Box box, centers;
        for (std::int32_t i = begin; i < end; ++i) {
            box.add(entries[i].box);
            centers.add(Vec3(entries[i].box.min + entries[i].box.max));
        }
        nodes[index].box = box;
        if (end - begin <= leaf_items) return index;
        const std::int32_t middle = depth < 32 ? split(begin, end, centers) : halve(begin, end, 0);
        nodes[index].first = build(begin, middle, depth + 1);
        const std::int32_t right = build(middle, end, depth + 1);
        nodes[index].count = -right;
        return index;
    }

    std::int32_t halve(std::int32_t begin, std::int32_t end, int axis) {
        const std::int32_t middle = begin + (end - begin) / 2;
        std::nth_element(entries.begin() + begin, entries.begin() + middle, entries.begin() + end,
                         [axis](const Entry& a, const Entry& b) {
                             const double ca = a.twice_center(axis), cb = b.twice_center(axis);
                             return ca != cb ? ca < cb : a.item < b.item;
                         });
        return middle;
    }

    std::int32_t split(std::int32_t begin, std::int32_t end, const Box& centers) {
        int axis = 0;
        const Vec3 extent = centers.size();
        const double width = extent.maxCoeff(&axis);
        const Binning binning{axis, centers.min[axis], bin_count / width};
        if (!(width > 0) || !(binning.scale < 1e300)) return begin + (end - begin) / 2;  // all in one place

        Box boxes[bin_count];
        std::int32_t counts[bin_count] = {};
        for (std::int32_t i = begin; i < end; ++i) {
            const int b = binning.bin(entries[i]);
            boxes[b].add(entries[i].box);
            ++counts[b];
        }
        double right_cost[bin_count] = {};
        Box right;
        std::int32_t right_count = 0;
        for (int b = bin_count - 1; b > 0; --b) {
            right.add(boxes[b]);
            right_count += counts[b];
            right_cost[b] = right_count > 0 ? half_area(right) * right_count : 0;
        }
        Box left;
        std::int32_t left_count = 0;
        int best = 0;
        double best_cost = std::numeric_limits<double>::infinity();
        for (int b = 0; b + 1 < bin_count; ++b) {
            left.add(boxes[b]);
            left_count += counts[b];
            if (left_count == 0 || left_count == end - begin) continue;
            const double cost = half_area(left) * left_count + right_cost[b + 1];
            if (cost < best_cost) best_cost = cost, best = b + 1;
        }
        if (best == 0) return halve(begin, end, axis);
        const auto middle = std::partition(entries.begin() + begin, entries.begin() + end,
                                           [&](const Entry& e) { return binning.bin(e) < best; });
        return static_cast<std::int32_t>(middle - entries.begin());
    }
};

AabbTree::AabbTree(std::span<const Box> boxes) {
    Threads alone(1);
    *this = AabbTree(boxes, alone);
}

AabbTree::AabbTree(std::span<const Box> boxes, Threads& threads) {
    if (boxes.empty()) return;
    CHECK(boxes.size() < (std::size_t{1} << 31), boxes.size());
    const auto size = static_cast<std::int32_t>(boxes.size());
    std::vector<Entry> entries;
    entries.reserve(boxes.size());
    for (std::int32_t i = 0; i < size; ++i) entries.push_back({boxes[i], i});
    // The crown, with several threads not the whole tree; then its branches behind it.
    Builder crown{.entries = entries, .put_off_size = threads.count() > 1 ? std::max(size / 16, leaf_items) : 0};
    crown.nodes.reserve(boxes.size());
    crown.build(0, size, 0);
    std::vector<Builder> branches(crown.put_off.size());
    parallel_for(threads, branches.size(), 1, [&](std::size_t i, std::size_t) {
        branches[i].entries = entries;
        branches[i].nodes.reserve(crown.put_off[i].end - crown.put_off[i].begin);
        branches[i].build(crown.put_off[i].begin, crown.put_off[i].end, crown.put_off[i].depth);
    });
    nodes_ = std::move(crown.nodes);
    for (std::size_t i = 0; i < branches.size(); ++i) {
        const auto shift = static_cast<std::int32_t>(nodes_.size()) - 1;  // its root takes the place that waits for it
        const auto moved = [&](Node node) {
            if (node.count < 0) node.first += shift, node.count -= shift;
            return node;
        };
        nodes_[crown.put_off[i].node] = moved(branches[i].nodes[0]);
        for (std::size_t n = 1; n < branches[i].nodes.size(); ++n) nodes_.push_back(moved(branches[i].nodes[n]));
    }
    order_.reserve(boxes.size());
    boxes_.reserve(boxes.size());
    for (const Entry& e : entries) order_.push_back(e.item), boxes_.push_back(e.box);
}

void AabbTree::refit(std::span<const Box> boxes) {
    Threads alone(1);
    refit(boxes, alone);
}

void AabbTree::refit(std::span<const Box> boxes, Threads& threads) {
    CHECK(boxes.size() == order_.size(), boxes.size(), order_.size());
    constexpr std::size_t chunk = 4096;
    parallel_for(threads, order_.size(), chunk, [&](std::size_t i, std::size_t last) {
        for (; i < last; ++i) boxes_[i] = boxes[order_[i]];
    });
    parallel_for(threads, nodes_.size(), chunk, [&](std::size_t n, std::size_t last) {
        for (; n < last; ++n) {
            if (nodes_[n].count < 0) continue;
            Box box;
            for (std::int32_t i = nodes_[n].first; i < nodes_[n].first + nodes_[n].count; ++i) box.add(boxes_[i]);
            nodes_[n].box = box;
        }
    });
    for (std::size_t n = nodes_.size(); n-- > 0;) {
        Node& node = nodes_[n];
        if (node.count >= 0) continue;
        node.box = nodes_[node.first].box;
        node.box.add(nodes_[-node.count].box);
    }
}

void AabbTree::share_pairs(std::size_t count, std::vector<Branches>& out) const {
    out.clear();
    if (nodes_.empty()) return;
    out.push_back({0, 0});
    // Opens the first of the list again and again; pairs that no longer overlap are dropped.
    std::size_t next = 0;
    while (next < out.size() && out.size() - next < count) {
        const Branches at = out[next];
        const Node &a = nodes_[at.a], &b = nodes_[at.b];
        if (a.count >= 0 && b.count >= 0) break;
        ++next;
        if (at.a == at.b) {
            out.push_back({a.first, a.first});
            out.push_back({-a.count, -a.count});
            out.push_back({a.first, -a.count});
        } else if (a.box.overlaps(b.box)) {
            if (b.count >= 0 || (a.count < 0 && a.box.size().sum() >= b.box.size().sum()))
                out.push_back({a.first, at.b}), out.push_back({-a.count, at.b});
            else
                out.push_back({at.a, b.first}), out.push_back({at.a, -b.count});
        }
    }
    out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(next));
}

}  // namespace pliant
