#include "pliant/mesh/tet_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace pliant {

namespace {

/// A tet's use of a face, listed by the face's lowest node.
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
    const auto sorted = [](const Tet& t, const std::array<int, 3>& corner) {
        int a = t[corner[0]], b = t[corner[1]], c = t[corner[2]];
        if (a > b) std::swap(a, b);
        if (b > c) std::swap(b, c);
        if (a > b) std::swap(a, b);
        return std::array<int, 3>{a, b, c};
    };
    // From the counts to where each node's faces end, and by filling from the end to where they begin.
    std::vector<int> start(nodes + 1, 0);
    for (const Tet& t : tets)
        for (const auto& corner : tet_faces) ++start[sorted(t, corner)[0]];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<FaceUse> uses(4 * tets.size());
    for (int t = static_cast<int>(tets.size()); t-- > 0;)
        for (int f = 4; f-- > 0;) {
            const auto [low, middle, high] = sorted(tets[t], tet_faces[f]);
            uses[--start[low]] = {static_cast<std::uint64_t>(middle) << 32 | static_cast<std::uint32_t>(high), t, f};
        }
    for (int node = 0; node < nodes; ++node) {
        const auto begin = uses.begin() + start[node], end = uses.begin() + start[node + 1];
        std::sort(begin, end);
        for (auto use = begin; use != end; ++use) {
            const auto next = use + 1;
            if (next == end || next->others != use->others) continue;
            neighbours[use->tet][use->face] = next->tet;
            neighbours[next->tet][next->face] = use->tet;
            use = next;
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
