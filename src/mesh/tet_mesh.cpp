#include "pliant/mesh/tet_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "pliant/core/union_find.hpp"
#include "pliant/mesh/lists.hpp"

namespace pliant {

namespace {

/// A tet's use of a face whose lowest node is known.
struct FaceUse {
    std::uint64_t others;  // the middle and the highest node
    int tet, face;
    bool operator<(const FaceUse& b) const { return others != b.others ? others < b.others : tet < b.tet; }
};

}  // namespace

double total_volume(const std::vector<Vec3>& x, const std::vector<Tet>& tets) {
    double sum = 0;
    for (const Tet& t : tets) sum += signed_volume(x, t);
    return sum;
}

std::vector<std::array<int, 4>> tet_neighbours(const std::vector<Tet>& tets) {
    std::vector<std::array<int, 4>> neighbours(tets.size(), {-1, -1, -1, -1});
    int nodes = 0;
    for (const Tet& t : tets) nodes = std::max(nodes, 1 + *std::max_element(t.begin(), t.end()));
    const Lists<int> corners = corners_round_nodes(nodes, tets);
    std::vector<FaceUse> uses;
    for (int node = 0; node < nodes; ++node) {
        uses.clear();
        for (int i = corners.begin[node]; i < corners.begin[node + 1]; ++i) {
            const int t = corners.items[i] / 4, a = corners.items[i] % 4;
            // Of the faces that have the corner, those in which it is the lowest: the other two are b and c.
            const auto above = [&](int b) { return tets[t][b] > node || (tets[t][b] == node && b > a); };
            for (int f = 0; f < 4; ++f) {
                if (f == a) continue;
                const int b = a != 0 && f != 0 ? 0 : a != 1 && f != 1 ? 1 : 2, c = 6 - a - f - b;
                if (!above(b) || !above(c)) continue;
                const auto [middle, high] = std::minmax(tets[t][b], tets[t][c]);
                uses.push_back({packed(middle, high), t, f});
            }
        }
        std::sort(uses.begin(), uses.end());
        for (std::size_t k = 0; k + 1 < uses.size(); ++k) {
            const FaceUse &use = uses[k], &next = uses[k + 1];
            if (next.others != use.others) continue;
            neighbours[use.tet][use.face] = next.tet;
            neighbours[next.tet][next.face] = use.tet;
            ++k;
        }
    }
    return neighbours;
}

BoundarySurface boundary_surface(const TetMesh& mesh) {
    const auto neighbours = tet_neighbours(mesh.tets);
    BoundarySurface out;
    std::vector<int> index(mesh.rest.size(), -1);
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (int f = 0; f < 4; ++f) {
            if (neighbours[t][f] >= 0) continue;
            Tri triangle;
            for (int k = 0; k < 3; ++k) {
                const int node = mesh.tets[t][tet_faces[f][k]];
                if (index[node] < 0) {
                    index[node] = static_cast<int>(out.node.size());
                    out.node.push_back(node);
                    out.surface.points.push_back(mesh.rest[node]);
                }
                triangle[k] = index[node];
            }
            out.surface.triangles.push_back(triangle);
        }
    return out;
}

int connected_pieces(const std::vector<Tet>& tets) {
    std::vector<int> label;
    return connected_pieces(tet_neighbours(tets), label);
}

int connected_pieces(TetNeighbours neighbours, std::vector<int>& label) {
    label.assign(neighbours.size(), -1);
    std::vector<int> stack;
    int count = 0;
    for (std::size_t seed = 0; seed < neighbours.size(); ++seed) {
        if (label[seed] >= 0) continue;
        label[seed] = count;
        stack.assign(1, static_cast<int>(seed));
        while (!stack.empty()) {
            const int t = stack.back();
            stack.pop_back();
            for (int n : neighbours[t])
                if (n >= 0 && label[n] < 0) label[n] = count, stack.push_back(n);
        }
        ++count;
    }
    return count;
}

std::vector<int> linked_tets(const std::vector<Tet>& tets, std::span<const int> group) {
    const auto group_of = [&](std::size_t t) { return group.empty() ? static_cast<int>(t) : group[t]; };
    const int groups =
        group.empty() ? static_cast<int>(tets.size()) : 1 + *std::max_element(group.begin(), group.end());
    UnionFind sets(groups);
    std::vector<int> seen, number;
    for (std::size_t t = 0; groups > 1 && t < tets.size(); ++t)
        for (int node : tets[t]) {
            if (node >= static_cast<int>(seen.size())) seen.resize(node + 1, -1);
            if (seen[node] >= 0 && seen[node] != group_of(t)) sets.join(seen[node], group_of(t));
            seen[node] = group_of(t);
        }
    if (sets.number(number) == 1) return {};
    std::vector<int> linked(tets.size());
    for (std::size_t t = 0; t < tets.size(); ++t) linked[t] = number[group_of(t)];
    return linked;
}

int orient_tets(TetMesh& mesh) {
    int turned = 0;
    for (Tet& t : mesh.tets)
        if (signed_volume(mesh.rest, t) < 0) std::swap(t[2], t[3]), ++turned;
    return turned;
}

std::vector<double> tet_quality(const std::vector<Vec3>& x, const std::vector<Tet>& tets) {
    std::vector<double> quality;
    quality.reserve(tets.size());
    for (const Tet& t : tets) {
        double squares = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = i + 1; j < 4; ++j) squares += (x[t[i]] - x[t[j]]).squaredNorm();
        const double rms = std::sqrt(squares / 6);
        quality.push_back(rms > 0 ? 6 * std::sqrt(2.0) * signed_volume(x, t) / (rms * rms * rms) : 0.0);
    }
    return quality;
}

}  // namespace pliant
