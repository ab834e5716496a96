#include "pliant/fem/solid.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/geometry/polar.hpp"

namespace pliant {

struct Solid::Parts {
    int nodes = 0;
    std::vector<Tet> tets;
    std::vector<std::array<Vec3, 4>> gradient;
    std::vector<double> volume, lambda, mu, mass;
    SolidOptions options;
    std::vector<float> rotation;
    std::vector<std::vector<std::pair<int, Mat3>>> rows;
    std::vector<Vec3> residual, v;
    std::vector<char> prescribed;
    double mass_scale = 1;
    Vec3 momentum = Vec3::Zero();
    bool pinned = false;

    Mat3 gradient_of(std::span<const Vec3> x, int t) const {
        Mat3 F = Mat3::Zero();
        for (int a = 0; a < 4; ++a) F += x[tets[t][a]] * gradient[t][a].transpose();
        return F;
    }
    Quat quat(int t) const {
        const float* q = &rotation[4 * t];
        return Quat(q[0], q[1], q[2], q[3]).normalized();
    }
    Mat3 fresh_rotation(std::span<const Vec3> x, int t) const {
        if (options.elasticity == Elasticity::linear) return Mat3::Identity();
        return closest_rotation(gradient_of(x, t), quat(t)).toRotationMatrix();
    }
    Mat3 stress_of(const Mat3& R, const Mat3& G, int t, const std::array<double, 6>* plastic) const {
        Mat3 A = R.transpose() * G;
        Mat3 e = 0.5 * (A + A.transpose()) - Mat3::Identity();
        if (plastic) {
            const auto& p = *plastic;
            Mat3 P;
            P << p[0], p[3], p[5], p[3], p[1], p[4], p[5], p[4], p[2];
            e -= P;
        }
        return lambda[t] * e.trace() * Mat3::Identity() + 2 * mu[t] * e;
    }
};

Solid::Solid(const TetMesh& mesh, std::vector<ElementMaterial> material, const SolidOptions& options)
    : parts_(std::make_unique<Parts>()) {
    Parts& p = *parts_;
    p.nodes = mesh.node_count();
    p.tets = mesh.tets;
    p.options = options;
    const int m = mesh.tet_count();
    p.gradient.resize(m), p.volume.resize(m);
    p.rotation.assign(4 * std::size_t(m), 0.f);
    for (int t = 0; t < m; ++t) {
        p.rotation[4 * t] = 1;
        const Tet& k = mesh.tets[t];
        Mat3 D;
        for (int a = 0; a < 3; ++a) D.col(a) = mesh.rest[k[a + 1]] - mesh.rest[k[0]];
        p.volume[t] = D.determinant() / 6;
        CHECK(p.volume[t] > 0, t, p.volume[t]);
        const Mat3 B = D.inverse();
        for (int a = 0; a < 3; ++a) p.gradient[t][a + 1] = B.row(a).transpose();
        p.gradient[t][0] = -(p.gradient[t][1] + p.gradient[t][2] + p.gradient[t][3]);
    }
    set_material(std::move(material));
    p.residual.resize(p.nodes), p.v.resize(p.nodes), p.prescribed.resize(p.nodes);
    p.rows.resize(p.nodes);
    for (const Tet& k : p.tets)
        for (int i : k)
            for (int j : k) {
                auto& row = p.rows[i];
                if (std::none_of(row.begin(), row.end(), [&](auto& e) { return e.first == j; }))
                    row.push_back({j, Mat3::Zero()});
            }
}
Solid::~Solid() = default;
Solid::Solid(Solid&&) noexcept = default;
Solid& Solid::operator=(Solid&&) noexcept = default;

void Solid::set_material(std::vector<ElementMaterial> material) {
    Parts& p = *parts_;
    CHECK(material.size() == p.tets.size(), material.size(), p.tets.size());
    p.lambda.resize(material.size()), p.mu.resize(material.size());
    p.mass.assign(p.nodes, 0);
    for (std::size_t t = 0; t < material.size(); ++t) {
        const ElementMaterial& e = material[t];
        p.lambda[t] = e.young * e.poisson / ((1 + e.poisson) * (1 - 2 * e.poisson));
        p.mu[t] = e.young / (2 * (1 + e.poisson));
        for (int i : p.tets[t]) p.mass[i] += 0.25 * e.density * p.volume[t];
    }
}

std::span<const double> Solid::mass() const { return parts_->mass; }
std::span<float> Solid::rotation_state() { return parts_->rotation; }

void Solid::assemble(std::span<const Vec3> x, std::span<const Vec3> v, const SolidInput& input, Threads&,
                     StageTimes& times) {
    Parts& p = *parts_;
    const double dt = input.dt, alpha = p.options.mass_damping, beta = p.options.stiffness_damping;
    p.mass_scale = 1 + dt * alpha;
    p.pinned = false;
    p.momentum.setZero();
    for (int i = 0; i < p.nodes; ++i) {
        p.prescribed[i] = !input.prescribed.empty() && input.prescribed[i];
        p.pinned |= p.prescribed[i] != 0;
        p.v[i] = v[i];
        p.residual[i] = dt * (input.force[i] - alpha * p.mass[i] * v[i]);
        p.momentum += p.mass[i] * v[i] + dt * input.force[i];
        for (auto& [j, K] : p.rows[i])
            K = j == i ? Mat3(p.mass_scale * p.mass[i] * Mat3::Identity()) : Mat3(Mat3::Zero());
    }
    StageTimer timer(times, "assembly");
    std::vector<Vec3> y(x.begin(), x.end());
    for (int i = 0; i < p.nodes; ++i) y[i] += (dt + beta) * v[i];
    const double scale = dt * (dt + beta);
    for (int t = 0; t < int(p.tets.size()); ++t) {
        const Mat3 R = p.fresh_rotation(x, t);
        const Quat q(R);
        p.rotation[4 * t] = float(q.w()), p.rotation[4 * t + 1] = float(q.x());
        p.rotation[4 * t + 2] = float(q.y()), p.rotation[4 * t + 3] = float(q.z());
        const Mat3 P =
            p.volume[t] * R *
            p.stress_of(R, p.gradient_of(y, t), t, input.plastic_strain.empty() ? nullptr : &input.plastic_strain[t]);
        for (int a = 0; a < 4; ++a) {
            p.residual[p.tets[t][a]] -= dt * (P * p.gradient[t][a]);
            const Vec3 ca = R * p.gradient[t][a];
            for (int b = 0; b < 4; ++b) {
                const Vec3 cb = R * p.gradient[t][b];
                const Mat3 K = p.volume[t] * (p.lambda[t] * ca * cb.transpose() + p.mu[t] * cb * ca.transpose() +
                                              p.mu[t] * ca.dot(cb) * Mat3::Identity());
                for (auto& [j, block] : p.rows[p.tets[t][a]])
                    if (j == p.tets[t][b]) block += scale * K;
            }
        }
    }
}

void Solid::velocity(std::span<Vec3> out) const { std::copy(parts_->v.begin(), parts_->v.end(), out.begin()); }

double Solid::effective_mass(int node) const {
    for (auto& [j, K] : parts_->rows[node])
        if (j == node) return K.trace() / 3;
    return 0;
}

Mat3 Solid::rotation(int tet) const { return parts_->quat(tet).toRotationMatrix(); }

std::array<double, 6> Solid::stress(std::span<const Vec3> x, int t) const {
    const Parts& p = *parts_;
    const Mat3 s = p.stress_of(p.fresh_rotation(x, t), p.gradient_of(x, t), t, nullptr);
    return {s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0)};
}
Mat3 Solid::deformation_gradient(std::span<const Vec3> x, int tet) const { return parts_->gradient_of(x, tet); }

