#include "pliant/meshing/voronoi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/core/error.hpp"
#include "pliant/geometry/clip.hpp"
#include "pliant/geometry/point_tree.hpp"
#include "pliant/meshing/voronoi_faces.hpp"
#include "pliant/meshing/voronoi_piece.hpp"

namespace pliant {

namespace {

constexpr std::size_t chunk_tets = 256;
constexpr std::size_t first_neighbours = 24;  // a lattice node has 14; more are looked up where they are not enough

using Found = PointTree::Found;

/// Other sites by their distance from one site. Bisectors are tried in this order in every tet, so that the parts of
/// one cell on either side of a tet's face are cut by the same planes in the same order.
class Neighbours {
public:
    Neighbours(std::span<const Vec3> sites, Threads& threads)
        : sites_(sites), tree_(sites), each_(std::min(first_neighbours + 1, sites.size())) {
        nearest_.resize(each_ * sites.size());
        parallel_for(threads, sites.size(), 256, [&](std::size_t begin, std::size_t end) {
            std::vector<Found> found;
            for (std::size_t i = begin; i < end; ++i) {
                tree_.nearest(sites_[i], each_, found);
                std::ranges::copy(found, nearest_.begin() + static_cast<std::ptrdiff_t>(i * each_));
            }
        });
    }
    const PointTree& tree() const { return tree_; }
    std::span<const Found> first(int site) const { return std::span(nearest_).subspan(site * each_, each_); }
    /// Four times as many as `have`.
    void more(int site, std::size_t have, std::vector<Found>& found) const {
        tree_.nearest(sites_[site], std::min(4 * have, sites_.size()), found);
    }
    std::size_t sites() const { return sites_.size(); }

private:
    std::span<const Vec3> sites_;
    PointTree tree_;
    std::size_t each_;
    std::vector<Found> nearest_;
};

/// |x−site|² at the corners of a tet; one value per node and site, whichever tet asks.
CornerValues distances(const std::array<Vec3, 4>& x, const Vec3& site) {
    CornerValues s;
    for (int i = 0; i < 4; ++i) s[i] = (x[i] - site).squaredNorm();
    return s;
}

/// Differences within rounding are ties: lattices are full of them, and noise there would make specks of faces.
CornerValues difference(const CornerValues& other, const CornerValues& own) {
    constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
    CornerValues d;
    for (int i = 0; i < 4; ++i) {
        d[i] = other[i] - own[i];
        if (std::abs(d[i]) <= rounding * std::max(other[i], own[i])) d[i] = 0;
    }
    return d;
}

/// The cells within one tet after the other.
class TetCells {
public:
    TetCells(const TetMesh& mesh, std::span<const Vec3> sites, const Neighbours& neighbours)
        : mesh_(mesh), sites_(sites), neighbours_(neighbours) {}

    std::vector<std::pair<int, double>> volumes;  ///< site and its volume within a tet
    FaceParts faces;

    void split(int tet, const std::array<int, 4>& across, const std::vector<int>& owner);

private:
    int cut_cell(int site);
    void add_faces(int tet, int site, const std::array<int, 4>& across);

    const TetMesh& mesh_;
    std::span<const Vec3> sites_;
    const Neighbours& neighbours_;
    PieceCutter cutter_;
    VoronoiPiece piece_;
    std::array<int, 4> order_{};
    std::array<Vec3, 4> x_;  // corners by ascending node
    std::vector<int> found_;
    std::vector<Found> more_;
    std::vector<Vec3> position_;
};

void TetCells::split(int tet, const std::array<int, 4>& across, const std::vector<int>& owner) {
    const Tet& nodes = mesh_.tets[tet];
    order_ = sorted_order(nodes);
    for (int i = 0; i < 4; ++i) x_[order_[i]] = mesh_.rest[nodes[i]];
    const double volume = signed_volume(mesh_.rest, nodes);
    // A tet is connected, so its cells are connected by faces: who follows the faces from one cell meets all.
    found_.clear();
    auto add = [&](int site) {
        if (std::ranges::find(found_, site) == found_.end()) found_.push_back(site);
    };
    for (int node : nodes) add(owner[node]);
    double covered = 0;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const int site = found_[i];
        const int victor = cut_cell(site);
        if (victor >= 0) {
            add(victor);
            continue;
        }
        const double part = fraction(piece_, order_);
        covered += part;
        volumes.emplace_back(site, part * volume);
        for (int label : piece_.label)
            if (label >= 0) add(label);
        add_faces(tet, site, across);
    }
    CHECK(std::abs(covered - 1) < 1e-9, tet, covered, found_.size());
}

/// The piece of a site; where nothing is left of it, the site that took the last of it, else -1.
int TetCells::cut_cell(int site) {
    cutter_.start(piece_, order_);
    const CornerValues own = distances(x_, sites_[site]);
    const Vec3& centre = sites_[site];
    std::array<Vec3, 4> arm;
    for (int i = 0; i < 4; ++i) arm[i] = x_[i] - centre;
    // Sites twice as far off as the farthest vertex of the piece cannot cut it.
    auto reach2 = [&] {
        double farthest2 = 0;
        for (const CornerValues& w : piece_.weight)
            farthest2 =
                std::max(farthest2, (w[0] * arm[0] + w[1] * arm[1] + w[2] * arm[2] + w[3] * arm[3]).squaredNorm());
        return 4 * farthest2 * (1 + 1e-6);
    };
    double reach = reach2();
    std::span<const Found> near = neighbours_.first(site);
    for (std::size_t i = 0;; ++i) {
        if (i == near.size()) {
            if (i == neighbours_.sites()) return -1;
            neighbours_.more(site, i, more_);
            near = more_;
        }
        const int other = near[i].point;
        if (other == site) continue;
        if (near[i].distance2 > reach) return -1;
        const CornerValues d = difference(distances(x_, sites_[other]), own);
        const bool keep_zero = site < other;
        if (d[0] > 0 && d[1] > 0 && d[2] > 0 && d[3] > 0) continue;
        if (!cutter_.cut(piece_, d, keep_zero, other)) continue;
        if (piece_.empty()) return other;
        reach = reach2();
    }
}

void TetCells::add_faces(int tet, int site, const std::array<int, 4>& across) {
    // Relative to a corner, so that a body far from the origin loses no digits.
    std::array<Vec3, 4> arm;
    for (int i = 0; i < 4; ++i) arm[i] = x_[i] - x_[0];
    position_.clear();
    for (const CornerValues& w : piece_.weight) position_.push_back(w[1] * arm[1] + w[2] * arm[2] + w[3] * arm[3]);
    for (std::size_t f = 0; f < piece_.faces(); ++f) {
        // A face between two cells is taken from the lower one's piece, for both.
        const int label = piece_.label[f];
        if (label >= 0 ? label < site : across[~label] >= 0) continue;
        const auto loop =
            std::span(piece_.loop).subspan(piece_.loop_begin[f], piece_.loop_begin[f + 1] - piece_.loop_begin[f]);
        FacePart part{site,         std::max(label, -1), tet, faces.corners.size(), static_cast<int>(loop.size()),
                      Vec3::Zero(), Vec3::Zero()};
        const Vec3& first = position_[loop[0]];
        Vec3 moment = Vec3::Zero();
        double size = 0;
        for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
            const Vec3 u = position_[loop[i]] - first, v = position_[loop[i + 1]] - first;
            const Vec3 twice = u.cross(v);
            const double s = twice.norm();
            part.area += 0.5 * twice;
            moment += s * (u + v);
            size += s;
        }
        part.centre = x_[0] + first;
        if (size > 0) part.centre += moment / (3 * size);
        for (int v : loop) faces.corners.push_back(piece_.weight[v]);
        faces.parts.push_back(part);
    }
}

}  // namespace

