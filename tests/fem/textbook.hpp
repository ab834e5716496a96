#pragma once
// The textbook version of the step: dense blocks, double precision, Jacobi eigenvectors for every rotation, one thread,
// no layout. What the fast loops are compared with.

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "pliant/fem/solid.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/material.hpp"

namespace pliant::textbook {

struct Solid {
    int nodes = 0;
    std::vector<Tet> tets;
    std::vector<std::array<Vec3, 4>> gradient;
    std::vector<double> volume, lambda, mu, mass;
    SolidOptions options;
    std::vector<Quat> rotation;
    std::vector<std::vector<std::pair<int, Mat3>>> rows;
    std::vector<Vec3> residual, v;
    std::vector<char> prescribed;
    double mass_scale = 1;
    Vec3 momentum = Vec3::Zero();
    bool pinned = false;

    Solid(const TetMesh& mesh, const std::vector<ElementMaterial>& material, const SolidOptions& opt) {
        nodes = mesh.node_count(), tets = mesh.tets, options = opt;
        mass.assign(nodes, 0), residual.resize(nodes), v.resize(nodes), prescribed.resize(nodes), rows.resize(nodes);
        rotation.assign(tets.size(), Quat::Identity());
        for (std::size_t t = 0; t < tets.size(); ++t) {
            Mat3 D;
            for (int a = 0; a < 3; ++a) D.col(a) = mesh.rest[tets[t][a + 1]] - mesh.rest[tets[t][0]];
            const Mat3 B = D.inverse();
            volume.push_back(D.determinant() / 6);
            const Vec3 b1 = B.row(0), b2 = B.row(1), b3 = B.row(2);
            gradient.push_back({-(b1 + b2 + b3), b1, b2, b3});
            const ElementMaterial& e = material[t];
            lambda.push_back(e.young * e.poisson / ((1 + e.poisson) * (1 - 2 * e.poisson)));
            mu.push_back(e.young / (2 * (1 + e.poisson)));
            for (int i : tets[t]) mass[i] += 0.25 * e.density * volume[t];
            for (int i : tets[t])
                for (int j : tets[t])
                    if (std::none_of(rows[i].begin(), rows[i].end(), [&](auto& k) { return k.first == j; }))
                        rows[i].push_back({j, Mat3::Zero()});
        }
    }

    Mat3 deformation(std::span<const Vec3> x, int t) const {
        Mat3 F = Mat3::Zero();
        for (int a = 0; a < 4; ++a) F += x[tets[t][a]] * gradient[t][a].transpose();
        return F;
    }

    void assemble(std::span<const Vec3> x, std::span<const Vec3> velocity, const SolidInput& input) {
        const double dt = input.dt, alpha = options.mass_damping, beta = options.stiffness_damping;
        mass_scale = 1 + dt * alpha, pinned = false, momentum.setZero();
        std::vector<Vec3> y(x.begin(), x.end());
        for (int i = 0; i < nodes; ++i) {
            prescribed[i] = !input.prescribed.empty() && input.prescribed[i];
            pinned |= prescribed[i] != 0;
            v[i] = velocity[i];
            y[i] += (dt + beta) * v[i];
            residual[i] = dt * (input.force[i] - alpha * mass[i] * v[i]);
            momentum += mass[i] * v[i] + dt * input.force[i];
            for (auto& [j, K] : rows[i])
                K = j == i ? Mat3(mass_scale * mass[i] * Mat3::Identity()) : Mat3(Mat3::Zero());
        }
        for (int t = 0; t < int(tets.size()); ++t) {
            if (!options.law || options.law->objective) rotation[t] = closest_rotation(deformation(x, t), rotation[t]);
            const Mat3 R = rotation[t].toRotationMatrix(), A = R.transpose() * deformation(y, t);
            Mat3 e = 0.5 * (A + A.transpose()) - Mat3::Identity();
            if (!input.plastic_strain.empty()) {
                const auto& s = input.plastic_strain[t];
                Mat3 P;
                P << s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2];
                e -= P;
            }
            const Mat3 P = volume[t] * R * (lambda[t] * e.trace() * Mat3::Identity() + 2 * mu[t] * e);
            for (int a = 0; a < 4; ++a) {
                residual[tets[t][a]] -= dt * (P * gradient[t][a]);
                const Vec3 ca = R * gradient[t][a];
                for (int b = 0; b < 4; ++b) {
                    const Vec3 cb = R * gradient[t][b];
                    const Mat3 K = volume[t] * (lambda[t] * ca * cb.transpose() + mu[t] * cb * ca.transpose() +
                                                mu[t] * ca.dot(cb) * Mat3::Identity());
                    for (auto& [j, block] : rows[tets[t][a]])
                        if (j == tets[t][b]) block += dt * (dt + beta) * K;
                }
            }
        }
    }
};

