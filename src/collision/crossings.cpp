#include "pliant/collision/crossings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pliant/geometry/aabb_tree.hpp"
#include "pliant/geometry/predicates.hpp"

namespace pliant {

namespace {

using Corners = std::array<const Vec3*, 3>;

double volume_sign(const Corners& t, const Vec3& p) {
    // A corner of its own is on the plane; the exact arithmetic need not be asked.
    for (const Vec3* corner : t)
        if (*corner == p) return 0;
    return orient3d(*t[0], *t[1], *t[2], p);
}

/// Turns the corners so that the first is alone on its side of the plane of `other`, which is turned to have it above.
/// False when there are no corners on both sides.
bool put_lonely_corner_first(Corners& t, Corners& other) {
    std::array<double, 3> s;
    for (int i = 0; i < 3; ++i) s[i] = volume_sign(other, *t[i]);
    const auto above = std::count_if(s.begin(), s.end(), [](double v) { return v > 0; });
    const auto below = std::count_if(s.begin(), s.end(), [](double v) { return v < 0; });
    if (above == 0 || below == 0) return false;
    const bool lonely_above = above == 1;
    const int lonely = static_cast<int>(
        std::find_if(s.begin(), s.end(), [&](double v) { return lonely_above ? v > 0 : v < 0; }) - s.begin());
    std::rotate(t.begin(), t.begin() + lonely, t.end());
    if (!lonely_above) std::swap(other[1], other[2]);
    return true;
}

/// Each triangle cuts the line of both planes in an interval; do the two open intervals overlap? The ends are compared
/// by one sign each (Guigue & Devillers 2003, "Fast and robust triangle–triangle overlap test using orientation
/// predicates").
bool cross_exactly(Corners a, Corners b) {
    if (!put_lonely_corner_first(a, b)) return false;
    if (!put_lonely_corner_first(b, a)) return false;
    return orient3d(*a[0], *a[1], *b[0], *b[1]) < 0 && orient3d(*a[0], *a[2], *b[2], *b[0]) < 0;
}

/// Least motion of one triangle along the normal of the other that brings it to one side, m.
double parting(const Corners& t, const Corners& other) {
    const Vec3 n = (*other[1] - *other[0]).cross(*other[2] - *other[0]).normalized();
    double above = 0, below = 0;
    for (const Vec3* p : t) {
        const double d = n.dot(*p - *other[0]);
        above = std::max(above, d), below = std::max(below, -d);
    }
    return std::min(above, below);
}

/// All triangles of all surfaces in one list.
struct TriangleList {
    std::span<const CheckedSurface> surfaces;
    std::vector<int> surface, triangle;
    std::vector<Box> boxes;

    explicit TriangleList(std::span<const CheckedSurface> all) : surfaces(all) {
        for (int s = 0; s < static_cast<int>(all.size()); ++s)
            for (int t = 0; t < static_cast<int>(all[s].triangles.size()); ++t) {
                surface.push_back(s), triangle.push_back(t);
                Box box;
                for (const Vec3* p : corners(static_cast<int>(boxes.size()))) box.add(*p);
                boxes.push_back(box);
            }
    }
    Corners corners(int i) const {
        const CheckedSurface& s = surfaces[surface[i]];
        const Tri& t = s.triangles[triangle[i]];
        return {&s.points[t[0]], &s.points[t[1]], &s.points[t[2]]};
    }
};

void add_crossings_of(int i, const TriangleList& list, const AabbTree& tree,
                      const std::function<bool(int, int)>& excluded, Crossings& found, std::size_t max_listed) {
    const int own = list.surface[i];
    const Corners a = list.corners(i);
    tree.overlapping(list.boxes[i], [&](int j) {
        if (j <= i) return;
        const int other = list.surface[j];
        if (own == other && !list.surfaces[own].with_itself) return;
        if (excluded && excluded(own, other)) return;
        const Corners b = list.corners(j);
        if (!cross_exactly(a, b)) return;
        ++found.count;
        // Exact signs say that they cross even where the depth is lost in rounding.
        found.depth =
            std::max({found.depth, std::min(parting(a, b), parting(b, a)), std::numeric_limits<double>::min()});
        if (found.pairs.size() < max_listed) found.pairs.push_back({own, list.triangle[i], other, list.triangle[j]});
    });
}

}  // namespace

bool triangles_cross(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& p, const Vec3& q, const Vec3& r) {
    return cross_exactly({&a, &b, &c}, {&p, &q, &r});
}

Crossings count_crossings(std::span<const CheckedSurface> surfaces, Threads& threads,
                          const std::function<bool(int, int)>& excluded, std::size_t max_listed) {
    const TriangleList list(surfaces);
    const std::size_t n = list.boxes.size();
    if (n == 0) return {};
    const AabbTree tree(list.boxes, threads);
    constexpr std::size_t chunk = 1024;
    std::vector<Crossings> parts((n + chunk - 1) / chunk);
    parallel_for(threads, n, chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            add_crossings_of(static_cast<int>(i), list, tree, excluded, parts[begin / chunk], max_listed);
    });
    Crossings all;
    for (const Crossings& part : parts) {
        all.count += part.count, all.depth = std::max(all.depth, part.depth);
        const std::size_t room = std::min(part.pairs.size(), max_listed - all.pairs.size());
        all.pairs.insert(all.pairs.end(), part.pairs.begin(), part.pairs.begin() + static_cast<std::ptrdiff_t>(room));
    }
    std::sort(all.pairs.begin(), all.pairs.end());
    return all;
}

}  // namespace pliant
