// The smoothed element of a solid: weights of its domains, the step's pass over them, and measures in plain double
// precision.

#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/fem/smoothing.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {

void Solid::Parts::set_smoothing(const TetMesh& mesh) {
    if (options.element != Element::smoothed) return;
    CHECK(!options.pass && law->place >= 0, law->name);
    if (!smoothing) smoothing = std::make_unique<Smoothing>();
    set_domains(*smoothing, mesh, system);
}

// λ below zero would leave the nodes with negative energy and stays with the edges. A law whose moduli are multiples of
// Young's has no part that is λ's alone: all of it goes to the edges, as E = 2μ.
Solid::Parts::DomainModuli Solid::Parts::domain_moduli(int t) const {
    const double l = lambda_volume(t), m = mu_volume(t);
    if (!law->volume_separates) return {m * (3 * l + 2 * m) / (2 * (l + m)), 0, 0};
    return {m, std::min(l, 0.0), std::max(l, 0.0)};
}

void Solid::Parts::weigh_domains() {
    Smoothing& s = *smoothing;
    for (int d = 0; d < s.domains(); ++d) {
        const bool edge = s.is_edge(d);
        double whole = 0, lame_mu = 0, lame_lambda = 0, volumes = 0;
        for (unsigned m = s.member_begin[d]; m < s.member_begin[d + 1]; ++m) {
            const int t = static_cast<int>(s.member[m]);
            const DomainModuli of = domain_moduli(t);
            lame_mu += of.mu, lame_lambda += edge ? of.edge_lambda : of.node_lambda, volumes += volume(t);
            s.member_weight[m] = edge ? of.mu : of.node_lambda;
            whole += s.member_weight[m];
        }
        for (unsigned m = s.member_begin[d]; m < s.member_begin[d + 1]; ++m)
            s.member_weight[m] =
                whole > 0 ? s.member_weight[m] / whole : volume(static_cast<int>(s.member[m])) / volumes;
        const double share = edge ? 1.0 / 6 : 0.25;
        s.lambda[d] = share * lame_lambda, s.mu[d] = edge || law->volume_separates ? share * lame_mu : 0;
        s.volume[d] = edge ? share * options.fill * volumes : 0;
    }
    slope_domains();
}

void Solid::Parts::slope_domains() {
    Smoothing& s = *smoothing;
    std::fill(s.slope.begin(), s.slope.end(), 0.f);
    for (int d = 0; d < s.domains(); ++d)
        for (unsigned m = s.member_begin[d]; m < s.member_begin[d + 1]; ++m)
            for (int a = 0; a < 4; ++a) {
                const Vec3 g = s.member_weight[m] * shape_gradient(static_cast<int>(s.member[m]), a);
                float* to = s.slope.data() + 4L * (s.stencil_begin[d] + s.member_place[m][a]);
                for (int c = 0; c < 3; ++c) to[c] += float(g[c]);
            }
}

SmoothArgs Solid::Parts::smooth_args(std::span<const Vec3> x, std::span<const Vec3> v) {
    Smoothing& s = *smoothing;
    size_energy();
    return {.x = x.front().data(),
            .v = v.empty() ? nullptr : v.front().data(),
            .node = node.data(),
            .gradient = gradient.data(),
            .tets = tets,
            .dt = 0,
            .damping = 0,
            .force = nullptr,
            .member_begin = s.member_begin.data(),
            .member = s.member.data(),
            .member_weight = s.member_weight.data(),
            .tet_domain = s.tet_domain.front().data(),
            .tet_member = s.tet_member.front().data(),
            .lambda = s.lambda.data(),
            .mu = s.mu.data(),
            .volume = s.volume.data(),
            .numbers = law_numbers.data(),
            .plastic = nullptr,
            .edge_groups = s.edge_groups,
            .F = s.F.data(),
            .rate = s.rate.data(),
            .stress = s.stress.data(),
            .tangent = nullptr,
            .rows = system.rows,
            .slice_begin = system.slice_begin.data(),
            .row_begin = s.row_begin.data(),
            .row_domain = s.row_domain.data(),
            .row_pair = s.row_pair.data(),
            .slope = s.slope.data(),
            .twin = s.twin.data(),
            .block = system.block.data(),
            .energy = energy.data()};
}

