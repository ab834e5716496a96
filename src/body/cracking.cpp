#include "pliant/body/cracking.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/body/fem_body.hpp"
#include "pliant/body/plastic_flow.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/fracture/separation.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/hooke.hpp"

namespace pliant {

ElementCracks make_element_cracks(const FractureDesc& desc, const TetMesh& mesh) {
    std::vector<double> toughness = desc.strength;
    if (toughness.size() == 1) toughness.assign(mesh.tets.size(), toughness[0]);
    CHECK(toughness.size() == mesh.tets.size(), toughness.size(), mesh.tets.size());
    return {.toughness = flawed_strength(toughness, desc.noise, desc.seed),
            .cut = desc.cut,
            .cracks = desc.splits,
            .planes = desc.planes,
            .smooth = desc.smooth,
            .touch = desc.touch,
            .by_intensity = desc.by_intensity,
            .edge = mean_edges(mesh)};
}

namespace {

/// An element that is nearly flat or turned inside out has no Cauchy stress to speak of.
constexpr double least_volume = 0.05;

Mat3 matrix_of(const Stress6& s) {
    Mat3 m;
    m << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
    return m;
}

/// What the number of an element's toughness is multiplied with at a node, to be a stress. `star`: its elements.
double toughness_factor(const ElementCracks& rule, std::span<const Vec3> rest, int node, std::span<const Tet> star) {
    if (!rule.by_intensity) return 1;
    double sum = 0;
    for (const Tet& tet : star)
        for (int other : tet) sum += (rest[other] - rest[node]).norm();
    return 1 / std::sqrt(2 * M_PI * sum / (3 * static_cast<double>(star.size())));
}

/// The stresses of a step, and who bears them. Cauchy stresses are found for those elements that are asked for.
struct Loads {
    const FemBody& body;
    const ElementCracks& rule;
    std::vector<SplitStress> split;
    std::vector<char> known;

    explicit Loads(const FemBody& of)
        : body(of), rule(*of.cracks), split(of.mesh.tets.size()), known(of.mesh.tets.size(), 0) {}

    /// σ = P Fᵀ / J with P = R T, T: Biot.
    const SplitStress& at(int tet) {
        if (known[tet]) return split[tet];
        known[tet] = 1;
        const Mat3 F = body.solid.deformation_gradient(body.x, tet);
        const double J = F.determinant();
        if (!(J > least_volume)) return split[tet];
        const Mat3 R = body.rotates ? tracked_rotation(F, Quat(body.solid.rotation(tet))).toRotationMatrix()
                                    : Mat3(Mat3::Identity());
        const Mat3 cauchy = R * matrix_of(rule.stress[tet]) * F.transpose() / J;
        return split[tet] = split_stress(0.5 * (cauchy + cauchy.transpose()));
    }

    /// Elastic energy per volume by Hooke's law, J/m³.
    double energy_density(int tet) const {
        const Mat3 T = matrix_of(rule.stress[tet]);
        const auto& [young, poisson, density] = body.material[tet];
        return hooke_energy_by_stress(young, poisson, T.squaredNorm(), T.trace());
    }
};

Vec3 opposite_area(std::span<const Vec3> x, const Tet& tet, int corner) {
    const auto& f = tet_faces[corner];
    return 0.5 * (x[tet[f[1]]] - x[tet[f[0]]]).cross(x[tet[f[2]]] - x[tet[f[0]]]);
}

/// Norms of the Cauchy stresses, or more; then the nodes that may fail, by a bound that needs no eigenvalue.
void find_overloaded(FemBody& body, Threads& threads) {
    ElementCracks& rule = *body.cracks;
    const std::size_t tets = body.mesh.tets.size(), nodes = body.x.size();
    rule.stress.resize(tets), rule.stress_norm.resize(tets), rule.overloaded.resize(nodes);
    elastic_stresses(body, rule.stress, threads);
    parallel_for(threads, tets, 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Mat3 F = body.solid.deformation_gradient(body.x, static_cast<int>(t));
            const double J = F.determinant();
            rule.stress_norm[t] = J > least_volume ? matrix_of(rule.stress[t]).norm() * F.norm() / J : 0;
        }
    });
    parallel_for(threads, nodes, 256, [&](std::size_t begin, std::size_t end) {
        std::vector<Tet> star;
        for (std::size_t i = begin; i < end; ++i) {
            SeparationBound bound;
            star.clear();
            double toughness = std::numeric_limits<double>::infinity();
            for (unsigned corner : body.solid.star(static_cast<int>(i))) {
                const Tet& tet = body.mesh.tets[corner / 4];
                bound.add(opposite_area(body.x, tet, static_cast<int>(corner % 4)), rule.stress_norm[corner / 4]);
                toughness = std::min(toughness, rule.toughness[corner / 4]);
                if (rule.by_intensity) star.push_back(tet);
            }
            const double factor = toughness_factor(rule, body.mesh.rest, static_cast<int>(i), star);
            rule.overloaded[i] = !bound.holds(factor * toughness);
        }
    });
}

