#pragma once
// A binary tree of boxes over items (triangles, tets), built once, refitted as they move.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class AabbTree {
public:
    AabbTree() = default;
    /// Builds over boxes[0 … n-1]; item i is box i.
    explicit AabbTree(std::span<const Box> boxes);

    /// New boxes for the same items; the structure stays. Never allocates.
    void refit(std::span<const Box> boxes);

    bool empty() const { return nodes_.empty(); }
    Box bounds() const { return nodes_.empty() ? Box{} : nodes_[0].box; }

    /// visit(item) for every item whose box overlaps the query, in tree order.
    template <class Visit>
    void overlapping(const Box& query, Visit&& visit) const;

    struct Nearest {
        int item = -1;
        double distance2 = std::numeric_limits<double>::infinity();
    };
    /// The item with the smallest distance2(item) below max_distance2; exact ties go to the lower item.
    /// distance2 must never be less than the squared distance from p to the item's box.
    template <class Distance2>
    Nearest nearest(const Vec3& p, double max_distance2, Distance2&& distance2) const;

    /// visit(item) for items whose boxes the ray from `origin` along `direction` enters before parameter t_max.
    template <class Visit>
    void along_ray(const Vec3& origin, const Vec3& direction, double t_max, Visit&& visit) const;

private:
    struct Node {
        Box box;
        std::int32_t first;  // leaf: first entry of order_; inner: left child (right child is stored too)
        std::int32_t count;  // leaf: number of items; inner: -(right child)
    };
    std::vector<Node> nodes_;
    std::vector<std::int32_t> order_;
};

}  // namespace pliant
