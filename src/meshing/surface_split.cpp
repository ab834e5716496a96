#include "pliant/meshing/surface_split.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "pliant/core/error.hpp"

namespace pliant {

void split_where(TriMesh& surface, const std::function<double(const Vec3&)>& distance) {
    CHECK(!surface.attributes);
    std::vector<double> shortest(surface.points.size(), std::numeric_limits<double>::infinity());
    for (const Tri& tri : surface.triangles)
        for (int k = 0; k < 3; ++k) {
            const int a = tri[k], b = tri[(k + 1) % 3];
            const double length = (surface.points[a] - surface.points[b]).norm();
            shortest[a] = std::min(shortest[a], length), shortest[b] = std::min(shortest[b], length);
        }
    std::vector<double> at(surface.points.size());
    for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] = distance(surface.points[i]);
        if (std::abs(at[i]) < 0.1 * shortest[i]) at[i] = 0;
    }
    std::map<std::pair<int, int>, int> middle;  // of an edge, by its ends in order: the point on the line
    const auto crossing = [&](int a, int b) {
        if (a > b) std::swap(a, b);
        const auto [found, is_new] = middle.try_emplace({a, b}, static_cast<int>(surface.points.size()));
        if (is_new) {
            const double share = at[a] / (at[a] - at[b]);
            surface.points.push_back(surface.points[a] + share * (surface.points[b] - surface.points[a]));
        }
        return found->second;
    };
    std::vector<Tri> out;
    for (const Tri& tri : surface.triangles) {
        const auto side = [&](int k) { return (at[tri[k % 3]] > 0) - (at[tri[k % 3]] < 0); };
        const auto crosses = [&](int k) { return side(k) * side(k + 1) < 0; };  // the edge from corner k to the next
        const int crossed = crosses(0) + crosses(1) + crosses(2);
        if (crossed == 0) {
            out.push_back(tri);
            continue;
        }
        int k = 0;  // the corner that is alone on its side, or the one on the line
        while (crossed == 2 ? !(crosses(k) && crosses((k + 2) % 3)) : side(k) != 0) ++k;
        const int a = tri[k], b = tri[(k + 1) % 3], c = tri[(k + 2) % 3];
        if (crossed == 1) {
            const int m = crossing(b, c);
            out.push_back({a, b, m}), out.push_back({a, m, c});
        } else {
            const int ab = crossing(a, b), ac = crossing(a, c);
            out.push_back({a, ab, ac}), out.push_back({ab, b, c}), out.push_back({ab, c, ac});
        }
    }
    surface.triangles = std::move(out);
}

}  // namespace pliant
