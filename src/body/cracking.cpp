#include "pliant/body/cracking.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/body/fem_body.hpp"
#include "pliant/body/plastic_flow.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/fracture/crack_front.hpp"
#include "pliant/fracture/relief.hpp"
#include "pliant/fracture/separation.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {

ElementCracks make_element_cracks(const FractureDesc& desc, const TetMesh& mesh) {
    std::vector<double> toughness = desc.strength;
    if (toughness.size() == 1) toughness.assign(mesh.tets.size(), toughness[0]);
    CHECK(toughness.size() == mesh.tets.size(), toughness.size(), mesh.tets.size());
    return {.toughness = flawed_strength(toughness, desc.noise, desc.seed),
            .cut = desc.cut,
            .cracks = desc.splits,
            .planes = desc.planes,
            .speed = desc.crack_speed,
            .smooth = desc.smooth,
            .touch = desc.touch,
            .by_intensity = desc.by_intensity,
            .edge = mean_edges(mesh),
            .aim = std::vector<Vec3>(mesh.rest.size(), Vec3::Zero()),
            .reached = std::vector<double>(mesh.rest.size(), 0)};
}

namespace {

/// An element that is nearly flat or turned inside out has no Cauchy stress to speak of.
constexpr double least_volume = 0.05;

/// Where in the field of a crack's tip the separation tensor of its node looks, as a share of the mean edge there: what
/// plates with slits of other lengths and meshes say (tests/world/crack_path_test.cpp).
constexpr double tip_distance = 0.3;

/// What the number of an element's toughness is multiplied with at a node, to be a stress. `star`: its elements.
double toughness_factor(const ElementCracks& rule, std::span<const Vec3> rest, int node, std::span<const Tet> star) {
    if (!rule.by_intensity) return 1;
    double sum = 0;
    for (const Tet& tet : star)
        for (int other : tet) sum += (rest[other] - rest[node]).norm();
    return 1 / std::sqrt(2 * M_PI * tip_distance * sum / (3 * static_cast<double>(star.size())));
}

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
            rule.stress_norm[t] = J > least_volume ? symmetric_matrix(rule.stress[t]).norm() * F.norm() / J : 0;
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

/// The nodes of a mesh that cracks run through, and what pulls at them.
class LoadedNodes {
public:
    explicit LoadedNodes(const FemBody& of)
        : mesh(of.mesh, of.x, of.cracks->edge, of.cracks->aim),
          reached(of.cracks->reached),
          body_(of),
          rule_(*of.cracks),
          cauchy_(of.mesh.tets.size(), Mat3::Zero()),
          known_(of.mesh.tets.size(), 0),
          split_(of.mesh.tets.size()),
          divided_(of.mesh.tets.size(), 0),
          tip_(of.x.size(), -1),
          load_(of.x.size()),
          planes_(of.x.size(), 0) {
        for (int i = 0; i < of.mesh.node_count(); ++i)
            if (rule_.overloaded[i]) look_at(i);
    }

    CrackMesh mesh;
    std::vector<double> reached;  ///< per node, see ElementCracks

    const Separation& load(int node) const { return load_[node]; }
    /// The most loaded node that fails and may open by `now`; −1: none. A failing tip goes before the nodes beside it,
    /// whose load is that of its stress field.
    int next(double now);
    /// Opens a node, relieves what is round it and asks again there. Nothing: it cannot be divided.
    std::optional<OpenedCrack> open(int node, double start);
    /// The node is not asked again in this step.
    void rest(int node) { load_[node].ratio = 0, std::erase(failing_, node); }

private:
    const FemBody& body_;
    const ElementCracks& rule_;
    std::vector<Mat3> cauchy_;        // per tet, Pa; of those that are known
    std::vector<char> known_;         // per tet
    std::vector<SplitStress> split_;  // per tet, of those that are divided
    std::vector<char> divided_;
    std::vector<signed char> tip_;  // per node; −1: not asked yet
    std::vector<Separation> load_;  // per node; ratio 0 where it holds
    std::vector<int> planes_;       // per node: by which it was divided in this step
    std::vector<int> failing_;      // ascending

