#include "pliant/remesh/remesh.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pliant/core/error.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/core/union_find.hpp"
#include "pliant/meshing/surface_topology.hpp"
#include "pliant/remesh/contents.hpp"
#include "pliant/remesh/transfer.hpp"

namespace pliant {

namespace {

/// log(Fe Feᵀ), finite for flat elements too: stretches count between 1/e⁴ and e⁴.
Mat3 log_stretch(const Mat3& elastic) {
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(elastic * elastic.transpose());
    const Vec3 log = axes.eigenvalues().cwiseMax(std::exp(-8.0)).cwiseMin(std::exp(8.0)).array().log();
    return axes.eigenvectors() * log.asDiagonal() * axes.eigenvectors().transpose();
}

Mat3 exponential(const Mat3& symmetric) {
    const Eigen::SelfAdjointEigenSolver<Mat3> axes(symmetric);
    return axes.eigenvectors() * axes.eigenvalues().array().exp().matrix().asDiagonal() *
           axes.eigenvectors().transpose();
}

MeshEdit edit_of(const RemeshInput& body, TetMesh& mesh, std::vector<std::vector<Parent>> nodes,
                 std::vector<std::vector<Parent>> tets) {
    MeshEdit edit;
    const int first = static_cast<int>(body.x.size());
    edit.removed_tets.resize(body.tets.size());
    std::iota(edit.removed_tets.begin(), edit.removed_tets.end(), 0);
    edit.removed_nodes.resize(body.x.size());
    std::iota(edit.removed_nodes.begin(), edit.removed_nodes.end(), 0);
    edit.new_nodes.reserve(nodes.size()), edit.new_tets.reserve(tets.size());
    for (std::vector<Parent>& parents : nodes) edit.new_nodes.push_back({std::move(parents)});
    for (std::size_t t = 0; t < tets.size(); ++t) {
        Tet links = mesh.tets[t];
        for (int& node : links) node += first;
        edit.new_tets.push_back({links, std::move(tets[t])});
    }
    edit.new_rest = std::move(mesh.rest);
    return edit;
}

}  // namespace

Embedding embed_in(const IndexedLattice& lattice, std::span<const Vec3> points, Threads& threads) {
    const TetMesh& mesh = lattice.lattice.mesh;
    Embedding out;
    out.tet.resize(points.size()), out.weight.resize(points.size());
    parallel_for(threads, points.size(), 1024, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const int t = lattice.lookup.tet_at(points[i]);
            // By rounding, a vertex on a face may be found beyond it, where the lattice has no tet.
            if (t < 0) {
                const Point near = embed_point(mesh, points[i]);
                out.tet[i] = near.element, out.weight[i] = near.weight;
                continue;
            }
            const Tet& tet = mesh.tets[t];
            Mat3 edges;
            for (int k = 0; k < 3; ++k) edges.col(k) = mesh.rest[tet[k + 1]] - mesh.rest[tet[0]];
            const Vec3 w = edges.inverse() * (points[i] - mesh.rest[tet[0]]);
            out.tet[i] = t, out.weight[i] = {1 - w.sum(), w[0], w[1], w[2]};
        }
    });
    return out;
}

