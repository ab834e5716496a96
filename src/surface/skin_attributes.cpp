#include "pliant/surface/skin_attributes.hpp"

#include <algorithm>

#include "pliant/surface/brought_surface.hpp"

namespace pliant {

namespace {

/// Triangles are drawn in the order of those they are parts of, so that the triangles of a polygon follow each
/// other.
void add_polygons(const TriMesh& from, const TriMesh& to, const std::vector<int>& source, SurfaceAttributes& out) {
    int at = 0;
    const int triangles = static_cast<int>(to.triangles.size());
    const auto add_triangle = [&](int t) {
        out.polygon_corner.insert(out.polygon_corner.end(), {3 * t, 3 * t + 1, 3 * t + 2});
        out.polygon_size.push_back(3);
    };
    for_each_polygon(from.attributes.get(), from.triangles.size(), [&](int first, std::span<const int> corners) {
        const int count = static_cast<int>(corners.size()) - 2, begin = at;
        while (at < triangles && source[at] >= 0 && source[at] < first + count) ++at;
        bool whole = at - begin == count;
        for (int i = 0; whole && i < count; ++i)
            whole = source[begin + i] == first + i && to.triangles[begin + i] == from.triangles[first + i];
        if (!whole) {
            for (int t = begin; t < at; ++t) add_triangle(t);
            return;
        }
        for (int corner : corners) out.polygon_corner.push_back(corner + 3 * (begin - first));
        out.polygon_size.push_back(static_cast<int>(corners.size()));
    });
    for (; at < triangles; ++at) add_triangle(at);
}

}  // namespace

std::shared_ptr<const SurfaceAttributes> skin_attributes(const Skin& skin) {
    const TriMesh &from = skin.given_surface(), &to = skin.surface();
    if (!from.attributes || skin.revision() == 0) return from.attributes;
    const std::vector<int> source = skin.source();
    auto made = std::make_shared<SurfaceAttributes>(transferred_attributes(from, to, [&](int t, int k) -> BroughtPlace {
        const int triangle = source[static_cast<std::size_t>(t)];
        if (triangle < 0) return {};
        const Tri& of = from.triangles[static_cast<std::size_t>(triangle)];
        const int v = to.triangles[static_cast<std::size_t>(t)][k];
        const auto same = std::find(of.begin(), of.end(), v);  // the given points keep their numbers
        if (same != of.end()) return {triangle, Vec3::Unit(same - of.begin())};
        return {triangle,
                weights_in_triangle(to.points[v], from.points[of[0]], from.points[of[1]], from.points[of[2]])};
    }));
    if (!from.attributes->polygon_size.empty()) add_polygons(from, to, source, *made);
    return made;
}

}  // namespace pliant