void Solid::internal_force(std::span<const Vec3> x, std::span<Vec3> out) const {
    const Parts& p = *parts_;
    std::fill(out.begin(), out.end(), Vec3::Zero());
    for (int t = 0; t < int(p.tets.size()); ++t) {
        const Mat3 R = p.fresh_rotation(x, t);
        const Mat3 P = p.volume[t] * R * p.stress_of(R, p.gradient_of(x, t), t, nullptr);
        for (int a = 0; a < 4; ++a) out[p.tets[t][a]] -= P * p.gradient[t][a];
    }
}

double Solid::elastic_energy(std::span<const Vec3> x) const {
    const Parts& p = *parts_;
    double sum = 0;
    for (int t = 0; t < int(p.tets.size()); ++t) {
        const Mat3 A = p.fresh_rotation(x, t).transpose() * p.gradient_of(x, t);
        const Mat3 e = 0.5 * (A + A.transpose()) - Mat3::Identity();
        sum += p.volume[t] * (0.5 * p.lambda[t] * e.trace() * e.trace() + p.mu[t] * e.squaredNorm());
    }
    return sum;
}

SolveReport solve(std::span<Solid* const> solids, std::span<const Coupling> couplings, const SolveOptions& options,
                  Threads&, StageTimes& times) {
    StageTimer timer(times, "solve");
    const std::size_t n = solids.size();
    std::vector<std::vector<Vec3>> r(n), q(n), d(n), z(n);
    std::vector<std::vector<Mat3>> inverse(n);
    auto part = [&](std::size_t s) -> Solid::Parts& { return solids[s]->parts(); };
    auto row_velocity = [&](const Coupling& c, auto&& field) {
        Vec3 u = Vec3::Zero();
        for (int e = 0; e < c.count; ++e) u += c.ends[e].weight * field(c.ends[e].system)[c.ends[e].node];
        return u;
    };
    for (std::size_t s = 0; s < n; ++s) {
        Solid::Parts& p = part(s);
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
        const Solid::Parts& p = part(s);
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
        Solid::Parts& p = part(s);
        p.residual = r[s];
        for (int i = 0; i < p.nodes && !p.pinned; ++i) {
            p.v[i] += shift.segment<3>(3 * s);
            p.residual[i] -= p.mass_scale * p.mass[i] * shift.segment<3>(3 * s);
        }
    }
    return report;
}

}  // namespace pliant