Mat3 Solid::Parts::domain_deformation(std::span<const Vec3> x, unsigned domain) const {
    const Smoothing& s = *smoothing;
    Mat3 F = Mat3::Zero();
    for (unsigned m = s.member_begin[domain]; m < s.member_begin[domain + 1]; ++m)
        F += s.member_weight[m] * deformation(x, static_cast<int>(s.member[m]));
    return F;
}

Mat3 Solid::Parts::mean_deformation(std::span<const Vec3> x, int tet) const {
    if (!smoothing) return deformation(x, tet);
    Mat3 F = Mat3::Zero();
    for (int k = 0; k < 6; ++k) F += domain_deformation(x, smoothing->tet_domain[tet][k]) / 6;
    return F;
}

namespace {

/// Mean strain of the elements of a domain, by their weights in it.
std::array<double, 6> domain_mean(const Smoothing& s, unsigned d, std::span<const std::array<double, 6>> strain) {
    std::array<double, 6> mean{};
    for (unsigned m = s.member_begin[d]; m < s.member_begin[d + 1]; ++m)
        for (int k = 0; k < 6; ++k) mean[k] += s.member_weight[m] * strain[s.member[m]][k];
    return mean;
}

}  // namespace

void Solid::Parts::gather_plastic(std::span<const std::array<double, 6>> strain, Threads& threads) {
    Smoothing& s = *smoothing;
    s.plastic.resize(6 * std::size_t(s.domains()));
    parallel_for(threads, s.domains(), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t d = begin; d < end; ++d) {
            const bool edge = s.is_edge(static_cast<int>(d));
            const std::array<double, 6> mean = domain_mean(s, static_cast<unsigned>(d), strain);
            for (int k = 0; k < 6; ++k) s.plastic[6 * d + k] = (edge ? s.mu[d] : s.lambda[d]) * mean[k];
        }
    });
}

// The rule of PlasticFlow, with the strain of the tet's mean deformation.
void Solid::Parts::flow_smoothed(std::span<const Vec3> x, const PlasticFlow& flow, Threads& threads) {
    Smoothing& s = *smoothing;
    const SmoothKernels& kernel = smooth_kernels(kernels);
    const SmoothArgs args = smooth_args(x, {});
    s.mean.resize(12 * std::size_t(s.domains()));
    parallel_for(threads, tets, 256, [&](std::size_t begin, std::size_t end) {
        kernel.deformation(args, static_cast<int>(begin), static_cast<int>(end));
    });
    parallel_for(threads, 8 * std::size_t(s.edge_groups), 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t d = begin; d < end; ++d) {
            double* out = s.mean.data() + 12 * d;
            std::fill_n(out, 12, 0.0);
            for (unsigned m = s.member_begin[d]; m < s.member_begin[d + 1]; ++m)
                for (int k = 0; k < 12; ++k) out[k] += s.member_weight[m] * s.F[12L * s.member[m] + k];
        }
    });
    const auto norm = [](const std::array<double, 6>& e) {
        return std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 4 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]));
    };
    parallel_for(threads, tets, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            Mat3 F = Mat3::Zero();
            for (int k = 0; k < 6; ++k)
                for (int e = 0; e < 9; ++e) F(e / 3, e % 3) += s.mean[12L * s.tet_domain[t][k] + e + e / 3] / 6;
            if (law->objective) {
                const Quat q = tracked_rotation(F, quaternion(static_cast<int>(t)));
                float* out = rotation.data() + 32L * (t / 8) + t % 8;
                out[0] = float(q.w()), out[8] = float(q.x()), out[16] = float(q.y()), out[24] = float(q.z());
                F = q.toRotationMatrix().transpose() * F;
            }
            const std::array<double, 6> total{F(0, 0) - 1,
                                              F(1, 1) - 1,
                                              F(2, 2) - 1,
                                              0.5 * (F(0, 1) + F(1, 0)),
                                              0.5 * (F(1, 2) + F(2, 1)),
                                              0.5 * (F(2, 0) + F(0, 2))};
            std::array<double, 6>&p = flow.strain[t], elastic;
            for (int k = 0; k < 6; ++k) elastic[k] = total[k] - p[k];
            const FlowNumbers& n = flow.numbers[flow.numbers.size() > 1 ? t / 8 : 0];
            const int lane = flow.numbers.size() > 1 ? static_cast<int>(t % 8) : 0;
            const double size = norm(elastic);
            if (size * size <= n.limit[lane] || !std::isfinite(size)) continue;
            if (n.share[lane] < 0) {
                flow.flow(flow.context, static_cast<int>(t), total.data(), p.data());
                continue;
            }
            if (!(size > n.yield[lane])) continue;
            const double to_yield = flow.stops_at_yield ? 1 - n.yield[lane] / size : 1;
            for (int k = 0; k < 6; ++k) p[k] += std::min(n.share[lane], to_yield) * elastic[k];
            if (const double now = norm(p); now > n.max[lane])
                for (double& e : p) e *= n.max[lane] / now;
        }
    });
}