struct Failing {
    int node;
    Separation load;
    /// The most loaded first, equal ones by number.
    bool operator<(const Failing& other) const {
        return load.ratio != other.load.ratio ? load.ratio > other.load.ratio : node < other.node;
    }
};

std::vector<Failing> failing_nodes(Loads& loads) {
    const FemBody& body = loads.body;
    std::vector<Failing> failing;
    std::vector<NodeCorner> corners;
    std::vector<Tet> star;
    for (int i = 0; i < body.mesh.node_count(); ++i) {
        if (!loads.rule.overloaded[i]) continue;
        corners.clear(), star.clear();
        for (unsigned corner : body.solid.star(i)) star.push_back(body.mesh.tets[corner / 4]);
        const double factor = toughness_factor(loads.rule, body.mesh.rest, i, star);
        for (unsigned corner : body.solid.star(i)) {
            const int t = static_cast<int>(corner / 4);
            corners.push_back({opposite_area(body.x, body.mesh.tets[t], static_cast<int>(corner % 4)), &loads.at(t),
                               factor * loads.rule.toughness[t]});
        }
        const Separation load = separation_at(corners);
        if (load.ratio > 1) failing.push_back({i, load});
    }
    std::sort(failing.begin(), failing.end());
    return failing;
}

Separation load_at(const CrackMesh& mesh, int node, Loads& loads) {
    std::vector<NodeCorner> corners;
    std::vector<Tet> star;
    for (int t : mesh.star(node)) star.push_back(mesh.tet(t));
    const double factor = toughness_factor(loads.rule, mesh.rest(), node, star);
    for (int t : mesh.star(node)) {
        const Tet& tet = mesh.tet(t);
        const int corner = static_cast<int>(std::find(tet.begin(), tet.end(), node) - tet.begin());
        corners.push_back({opposite_area(mesh.x(), tet, corner), &loads.at(mesh.whole(t)),
                           factor * loads.rule.toughness[mesh.whole(t)]});
    }
    return separation_at(corners);
}

double energy_round(const CrackMesh& mesh, int node, const Loads& loads) {
    double energy = 0;
    for (int t : mesh.star(node)) {
        const Tet& tet = mesh.tet(t);
        const auto rest = mesh.rest();
        energy +=
            loads.energy_density(mesh.whole(t)) * signed_volume(rest[tet[0]], rest[tet[1]], rest[tet[2]], rest[tet[3]]);
    }
    return energy;
}

}  // namespace

std::optional<CrackedElements> propose_element_cracks(FemBody& body, Threads& threads) {
    find_overloaded(body, threads);
    const ElementCracks& rule = *body.cracks;
    if (std::none_of(rule.overloaded.begin(), rule.overloaded.end(), [](char c) { return c != 0; }))
        return std::nullopt;
    Loads loads(body);
    const std::vector<Failing> failing = failing_nodes(loads);
    if (failing.empty()) return std::nullopt;

    CrackMesh mesh(body.mesh, body.x, rule.edge);
    CrackedElements out;
    // Nodes whose elements a crack of this step has divided wait for the next one: their load is that of before it.
    std::vector<char> waits(body.x.size(), 0);
    int opened = 0;
    for (const Failing& first : failing) {
        if (opened >= rule.cracks) break;
        if (waits[first.node]) continue;
        // One plane after the other, each by the tensor of what the ones before it have left of the node.
        std::vector<Failing> left{first};
        for (int plane = 0; plane < rule.planes && !left.empty(); ++plane) {
            std::sort(left.begin(), left.end());
            const Failing next = left.front();
            left.erase(left.begin());
            const double energy = energy_round(mesh, next.node, loads);
            const Opening opening = mesh.cut(next.node, next.load.normal, rule.cut);
            if (!opening.opened) continue;
            opened += plane == 0;
            out.cracks.push_back(
                {mesh.x()[next.node], opening.area_vector.normalized(), next.load.stress, opening.area, energy});
            for (int node : opening.nodes)
                if (node < static_cast<int>(waits.size())) waits[node] = 1;
            for (int side : opening.sides) {
                const Separation load = load_at(mesh, side, loads);
                if (load.ratio > 1) left.push_back({side, load});
            }
        }
    }
    if (out.cracks.empty()) return std::nullopt;
    out.edit = mesh.edit();
    return out;
}

}  // namespace pliant
