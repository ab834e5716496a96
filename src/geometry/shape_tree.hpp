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
        if (!nodes_.empty()) descend(0, outside2(nodes_[0], p), p, distance, best);
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

    /// Squared distance from p to the node's box of skeletons.
    double outside2(const Node& n, const Vec3& p) const {
        return (n.box.min - p).cwiseMax(p - n.box.max).cwiseMax(0.0).squaredNorm();
    }
    /// Can anything below the node be nearer than best?
    static bool may_hold(const Node& n, double node_outside2, double best) {
        const double room = best + n.reach;
        return room > 0 && node_outside2 < room * room;
    }

    template <class Distance>
    void descend(int node, double node_outside2, const Vec3& p, Distance& distance, double& best) const {
        const Node& n = nodes_[node];
        if (!may_hold(n, node_outside2, best)) return;
        if (n.right < 0) {
            for (int i = n.begin; i < n.end; ++i) best = std::min(best, distance(i));
            return;
        }
        const int left = node + 1;
        const double left2 = outside2(nodes_[left], p), right2 = outside2(nodes_[n.right], p);
        if (left2 <= right2) {
            descend(left, left2, p, distance, best);
            descend(n.right, right2, p, distance, best);
        } else {
            descend(n.right, right2, p, distance, best);
            descend(left, left2, p, distance, best);
        }
    }

    std::vector<Node> nodes_;
};

}  // namespace pliant