namespace {

Mat3 domain_stress(const Solid::Parts& p, unsigned d, const Mat3& F) {
    const Smoothing& s = *p.smoothing;
    Mat3 P = p.law->stress({s.lambda[d], s.mu[d]}, p.law_numbers.data(), F);
    if (!s.is_edge(static_cast<int>(d))) P -= p.law->stress({0, s.mu[d]}, p.law_numbers.data(), F);
    return P;
}

}  // namespace

Mat3 Solid::Parts::smoothed_stress(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic,
                                   int tet) const {
    const Smoothing& s = *smoothing;
    Mat3 P = Mat3::Zero();
    for (int k = 0; k < Smoothing::per_tet; ++k) {
        const unsigned d = s.tet_domain[tet][k];
        const Mat3 F = domain_deformation(x, d);
        Mat3 here = domain_stress(*this, d, F);
        if (!plastic.empty()) {
            const Mat3 R = law->objective ? closest_rotation(F).toRotationMatrix() : Mat3(Mat3::Identity());
            const std::array<double, 6> strain = domain_mean(s, d, plastic);
            std::array<double, 6> stress;
            hooke_stress(s.lambda[d], k < 6 ? s.mu[d] : 0.0, strain.data(), stress.data());
            here -= R * symmetric_matrix(stress);
        }
        P += s.member_weight[s.tet_member[tet][k]] * here;
    }
    return P;
}

std::array<double, 6> Solid::Parts::biot_stress(std::span<const Vec3> x, const Mat3& P, int tet) const {
    Mat3 R = Mat3::Identity();
    if (law->objective) R = tracked_rotation(mean_deformation(x, tet), quaternion(tet)).toRotationMatrix();
    const Mat3 B = R.transpose() * P / (options.fill * volume(tet));
    return {B(0, 0), B(1, 1), B(2, 2), 0.5 * (B(0, 1) + B(1, 0)), 0.5 * (B(1, 2) + B(2, 1)), 0.5 * (B(2, 0) + B(0, 2))};
}

void Solid::Parts::pass_domains(std::span<const Vec3> x, std::span<const Vec3> v, double ahead,
                                std::span<const std::array<double, 6>> plastic, Threads& threads) {
    const SmoothKernels& kernel = smooth_kernels(kernels);
    const SmoothPass domains = kernel.pass(law->place);
    SmoothArgs args = smooth_args(x, v);
    args.dt = ahead, args.rate_scale = 0;
    if (!plastic.empty()) gather_plastic(plastic, threads), args.plastic = smoothing->plastic.data();
    parallel_for(threads, tets, 256, [&](std::size_t begin, std::size_t end) {
        kernel.deformation(args, static_cast<int>(begin), static_cast<int>(end));
    });
    parallel_for(threads, smoothing->groups, 32, [&](std::size_t begin, std::size_t end) {
        domains(args, static_cast<int>(begin), static_cast<int>(end));
    });
}

