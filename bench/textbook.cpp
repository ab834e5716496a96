#include "bench/textbook.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "pliant/core/timer.hpp"

namespace pliant::bench {

Textbook::Textbook(const TetMesh& mesh, double young, double poisson, double density)
    : mesh_(mesh),
      place_(mesh.tets.size()),
      lambda_(young * poisson / ((1 + poisson) * (1 - 2 * poisson))),
      mu_(young / (2 * (1 + poisson))),
      x_(mesh.rest),
      v_(mesh.rest.size(), Vec3::Zero()) {
    const int n = 3 * mesh.node_count();
    mass_.setZero(n), r_.setZero(n), z_.setZero(n), p_.setZero(n), q_.setZero(n), inverse_.setZero(n), dv_.setZero(n);
    for (const Vec3& x : mesh.rest) held_.push_back(x.x() == 0);
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<std::vector<int>> neighbours(mesh.rest.size());
    for (const Tet& tet : mesh.tets) {
        Mat3 edges;
        for (int a = 0; a < 3; ++a) edges.col(a) = mesh.rest[tet[a + 1]] - mesh.rest[tet[0]];
        const Mat3 inverse = edges.inverse();
        volume_.push_back(edges.determinant() / 6);
        const Vec3 g1 = inverse.row(0), g2 = inverse.row(1), g3 = inverse.row(2);
        gradient_.push_back({-(g1 + g2 + g3), g1, g2, g3});
        for (int a = 0; a < 4; ++a) {
            mass_.segment<3>(3 * tet[a]).array() += 0.25 * density * volume_.back();
            for (int b = 0; b < 4; ++b) {
                std::vector<int>& list = neighbours[tet[a]];
                if (std::find(list.begin(), list.end(), tet[b]) != list.end()) continue;
                list.push_back(tet[b]);
                for (int e = 0; e < 9; ++e) entries.emplace_back(3 * tet[a] + e / 3, 3 * tet[b] + e % 3, 0.0);
            }
        }
    }
    A_.resize(n, n);
    A_.setFromTriplets(entries.begin(), entries.end());
    A_.makeCompressed();
    for (std::size_t t = 0; t < mesh.tets.size(); ++t)
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 16; ++k) {
                const int row = 3 * mesh.tets[t][k / 4] + i, column = 3 * mesh.tets[t][k % 4];
                const int* begin = A_.innerIndexPtr() + A_.outerIndexPtr()[row];
                const int* end = A_.innerIndexPtr() + A_.outerIndexPtr()[row + 1];
                place_[t][i][k] = static_cast<int>(std::lower_bound(begin, end, column) - A_.innerIndexPtr());
            }
}

void Textbook::assemble(double dt) {
    std::fill(A_.valuePtr(), A_.valuePtr() + A_.nonZeros(), 0.0);
    for (int i = 0; i < mesh_.node_count(); ++i) r_.segment<3>(3 * i) = dt * mass_[3 * i] * Vec3(0, -9.81, 0);
    for (std::size_t t = 0; t < mesh_.tets.size(); ++t) {
        const Tet& tet = mesh_.tets[t];
        Mat3 F = Mat3::Zero(), G = Mat3::Zero();
        for (int a = 0; a < 4; ++a) {
            F += x_[tet[a]] * gradient_[t][a].transpose();
            G += (x_[tet[a]] + dt * v_[tet[a]]) * gradient_[t][a].transpose();
        }
        const Eigen::JacobiSVD<Mat3> svd(F, Eigen::ComputeFullU | Eigen::ComputeFullV);
        Mat3 turn = Mat3::Identity();
        turn(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant();
        const Mat3 R = svd.matrixU() * turn * svd.matrixV().transpose();
        const Mat3 S = R.transpose() * G;
        const Mat3 strain = 0.5 * (S + S.transpose()) - Mat3::Identity();
        const Mat3 P = volume_[t] * R * (lambda_ * strain.trace() * Mat3::Identity() + 2 * mu_ * strain);
        for (int a = 0; a < 4; ++a) {
            r_.segment<3>(3 * tet[a]) -= dt * (P * gradient_[t][a]);
            const Vec3 ca = R * gradient_[t][a];
            for (int b = 0; b < 4; ++b) {
                const Vec3 cb = R * gradient_[t][b];
                const Mat3 K =
                    dt * dt * volume_[t] *
                    (lambda_ * ca * cb.transpose() + mu_ * cb * ca.transpose() + mu_ * ca.dot(cb) * Mat3::Identity());
                for (int i = 0; i < 3; ++i) {
                    double* row = A_.valuePtr() + place_[t][i][4 * a + b];
                    for (int j = 0; j < 3; ++j) row[j] += K(i, j);
                }
            }
        }
    }
    for (int k = 0; k < A_.rows(); ++k) {
        double& diagonal = A_.coeffRef(k, k);
        diagonal += mass_[k];
        inverse_[k] = held_[k / 3] ? 0 : 1 / diagonal;
    }
}

Textbook::Report Textbook::step(double dt, int iterations, double tolerance) {
    Report report;
    const double begin = seconds_now();
    assemble(dt);
    const double assembled = seconds_now();
    dv_.setZero();
    z_ = inverse_.cwiseProduct(r_), p_ = z_;
    double rz = r_.dot(z_);
    const double enough = tolerance * tolerance * rz;
    for (; report.iterations < iterations && rz > enough; ++report.iterations) {
        q_.noalias() = A_ * p_;
        const double alpha = rz / p_.dot(q_);
        dv_ += alpha * p_;
        r_ -= alpha * q_;
        z_ = inverse_.cwiseProduct(r_);
        const double next = r_.dot(z_);
        p_ = z_ + next / rz * p_;
        rz = next;
    }
    for (int i = 0; i < mesh_.node_count(); ++i) v_[i] += dv_.segment<3>(3 * i), x_[i] += dt * v_[i];
    report.assembly_ms = 1e3 * (assembled - begin), report.solve_ms = 1e3 * (seconds_now() - assembled);
    return report;
}

}  // namespace pliant::bench