std::array<int, 4> sorted_order(const Tet& tet) {
    std::array<int, 4> order{};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) order[i] += tet[j] < tet[i];
    return order;
}

BoundedVoronoi bounded_voronoi(const TetMesh& mesh, std::span<const Vec3> sites, Threads& threads) {
    BoundedVoronoi result;
    result.volume.assign(sites.size(), 0);
    result.polygon_begin.assign(1, 0);
    if (mesh.tets.empty() || sites.empty()) return result;
    const Neighbours neighbours(sites, threads);
    std::vector<int> owner(mesh.rest.size());
    parallel_for(threads, mesh.rest.size(), 1024, [&](std::size_t begin, std::size_t end) {
        std::vector<Found> found;
        for (std::size_t i = begin; i < end; ++i) {
            neighbours.tree().nearest(mesh.rest[i], 1, found);
            owner[i] = found[0].point;
        }
    });
    const auto across = tet_neighbours(mesh.tets);
    const std::size_t chunks = (mesh.tets.size() + chunk_tets - 1) / chunk_tets;
    std::vector<std::vector<std::pair<int, double>>> volumes(chunks);
    std::vector<FaceParts> faces(chunks);
    parallel_for(threads, mesh.tets.size(), chunk_tets, [&](std::size_t begin, std::size_t end) {
        TetCells cells(mesh, sites, neighbours);
        for (std::size_t t = begin; t < end; ++t) cells.split(static_cast<int>(t), across[t], owner);
        volumes[begin / chunk_tets] = std::move(cells.volumes);
        faces[begin / chunk_tets] = std::move(cells.faces);
    });
    for (const auto& chunk : volumes)
        for (const auto& [site, volume] : chunk) result.volume[site] += volume;
    // A cell's true volume is never negative; a speck that rounding made so counts as none.
    for (double& v : result.volume) v = std::max(v, 0.0);
    join_faces(mesh, faces, sites.size(), threads, result);
    return result;
}

ParticleStructure structure_without_cells(const TetMesh& mesh) {
    ParticleStructure structure;
    structure.rest = mesh.rest;
    structure.tets = mesh.tets;
    structure.volume.assign(mesh.rest.size(), 0);
    structure.polygon_begin.assign(1, 0);
    for (const Tet& t : mesh.tets)
        for (const auto& [i, j] : tet_edges) structure.edges.push_back({std::min(t[i], t[j]), std::max(t[i], t[j])});
    std::ranges::sort(structure.edges);
    structure.edges.erase(std::unique(structure.edges.begin(), structure.edges.end()), structure.edges.end());
    const BoundarySurface boundary = boundary_surface(mesh);
    for (const Tri& t : boundary.surface.triangles)
        structure.boundary.push_back({boundary.node[t[0]], boundary.node[t[1]], boundary.node[t[2]]});
    return structure;
}

ParticleStructure particle_structure(const TetMesh& mesh, Threads& threads) {
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        if (!(signed_volume(mesh.rest, mesh.tets[t]) > 0))
            throw UserError("tet " + std::to_string(t) + " is flat or inverted, so its particles have no cells", {},
                            "Mesh the body again, or repair the mesh with pliant convert");
    ParticleStructure structure = structure_without_cells(mesh);
    BoundedVoronoi cells = bounded_voronoi(mesh, mesh.rest, threads);
    structure.volume = std::move(cells.volume);
    structure.faces = std::move(cells.faces);
    structure.polygon_begin = std::move(cells.polygon_begin);
    structure.polygon = std::move(cells.polygon);
    return structure;
}

}  // namespace pliant
