#pragma once
// The nearest of many items that lie in a sensible order already (pieces of a curve, strokes of a line of text):
// a binary tree over index ranges, so it needs no sorting and its answers depend on nothing but the items.

#include <algorithm>
#include <limits>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class ShapeTree {
public:
    /// boxes[i] holds the skeleton of item i; the item itself lies within reach[i] metres of its skeleton.
    void build(const std::vector<Box>& boxes, const std::vector<double>& reach) {
        nodes_.clear();
        if (!boxes.empty()) add(boxes, reach, 0, static_cast<int>(boxes.size()));
    }

    /// The smallest distance(item); distance may be negative, down to −reach inside an item.
    template <class Distance>
    double nearest(const Vec3& p, Distance&& distance) const {
        double best = std::numeric_limits<double>::infinity();
        if (!nodes_.empty()) descend(0, bound(0, p), p, distance, best);
        return best;
    }

private:
    static constexpr int leaf_size = 3;
    struct Node {
        Box box;
        double reach;
        int begin, end;  // items
        int right;       // inner: index of the second child, the first follows its parent; leaf: -1
    };

    int add(const std::vector<Box>& boxes, const std::vector<double>& reach, int begin, int end) {
        const int self = static_cast<int>(nodes_.size());
        nodes_.push_back({Box{}, 0, begin, end, -1});
        for (int i = begin; i < end; ++i) {
            nodes_[self].box.add(boxes[i]);
            nodes_[self].reach = std::max(nodes_[self].reach, reach[i]);
        }
        if (end - begin > leaf_size) {
            const int middle = begin + (end - begin) / 2;
            add(boxes, reach, begin, middle);
            const int right = add(boxes, reach, middle, end);
            nodes_[self].right = right;
        }
        return self;
    }

    /// No item below the node is nearer than this.
    double bound(int node, const Vec3& p) const {
        const Node& n = nodes_[node];
        const Vec3 outside = (n.box.min - p).cwiseMax(p - n.box.max).cwiseMax(Vec3::Zero());
        return outside.norm() - n.reach;
    }

    template <class Distance>
    void descend(int node, double node_bound, const Vec3& p, Distance& distance, double& best) const {
        if (node_bound >= best) return;
        const Node& n = nodes_[node];
        if (n.right < 0) {
            for (int i = n.begin; i < n.end; ++i) best = std::min(best, distance(i));
            return;
        }
        const int left = node + 1;
        const double left_bound = bound(left, p), right_bound = bound(n.right, p);
        if (left_bound <= right_bound) {
            descend(left, left_bound, p, distance, best);
            descend(n.right, right_bound, p, distance, best);
        } else {
            descend(n.right, right_bound, p, distance, best);
            descend(left, left_bound, p, distance, best);
        }
    }

    std::vector<Node> nodes_;
};

}  // namespace pliant
