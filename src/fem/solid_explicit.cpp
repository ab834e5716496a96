// What explicit steps ask of a solid: forces without a matrix, and how long a step may be.

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
    p.size_energy();
    ElementArgs hooke = element_args(p, x, v, 0, p.rotation.data());
    hooke.line = p.line.data(), hooke.energy = p.energy.data();
    hooke.dt = 1;
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
        law = p.law_args(p.shifted, v, input.dt);
        law.force = force;
    } else {
        hooke.reach = p.options.stiffness_damping, hooke.force = force;
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

}  // namespace pliant
