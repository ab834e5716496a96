#pragma once
// A binary tree of boxes over items (triangles, tets), built once, refitted as they move.

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class Threads;

class AabbTree {
public:
    AabbTree() = default;
    /// Builds over boxes[0 … n-1]; item i is box i.
    explicit AabbTree(std::span<const Box> boxes);
    AabbTree(std::span<const Box> boxes, Threads& threads);

    /// New boxes for the same items; the structure stays. Never allocates.
    void refit(std::span<const Box> boxes);
    void refit(std::span<const Box> boxes, Threads& threads);

    bool empty() const { return nodes_.empty(); }
    std::size_t size() const { return order_.size(); }
    Box bounds() const { return nodes_.empty() ? Box{} : nodes_[0].box; }

    /// visit(item) for every item whose box overlaps the query, in tree order.
    template <class Visit>
    void overlapping(const Box& query, Visit&& visit) const;

    /// Two branches of the tree, or one and itself.
    struct Branches {
        std::int32_t a, b;
    };
    /// All pairs of overlapping items as pairs of branches, `count` of them or a few more where the tree is large
    /// enough: shares of work for overlapping_pairs() that depend on the tree alone.
    void share_pairs(std::size_t count, std::vector<Branches>& out) const;
    /// visit(i, j) once for every pair of items, i in one branch and j in the other, whose boxes overlap.
    template <class Visit>
    void overlapping_pairs(const Branches& branches, Visit&& visit) const;

    struct Nearest {
        int item = -1;
        double distance2 = std::numeric_limits<double>::infinity();
    };
    /// The item with the smallest distance2(item) below max_distance2; exact ties go to the lower item.
    /// distance2 must never be less than the squared distance from p to the item's box.
    template <class Distance2>
    Nearest nearest(const Vec3& p, double max_distance2, Distance2&& distance2) const;

    /// visit(item) for items whose boxes the ray from `origin` along `direction` enters before parameter t_max,
    /// nearer boxes first. visit may return nothing, or the new t_max (a hit's parameter shortens the ray).
    template <class Visit>
    void along_ray(const Vec3& origin, const Vec3& direction, double t_max, Visit&& visit) const;

private:
    struct Node {
        Box box;
        std::int32_t first;  // leaf: first entry of order_; inner: left child
        std::int32_t count;  // leaf: number of items; inner: -(right child)
    };
    // The build halves ranges from depth 32 on, so no path is longer than 32 + 31 nodes.
    static constexpr int max_depth = 64;

    static double distance2_to(const Box& box, const Vec3& p) {
        return (box.min - p).cwiseMax(p - box.max).cwiseMax(0.0).squaredNorm();
    }
    struct Ray {
        Vec3 origin, inverse;
        bool parallel[3];
    };
    static double entry(const Ray& ray, const Box& box, double t_max);

    struct Builder;

    std::vector<Node> nodes_;  // parents before children
    std::vector<std::int32_t> order_;
    std::vector<Box> boxes_;  // in the order of order_
};

template <class Visit>
void AabbTree::overlapping(const Box& query, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::int32_t stack[max_depth];
    int top = 0;
    std::int32_t at = 0;
    for (;;) {
        const Node& node = nodes_[at];
        if (node.box.overlaps(query)) {
            if (node.count < 0) {
                stack[top++] = -node.count;
                at = node.first;
                continue;
            }
            for (std::int32_t i = node.first; i < node.first + node.count; ++i)
                if (boxes_[i].overlaps(query)) visit(static_cast<int>(order_[i]));
        }
        if (top == 0) return;
        at = stack[--top];
    }
}

template <class Visit>
void AabbTree::overlapping_pairs(const Branches& branches, Visit&& visit) const {
    // Of two nodes one is opened at a time: three new pairs at most, for as many levels as both paths have together.
    Branches stack[6 * max_depth];
    int top = 0;
    stack[top++] = branches;
    while (top > 0) {
        const Branches at = stack[--top];
        const Node &a = nodes_[at.a], &b = nodes_[at.b];
        if (at.a == at.b) {
            if (a.count < 0) {
                stack[top++] = {a.first, -a.count};
                stack[top++] = {-a.count, -a.count};
                stack[top++] = {a.first, a.first};
                continue;
            }
            for (std::int32_t i = a.first; i < a.first + a.count; ++i)
                for (std::int32_t j = i + 1; j < a.first + a.count; ++j)
                    if (boxes_[i].overlaps(boxes_[j])) visit(static_cast<int>(order_[i]), static_cast<int>(order_[j]));
            continue;
        }
        if (!a.box.overlaps(b.box)) continue;
        if (a.count >= 0 && b.count >= 0) {
            for (std::int32_t i = a.first; i < a.first + a.count; ++i) {
                if (!boxes_[i].overlaps(b.box)) continue;
                for (std::int32_t j = b.first; j < b.first + b.count; ++j)
                    if (boxes_[i].overlaps(boxes_[j])) visit(static_cast<int>(order_[i]), static_cast<int>(order_[j]));
            }
        } else if (b.count >= 0 || (a.count < 0 && a.box.size().sum() >= b.box.size().sum())) {
            stack[top++] = {-a.count, at.b};
            stack[top++] = {a.first, at.b};
        } else {
            stack[top++] = {at.a, -b.count};
            stack[top++] = {at.a, b.first};
        }
    }
}

