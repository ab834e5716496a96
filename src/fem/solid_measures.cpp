// Element quantities in plain double precision: measures, exports, tests.

#include <Eigen/LU>
#include <algorithm>

#include "pliant/core/error.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {

namespace {

/// Strain in the frame that turns with the element, Müller & Gross 2004, eq. 13.
std::array<double, 6> corotated_strain(const Mat3& R, const Mat3& F) {
    std::array<double, 6> strain;
    small_strain(Mat3(R.transpose() * F), strain.data());
    return strain;
}

/// V·σ of an elastic strain.
Mat3 hooke_matrix(const Solid::Parts& p, int tet, const std::array<double, 6>& strain) {
    std::array<double, 6> stress;
    hooke_stress(p.lambda_volume(tet), p.mu_volume(tet), strain.data(), stress.data());
    return symmetric_matrix(stress);
}

}  // namespace

double Solid::Parts::volume(int tet) const {
    if (!rest_volume.empty()) return rest_volume[tet];
    return 1 / (6 * shape_gradient(tet, 1).cross(shape_gradient(tet, 2)).dot(shape_gradient(tet, 3)));
}

Mat3 Solid::Parts::deformation(std::span<const Vec3> x, int tet) const {
    Mat3 F = Mat3::Zero();
    const Vec3& origin = x[corner_node(tet, 0)];
    for (int a = 1; a < 4; ++a) F += (x[corner_node(tet, a)] - origin) * shape_gradient(tet, a).transpose();
    return F;
}

Mat3 Solid::Parts::rotation_at(std::span<const Vec3> x, int tet) const {
    if (!law->objective) return Mat3::Identity();
    return tracked_rotation(deformation(x, tet), quaternion(tet)).toRotationMatrix();
}

Mat3 Solid::Parts::weighted_stress(const Mat3& R, const Mat3& F, int tet) const {
    if (!law->hooke) {
        const Mat3 biot = R.transpose() * law->stress(weighted_moduli(tet), law_numbers.data(), F);
        return 0.5 * (biot + biot.transpose());
    }
    return hooke_matrix(*this, tet, corotated_strain(R, F));
}

Mat3 Solid::Parts::piola_stress(std::span<const Vec3> x, int tet) const {
    if (smoothing) return smoothed_stress(x, {}, tet);
    const Mat3 F = deformation(x, tet);
    if (!law->hooke) return law->stress(weighted_moduli(tet), law_numbers.data(), F);
    const Mat3 R = rotation_at(x, tet);
    return R * hooke_matrix(*this, tet, corotated_strain(R, F));
}

std::array<double, 6> Solid::Parts::mean_strain(std::span<const Vec3> x, int tet) const {
    const Mat3 F = mean_deformation(x, tet);
    return corotated_strain(
        law->objective ? tracked_rotation(F, quaternion(tet)).toRotationMatrix() : Mat3(Mat3::Identity()), F);
}

void Solid::Parts::follow_rotations(std::span<const Vec3> x, std::span<const Vec3> v, double ahead, Threads& threads) {
    parallel_for(threads, groups, 64, [&](std::size_t begin, std::size_t end) {
        for (int lane = 8 * static_cast<int>(begin); lane < 8 * static_cast<int>(end); ++lane) {
            const Mat3 F = deformation(x, lane) + ahead * deformation(v, lane);
            const Quat q = tracked_rotation(F, quaternion(lane));
            float* out = rotation.data() + 32L * (lane / 8) + lane % 8;
            out[0] = float(q.w()), out[8] = float(q.x()), out[16] = float(q.y()), out[24] = float(q.z());
        }
    });
}

std::array<double, 6> Solid::total_strain(std::span<const Vec3> x, int tet) const {
    return parts_->mean_strain(x, tet);
}

const MaterialLaw& Solid::law() const { return *parts_->law; }

std::array<double, 6> Solid::law_stress(std::span<const Vec3> x, int tet, const ElementMaterial& material) const {
    const Parts& p = *parts_;
    if (p.smoothing) return p.biot_stress(x, p.smoothed_stress(x, {}, tet), tet);
    const Mat3 F = p.deformation(x, tet);
    const Mat3 biot = p.rotation_at(x, tet).transpose() *
                      p.law->stress(lame(material.young, material.poisson), p.law_numbers.data(), F);
    return {biot(0, 0),
            biot(1, 1),
            biot(2, 2),
            0.5 * (biot(0, 1) + biot(1, 0)),
            0.5 * (biot(1, 2) + biot(2, 1)),
            0.5 * (biot(2, 0) + biot(0, 2))};
}

Mat3 Solid::rotation(int tet) const {
    const Parts& p = *parts_;
    return p.law->objective ? p.quaternion(tet).toRotationMatrix() : Mat3(Mat3::Identity());
}