namespace {

/// A part of the surface, and what is laid below it.
struct LaidPart {
    std::vector<int> vertex;   ///< of the whole surface
    std::vector<char> counts;  ///< per old tet; empty: all
    int group = 0;             ///< parts that share pieces share their mass
    TetMesh mesh;
    Embedding embedding;
    std::vector<std::vector<Parent>> tets, nodes;
    std::vector<TetContent> contents;
};

void lay(LaidPart& part, const RemeshInput& body, const TriMesh& surface, double cell, Threads& threads) {
    IndexedLattice lattice = indexed_lattice(surface, cell, threads);
    const DeformedMesh old{body.tets, body.x, body.content, std::move(part.counts)};
    part.embedding = embed_in(lattice, surface.points, threads);
    part.tets = tet_parents(old, lattice, threads);
    part.nodes = node_parents(old, lattice, threads);
    part.contents = lattice_contents(lattice, surface, threads);
    part.mesh = std::move(lattice.lattice.mesh);
}

/// One part, or those of a body that may break. Drops smaller than a cell get smaller cells, so that they are not lost
/// in what a node weighs at least.
std::vector<LaidPart> lay_parts(const RemeshInput& body, double cell, std::vector<double>& group_mass,
                                Threads& threads) {
    if (body.piece.empty()) {
        std::vector<LaidPart> whole(1);
        group_mass = {body.mass};
        lay(whole[0], body, body.surface, cell, threads);
        return whole;
    }
    int count = 0;
    const std::vector<int> part_of = surface_parts(body.surface, count);
    const int pieces = static_cast<int>(body.piece_mass.size());
    UnionFind linked(pieces + count);
    for (std::size_t v = 0; v < part_of.size(); ++v)
        if (body.vertex_piece[v] >= 0) linked.join(body.vertex_piece[v], pieces + part_of[v]);
    // Pieces of which no surface is left give what they weigh to the largest part.
    std::vector<int> vertices(count, 0);
    for (int p : part_of) ++vertices[p];
    const int largest = static_cast<int>(std::ranges::max_element(vertices) - vertices.begin());
    std::vector<char> seen(pieces, 0);
    for (int piece : body.vertex_piece)
        if (piece >= 0) seen[piece] = 1;
    for (int p = 0; p < pieces; ++p)
        if (!seen[p]) linked.join(p, pieces + largest);
    std::vector<int> group;
    group_mass.assign(linked.number(group), 0);
    for (int p = 0; p < pieces; ++p) group_mass[group[p]] += body.piece_mass[p];
    std::vector<LaidPart> parts(count);
    std::vector<TriMesh> surface(count);
    std::vector<int> number(part_of.size());
    for (std::size_t v = 0; v < part_of.size(); ++v) {
        LaidPart& part = parts[part_of[v]];
        number[v] = static_cast<int>(part.vertex.size());
        part.vertex.push_back(static_cast<int>(v));
        surface[part_of[v]].points.push_back(body.surface.points[v]);
    }
    for (const Tri& t : body.surface.triangles)
        surface[part_of[t[0]]].triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
    for (int p = 0; p < count; ++p) {
        LaidPart& part = parts[p];
        part.group = group[pieces + p];
        std::vector<char> mine(pieces, 0);
        for (int v : part.vertex)
            if (body.vertex_piece[v] >= 0) mine[body.vertex_piece[v]] = 1;
        part.counts.resize(body.tets.size());
        bool some = false;
        for (std::size_t t = 0; t < part.counts.size(); ++t)
            part.counts[t] = mine[body.piece[t]], some = some || part.counts[t];
        CHECK(some, p, count);
        lay(part, body, surface[p], std::min(cell, 0.5 * surface[p].bounds().size().maxCoeff()), threads);
    }
    return parts;
}

/// Puts the meshes of all parts behind each other, and hangs the vertices on them.
LaidPart joined(std::vector<LaidPart> parts, std::size_t vertices, std::vector<int>& group) {
    group.assign(parts[0].mesh.tets.size(), parts[0].group);
    if (parts.size() == 1) return std::move(parts[0]);
    LaidPart all;
    group.clear();
    all.embedding.tet.resize(vertices), all.embedding.weight.resize(vertices);
    for (LaidPart& part : parts) {
        const int first_node = all.mesh.node_count(), first_tet = all.mesh.tet_count();
        for (std::size_t i = 0; i < part.vertex.size(); ++i) {
            all.embedding.tet[part.vertex[i]] = first_tet + part.embedding.tet[i];
            all.embedding.weight[part.vertex[i]] = part.embedding.weight[i];
        }
        for (Tet tet : part.mesh.tets) {
            for (int& node : tet) node += first_node;
            all.mesh.tets.push_back(tet), group.push_back(part.group);
        }
        const auto append = [](auto& to, auto& from) {
            to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
        };
        append(all.mesh.rest, part.mesh.rest);
        append(all.tets, part.tets), append(all.nodes, part.nodes), append(all.contents, part.contents);
    }
    return all;
}

}  // namespace

Remeshed remesh(const RemeshInput& body, double cell, Threads& threads) {
    std::vector<double> group_mass;
    std::vector<int> group;
    LaidPart laid = joined(lay_parts(body, cell, group_mass, threads), body.surface.points.size(), group);
    TetMesh& mesh = laid.mesh;
    const std::vector<TetContent>& contents = laid.contents;
    Remeshed out;
    out.embedding = std::move(laid.embedding);
    std::vector<Mat3> log(body.elastic.size());
    parallel_for(threads, log.size(), 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) log[t] = log_stretch(body.elastic[t]);
    });
    const std::size_t tets = mesh.tets.size();
    std::vector<double> volume(tets), mass(tets);  // of the material, free of stress
    out.shape.resize(tets);
    parallel_for(threads, tets, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            Mat3 mean = Mat3::Zero();
            double density = 0, expansion = 0;  // 1/det Fe
            for (const Parent& p : laid.tets[t]) {
                mean += p.weight * log[p.index], density += p.weight * body.density[p.index];
                expansion += p.weight * std::exp(-0.5 * log[p.index].trace());
            }
            mean -= (mean.trace() + 2 * std::log(expansion)) / 3 * Mat3::Identity();
            out.shape[t] = exponential(-0.5 * mean);
            volume[t] = contents[t].volume * expansion;  // eq. 5: V/det Fe
            mass[t] = density * volume[t];
        }
    });
    out.volume = std::accumulate(volume.begin(), volume.end(), 0.0);
    std::vector<double> found(group_mass.size(), 0);
    for (std::size_t t = 0; t < tets; ++t) found[group[t]] += mass[t];
    out.carried.resize(tets);
    for (std::size_t t = 0; t < tets; ++t) {
        const double kept = group_mass[group[t]] / found[group[t]];
        out.shape[t] *= std::cbrt(kept);
        const Vec4 center = contents[t].center.cwiseMax(0.0);  // outside by rounding at most
        const double share = kept * volume[t] / signed_volume(mesh.rest, mesh.tets[t]) / center.sum();
        for (int a = 0; a < 4; ++a) out.carried[t][a] = share * center[a];
    }
    out.edit = edit_of(body, mesh, std::move(laid.nodes), std::move(laid.tets));
    return out;
}

double condition_number(const Mat3& F) {
    const double determinant = F.determinant();
    if (!(determinant > 0)) return std::numeric_limits<double>::infinity();
    Mat3 cofactor;  // F⁻ᵀ det F
    for (int k = 0; k < 3; ++k) cofactor.col(k) = F.col((k + 1) % 3).cross(F.col((k + 2) % 3));
    return F.norm() * cofactor.norm() / (3 * determinant);
}

}  // namespace pliant
