// Where the nodes of a mesh are while a surface is clipped to its tets.

#include <algorithm>
#include <limits>

#include "pliant/core/rng.hpp"
#include "pliant/geometry/predicates.hpp"
#include "pliant/geometry/tet_edges.hpp"
#include "pliant/surface/skin_clip.hpp"

namespace pliant {

namespace {

/// Nodes of tets that have turned inside out go back to their places at rest.
void turn_back(const TetMesh& mesh, std::vector<Vec3>& nodes) {
    for (bool again = true; again;) {
        again = false;
        for (const Tet& t : mesh.tets) {
            if (orient3d(nodes[t[0]], nodes[t[1]], nodes[t[2]], nodes[t[3]]) > 0) continue;
            for (int n : t)
                if (nodes[n] != mesh.rest[n]) nodes[n] = mesh.rest[n], again = true;
        }
    }
}

}  // namespace

std::vector<Vec3> inflated_nodes(const SkinClip& clip, const TetMesh& mesh, std::vector<Vec3> start, double margin) {
    std::vector<Vec3> normal(mesh.rest.size(), Vec3::Zero());
    std::vector<double> length(mesh.rest.size(), 0);
    std::vector<int> count(mesh.rest.size(), 0);
    for (const SkinFace& face : clip.faces) {
        if (face.tet[1] >= 0) continue;
        std::array<int, 3> c;
        for (int k = 0; k < 3; ++k) c[k] = mesh.tets[face.tet[0]][face.from_first[k]];
        const Vec3 n = (mesh.rest[c[1]] - mesh.rest[c[0]]).cross(mesh.rest[c[2]] - mesh.rest[c[0]]);
        for (int k = 0; k < 3; ++k) {
            normal[c[k]] += n;
            length[c[k]] += (mesh.rest[c[(k + 1) % 3]] - mesh.rest[c[k]]).norm(), ++count[c[k]];
        }
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
        const double size = normal[i].norm();
        if (size > 0) start[i] += normal[i] * (margin * length[i] / (count[i] * size));
    }
    turn_back(mesh, start);
    return start;
}

std::vector<Vec3> scattered_nodes(const TetMesh& mesh) {
    // Of a node's shortest edge: far above what rounding does to a point between two nodes (some 1e-16 of it), and a
    // hundredth of the least margin by which the mesh is made larger than the surface.
    constexpr double hair = 1e-6;
    std::vector<double> edge(mesh.rest.size(), std::numeric_limits<double>::infinity());
    for (const Tet& t : mesh.tets)
        for (const auto& [a, b] : tet_edges) {
            const double length = (mesh.rest[t[a]] - mesh.rest[t[b]]).norm();
            for (int node : {t[a], t[b]}) edge[node] = std::min(edge[node], length);
        }
    std::vector<Vec3> nodes = mesh.rest;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (edge[i] == std::numeric_limits<double>::infinity()) continue;
        Rng rng(0, i);
        for (int k = 0; k < 3; ++k) nodes[i][k] += hair * edge[i] * rng.uniform(-1, 1);
    }
    turn_back(mesh, nodes);
    return nodes;
}

}  // namespace pliant