Mat3 Solid::deformation_gradient(std::span<const Vec3> x, int tet) const { return parts_->mean_deformation(x, tet); }

bool Solid::smoothed() const { return parts_->smoothing != nullptr; }

std::array<double, 6> Solid::smoothed_stress(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic,
                                             int tet) const {
    return parts_->biot_stress(x, parts_->smoothed_stress(x, plastic, tet), tet);
}

double Solid::smoothed_energy(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic) const {
    return parts_->smoothed_energy(x, plastic);
}

bool Solid::stiff_in(double dt) const { return parts_->stiff_in(dt); }

double Solid::rotation_lag(double turned, double dt) const {
    return parts_->stiff_in(dt) ? parts_->stiffness_per_mass * dt * dt * turned : 0;
}

double Solid::Parts::turned(std::span<const Vec3> x, std::span<const Vec3> v, double dt, Threads& threads) {
    constexpr std::size_t chunk = 512;
    partial.assign((tets + chunk - 1) / chunk, 0.0);
    parallel_for(threads, tets, chunk, [&](std::size_t begin, std::size_t end) {
        double& most = partial[begin / chunk];
        for (std::size_t t = begin; t < end; ++t) {
            const int tet = static_cast<int>(t);
            const Mat3 A =
                quaternion(tet).toRotationMatrix().transpose() * (deformation(x, tet) + dt * deformation(v, tet));
            const Vec3 skew(A(2, 1) - A(1, 2), A(0, 2) - A(2, 0), A(1, 0) - A(0, 1));
            most = std::max(most, 0.25 * skew.squaredNorm());
        }
    });
    return *std::max_element(partial.begin(), partial.end());
}

std::array<double, 6> Solid::stress(std::span<const Vec3> x, int tet) const {
    const Parts& p = *parts_;
    if (p.smoothing) return p.biot_stress(x, p.smoothed_stress(x, {}, tet), tet);
    const Mat3 s =
        p.weighted_stress(p.rotation_at(x, tet), p.deformation(x, tet), tet) / (p.options.fill * p.volume(tet));
    return {s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0)};
}

void Solid::internal_force(std::span<const Vec3> x, std::span<Vec3> out) const {
    const Parts& p = *parts_;
    CHECK(static_cast<int>(x.size()) == p.nodes && x.size() == out.size(), x.size(), out.size(), p.nodes);
    std::fill(out.begin(), out.end(), Vec3::Zero());
    if (p.smoothing) return p.smoothed_force(x, out);
    for (int t = 0; t < p.tets; ++t) {
        const Mat3 P = p.piola_stress(x, t);
        for (int a = 0; a < 4; ++a) out[p.corner_node(t, a)] -= P * p.shape_gradient(t, a);
    }
}

double Solid::elastic_energy(std::span<const Vec3> x) const {
    const Parts& p = *parts_;
    if (p.smoothing) return p.smoothed_energy(x, {});
    double sum = 0;
    for (int t = 0; t < p.tets; ++t) {
        if (!p.law->hooke) {
            sum += p.law->energy(p.weighted_moduli(t), p.law_numbers.data(), p.deformation(x, t));
            continue;
        }
        const std::array<double, 6> strain = corotated_strain(p.rotation_at(x, t), p.deformation(x, t));
        sum += hooke_energy(p.lambda_volume(t), p.mu_volume(t), strain.data());
    }
    return sum;
}

std::size_t memory_bytes(const Solid& solid) {
    const Solid::Parts& p = solid.parts();
    const BlockSystem& a = p.system;
    auto bytes = [](const auto&... vectors) { return ((vectors.capacity() * sizeof(vectors[0])) + ...); };
    return sizeof(Solid) + sizeof(p) +
           bytes(p.mass, p.rest, p.kept.rotations, p.node, p.gradient, p.mu, p.lambda, p.rotation, p.line, p.law_block,
                 p.incident_begin, p.incident, p.pair_begin, p.pair_room, p.pair, p.pair_steps) +
           bytes(p.split_update.column, p.split_update.pair_steps) +
           bytes(a.row_of_node, a.node_of_row, a.slice_begin, a.column, a.block, a.packed, a.near, a.inertia,
                 a.preconditioner, a.v, a.r, a.search, a.prescribed) +
           bytes(a.place, a.coarse_diagonal, a.coarse_pairs, p.scratch.coarse.value, p.scratch.coarse.force,
                 p.scratch.coarse.motion) +
           memory_bytes(a.aggregates) +
           bytes(p.chunks, p.scratch.ends, p.scratch.touch, p.scratch.touching, p.scratch.impulse, p.scratch.chunks,
                 p.scratch.balance) +
           (p.smoothing ? memory_bytes(*p.smoothing) : 0) + (p.multigrid ? memory_bytes(*p.multigrid) : 0);
}

}  // namespace pliant
