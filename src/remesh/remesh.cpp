#include "pliant/remesh/remesh.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pliant/core/threads.hpp"
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

Remeshed remesh(const RemeshInput& body, double cell, Threads& threads) {
    IndexedLattice lattice = indexed_lattice(body.surface, cell, threads);
    TetMesh& mesh = lattice.lattice.mesh;
    const DeformedMesh old{body.tets, body.x, body.content};
    Remeshed out;
    out.embedding = embed_in(lattice, body.surface.points, threads);
    std::vector<std::vector<Parent>> parents = tet_parents(old, lattice, threads);
    const std::vector<TetContent> contents = lattice_contents(lattice, body.surface, threads);

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
            for (const Parent& p : parents[t]) {
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
    const double kept = body.mass / std::accumulate(mass.begin(), mass.end(), 0.0);
    out.carried.resize(tets);
    const double stretch = std::cbrt(kept);
    for (std::size_t t = 0; t < tets; ++t) {
        out.shape[t] *= stretch;
        const Vec4 center = contents[t].center.cwiseMax(0.0);  // outside by rounding at most
        const double share = kept * volume[t] / signed_volume(mesh.rest, mesh.tets[t]) / center.sum();
        for (int a = 0; a < 4; ++a) out.carried[t][a] = share * center[a];
    }
    std::vector<std::vector<Parent>> nodes = node_parents(old, lattice, threads);
    out.edit = edit_of(body, mesh, std::move(nodes), std::move(parents));
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
