// A shell's elements in groups of eight, and the pass over them (shell_kernels.hpp).

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/fem/plane_stress.hpp"
#include "pliant/fem/shell.hpp"
#include "pliant/fem/shell_shape.hpp"

namespace pliant {

namespace {

constexpr std::size_t edges_at_once = 16;  // groups of eight

std::size_t groups_of(std::size_t elements) { return (elements + 7) / 8; }

}  // namespace

std::size_t Shell::share_at(const BendGroups& g, int element, int j) const {
    // Stencils of twelve come first.
    const std::size_t before = &g == &groups_[0] ? 0 : 8 * std::size_t(groups_[0].nodes) * groups_[0].groups();
    return before + 8 * (std::size_t(g.nodes) * (element / 8) + j) + element % 8;
}

std::size_t Shell::pair_at(const BendGroups& g, int element, int j, int k) const {
    const std::size_t before =
        &g == &groups_[0] ? 0 : 8 * std::size_t(shell_pairs(groups_[0].nodes)) * groups_[0].groups();
    return before +
           8 * (std::size_t(shell_pairs(g.nodes)) * (element / 8) +
                shell_pair(g.nodes, std::min(j, k), std::max(j, k))) +
           element % 8;
}

void Shell::set_elements() {
    angle_.assign(options_.bending == Bending::hinge ? edges_.size() : 0, 0);
    for (std::size_t e = 0; e < angle_.size(); ++e)
        if (edges_[e].sides() == 2) angle_[e] = hinge_angle(rest_, edges_[e]);
    slope_.resize(bends_.size());
    for (std::size_t t = 0; t < bends_.size(); ++t) {
        const Bent b = bent(rest_, bends_[t]);
        std::copy(b.slope, b.slope + 3, slope_[t].begin());
    }

    place_.assign(4 * rest_.size(), 0);
    const std::size_t edge_groups = groups_of(edges_.size());
    edge_node_.resize(32 * edge_groups), edge_shape_.resize(56 * edge_groups), edge_moduli_.resize(24 * edge_groups);
    for (std::size_t e = 0; e < 8 * edge_groups; ++e) {
        const ShellEdge& edge = edges_[std::min(e, edges_.size() - 1)];
        const bool two = edge.sides() == 2;
        for (int k = 0; k < 4; ++k)
            edge_node_[32 * (e / 8) + 8 * k + e % 8] = 4 * (k == 3 && !two ? edge.node[0] : edge.node[k]);
        const double shape[7] = {1 / edge.length,
                                 edge.gradient[0][1].y(),
                                 two ? edge.gradient[1][1].y() : 0,
                                 edge.gradient[0][2].y(),
                                 two ? edge.gradient[1][2].y() : 0,
                                 edge.share[0],
                                 edge.share[1]};
        for (int k = 0; k < 7; ++k) edge_shape_[56 * (e / 8) + 8 * k + e % 8] = shape[k];
    }
    if (!angle_.empty())
        hinge_force_.resize(96 * edge_groups), hinge_mode_.resize(96 * edge_groups),
            hinge_energy_.resize(edges_.size());

    const int triangles = bends_.empty() ? 0 : static_cast<int>(triangles_.size());
    groups_[0].nodes = ShellBend::most_nodes, groups_[0].count = triangles;
    groups_[1].nodes = ShellBend::most_ripple_nodes, groups_[1].count = static_cast<int>(bends_.size()) - triangles;
    groups_[1].first = triangles, groups_[1].first_group = groups_[0].groups();
    std::size_t shares = 0, pairs = 0;
    for (BendGroups& g : groups_) {
        const std::size_t count = g.groups(), nodes = g.nodes;
        shares += 8 * nodes * count, pairs += 8 * shell_pairs(g.nodes) * count;
        g.node.resize(8 * nodes * count), g.weight.resize(24 * nodes * count);
        g.coupling.resize(48 * count), g.slope.resize(24 * count), g.floor.resize(8 * count);
        const bool kept = options_.clamped && &g == &groups_[0];
        g.kept.resize(kept ? 72 * count : 0);
        for (std::size_t e = 0; e < 8 * count; ++e) {
            const std::size_t at = g.first + std::min<std::size_t>(e, g.count - 1), group = e / 8, lane = e % 8;
            const ShellBend& bend = bends_[at];
            CHECK(bend.count <= g.nodes, bend.count, g.nodes);
            for (int j = 0; j < g.nodes; ++j) {
                g.node[8 * (nodes * group + j) + lane] = 4 * bend.node[j < bend.count ? j : 0];
                for (int i = 0; i < 3; ++i)
                    g.weight[8 * (nodes * (3 * group + i) + j) + lane] = j < bend.count ? bend.weight[i][j] : 0;
            }
            for (int i = 0; i < 3; ++i) {
                g.slope[24 * group + 8 * i + lane] = slope_[at][i];
                for (int c = 0; kept && c < 3; ++c) g.kept[72 * group + 24 * i + 8 * c + lane] = bend.kept[i][c];
            }
            g.floor[e] = least_area * 2 * bend.area;
        }
    }
    const std::size_t bend_groups = groups_[0].groups() + groups_[1].groups();
    force_.assign(128 * edge_groups + 96 * bend_groups, 0), share_.assign(shares, 0);
    normal_.assign(32 * bend_groups, 0), element_energy_.assign(8 * (edge_groups + bend_groups), 0);
    edge_block_.assign(432 * edge_groups, 0), square_.assign(64 * bend_groups, 0), pair_.assign(pairs, 0);
}

void Shell::set_stiffness() {
    for (std::size_t e = 0; e < 8 * groups_of(edges_.size()); ++e) {
        const std::size_t at = std::min(e, edges_.size() - 1);
        const double moduli[3] = {options_.thickness * edges_[at].area, edge_lame_[at].lambda, edge_lame_[at].mu};
        for (int k = 0; k < 3; ++k) edge_moduli_[24 * (e / 8) + 8 * k + e % 8] = moduli[k];
    }
    for (BendGroups& g : groups_)
        for (int e = 0; e < 8 * g.groups(); ++e) {
            const int at = g.first + std::min(e, g.count - 1);
            const Eigen::Matrix3d C = bends_[at].area * bend_stiffness_[at] * bends_[at].coupling;
            const double entries[6] = {C(0, 0), C(1, 1), C(2, 2), C(0, 1), C(1, 2), C(2, 0)};
            for (int k = 0; k < 6; ++k) g.coupling[48 * (e / 8) + 8 * k + e % 8] = entries[k];
        }
}

/// Forces and square roots of the tangents of hinges.
void Shell::hinges(std::size_t begin, std::size_t end) {
    const auto at = [&](int k) { return Vec3(place_[k], place_[k + 1], place_[k + 2]); };
    for (std::size_t e = begin; e < end; ++e) {
        const ShellEdge& edge = edges_[e];
        Vec3 turn[4] = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
        double bend = 0;
        if (edge.sides() == 2) {
            ShellEdge here = edge;
            here.node = {0, 1, 2, 3};
            Vec3 x[4];
            for (int k = 0; k < 4; ++k) x[k] = at(4 * edge.node[k]);
            bend = turned(hinge_angle(x, here, turn), hinge_rest_angle(e));
        }
        hinge_energy_[e] = edge_stiffness_[e] * bend * bend;
        const double force = -2 * edge_stiffness_[e] * bend, spring = std::sqrt(2 * edge_stiffness_[e]);
        for (int k = 0; k < 4; ++k)
            for (int c = 0; c < 3; ++c) {
                const std::size_t to = 96 * (e / 8) + 24 * k + 8 * c + e % 8;
                hinge_force_[to] = force * turn[k][c], hinge_mode_[to] = spring * turn[k][c];
            }
    }
}

void Shell::elements(std::span<const Vec3> x, bool with_tangent, Threads& threads) {
    CHECK(x.size() == rest_.size(), x.size(), rest_.size());
    const ShellKernels& kernels = shell_kernels(kernels_);
    parallel_for(threads, x.size(), 4096, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            for (int c = 0; c < 3; ++c) place_[4 * i + c] = x[i][c];
    });
    const std::size_t edge_groups = groups_of(edges_.size());
    const bool hinged = !angle_.empty();
    const ShellEdgeArgs edges{
        .x = place_.data(),
        .node = edge_node_.data(),
        .edges = static_cast<int>(edges_.size()),
        .shape = edge_shape_.data(),
        .moduli = edge_moduli_.data(),
        .hinge_force = hinged ? hinge_force_.data() : nullptr,
        .hinge_mode = hinged ? hinge_mode_.data() : nullptr,
        .principal = law_->hooke ? nullptr
                                 : +[](const void* shell, int edge, const double* stretch, double* out) {
                                       const Shell& self = *static_cast<const Shell*>(shell);
                                       const PrincipalPlaneStress w = principal_plane_stress(
                                           *self.law_, self.law_numbers_.data(), self.edge_lame_[edge], stretch);
                                       const double all[7] = {w.energy,  w.p[0],    w.p[1], w.h[0][0],
                                                              0.5 * (w.h[0][1] + w.h[1][0]), w.h[1][1], w.shear};
                                       std::copy(all, all + 7, out);
                                   },
        .context = this,
        .least_stretch = least_stretch,
        .force = force_.data(),
        .block = with_tangent ? edge_block_.data() : nullptr,
        .energy = element_energy_.data(),
    };
    parallel_for(threads, edge_groups, edges_at_once, [&](std::size_t begin, std::size_t end) {
        if (hinged) hinges(8 * begin, std::min(8 * end, edges_.size()));
        kernels.edges(edges, static_cast<int>(begin), static_cast<int>(end));
    });
    for (BendGroups& g : groups_) {
        const std::size_t first = g.first_group;
        const bool creased = &g == &groups_[0] && !lasting_.empty();
        const ShellBendArgs bends{
            .x = place_.data(),
            .node = g.node.data(),
            .weight = g.weight.data(),
            .kept = g.kept.empty() ? nullptr : g.kept.data(),
            .coupling = g.coupling.data(),
            .slope = g.slope.data(),
            .floor = g.floor.data(),
            .normal = normal_.data() + 32 * first,
            .share = share_.data() + share_at(g, 0, 0),
            .corner = force_.data() + 128 * edge_groups + 96 * first,
            .square = square_.data() + 64 * first,
            .pair = with_tangent ? pair_.data() + pair_at(g, 0, 0, 1) : nullptr,
            .energy = element_energy_.data() + 8 * (edge_groups + first),
        };
        parallel_for(threads, g.groups(), edges_at_once, [&](std::size_t begin, std::size_t end) {
            if (creased)
                for (int e = 8 * static_cast<int>(begin); e < 8 * static_cast<int>(end); ++e) {
                    const std::size_t t = std::min(e, g.count - 1);
                    for (int i = 0; i < 3; ++i)
                        g.slope[24 * (e / 8) + 8 * i + e % 8] = slope_[t][i] + lasting_[3 * t + i];
                }
            (g.nodes == 12 ? kernels.bends12 : kernels.bends8)(bends, static_cast<int>(begin), static_cast<int>(end));
        });
    }
}

double Shell::energy(std::span<const Vec3> x, Threads& threads) {
    elements(x, false, threads);
    return last_energy();
}

double Shell::last_energy() const {
    double sum = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) sum += element_energy_[e];
    const std::size_t first = 8 * groups_of(edges_.size());
    for (const BendGroups& g : groups_)
        for (int e = 0; e < g.count; ++e) sum += element_energy_[first + 8 * g.first_group + e];
    for (const double hinge : hinge_energy_) sum += hinge;
    return sum;
}

double Shell::stiffness() const {
    double sum = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e)
        sum += (edge_lame_[e].lambda + 2 * edge_lame_[e].mu) * options_.thickness * edges_[e].area;
    return sum;
}

}  // namespace pliant
