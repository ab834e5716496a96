#include "pliant/surface/brought_surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pliant/core/error.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/geometry/closest_point.hpp"
#include "pliant/geometry/shape.hpp"

namespace pliant {

Vec3 weights_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 u = b - a, v = c - a, normal = u.cross(v), from_a = p - a;
    const double area2 = normal.squaredNorm();
    if (area2 > 0) {
        const double wb = from_a.cross(v).dot(normal) / area2, wc = u.cross(from_a).dot(normal) / area2;
        if (std::isfinite(wb) && std::isfinite(wc)) return {1 - wb - wc, wb, wc};
    }
    const Vec3 distance(from_a.squaredNorm(), (p - b).squaredNorm(), (p - c).squaredNorm());
    Vec3 weight = Vec3::Zero();
    int nearest = 0;
    distance.minCoeff(&nearest);
    weight[nearest] = 1;
    return weight;
}

namespace {

template <std::size_t N>
std::array<float, N> blended(const std::vector<std::array<float, N>>& corner, std::size_t first, const Vec3& weight) {
    std::array<float, N> out{};
    for (std::size_t i = 0; i < N; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += weight[static_cast<Eigen::Index>(k)] * corner[first + k][i];
        out[i] = static_cast<float>(sum);
    }
    return out;
}

/// Where crack faces are seen from: along the axis that they face most, in units of the body's longest side.
struct CrackProjection {
    Vec3 origin;
    double size;

    explicit CrackProjection(const Box& box)
        : origin(box.empty() ? Vec3(Vec3::Zero()) : box.min), size(box.empty() ? 0 : box.size().maxCoeff()) {}
    std::array<float, 2> uv(const Vec3& p, int axis) const {
        const Vec3 q = size > 0 ? Vec3((p - origin) / size) : Vec3(Vec3::Zero());
        return {static_cast<float>(q[(axis + 1) % 3]), static_cast<float>(q[(axis + 2) % 3])};
    }
};

void add_inside_slot(const SurfaceAttributes& given, SurfaceAttributes& out) {
    out.materials = given.materials;
    std::string name = inside_material;
    const auto taken = [&](const std::string& wanted) {
        return std::any_of(out.materials.begin(), out.materials.end(),
                           [&](const SurfaceMaterial& m) { return m.name == wanted; });
    };
    for (int n = 2; taken(name); ++n) name = inside_material + std::to_string(n);
    out.materials.push_back({.name = name});
}

/// The slot of a face that has opened at this place at rest.
int opened_slot(const SurfaceAttributes& given, const Vec3& place) {
    for (auto look = given.inside.rbegin(); look != given.inside.rend(); ++look)
        if (!look->within || look->within->distance(place) <= 0) return look->material;
    return static_cast<int>(given.materials.size());  // that of add_inside_slot()
}

}  // namespace

SurfaceAttributes transferred_attributes(const TriMesh& from, const TriMesh& to,
                                         const std::function<BroughtPlace(int t, int k)>& place) {
    CHECK(from.attributes != nullptr);
    const SurfaceAttributes& given = *from.attributes;
    const CrackProjection projection(from.bounds());
    SurfaceAttributes out;
    out.inside = given.inside, out.scene_looks = given.scene_looks;
    std::vector<Vec3> rest_normal, normal;  // per corner, before and after
    if (!given.local_normal.empty()) rest_normal = moved_corner_normals(given, from.points, from.triangles);
    const std::size_t triangles = to.triangles.size();
    if (!given.uv.empty()) out.uv.reserve(3 * triangles);
    if (!given.color.empty()) out.color.reserve(3 * triangles);
    bool opened = false;
    for (int t = 0; t < static_cast<int>(triangles); ++t) {
        const Tri& tri = to.triangles[static_cast<std::size_t>(t)];
        const Vec3 &a = to.points[tri[0]], &b = to.points[tri[1]], &c = to.points[tri[2]];
        int axis = 0, triangle = -1;
        (b - a).cross(c - a).cwiseAbs().maxCoeff(&axis);
        for (int k = 0; k < 3; ++k) {
            const BroughtPlace at = place(t, k);
            triangle = at.triangle;
            const std::size_t first = 3 * static_cast<std::size_t>(std::max(0, triangle));
            if (!given.uv.empty())
                out.uv.push_back(triangle < 0 ? projection.uv(to.points[tri[k]], axis)
                                              : blended(given.uv, first, at.weight));
            if (!given.color.empty())
                out.color.push_back(triangle < 0 ? std::array<float, 4>{1, 1, 1, 1}
                                                 : blended(given.color, first, at.weight));
            if (rest_normal.empty()) continue;
            normal.push_back(Vec3::Zero());  // that of the triangle
            if (triangle >= 0)
                for (int i = 0; i < 3; ++i) normal.back() += at.weight[i] * rest_normal[first + i];
        }
        if (given.material.empty()) continue;
        out.material.push_back(triangle < 0 ? opened_slot(given, (a + b + c) / 3)
                                            : given.material[static_cast<std::size_t>(triangle)]);
        opened = opened || out.material.back() == static_cast<int>(given.materials.size());
    }
    if (!normal.empty()) set_corner_normals(out, to.points, to.triangles, normal);
    if (!given.material.empty()) opened ? add_inside_slot(given, out) : void(out.materials = given.materials);
    return out;
}

