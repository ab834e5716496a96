#pragma once
// The nearest of many fixed points: a balanced k-d tree. Equal distances go to the lower index, so every answer is one
// answer, whatever the order of the points in the tree.

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/core/types.hpp"

namespace pliant {

class PointTree {
public:
    struct Found {
        double distance2;  ///< m²
        int point;
        friend bool operator<(const Found& x, const Found& y) {
            return x.distance2 < y.distance2 || (x.distance2 == y.distance2 && x.point < y.point);
        }
    };

    PointTree() = default;
    /// Keeps a copy of the points. Points may coincide.
    explicit PointTree(std::span<const Vec3> points);

    std::size_t size() const { return order_.size(); }
    /// The k nearest points, nearest first (all of them when there are fewer).
    void nearest(const Vec3& p, std::size_t k, std::vector<Found>& found) const;

private:
    struct Search;
    void build(std::size_t begin, std::size_t end, std::span<const Vec3> points);
    void search(std::size_t begin, std::size_t end, double distance2, Search& search) const;

    static constexpr std::size_t leaf = 8;
    std::vector<int> order_;         // a range is split at its middle
    std::vector<Vec3> position_;     // in the order of order_
    std::vector<double> split_;      // coordinate that divides a range, by its middle's place in order_
    std::vector<std::int8_t> axis_;  // and which coordinate it is
};

}  // namespace pliant
