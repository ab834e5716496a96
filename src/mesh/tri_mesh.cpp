#include "pliant/mesh/tri_mesh.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace pliant {

namespace {

int find_root(std::vector<int>& parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

struct EdgeUse {
    std::uint64_t key;  // smaller index in the high half
    int triangle;
    bool forward;
    bool operator<(const EdgeUse& b) const { return key != b.key ? key < b.key : triangle < b.triangle; }
};

long long count_duplicate_points(const std::vector<Vec3>& points) {
    std::vector<int> order(points.size());
    std::iota(order.begin(), order.end(), 0);
    auto less = [&](int a, int b) {
        return std::lexicographical_compare(points[a].data(), points[a].data() + 3, points[b].data(),
                                            points[b].data() + 3);
    };
    std::sort(order.begin(), order.end(), less);
    long long count = 0;
    for (std::size_t i = 1; i < order.size(); ++i) count += points[order[i]] == points[order[i - 1]];
    return count;
}

}  // namespace

SurfaceFacts inspect(const TriMesh& mesh) {
    SurfaceFacts facts;
    std::vector<EdgeUse> uses;
    uses.reserve(3 * mesh.triangles.size());
    std::vector<char> used(mesh.points.size(), 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Tri& tri = mesh.triangles[t];
        const Vec3 normal =
            (mesh.points[tri[1]] - mesh.points[tri[0]]).cross(mesh.points[tri[2]] - mesh.points[tri[0]]);
        facts.area += 0.5 * normal.norm();
        facts.degenerate_triangles += tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0] || normal.isZero(0.0);
        for (int i = 0; i < 3; ++i) {
            const auto a = static_cast<std::uint32_t>(tri[i]), b = static_cast<std::uint32_t>(tri[(i + 1) % 3]);
            used[a] = 1;
            const std::uint64_t low = std::min(a, b), high = std::max(a, b);
            uses.push_back({low << 32 | high, static_cast<int>(t), a < b});
        }
    }
    facts.unused_points = std::count(used.begin(), used.end(), 0);
    facts.duplicate_points = count_duplicate_points(mesh.points);
    facts.volume = enclosed_volume(mesh.points, mesh.triangles);

    std::vector<int> parent(mesh.triangles.size());
    std::iota(parent.begin(), parent.end(), 0);
    std::sort(uses.begin(), uses.end());
    for (std::size_t i = 0, j = 0; i < uses.size(); i = j) {
        for (j = i; j < uses.size() && uses[j].key == uses[i].key; ++j)
            parent[find_root(parent, uses[j].triangle)] = find_root(parent, uses[i].triangle);
        const std::size_t count = j - i;
        facts.boundary_edges += count == 1;
        facts.nonmanifold_edges += count > 2;
        facts.misoriented_edges += count == 2 && uses[i].forward == uses[i + 1].forward;
    }
    for (std::size_t t = 0; t < parent.size(); ++t) facts.components += parent[t] == static_cast<int>(t);
    return facts;
}

double enclosed_volume(const std::vector<Vec3>& points, const std::vector<Tri>& triangles) {
    if (points.empty()) return 0;
    const Vec3 origin = points[0];  // keeps the terms small for bodies far from the origin
    double six_volume = 0;
    for (const Tri& t : triangles)
        six_volume += (points[t[0]] - origin).dot((points[t[1]] - origin).cross(points[t[2]] - origin));
    return six_volume / 6.0;
}

std::vector<Vec3> vertex_normals(const std::vector<Vec3>& points, const std::vector<Tri>& triangles) {
    std::vector<Vec3> normals(points.size(), Vec3::Zero());
    for (const Tri& t : triangles) {
        const Vec3 n = (points[t[1]] - points[t[0]]).cross(points[t[2]] - points[t[0]]);
        for (int i : t) normals[i] += n;
    }
    for (Vec3& n : normals) {
        const double length = n.norm();
        if (length > 0) n /= length;
    }
    return normals;
}

}  // namespace pliant