inline SolveReport solve(std::span<Solid* const> solids, std::span<const Coupling> couplings,
                         const SolveOptions& options) {
    const std::size_t n = solids.size();
    std::vector<std::vector<Vec3>> r(n), q(n), d(n), z(n);
    std::vector<std::vector<Mat3>> inverse(n);
    auto part = [&](std::size_t s) -> Solid& { return *solids[s]; };
    auto row_velocity = [&](const Coupling& c, auto&& field) {
        Vec3 u = Vec3::Zero();
        for (int e = 0; e < c.count; ++e) u += c.ends[e].weight * field(c.ends[e].system)[c.ends[e].node];
        return u;
    };
    for (std::size_t s = 0; s < n; ++s) {
        Solid& p = part(s);
        r[s] = p.residual;
        q[s].resize(p.nodes), d[s].assign(p.nodes, Vec3::Zero()), z[s].resize(p.nodes), inverse[s].resize(p.nodes);
        for (int i = 0; i < p.nodes; ++i)
            for (auto& [j, K] : p.rows[i])
                if (j == i) inverse[s][i] = K;
    }
    auto add_rows = [&](double sign) {
        for (const Coupling& c : couplings) {
            const Vec3 g = c.s - c.S * row_velocity(
                                           c, [&](int s) -> auto& { return part(s).v; });
            for (int e = 0; e < c.count; ++e) r[c.ends[e].system][c.ends[e].node] += sign * c.ends[e].weight * g;
        }
    };
    add_rows(1);
    for (const Coupling& c : couplings)
        for (int e = 0; e < c.count; ++e)
            inverse[c.ends[e].system][c.ends[e].node] += c.ends[e].weight * c.ends[e].weight * c.S;
    for (std::size_t s = 0; s < n; ++s)
        for (int i = 0; i < part(s).nodes; ++i)
            inverse[s][i] = part(s).prescribed[i] ? Mat3(Mat3::Zero()) : Mat3(inverse[s][i].inverse());
    auto precondition = [&] {
        double rz = 0;
        for (std::size_t s = 0; s < n; ++s)
            for (int i = 0; i < part(s).nodes; ++i) z[s][i] = inverse[s][i] * r[s][i], rz += z[s][i].dot(r[s][i]);
        return rz;
    };
    SolveReport report;
    double rz = precondition();
    const double start = rz;
    for (std::size_t s = 0; s < n; ++s) d[s] = z[s];
    for (; report.iterations < options.iterations && rz > options.tolerance * options.tolerance * start;) {
        double dq = 0;
        for (std::size_t s = 0; s < n; ++s)
            for (int i = 0; i < part(s).nodes; ++i) {
                q[s][i].setZero();
                for (auto& [j, K] : part(s).rows[i]) q[s][i] += K * d[s][j];
            }
        for (const Coupling& c : couplings) {
            const Vec3 g = c.S * row_velocity(
                                     c, [&](int s) -> auto& { return d[s]; });
            for (int e = 0; e < c.count; ++e) q[c.ends[e].system][c.ends[e].node] += c.ends[e].weight * g;
        }
        for (std::size_t s = 0; s < n; ++s)
            for (int i = 0; i < part(s).nodes; ++i) dq += d[s][i].dot(q[s][i]);
        if (!(dq > 0) || !std::isfinite(dq)) break;
        const double step = rz / dq;
        for (std::size_t s = 0; s < n; ++s)
            for (int i = 0; i < part(s).nodes; ++i) part(s).v[i] += step * d[s][i], r[s][i] -= step * q[s][i];
        const double next = precondition();
        const double turn = next / rz;
        rz = next;
        for (std::size_t s = 0; s < n; ++s)
            for (int i = 0; i < part(s).nodes; ++i) d[s][i] = z[s][i] + turn * d[s][i];
        ++report.iterations;
    }
    report.residual = start > 0 ? std::sqrt(rz / start) : 0;

    // Exact momentum: a translation per free body, from the balance of all impulses on it.
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n, 3 * n);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * n);
    for (std::size_t s = 0; s < n; ++s) {
        const Solid& p = part(s);
        double m = 0;
        Vec3 now = Vec3::Zero();
        for (int i = 0; i < p.nodes; ++i) m += p.mass[i], now += p.mass[i] * p.v[i];
        A.block<3, 3>(3 * s, 3 * s) = p.mass_scale * m * Mat3::Identity();
        b.segment<3>(3 * s) = p.momentum - p.mass_scale * now;
    }
    for (const Coupling& c : couplings) {
        const Vec3 g = c.s - c.S * row_velocity(
                                       c, [&](int s) -> auto& { return part(s).v; });
        for (int e = 0; e < c.count; ++e) {
            b.segment<3>(3 * c.ends[e].system) += c.ends[e].weight * g;
            for (int f = 0; f < c.count; ++f)
                A.block<3, 3>(3 * c.ends[e].system, 3 * c.ends[f].system) += c.ends[e].weight * c.ends[f].weight * c.S;
        }
    }
    for (std::size_t s = 0; s < n; ++s)
        if (part(s).pinned) {
            A.middleRows<3>(3 * s).setZero(), A.middleCols<3>(3 * s).setZero();
            A.block<3, 3>(3 * s, 3 * s).setIdentity(), b.segment<3>(3 * s).setZero();
        }
    const Eigen::VectorXd shift = A.ldlt().solve(b);
    add_rows(-1);
    for (std::size_t s = 0; s < n; ++s) {
        Solid& p = part(s);
        p.residual = r[s];
        for (int i = 0; i < p.nodes && !p.pinned; ++i) {
            p.v[i] += shift.segment<3>(3 * s);
            p.residual[i] -= p.mass_scale * p.mass[i] * shift.segment<3>(3 * s);
        }
    }
    return report;
}

}  // namespace pliant::textbook