template <class Distance2>
AabbTree::Nearest AabbTree::nearest(const Vec3& p, double max_distance2, Distance2&& distance2) const {
    Nearest best;
    if (nodes_.empty()) return best;
    double limit = max_distance2;
    std::pair<std::int32_t, double> stack[max_depth];
    int top = 0;
    std::int32_t at = 0;
    double at_distance2 = distance2_to(nodes_[0].box, p);
    for (;;) {
        // Equal distances are still looked at: a lower item may tie.
        if (at_distance2 <= limit) {
            const Node& node = nodes_[at];
            if (node.count < 0) {
                std::int32_t near = node.first, far = -node.count;
                double near2 = distance2_to(nodes_[near].box, p), far2 = distance2_to(nodes_[far].box, p);
                if (far2 < near2) std::swap(near, far), std::swap(near2, far2);
                stack[top++] = {far, far2};
                at = near, at_distance2 = near2;
                continue;
            }
            for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
                if (distance2_to(boxes_[i], p) > limit) continue;
                const int item = order_[i];
                const double d2 = distance2(item);
                if (d2 < limit || (d2 == limit && item < best.item)) best = {item, d2}, limit = d2;
            }
        }
        if (top == 0) return best;
        --top;
        at = stack[top].first, at_distance2 = stack[top].second;
    }
}

inline double AabbTree::entry(const Ray& ray, const Box& box, double t_max) {
    constexpr double never = std::numeric_limits<double>::infinity();
    // The far side is pushed out by three ulps so that rounding never loses a box that the ray grazes.
    constexpr double outward = 1 + 3 * std::numeric_limits<double>::epsilon();
    double enter = 0, leave = t_max;
    for (int k = 0; k < 3; ++k) {
        if (ray.parallel[k]) {
            if (!(box.min[k] <= ray.origin[k] && ray.origin[k] <= box.max[k])) return never;
            continue;
        }
        double a = (box.min[k] - ray.origin[k]) * ray.inverse[k], b = (box.max[k] - ray.origin[k]) * ray.inverse[k];
        if (a > b) std::swap(a, b);
        if (a > enter) enter = a;
        if (b * outward < leave) leave = b * outward;
    }
    return enter <= leave ? enter : never;
}

template <class Visit>
void AabbTree::along_ray(const Vec3& origin, const Vec3& direction, double t_max, Visit&& visit) const {
    if (nodes_.empty()) return;
    constexpr double never = std::numeric_limits<double>::infinity();
    const Ray ray{origin, direction.cwiseInverse(), {direction[0] == 0, direction[1] == 0, direction[2] == 0}};
    std::pair<std::int32_t, double> stack[max_depth];
    int top = 0;
    std::int32_t at = 0;
    double at_t = entry(ray, nodes_[0].box, t_max);
    for (;;) {
        if (at_t < never && at_t <= t_max) {
            const Node& node = nodes_[at];
            if (node.count < 0) {
                std::int32_t near = node.first, far = -node.count;
                double near_t = entry(ray, nodes_[near].box, t_max), far_t = entry(ray, nodes_[far].box, t_max);
                if (far_t < near_t) std::swap(near, far), std::swap(near_t, far_t);
                if (far_t < never) stack[top++] = {far, far_t};
                at = near, at_t = near_t;
                continue;
            }
            for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
                if (entry(ray, boxes_[i], t_max) == never) continue;
                if constexpr (std::is_void_v<std::invoke_result_t<Visit&, int>>)
                    visit(static_cast<int>(order_[i]));
                else
                    t_max = visit(static_cast<int>(order_[i]));
            }
        }
        if (top == 0) return;
        --top;
        at = stack[top].first, at_t = stack[top].second;
    }
}

}  // namespace pliant
