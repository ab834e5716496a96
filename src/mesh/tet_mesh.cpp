#include "pliant/mesh/tet_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {

namespace {

struct FaceUse {
    std::array<int, 3> nodes;  // sorted
    int tet, face;
    bool operator<(const FaceUse& b) const { return nodes != b.nodes ? nodes < b.nodes : tet < b.tet; }
};

std::vector<FaceUse> sorted_faces(const std::vector<Tet>& tets) {
    std::vector<FaceUse> faces;
    faces.reserve(4 * tets.size());
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (int f = 0; f < 4; ++f) {
            const auto& corner = tet_faces[f];
            std::array<int, 3> nodes{tets[t][corner[0]], tets[t][corner[1]], tets[t][corner[2]]};
            std::sort(nodes.begin(), nodes.end());
            faces.push_back({nodes, static_cast<int>(t), f});
        }
    std::sort(faces.begin(), faces.end());
    return faces;
}

}  // namespace

double total_volume(const std::vector<Vec3>& x, const std::vector<Tet>& tets) {
    double sum = 0;
    for (const Tet& t : tets) sum += signed_volume(x, t);
    return sum;
}

std::vector<std::array<int, 4>> tet_neighbours(const std::vector<Tet>& tets) {
    std::vector<std::array<int, 4>> neighbours(tets.size(), {-1, -1, -1, -1});
    const std::vector<FaceUse> faces = sorted_faces(tets);
    for (std::size_t i = 0; i + 1 < faces.size(); ++i)
        if (faces[i].nodes == faces[i + 1].nodes) {
            neighbours[faces[i].tet][faces[i].face] = faces[i + 1].tet;
            neighbours[faces[i + 1].tet][faces[i + 1].face] = faces[i].tet;
            ++i;
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

int connected_pieces(std::span<const std::array<int, 4>> neighbours, std::vector<int>& label) {
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
    std::vector<int> root(groups), seen;
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int i) {
        while (root[i] != i) i = root[i] = root[root[i]];
        return i;
    };
    for (std::size_t t = 0; groups > 1 && t < tets.size(); ++t)
        for (int node : tets[t]) {
            if (node >= static_cast<int>(seen.size())) seen.resize(node + 1, -1);
            if (seen[node] >= 0 && seen[node] != group_of(t)) {
                const int a = find(seen[node]), b = find(group_of(t));
                root[std::max(a, b)] = std::min(a, b);
            }
            seen[node] = group_of(t);
        }
    int count = 0;
    for (int i = 0; i < groups; ++i) root[i] = root[i] == i ? count++ : root[root[i]];
    if (count == 1) return {};
    std::vector<int> linked(tets.size());
    for (std::size_t t = 0; t < tets.size(); ++t) linked[t] = root[group_of(t)];
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
