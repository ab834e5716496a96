// What explicit steps ask of a solid: forces without a matrix, energy, and how long a step may be.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/core/error.hpp"
#include "pliant/fem/element_kernels.hpp"
#include "pliant/fem/row_kernels.hpp"
#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/hooke.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

namespace {

constexpr std::size_t energy_groups = 32;  // of eight tets, per chunk of a sum

/// Corotated or linear elements at x, whose rotations start from `rotation`.
ElementArgs hooke_args(Solid::Parts& p, std::span<const Vec3> x, int first, float* rotation) {
    return {.x = x.front().data(),
            .v = nullptr,
            .node = p.node.data() + 32L * first,
            .gradient = p.gradient.data() + 72L * first,
            .mu = p.mu.data() + 8L * first,
            .lambda = p.same_ratio ? nullptr : p.lambda.data() + 8L * first,
            .ratio = p.ratio,
            .rotation = rotation,
            .plastic = nullptr,
            .line = p.line.data(),
            .force = nullptr,
            .tets = p.tets - 8 * first,
            .dt = 1,
            .reach = 0,
            .turn = 0,
            .corotational = p.law->objective,
            .robust = p.robust_search()};
}

/// The same for any law of law_pass.hpp, at x + dt·v.
LawArgs explicit_law_args(Solid::Parts& p, std::span<const Vec3> x, std::span<const Vec3> v, double dt) {
    LawArgs args{};
    args.x = x.front().data(), args.v = v.front().data();
    args.node = p.node.data(), args.gradient = p.gradient.data();
    args.mu = p.mu.data(), args.lambda = p.same_ratio ? nullptr : p.lambda.data(), args.ratio = p.ratio;
    args.numbers = p.law_numbers.data(), args.fill = p.options.fill;
    args.dt = dt, args.damping = p.options.stiffness_damping;
    args.force = reinterpret_cast<double*>(p.system.block.data());
    return args;
}

}  // namespace

// Element forces go where assemble() has them, in the memory of the matrix, and are gathered row by row: each sums its
// own contributions in a fixed order.
void Solid::forces(std::span<const Vec3> x, std::span<const Vec3> v, const SolidInput& input, std::span<Vec3> out,
                   Threads& threads) {
    Parts& p = *parts_;
    BlockSystem& a = p.system;
    const std::size_t n = p.nodes;
    CHECK(x.size() == n && v.size() == n && out.size() == n && input.force.size() == n, x.size(), v.size(), n);
    CHECK(input.dt > 0, input.dt);
    const PlasticFlow* flow = input.flow;
    const auto plastic = flow ? std::span<const std::array<double, 6>>(flow->strain) : input.plastic_strain;
    double* force = reinterpret_cast<double*>(a.block.data());
    Smoothing* const smooth = p.smoothing.get();
    const bool by_law = !p.law->hooke, shifts = by_law || smooth;
    // Passes of any law find F at x + dt·v: they are given x − dt·v.
    if (shifts) {
        p.shifted.resize(n);
        parallel_for(threads, n, 4096, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) p.shifted[i] = x[i] - input.dt * v[i];
        });
    }
    const double scale = shifts ? input.dt : 1;  // element forces come out times −scale
    ElementArgs hooke = hooke_args(p, x, 0, p.rotation.data());
    LawArgs law{};
    SmoothArgs smoothed{};
    const SmoothKernels& smooth_kernel = smooth_kernels(p.kernels);
    if (smooth) {
        if (flow) p.flow_smoothed(x, *flow, threads);
        if (!plastic.empty()) p.gather_plastic(plastic, threads);
        smoothed = p.smooth_args(p.shifted, v);
        smoothed.dt = input.dt, smoothed.damping = p.options.stiffness_damping, smoothed.force = force;
        if (!plastic.empty()) smoothed.plastic = smooth->plastic.data();
        // Stiffness damping is C:G, and the pass finds C for the matrix only.
        if (smoothed.damping > 0) smoothed.tangent = smooth->tangent.data();
    } else if (by_law) {
        law = explicit_law_args(p, p.shifted, v, input.dt);
    } else {
        hooke.v = v.front().data(), hooke.reach = p.options.stiffness_damping, hooke.force = force;
        if (!plastic.empty()) hooke.plastic = plastic.front().data();
        if (flow) {
            hooke.flowing = flow->strain.front().data(), hooke.flow_numbers = flow->numbers.data();
            hooke.flow_numbers_differ = flow->numbers.size() > 1, hooke.flow_stops = flow->stops_at_yield;
            hooke.flow = flow->flow, hooke.flow_context = flow->context;
        }
    }
    RowArgs rows{};
    rows.rows = a.rows;
    rows.incident_begin = p.incident_begin.data(), rows.incident = p.incident.data();
    rows.node_of_row = a.node_of_row.data();
    rows.force = force, rows.external = input.force.front().data(), rows.v = v.front().data();
    rows.mass = p.mass.data(), rows.out_v = a.v.data(), rows.out_r = a.r.data();
    rows.dt = scale, rows.mass_damping = p.options.mass_damping;
    const ElementKernel element = element_kernel(p.kernels);
    const LawPass pass = by_law && !smooth ? p.pass() : nullptr;
    const SmoothPass smooth_pass = smooth ? smooth_kernel.pass(p.law->place) : nullptr;
    const RowKernels& row = row_kernels(p.kernels);
    run_team(threads, a.slices, [&](const Team& team) {
        if (smooth) {
            smooth_kernel.deformation(smoothed, team.begin(p.tets), team.end(p.tets));
            team.barrier();
            smooth_pass(smoothed, team.begin(smooth->groups), team.end(smooth->groups));
            team.barrier();
            smooth_kernel.forces(smoothed, team.begin(p.tets), team.end(p.tets));
        } else if (pass) {
            pass(law, team.begin(p.groups), team.end(p.groups));
        } else {
            // Two groups are turned together: shares begin with even ones, so that threads change nothing.
            const int pairs = (p.groups + 1) / 2;
            element(hooke, 2 * team.begin(pairs), std::min(p.groups, 2 * team.end(pairs)));
        }
        team.barrier();
        const int begin = team.begin(a.slices), end = team.end(a.slices);
        double momentum[3] = {};
        row.residual(rows, begin, end, momentum);
        for (int i = 8 * begin; i < std::min(8 * end, a.rows); ++i) out[a.node_of_row[i]] = a.at(a.r, i) / scale;
    });
}