SurfaceAttributes copied_attributes(const TriMesh& from, const TriMesh& to, const CopiedTriangles& copies) {
    CHECK(from.attributes != nullptr && copies.corner.size() == 3 * to.triangles.size(), copies.corner.size());
    const SurfaceAttributes& given = *from.attributes;
    SurfaceAttributes out;
    out.materials = given.materials;
    out.inside = given.inside, out.scene_looks = given.scene_looks;
    std::vector<Vec3> given_normal, normal;
    if (!given.local_normal.empty()) given_normal = moved_corner_normals(given, from.points, from.triangles);
    for (std::size_t c = 0; c < copies.corner.size(); ++c) {
        const auto source = static_cast<std::size_t>(copies.corner[c]);
        if (!given.uv.empty()) out.uv.push_back(given.uv[source]);
        if (!given.color.empty()) out.color.push_back(given.color[source]);
        if (!given_normal.empty()) normal.push_back(copies.faces[c / 3] * given_normal[source]);
        if (!given.material.empty() && c % 3 == 0) out.material.push_back(given.material[source / 3]);
    }
    if (!normal.empty()) set_corner_normals(out, to.points, to.triangles, normal);
    if (given.polygon_size.empty()) return out;

    std::vector<std::span<const int>> polygon_at(from.triangles.size());  // by its first triangle
    for_each_polygon(&given, from.triangles.size(), [&](int first, std::span<const int> corners) {
        polygon_at[static_cast<std::size_t>(first)] = corners;
    });
    for (std::size_t t = 0; t < to.triangles.size();) {
        const int first = copies.corner[3 * t] / 3;
        const std::span<const int> polygon = polygon_at[static_cast<std::size_t>(first)];
        const bool whole = copies.faces[t] != 0 && !polygon.empty();
        const std::size_t size = whole ? polygon.size() : 3;
        for (std::size_t k = 0; k < size; ++k) {
            // Copies that face the other way go round it the other way.
            const std::size_t at = copies.faces[t] < 0 ? size - 1 - k : k;
            std::size_t corner = 3 * t + at;
            if (whole) {
                corner = 3 * (t + static_cast<std::size_t>(polygon[at] / 3 - first));
                while (copies.corner[corner] != polygon[at]) ++corner;
            }
            out.polygon_corner.push_back(static_cast<int>(corner));
        }
        out.polygon_size.push_back(static_cast<int>(size));
        t += size - 2;
    }
    return out;
}

BroughtSurface::BroughtSurface(TriMesh surface) : surface_(std::move(surface)) {
    CHECK(surface_.attributes != nullptr);
    std::vector<Box> boxes(surface_.triangles.size());
    for (std::size_t t = 0; t < boxes.size(); ++t)
        for (int v : surface_.triangles[t]) boxes[t].add(surface_.points[v]);
    tree_ = AabbTree(boxes);
    find_charts();
}

void BroughtSurface::find_charts() {
    const SurfaceAttributes& given = *surface_.attributes;
    struct Side {
        int triangle, from, to;  // corners of the triangle at the lower and the higher point
    };
    std::map<std::array<int, 2>, std::vector<Side>> edges;
    for (int t = 0; t < static_cast<int>(surface_.triangles.size()); ++t) {
        const Tri& tri = surface_.triangles[static_cast<std::size_t>(t)];
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3;
            const bool up = tri[k] < tri[l];
            edges[{std::min(tri[k], tri[l]), std::max(tri[k], tri[l])}].push_back(
                {t, 3 * t + (up ? k : l), 3 * t + (up ? l : k)});
        }
    }
    const auto goes_on = [&](int a, int b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        return (given.uv.empty() || given.uv[i] == given.uv[j]) &&
               (given.shading.empty() || given.shading[i] == given.shading[j]);
    };
    const auto material = [&](int t) {
        return given.material.empty() ? 0 : given.material[static_cast<std::size_t>(t)];
    };
    UnionFind charts(static_cast<int>(surface_.triangles.size()));
    for (const auto& [edge, sides] : edges)
        for (std::size_t i = 1; i < sides.size(); ++i) {
            const Side &a = sides[i - 1], &b = sides[i];
            if (goes_on(a.from, b.from) && goes_on(a.to, b.to) && material(a.triangle) == material(b.triangle))
                charts.join(a.triangle, b.triangle);
        }
    for (int t = 0; t < static_cast<int>(surface_.triangles.size()); ++t) chart_.push_back(charts.find(t));
}

BroughtPlace BroughtSurface::nearest(const Vec3& p, int chart) const {
    const auto closest = [&](int t) {
        const Tri& tri = surface_.triangles[static_cast<std::size_t>(t)];
        return closest_on_triangle(p, surface_.points[tri[0]], surface_.points[tri[1]], surface_.points[tri[2]]);
    };
    constexpr double far = std::numeric_limits<double>::infinity();
    const int found = tree_
                          .nearest(p, far,
                                   [&](int t) {
                                       const bool counts = chart < 0 || chart_[static_cast<std::size_t>(t)] == chart;
                                       return counts ? closest(t).distance2 : far;
                                   })
                          .item;
    CHECK(found >= 0, chart);
    return {found, closest(found).weight};
}

std::shared_ptr<const SurfaceAttributes> BroughtSurface::on(const TriMesh& drawn,
                                                            std::span<const std::uint8_t> crack) const {
    std::vector<int> chart(drawn.triangles.size(), -1);
    for (std::size_t t = 0; t < chart.size(); ++t) {
        if (!crack.empty() && crack[t]) continue;
        const Tri& tri = drawn.triangles[t];
        const Vec3 middle = (drawn.points[tri[0]] + drawn.points[tri[1]] + drawn.points[tri[2]]) / 3;
        chart[t] = chart_[static_cast<std::size_t>(nearest(middle, -1).triangle)];
    }
    return std::make_shared<const SurfaceAttributes>(transferred_attributes(surface_, drawn, [&](int t, int k) {
        const auto i = static_cast<std::size_t>(t);
        return chart[i] < 0 ? BroughtPlace{} : nearest(drawn.points[drawn.triangles[i][k]], chart[i]);
    }));
}

}  // namespace pliant
