#include "pliant/mesh/tri_mesh.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "pliant/core/union_find.hpp"
#include "pliant/mesh/same_place.hpp"

namespace pliant {

SurfaceFacts inspect(const TriMesh& mesh) {
    SurfaceFacts facts;
    std::vector<int> start(mesh.points.size() + 1, 0);  // of each point's edges to higher ones
    std::vector<char> used(mesh.points.size(), 0);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Tri& tri = mesh.triangles[t];
        const Vec3 normal =
            (mesh.points[tri[1]] - mesh.points[tri[0]]).cross(mesh.points[tri[2]] - mesh.points[tri[0]]);
        facts.area += 0.5 * normal.norm();
        facts.degenerate_triangles += tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0] || normal.isZero(0.0);
        for (int i = 0; i < 3; ++i) {
            used[tri[i]] = 1;
            ++start[std::min(tri[i], tri[(i + 1) % 3])];
        }
    }
    facts.unused_points = std::count(used.begin(), used.end(), 0);
    const std::vector<int> first = first_at_same_place(mesh.points);
    for (std::size_t i = 0; i < first.size(); ++i) facts.duplicate_points += first[i] != static_cast<int>(i);
    facts.volume = enclosed_volume(mesh.points, mesh.triangles);

    // Uses of an edge: its higher point, the triangle, and whether it goes there or back. From the counts to where
    // each point's uses end, and by filling them in to where they begin.
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<std::uint64_t> uses(3 * mesh.triangles.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        for (int i = 0; i < 3; ++i) {
            const int a = mesh.triangles[t][i], b = mesh.triangles[t][(i + 1) % 3];
            uses[--start[std::min(a, b)]] = static_cast<std::uint64_t>(std::max(a, b)) << 32 | t << 1 | (a < b ? 1 : 0);
        }
    const auto triangle = [](std::uint64_t use) { return static_cast<int>(static_cast<std::uint32_t>(use) >> 1); };
    UnionFind parts(static_cast<int>(mesh.triangles.size()));
    facts.components = parts.size();
    for (std::size_t p = 0; p < mesh.points.size(); ++p) {
        std::sort(uses.begin() + start[p], uses.begin() + start[p + 1]);
        for (int i = start[p], j = i; i < start[p + 1]; i = j) {
            for (j = i; j < start[p + 1] && uses[j] >> 32 == uses[i] >> 32; ++j)
                facts.components -= parts.join(triangle(uses[i]), triangle(uses[j]));
            const int count = j - i;
            facts.boundary_edges += count == 1;
            facts.nonmanifold_edges += count > 2;
            facts.misoriented_edges += count == 2 && (uses[i] & 1) == (uses[i + 1] & 1);
        }
    }
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