double Solid::energy(std::span<const Vec3> x, std::span<const std::array<double, 6>> plastic, Threads& threads) {
    Parts& p = *parts_;
    if (p.smoothing) return p.smoothed_energy(x, plastic);
    p.chunk_energy.assign((p.groups + energy_groups - 1) / energy_groups, 0.0);
    parallel_for(threads, p.groups, energy_groups, [&](std::size_t begin, std::size_t end) {
        const int first = static_cast<int>(begin), last = std::min(8 * static_cast<int>(end), p.tets);
        double& sum = p.chunk_energy[begin / energy_groups];
        if (!p.law->hooke) {
            for (int t = 8 * first; t < last; ++t)
                sum += p.law->energy(p.weighted_moduli(t), p.law_numbers.data(), p.deformation(x, t));
            return;
        }
        alignas(64) float rotation[32 * energy_groups];  // asking must not change what comes after
        double strain[8 * energy_groups][6];
        std::copy_n(p.rotation.data() + 32L * first, 32 * (end - begin), rotation);
        ElementArgs args = hooke_args(p, x, first, rotation);
        args.strain = strain[0];
        element_kernel(p.kernels)(args, 0, static_cast<int>(end - begin));
        for (int t = 8 * first; t < last; ++t) {
            double* e = strain[t - 8 * first];
            if (!plastic.empty())
                for (int k = 0; k < 6; ++k) e[k] -= plastic[t][k];
            sum += hooke_energy(p.lambda_volume(t), p.mu_volume(t), e);
        }
    });
    double sum = 0;
    for (const double part : p.chunk_energy) sum += part;
    return sum;
}

// Of a tet: the eigenvalues of its stiffness over the masses of its corners bound those of the whole (the largest
// quotient of sums is at most that of one of the terms). With S = Σ g gᵀ over the corners' gradients,
//     u·K u = V (λ (Σ u·g)² + 2μ |sym Σ u gᵀ|²) ≤ V (λ tr S + 2μ |S|) |u|²,
// which is exact for a regular tet. That is the speed of sound over the height of the tet, both squared. Smoothed
// elements are softer than their tets.
StableRates Solid::stable_rates(std::span<const ElementMaterial> material) {
    Parts& p = *parts_;
    if (p.rates.elastic > 0) return p.rates;
    CHECK(static_cast<int>(material.size()) == p.tets, material.size(), p.tets);
    for (int t = 0; t < p.tets; ++t) {
        Mat3 S = Mat3::Zero();
        for (int a = 0; a < 4; ++a) S += p.shape_gradient(t, a) * p.shape_gradient(t, a).transpose();
        const double largest = Eigen::SelfAdjointEigenSolver<Mat3>(S, Eigen::EigenvaluesOnly).eigenvalues()[2];
        double lightest = INFINITY;
        for (int a = 0; a < 4; ++a) lightest = std::min(lightest, p.corner_mass(t, a, material[t].density));
        const auto bound = [&](double lambda, double mu) {
            return (std::max(lambda, 0.0) * S.trace() + 2 * mu * largest) / lightest;
        };
        p.rates.elastic = std::max(p.rates.elastic, bound(p.lambda_volume(t), p.mu_volume(t)));
        if (!p.law->viscous) continue;
        const double volume = p.options.fill * p.volume(t), *viscosity = p.law_numbers.data();  // φ and ψ come first
        p.rates.viscous = std::max(p.rates.viscous, bound(volume * viscosity[0], volume * viscosity[1]));
    }
    return p.rates;
}

double Solid::stiffness_sum() const {
    double sum = 0;
    for (int t = 0; t < parts_->tets; ++t) sum += parts_->lambda_volume(t) + 2 * parts_->mu_volume(t);
    return sum;
}

}  // namespace pliant
