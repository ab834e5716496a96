#include "pliant/mesh/quadratic_mesh.hpp"

#include <algorithm>
#include <tuple>

namespace pliant {

QuadraticMesh quadratic_mesh(const TetMesh& mesh) {
    QuadraticMesh out;
    out.rest = mesh.rest;
    out.region = mesh.region;
    out.tets.resize(mesh.tets.size());
    struct Edge {
        int a, b, tet, place;
    };
    std::vector<Edge> edges;
    edges.reserve(6 * mesh.tets.size());
    for (int t = 0; t < mesh.tet_count(); ++t) {
        for (int k = 0; k < 4; ++k) out.tets[t][k] = mesh.tets[t][k];
        for (int e = 0; e < 6; ++e) {
            const auto [a, b] = std::minmax(mesh.tets[t][tet_edges[e][0]], mesh.tets[t][tet_edges[e][1]]);
            edges.push_back({a, b, t, 4 + e});
        }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
        return std::tie(x.a, x.b, x.tet, x.place) < std::tie(y.a, y.b, y.tet, y.place);
    });
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (i == 0 || edges[i].a != edges[i - 1].a || edges[i].b != edges[i - 1].b)
            out.rest.push_back(0.5 * (mesh.rest[edges[i].a] + mesh.rest[edges[i].b]));
        out.tets[edges[i].tet][edges[i].place] = out.node_count() - 1;
    }
    return out;
}

TetMesh linear_pieces(const QuadraticMesh& mesh) {
    // Four corner tets, and the octahedron of the middles cut along the diagonal 6–7 (middles of 03 and 12).
    static constexpr std::array<Tet, 8> pieces{{{0, 4, 5, 6},
                                                {4, 1, 7, 8},
                                                {5, 7, 2, 9},
                                                {6, 8, 9, 3},
                                                {6, 7, 4, 8},
                                                {6, 7, 8, 9},
                                                {6, 7, 9, 5},
                                                {6, 7, 5, 4}}};
    TetMesh out;
    out.rest = mesh.rest;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (const Tet& piece : pieces) {
            out.tets.push_back(
                {mesh.tets[t][piece[0]], mesh.tets[t][piece[1]], mesh.tets[t][piece[2]], mesh.tets[t][piece[3]]});
            if (!mesh.region.empty()) out.region.push_back(mesh.region[t]);
        }
    orient_tets(out);
    return out;
}

}  // namespace pliant
