#include "pliant/geometry/point_tree.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace pliant {

PointTree::PointTree(std::span<const Vec3> points)
    : order_(points.size()), split_(points.size()), axis_(points.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    build(0, order_.size(), points);
    position_.reserve(points.size());
    for (int i : order_) position_.push_back(points[i]);
}

void PointTree::build(std::size_t begin, std::size_t end, std::span<const Vec3> points) {
    if (end - begin <= leaf) return;
    Box box;
    for (std::size_t i = begin; i < end; ++i) box.add(points[order_[i]]);
    int axis = 0;
    box.size().maxCoeff(&axis);
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int a, int b) {
        return points[a][axis] < points[b][axis] || (points[a][axis] == points[b][axis] && a < b);
    });
    split_[middle] = points[order_[middle]][axis];
    axis_[middle] = static_cast<std::int8_t>(axis);
    build(begin, middle, points);
    build(middle, end, points);
}

struct PointTree::Search {
    const Vec3& p;
    std::size_t k;
    std::vector<Found>& heap;     // the worst on top
    Vec3 outside = Vec3::Zero();  // per axis, how far p lies from the range at hand

    double limit() const { return heap.size() < k ? std::numeric_limits<double>::infinity() : heap.front().distance2; }
    void offer(const Found& found) {
        if (heap.size() < k) {
            heap.push_back(found);
            std::push_heap(heap.begin(), heap.end());
        } else if (found < heap.front()) {
            std::pop_heap(heap.begin(), heap.end());
            heap.back() = found;
            std::push_heap(heap.begin(), heap.end());
        }
    }
};

void PointTree::nearest(const Vec3& p, std::size_t k, std::vector<Found>& found) const {
    found.clear();
    if (k == 0 || order_.empty()) return;
    Search s{p, k, found};
    search(0, order_.size(), 0, s);
    std::sort_heap(found.begin(), found.end());
}

void PointTree::search(std::size_t begin, std::size_t end, double distance2, Search& s) const {
    if (distance2 > s.limit()) return;
    if (end - begin <= leaf) {
        for (std::size_t i = begin; i < end; ++i) s.offer({(position_[i] - s.p).squaredNorm(), order_[i]});
        return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const int axis = axis_[middle];
    const double beyond = s.p[axis] - split_[middle];
    const double before = s.outside[axis];
    // A hair less than the exact distance, so that rounding never hides a point that ties.
    const double far2 = (distance2 - before * before + beyond * beyond) * (1 - 1e-14);
    if (beyond < 0) {
        search(begin, middle, distance2, s);
        s.outside[axis] = beyond;
        search(middle, end, far2, s);
    } else {
        search(middle, end, distance2, s);
        s.outside[axis] = beyond;
        search(begin, middle, far2, s);
    }
    s.outside[axis] = before;
}

}  // namespace pliant
