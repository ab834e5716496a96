#include "pliant/contact/neighbourhood.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {

namespace {

struct HalfEdge {
    int low, high, triangle, edge;
};

Vec3 unit_or_zero(const Vec3& v) {
    const double length = v.stableNorm();
    return length > 0 ? Vec3(v / length) : Vec3::Zero();
}

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

// The place in the fan of the vertex that the feature names, or -1.
int vertex_of(TriangleFeature f) {
    return f >= TriangleFeature::vertex_a ? static_cast<int>(f) - static_cast<int>(TriangleFeature::vertex_a) : -1;
}

// Per vertex: the first vertex at the same place.
std::vector<int> joined_by_place(std::span<const Vec3> points) {
    const int n = static_cast<int>(points.size());
    std::vector<int> order(n), origin(n);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int i, int j) {
        const Vec3 &a = points[i], &b = points[j];
        for (int k = 0; k < 3; ++k)
            if (a[k] != b[k]) return a[k] < b[k];
        return i < j;
    });
    for (int i = 0; i < n; ++i)
        origin[order[i]] = i > 0 && points[order[i]] == points[order[i - 1]] ? origin[order[i - 1]] : order[i];
    return origin;
}

}  // namespace

Neighbourhood find_neighbours(std::span<const Vec3> points, std::span<const Tri> triangles, bool seams) {
    Neighbourhood out;
    const int n = static_cast<int>(points.size());
    if (seams)
        out.origin = joined_by_place(points);
    else
        out.origin.resize(n), std::iota(out.origin.begin(), out.origin.end(), 0);

    out.fan_begin.assign(n + 1, 0);
    for (const Tri& t : triangles)
        for (int v : t) ++out.fan_begin[out.origin[v] + 1];
    for (int i = 0; i < n; ++i) out.fan_begin[i + 1] += out.fan_begin[i];
    out.fan.resize(out.fan_begin[n]);
    std::vector<int> fill(out.fan_begin.begin(), out.fan_begin.end() - 1);
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
        for (int v : triangles[t]) out.fan[fill[out.origin[v]]++] = t;

    std::vector<HalfEdge> edges;
    edges.reserve(3 * triangles.size());
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t)
        for (int e = 0; e < 3; ++e) {
            const int a = out.origin[triangles[t][e]], b = out.origin[triangles[t][(e + 1) % 3]];
            edges.push_back({std::min(a, b), std::max(a, b), t, e});
        }
    std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
        if (a.low != b.low) return a.low < b.low;
        if (a.high != b.high) return a.high < b.high;
        return a.triangle != b.triangle ? a.triangle < b.triangle : a.edge < b.edge;
    });
    out.across.assign(triangles.size(), {-1, -1, -1});
    out.rim.assign(n, 0);
    for (std::size_t i = 0; i < edges.size();) {
        // Where more than two triangles share an edge they pair up in order; an odd one out ends at a boundary.
        const bool pair =
            i + 1 < edges.size() && edges[i].low == edges[i + 1].low && edges[i].high == edges[i + 1].high;
        if (pair) {
            out.across[edges[i].triangle][edges[i].edge] = edges[i + 1].triangle;
            out.across[edges[i + 1].triangle][edges[i + 1].edge] = edges[i].triangle;
            i += 2;
        } else {
            out.rim[edges[i].low] = out.rim[edges[i].high] = 1;
            ++i;
        }
    }
    return out;
}

Vec3 vertex_normal(const Neighbourhood& near, std::span<const Vec3> points, std::span<const Tri> triangles,
                   int vertex) {
    Vec3 sum = Vec3::Zero();
    for (int t : near.triangles_at(vertex)) sum += area_normal(points, triangles[t]);
    return sum;
}

Vec3 pseudonormal(const Neighbourhood& near, std::span<const Vec3> points, std::span<const Tri> triangles, int triangle,
                  TriangleFeature feature) {
    const Tri& tri = triangles[triangle];
    const Vec3 face = unit_or_zero(area_normal(points, tri));
    if (feature == TriangleFeature::face) return face;
    const int corner = vertex_of(feature);
    if (corner < 0) {
        const int e = static_cast<int>(feature) - static_cast<int>(TriangleFeature::edge_ab);
        const int other = near.across[triangle][e];
        return other < 0 ? face : Vec3(face + unit_or_zero(area_normal(points, triangles[other])));
    }
    const int center = near.origin[tri[corner]];
    Vec3 sum = Vec3::Zero();
    for (int t : near.triangles_at(center)) {
        const Tri& f = triangles[t];
        for (int k = 0; k < 3; ++k) {
            if (near.origin[f[k]] != center) continue;
            const Vec3 &a = points[f[k]], &b = points[f[(k + 1) % 3]], &c = points[f[(k + 2) % 3]];
            sum += angle_between(b - a, c - a) * unit_or_zero((b - a).cross(c - a));
        }
    }
    return sum;
}

bool on_rim(const Neighbourhood& near, std::span<const Tri> triangles, int triangle, TriangleFeature feature) {
    if (feature == TriangleFeature::face) return false;
    const int corner = vertex_of(feature);
    if (corner >= 0) return near.rim[near.origin[triangles[triangle][corner]]] != 0;
    return near.across[triangle][static_cast<int>(feature) - static_cast<int>(TriangleFeature::edge_ab)] < 0;
}

}  // namespace pliant