Mat3 Solid::Parts::gathered_stress(int tet) const {
    const Smoothing& s = *smoothing;
    Mat3 P = Mat3::Zero();
    for (int k = 0; k < Smoothing::per_tet; ++k)
        for (int e = 0; e < 9; ++e)
            P(e / 3, e % 3) += s.member_weight[s.tet_member[tet][k]] * s.stress[12L * s.tet_domain[tet][k] + e + e / 3];
    return P;
}

void Solid::smoothed_stresses(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic,
                              std::span<std::array<double, 6>> out, Threads& threads) {
    Parts& p = *parts_;
    CHECK(p.smoothing && static_cast<int>(out.size()) == p.tets, out.size(), p.tets);
    p.pass_domains(x, {}, 0, plastic, threads);
    parallel_for(threads, p.tets, 128, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const int tet = static_cast<int>(t);
            out[t] = p.biot_stress(x, p.gathered_stress(tet), tet);
        }
    });
}

IterateEnergy Solid::Parts::smoothed_energy_at(std::span<const Vec3> x, std::span<const Vec3> v, double ahead,
                                               std::span<const std::array<double, 6>> plastic, Threads& threads) {
    pass_domains(x, v, ahead, plastic, threads);
    IterateEnergy sum;
    if (!v.empty()) {
        constexpr std::size_t chunk = 64;
        power.assign((tets + chunk - 1) / chunk, {});
        parallel_for(threads, tets, chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t) {
                const int tet = static_cast<int>(t);
                const Mat3 P = gathered_stress(tet);
                power[begin / chunk].all += P.cwiseProduct(deformation(v, tet)).sum();
                if (!given.empty()) power[begin / chunk].given += P.cwiseProduct(deformation(given, tet)).sum();
            }
        });
        for (const GroupPower& part : power) sum.power += part.all, sum.given_power += part.given;
    }
    if (plastic.empty()) {
        for (const double e : energy) sum.elastic += e;
        return sum;
    }
    moved_to.assign(x.begin(), x.end());
    for (std::size_t i = 0; i < v.size(); ++i) moved_to[i] += ahead * v[i];
    sum.elastic = smoothed_energy(moved_to, plastic);
    return sum;
}

void Solid::Parts::smoothed_force(std::span<const Vec3> x, std::span<Vec3> out) const {
    for (int t = 0; t < tets; ++t) {
        const Mat3 P = smoothed_stress(x, {}, t);
        for (int a = 0; a < 4; ++a) out[corner_node(t, a)] -= P * shape_gradient(t, a);
    }
}

double Solid::Parts::smoothed_energy(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic) const {
    const Smoothing& s = *smoothing;
    double sum = 0;
    for (int d = 0; d < s.domains(); ++d) {
        if (s.member_begin[d] == s.member_begin[d + 1]) continue;
        const Mat3 F = domain_deformation(x, d);
        if (!plastic.empty()) {
            // Hooke's laws: μV ε:ε of the elastic strain at edges, λV/2 tr²ε at nodes.
            const Mat3 R = law->objective ? closest_rotation(F).toRotationMatrix() : Mat3(Mat3::Identity());
            const std::array<double, 6> lasting = domain_mean(s, d, plastic);
            double strain[6];
            small_strain<double>(Mat3(R.transpose() * F), strain);
            for (int k = 0; k < 6; ++k) strain[k] -= lasting[k];
            sum += hooke_energy(s.lambda[d], s.is_edge(d) ? s.mu[d] : 0.0, strain);
            continue;
        }
        sum += law->energy({s.lambda[d], s.mu[d]}, law_numbers.data(), F);
        if (!s.is_edge(d)) sum -= law->energy({0, s.mu[d]}, law_numbers.data(), F);
    }
    return sum;
}

}  // namespace pliant
