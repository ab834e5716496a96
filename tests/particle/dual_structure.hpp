#pragma once
// Structures with cells for tests: boxes of a regular grid, whose Voronoi cells are known, and a cheap dual of any tet
// mesh with the sizes of a real one.

#include <algorithm>
#include <map>

#include "pliant/mesh/bar_mesh.hpp"
#include "pliant/mesh/embedding.hpp"
#include "pliant/particle/particle_model.hpp"

namespace pliant::test {

/// The grid points of a box with cells nx × ny × nz; a particle's cell is the box half way to its neighbours.
inline ParticleStructure grid_structure(int nx, int ny, int nz, const Vec3& min, const Vec3& max) {
    const TetMesh mesh = bar_mesh(nx, ny, nz, min, max);
    ParticleStructure s = structure_of_tets(mesh);
    const std::array<int, 3> n{nx, ny, nz};
    const Vec3 cell = (max - min).cwiseQuotient(Vec3(nx, ny, nz));
    auto index = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
    s.polygon_begin.assign(1, 0);
    for (int i = 0; i <= nx; ++i)
        for (int j = 0; j <= ny; ++j)
            for (int k = 0; k <= nz; ++k) {
                const std::array<int, 3> at{i, j, k};
                Vec3 low, high;  // the box of this particle
                for (int a = 0; a < 3; ++a) {
                    low[a] = std::max(min[a], min[a] + cell[a] * (at[a] - 0.5));
                    high[a] = std::min(max[a], min[a] + cell[a] * (at[a] + 0.5));
                }
                s.volume[index(i, j, k)] = (high - low).prod();
                for (int a = 2; a >= 0; --a) {  // b ascending: the neighbour along z has the next number
                    if (at[a] == n[a]) continue;
                    std::array<int, 3> next = at;
                    ++next[a];
                    const int b = (a + 1) % 3, c = (a + 2) % 3;
                    VoronoiFace face{index(i, j, k), index(next[0], next[1], next[2]), Vec3::Zero(), Vec3::Zero()};
                    face.area[a] = (high[b] - low[b]) * (high[c] - low[c]);
                    face.centre = 0.5 * (low + high);
                    face.centre[a] = high[a];
                    for (int corner = 0; corner < 4; ++corner) {
                        VoronoiCorner v;
                        v.rest[a] = high[a];
                        v.rest[b] = corner == 1 || corner == 2 ? high[b] : low[b];
                        v.rest[c] = corner >= 2 ? high[c] : low[c];
                        s.polygon.push_back(v);
                    }
                    s.faces.push_back(face);
                    s.polygon_begin.push_back(static_cast<int>(s.polygon.size()));
                }
            }
    std::vector<Vec3> points;
    for (const VoronoiCorner& v : s.polygon) points.push_back(v.rest);
    const Embedding place = embed(mesh, points);
    for (std::size_t i = 0; i < points.size(); ++i)
        s.polygon[i].tet = place.tet[i], s.polygon[i].weight = place.weight[i];
    return s;
}

/// A face per edge, through the centres of the tets and triangles round it.
inline ParticleStructure barycentric_structure(const TetMesh& mesh, bool triangles = true) {
    ParticleStructure s = structure_of_tets(mesh);
    std::map<std::array<int, 2>, std::vector<std::array<int, 2>>> links;  // edge → for each tet the other two nodes
    std::map<std::array<int, 2>, std::vector<int>> tets;
    for (int t = 0; t < mesh.tet_count(); ++t)
        for (int e = 0; e < 6; ++e) {
            const Tet& tet = mesh.tets[t];
            std::array<int, 2> edge{tet[tet_edge[e][0]], tet[tet_edge[e][1]]};
            std::array<int, 2> other{tet[tet_edge[5 - e][0]], tet[tet_edge[5 - e][1]]};
            // Right-handed about the edge from its lower to its higher node.
            const Vec3 axis = mesh.rest[std::max(edge[0], edge[1])] - mesh.rest[std::min(edge[0], edge[1])];
            if (axis.dot((mesh.rest[other[0]] - mesh.rest[edge[0]]).cross(mesh.rest[other[1]] - mesh.rest[edge[0]])) <
                0)
                std::swap(other[0], other[1]);
            std::sort(edge.begin(), edge.end());
            links[edge].push_back(other);
            tets[edge].push_back(t);
        }
    s.polygon_begin.assign(1, 0);
    for (const auto& edge : s.edges) {
        auto& link = links[edge];
        const auto& around = tets[edge];
        auto follows = [&](int node) {
            for (std::size_t i = 0; i < link.size(); ++i)
                if (link[i][0] == node) return static_cast<int>(i);
            return -1;
        };
        int first = 0;  // on the boundary: the tet nobody leads to
        for (std::size_t i = 0; i < link.size(); ++i) {
            bool led = false;
            for (const auto& l : link) led |= l[1] == link[i][0];
            if (!led) first = static_cast<int>(i);
        }
        auto corner = [&](int tet, std::initializer_list<int> nodes) {
            VoronoiCorner v;
            v.tet = tet, v.weight.setZero();
            for (int node : nodes)
                for (int k = 0; k < 4; ++k)
                    if (mesh.tets[tet][k] == node) v.weight[k] = 1.0 / static_cast<double>(nodes.size());
            for (int k = 0; k < 4; ++k) v.rest += v.weight[k] * mesh.rest[mesh.tets[tet][k]];
            s.polygon.push_back(v);
        };
        VoronoiFace face{edge[0], edge[1], Vec3::Zero(), 0.5 * (mesh.rest[edge[0]] + mesh.rest[edge[1]])};
        const std::size_t begin = s.polygon.size();
        int i = first, last = first;
        for (std::size_t count = 0; count < link.size() && i >= 0; ++count) {
            if (triangles || (count == 0 && follows(link[i][0]) < 0)) corner(around[i], {edge[0], edge[1], link[i][0]});
            const Tet& t = mesh.tets[around[i]];
            corner(around[i], {t[0], t[1], t[2], t[3]});
            last = i;
            i = follows(link[i][1]);
        }
        if (i < 0) {  // boundary: the last triangle, and back through the middle of the edge
            corner(around[last], {edge[0], edge[1], link[last][1]});
            corner(around[last], {edge[0], edge[1]});
        }
        for (std::size_t k = begin; k < s.polygon.size(); ++k) {
            const std::size_t next = k + 1 < s.polygon.size() ? k + 1 : begin;
            face.area += 0.5 * (s.polygon[k].rest - face.centre).cross(s.polygon[next].rest - face.centre);
        }
        s.faces.push_back(face);
        s.polygon_begin.push_back(static_cast<int>(s.polygon.size()));
    }
    return s;
}

}  // namespace pliant::test