    /// σ = P Fᵀ / J with P = R T, T: Biot.
    const Mat3& stress(int tet) {
        if (known_[tet]) return cauchy_[tet];
        known_[tet] = 1;
        const Mat3 F = body_.solid.deformation_gradient(body_.x, tet);
        const double J = F.determinant();
        if (!(J > least_volume)) return cauchy_[tet];
        const Mat3 R = body_.rotates ? tracked_rotation(F, Quat(body_.solid.rotation(tet))).toRotationMatrix()
                                     : Mat3(Mat3::Identity());
        const Mat3 cauchy = R * symmetric_matrix(rule_.stress[tet]) * F.transpose() / J;
        return cauchy_[tet] = 0.5 * (cauchy + cauchy.transpose());
    }
    ReliefMaterial material(int tet) const {
        const ElementMaterial& m = body_.material[mesh.whole(tet)];
        const auto [lambda, mu] = lame(m.young, m.poisson);
        return {lambda, mu, m.density};
    }
    std::vector<Tet> star_of(int node) const {
        std::vector<Tet> star;
        for (int t : mesh.star(node)) star.push_back(mesh.tet(t));
        return star;
    }
    bool is_tip(int node) {
        if (tip_[node] < 0) tip_[node] = is_crack_tip(mesh.rest(), star_of(node), node);
        return tip_[node] != 0;
    }
    const SplitStress& parts_of_stress(int tet) {
        if (!divided_[tet]) split_[tet] = split_stress(stress(tet)), divided_[tet] = 1;
        return split_[tet];
    }
    void look_at(int node);
    double rayleigh_speed(int tet) const;
};

/// c_R = c_s (0.862 + 1.14 ν)/(1 + ν), Viktorov's approximation of the speed of Rayleigh's waves, m/s.
double LoadedNodes::rayleigh_speed(int tet) const {
    const ElementMaterial& m = body_.material[mesh.whole(tet)];
    const double shear = std::sqrt(lame(m.young, m.poisson).mu / m.density);
    return shear * (0.862 + 1.14 * m.poisson) / (1 + m.poisson);
}

void LoadedNodes::look_at(int node) {
    const std::vector<Tet> star = star_of(node);
    const double factor = toughness_factor(rule_, mesh.rest(), node, star);
    std::vector<NodeCorner> corners;
    for (std::size_t i = 0; i < star.size(); ++i) {
        const int t = mesh.star(node)[i];
        const int corner = static_cast<int>(std::find(star[i].begin(), star[i].end(), node) - star[i].begin());
        corners.push_back(
            {opposite_area(mesh.x(), star[i], corner), &parts_of_stress(t), factor * rule_.toughness[mesh.whole(t)]});
    }
    load_[node] = separation_at(corners);
    if (planes_[node] >= rule_.planes) load_[node].ratio = 0;
    const auto place = std::lower_bound(failing_.begin(), failing_.end(), node);
    const bool listed = place != failing_.end() && *place == node, fails = load_[node].ratio > 1;
    if (fails && !listed) failing_.insert(place, node);
    if (!fails && listed) failing_.erase(place);
}

int LoadedNodes::next(double now) {
    // The most loaded first, equal ones by number.
    std::vector<int> order = failing_;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return load_[a].ratio > load_[b].ratio; });
    for (int node : order) {
        if (reached[node] > now) continue;
        if (is_tip(node)) return node;
        int tip = -1;
        for (int t : mesh.star(node))
            for (int other : mesh.tet(t))
                if (load_[other].ratio > 1 && (tip < 0 || load_[other].ratio > load_[tip].ratio) && is_tip(other))
                    tip = other;
        if (tip < 0) return node;
        if (reached[tip] <= now) return tip;
    }
    return -1;
}

std::optional<OpenedCrack> LoadedNodes::open(int node, double start) {
    const int before = mesh.node_count(), tets_before = mesh.tet_count();
    const double fastest = rayleigh_speed(mesh.star(node).front());
    const Separation load = load_[node];
    for (int t : mesh.star(node)) stress(t);
    const Opening opening = mesh.cut(node, load.normal, rule_.cut);
    if (!opening.opened) return std::nullopt;
    for (int t = tets_before; t < mesh.tet_count(); ++t) {
        const Mat3 same = stress(mesh.parent(t));
        cauchy_.push_back(same), known_.push_back(1);
        split_.emplace_back(), divided_.push_back(0);
    }
    load_.resize(mesh.node_count()), planes_.resize(mesh.node_count(), 0), reached.resize(mesh.node_count(), 0);
    tip_.resize(mesh.node_count(), -1);
    for (int other : opening.nodes) tip_[other] = -1;
    ++planes_[node];
    const double from = std::max(start, reached[node]);
    for (int i = before; i < mesh.node_count(); ++i) {
        const int whole = mesh.copied_from(i);
        if (whole >= 0) planes_[i] = planes_[whole], reached[i] = reached[whole];
    }
    double length = 0;
    for (int tip : opening.tips) {
        const double way = (mesh.x()[tip] - mesh.x()[node]).norm();
        length = std::max(length, way);
        if (rule_.speed > 0) reached[tip] = std::max(reached[tip], from + way / (rule_.speed * fastest));
    }
    if (opening.tips.empty())
        for (int other : opening.nodes) length = std::max(length, (mesh.x()[other] - mesh.x()[node]).norm());
    for (int near : opening.nodes)
        for (int t : mesh.star(near))
            for (int other : mesh.tet(t))
                for (int u : mesh.star(other)) stress(u);
    // By the paper's rule nothing is asked again in this step, but the energy is found all the same.
    const double time = length / ((rule_.speed > 0 ? rule_.speed : 1) * fastest);
    const Relief relief = relieve(
        mesh, opening, before, cauchy_, [&](int t) { return material(t); }, time);
    for (int other : relief.nodes)
        for (int t : mesh.star(other)) divided_[t] = 0;
    for (int other : relief.nodes) {
        if (rule_.speed > 0 || other == opening.sides[0] || other == opening.sides[1])
            look_at(other);
        else
            rest(other);
    }
    return OpenedCrack{mesh.x()[node], opening.area_vector.normalized(), load.stress, opening.area, relief.energy};
}

}  // namespace

std::optional<CrackedElements> propose_element_cracks(FemBody& body, double now, double dt, Threads& threads) {
    find_overloaded(body, threads);
    const ElementCracks& rule = *body.cracks;
    if (std::none_of(rule.overloaded.begin(), rule.overloaded.end(), [](char c) { return c != 0; }))
        return std::nullopt;
    LoadedNodes nodes(body);
    CrackedElements out;
    for (int node = nodes.next(now); node >= 0 && static_cast<int>(out.cracks.size()) < rule.cracks;
         node = nodes.next(now)) {
        if (const std::optional<OpenedCrack> crack = nodes.open(node, now - dt))
            out.cracks.push_back(*crack);
        else
            nodes.rest(node);
    }
    if (out.cracks.empty()) return std::nullopt;
    out.edit = nodes.mesh.edit();
    out.aim.assign(nodes.mesh.aims().begin(), nodes.mesh.aims().end());
    out.reached = std::move(nodes.reached);
    return out;
}

}  // namespace pliant
