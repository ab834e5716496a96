#include "pliant/fracture/relief.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/material/hooke.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {

namespace {

struct Element {
    int tet;
    std::array<int, 4> node;   // in the list of free nodes; −1: at rest
    std::array<Vec3, 4> area;  // of the faces opposite to the nodes, outwards, over three, m²
    double volume;             // now, m³
    double lambda, mu;

    /// Stress that displacements make, Pa: ∇N = −area/volume.
    Mat3 stress(std::span<const Vec3> u) const {
        Mat3 gradient = Mat3::Zero();
        for (int k = 0; k < 4; ++k)
            if (node[k] >= 0) gradient -= u[node[k]] * area[k].transpose() / volume;
        std::array<double, 6> strain, stress;
        small_strain<double>(Mat3(Mat3::Identity() + gradient), strain.data());
        hooke_stress(lambda, mu, strain.data(), stress.data());
        return symmetric_matrix(stress);
    }
};

struct Neighbourhood {
    std::vector<int> free;        // nodes, ascending
    std::vector<double> inertia;  // m/h², kg/s²
    std::vector<Element> elements;
    std::vector<Vec3> diagonal;

    Neighbourhood(const CrackMesh& mesh, std::span<const int> nodes,
                  const std::function<ReliefMaterial(int tet)>& material, double time)
        : free(nodes.begin(), nodes.end()), inertia(free.size(), 0), diagonal(free.size(), Vec3::Zero()) {
        std::vector<int> tets;
        for (int node : free) {
            const auto star = mesh.star(node);
            tets.insert(tets.end(), star.begin(), star.end());
        }
        std::sort(tets.begin(), tets.end());
        tets.erase(std::unique(tets.begin(), tets.end()), tets.end());
        const auto x = mesh.x();
        for (int t : tets) {
            const Tet& tet = mesh.tet(t);
            const ReliefMaterial m = material(t);
            Element e{.tet = t,
                      .node = {},
                      .area = {},
                      .volume = signed_volume(x[tet[0]], x[tet[1]], x[tet[2]], x[tet[3]]),
                      .lambda = m.lambda,
                      .mu = m.mu};
            const auto at = mesh.rest();
            const double rest = signed_volume(at[tet[0]], at[tet[1]], at[tet[2]], at[tet[3]]);
            if (!(e.volume > 0.05 * rest)) continue;  // folded: it has no stress to speak of
            for (int k = 0; k < 4; ++k) {
                const auto& f = tet_faces[k];
                e.area[k] = (x[tet[f[1]]] - x[tet[f[0]]]).cross(x[tet[f[2]]] - x[tet[f[0]]]) / 6;
                const auto found = std::lower_bound(free.begin(), free.end(), tet[k]);
                e.node[k] = found != free.end() && *found == tet[k] ? static_cast<int>(found - free.begin()) : -1;
                if (e.node[k] < 0) continue;
                inertia[e.node[k]] += m.density * rest / (4 * time * time);
                const Vec3 square = e.area[k].cwiseProduct(e.area[k]) / e.volume;
                diagonal[e.node[k]] += (m.lambda + m.mu) * square + Vec3::Constant(m.mu * square.sum());
            }
            elements.push_back(e);
        }
        for (std::size_t i = 0; i < free.size(); ++i) diagonal[i] += Vec3::Constant(inertia[i]);
    }

    void multiply(std::span<const Vec3> u, std::vector<Vec3>& out) const {
        for (std::size_t i = 0; i < free.size(); ++i) out[i] = inertia[i] * u[i];
        for (const Element& e : elements) {
            const Mat3 stress = e.stress(u);
            for (int k = 0; k < 4; ++k)
                if (e.node[k] >= 0) out[e.node[k]] -= stress * e.area[k];
        }
    }
};

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
    return sum;
}

/// Conjugate gradients with the diagonal. A hundredth is enough to decide by: loads at nodes are no better known.
std::vector<Vec3> solve(const Neighbourhood& system, const std::vector<Vec3>& load) {
    constexpr double tolerance = 0.01;
    const std::size_t n = load.size();
    std::vector<Vec3> u(n, Vec3::Zero()), r = load, z(n), p(n), q(n);
    const auto precondition = [&] {
        for (std::size_t i = 0; i < n; ++i) z[i] = r[i].cwiseQuotient(system.diagonal[i]);
    };
    precondition();
    p = z;
    double rz = dot(r, z);
    const double goal = tolerance * tolerance * rz;
    for (std::size_t i = 0; i < 3 * n && rz > goal; ++i) {
        system.multiply(p, q);
        const double curvature = dot(p, q);
        if (!(curvature > 0)) break;
        const double step = rz / curvature;
        for (std::size_t k = 0; k < n; ++k) u[k] += step * p[k], r[k] -= step * q[k];
        precondition();
        const double next = dot(r, z);
        for (std::size_t k = 0; k < n; ++k) p[k] = z[k] + next / rz * p[k];
        rz = next;
    }
    return u;
}

}  // namespace

Relief relieve(const CrackMesh& mesh, const Opening& opening, int first_new, std::vector<Mat3>& cauchy,
               const std::function<ReliefMaterial(int tet)>& material, double time) {
    Relief out;
    // One ring of elements more than the cut has touched: waves reach about twice as far as the crack runs meanwhile.
    std::vector<int> nodes;
    for (int node : opening.nodes)
        for (int t : mesh.star(node)) nodes.insert(nodes.end(), mesh.tet(t).begin(), mesh.tet(t).end());
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const Neighbourhood system(mesh, nodes, material, time);
    const std::size_t count = system.free.size();
    std::vector<Vec3> force(count, Vec3::Zero()), load(count, Vec3::Zero());
    for (const Element& e : system.elements)
        for (int k = 0; k < 4; ++k)
            if (e.node[k] >= 0) force[e.node[k]] += cauchy[e.tet] * e.area[k];
    const auto number = [&](int node) {
        return static_cast<std::size_t>(std::lower_bound(system.free.begin(), system.free.end(), node) -
                                        system.free.begin());
    };
    // The parts of what was one node: copies name the node they were made of.
    for (int copy = first_new; copy < mesh.node_count(); ++copy) {
        const int whole = mesh.copied_from(copy);
        if (whole < 0) continue;
        std::vector<std::size_t> parts{number(whole)};
        for (int other = first_new; other < mesh.node_count(); ++other)
            if (mesh.copied_from(other) == whole) parts.push_back(number(other));
        if (system.free[parts[1]] != copy) continue;  // done with the first copy
        Vec3 all = Vec3::Zero();
        double mass = 0;
        for (std::size_t i : parts) all += force[i], mass += system.inertia[i];
        for (std::size_t i : parts) load[i] = force[i] - system.inertia[i] / mass * all;
    }
    const std::vector<Vec3> u = solve(system, load);
    out.energy = 0.5 * dot(load, u);
    for (const Element& e : system.elements) {
        cauchy[e.tet] += e.stress(u);
        for (int node : mesh.tet(e.tet)) out.nodes.push_back(node);
    }
    std::sort(out.nodes.begin(), out.nodes.end());
    out.nodes.erase(std::unique(out.nodes.begin(), out.nodes.end()), out.nodes.end());
    return out;
}

}  // namespace pliant
