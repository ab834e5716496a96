#include "pliant/remesh/transfer.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/core/threads.hpp"
#include "pliant/geometry/tet_overlap.hpp"

namespace pliant {

namespace {

constexpr std::size_t tets_at_once = 128;

/// A share of an old item in a new one.
struct Share {
    int to;
    Parent from;
};

/// Calls find(old tet, list) for all old tets, several at a time, and returns the lists behind each other.
template <class Find>
std::vector<Share> shares_of(const DeformedMesh& old, Threads& threads, Find&& find) {
    std::vector<std::vector<Share>> chunks((old.tets.size() + tets_at_once - 1) / tets_at_once);
    parallel_for(threads, old.tets.size(), tets_at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t)
            if (old.may_be_parent(static_cast<int>(t))) find(static_cast<int>(t), chunks[begin / tets_at_once]);
    });
    std::vector<Share> all;
    for (const std::vector<Share>& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
    return all;
}

Box box_of(const DeformedMesh& old, int tet) {
    Box box;
    for (int node : old.tets[tet]) box.add(old.x[node]);
    return box;
}

/// Barycentric weights of p in an old tet; not finite in a flat one.
Vec4 weights_in(const DeformedMesh& old, int tet, const Vec3& p) {
    const Tet& t = old.tets[tet];
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = old.x[t[k + 1]] - old.x[t[0]];
    const Vec3 w = edges.inverse() * (p - old.x[t[0]]);
    return {1 - w.sum(), w[0], w[1], w[2]};
}

std::vector<std::vector<int>> neighbours(const TetMesh& mesh) {
    std::vector<std::vector<int>> near(mesh.rest.size());
    for (const Tet& tet : mesh.tets)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                if (i != j) near[tet[i]].push_back(tet[j]);
    for (std::vector<int>& list : near) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    return near;
}

void normalise(std::vector<Parent>& parents) {
    double sum = 0;
    for (const Parent& p : parents) sum += p.weight;
    for (Parent& p : parents) p.weight /= sum;
}

/// Tets without parents get those of their neighbours, one layer after the other.
void fill_gaps(const TetMesh& mesh, int otherwise, std::vector<std::vector<Parent>>& parents) {
    if (std::ranges::none_of(parents, [](const auto& list) { return list.empty(); })) return;
    const std::vector<std::array<int, 4>> beside = tet_neighbours(mesh.tets);
    for (bool some = true; some;) {
        std::vector<std::pair<int, std::vector<Parent>>> found;
        for (std::size_t t = 0; t < parents.size(); ++t) {
            if (!parents[t].empty()) continue;
            std::vector<Parent> joined;
            for (int n : beside[t])
                if (n >= 0) joined.insert(joined.end(), parents[n].begin(), parents[n].end());
            if (joined.empty()) continue;
            normalise(joined);
            found.emplace_back(static_cast<int>(t), std::move(joined));
        }
        some = !found.empty();
        for (auto& [t, list] : found) parents[t] = std::move(list);
    }
    // A part of the lattice that the old mesh does not reach at all.
    for (auto& list : parents)
        if (list.empty()) list = {{otherwise, 1.0}};
}

}  // namespace

std::vector<std::vector<Parent>> tet_parents(const DeformedMesh& old, const IndexedLattice& lattice, Threads& threads) {
    const TetMesh& mesh = lattice.lattice.mesh;
    const std::vector<Share> shares = shares_of(old, threads, [&](int t, std::vector<Share>& out) {
        lattice.lookup.each_tet(box_of(old, t), [&](int n) {
            const Tet& tet = mesh.tets[n];
            Mat3 edges;
            for (int k = 0; k < 3; ++k) edges.col(k) = mesh.rest[tet[k + 1]] - mesh.rest[tet[0]];
            const Mat3 inverse = edges.inverse();
            std::array<Vec4, 4> corner;
            for (int k = 0; k < 4; ++k) {
                const Vec3 w = inverse * (old.x[old.tets[t][k]] - mesh.rest[tet[0]]);
                corner[k] = {1 - w.sum(), w[0], w[1], w[2]};
            }
            // All tets of a lattice have the same volume.
            const double share = overlap_share(corner);
            if (share > 0) out.push_back({n, {t, share * old.content[t]}});
        });
    });
    std::vector<std::vector<Parent>> parents(mesh.tets.size());
    for (const Share& share : shares) parents[share.to].push_back(share.from);
    for (std::vector<Parent>& list : parents)
        if (!list.empty()) normalise(list);
    fill_gaps(mesh, old.first_parent(), parents);
    return parents;
}

std::vector<std::vector<Parent>> node_parents(const DeformedMesh& old, const IndexedLattice& lattice,
                                              Threads& threads) {
    const TetMesh& mesh = lattice.lattice.mesh;
    // Old tets that contain the node, by how far it is inside.
    const std::vector<Share> shares = shares_of(old, threads, [&](int t, std::vector<Share>& out) {
        lattice.lookup.each_node(box_of(old, t), [&](int n) {
            const Vec4 w = weights_in(old, t, mesh.rest[n]);
            constexpr double slack = -1e-9;  // on a face that two tets share, rounding may put it outside both
            if (w.allFinite() && w.minCoeff() >= slack) out.push_back({n, {t, w.minCoeff()}});
        });
    });
    std::vector<int> home(mesh.rest.size(), -1);
    std::vector<double> depth(mesh.rest.size(), -1);
    for (const Share& share : shares)
        if (share.from.weight > depth[share.to]) depth[share.to] = share.from.weight, home[share.to] = share.from.index;

    // The others, one layer after the other: of the old tets that their neighbours took, the one that comes nearest.
    const std::vector<std::vector<int>> near = neighbours(mesh);
    for (bool some = true; some;) {
        std::vector<std::pair<int, int>> found;
        for (int n = 0; n < mesh.node_count(); ++n) {
            if (home[n] >= 0) continue;
            double best = -std::numeric_limits<double>::infinity();
            int chosen = -1;
            for (int other : near[n]) {
                if (home[other] < 0) continue;
                const Vec4 w = weights_in(old, home[other], mesh.rest[n]);
                if (w.allFinite() && w.minCoeff() > best) best = w.minCoeff(), chosen = home[other];
            }
            if (chosen >= 0) found.emplace_back(n, chosen);
        }
        some = !found.empty();
        for (const auto& [n, tet] : found) home[n] = tet;
    }

    std::vector<std::vector<Parent>> parents(mesh.rest.size());
    const int otherwise = old.first_parent();
    for (int n = 0; n < mesh.node_count(); ++n) {
        const int tet = home[n] >= 0 ? home[n] : otherwise;
        Vec4 w = weights_in(old, tet, mesh.rest[n]);
        if (!w.allFinite()) w = Vec4::Constant(0.25);
        // A weight below −1 would be further out than the tet reaches: towards its centre until none is.
        const double least = w.minCoeff();
        if (least < -1) w = Vec4::Constant(0.25) + (1.25 / (0.25 - least)) * (w - Vec4::Constant(0.25));
        for (int k = 0; k < 4; ++k) parents[n].push_back({old.tets[tet][k], w[k]});
    }
    return parents;
}

}  // namespace pliant
