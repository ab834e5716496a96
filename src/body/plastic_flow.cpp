#include "pliant/body/plastic_flow.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/body/warm_bodies.hpp"
#include "pliant/core/threads.hpp"
#include "pliant/fem/element_lame.hpp"
#include "pliant/geometry/polar.hpp"
#include "pliant/material/material.hpp"

namespace pliant {

Strain6 total_strain(const FemBody& body, int tet) { return body.solid.total_strain(body.x, tet); }

Strain6 elastic_strain(const FemBody& body, int tet) {
    Strain6 strain = total_strain(body, tet);
    if (!body.plastic_strain.empty())
        for (int k = 0; k < 6; ++k) strain[k] -= body.plastic_strain[tet][k];
    return strain;
}

namespace {

Strain6 stress_of(const Lame& m, const Strain6& elastic) {
    Strain6 stress;
    hooke_stress(m.lambda, m.mu, elastic.data(), stress.data());
    return stress;
}

}  // namespace

namespace {

/// Some of its tets may have moduli of the step.
bool has_stepped_moduli(const FemBody& body) { return body.plasticity && body.plasticity->maxwell && !body.heat; }

/// G′/G of a tet in steps of dt.
double stepped_share(const FemBody& body, int tet, double dt) {
    if (!has_stepped_moduli(body) || !(dt > 0)) return 1;
    const PlasticNumbers& flow = body.plastic[tet];
    if (!(flow.rate > 0) || flow.yield > 0 || flow.hardening > 0) return 1;
    return -std::expm1(-flow.rate * dt) / (flow.rate * dt);
}

}  // namespace

ElementMaterial stepped_material(const FemBody& body, int tet) {
    ElementMaterial m = body.material[tet];
    const double share = stepped_share(body, tet, body.flow_dt);
    if (share == 1) return m;
    const Lame of = lame(m.young, m.poisson);
    const double bulk = of.lambda + 2.0 / 3 * of.mu, shear = share * of.mu;
    m.poisson = (3 * bulk - 2 * shear) / (2 * (3 * bulk + shear));
    m.young = 2 * shear * (1 + m.poisson);
    return m;
}

Strain6 elastic_stress(const FemBody& body, int tet) {
    if (body.solid.smoothed()) return body.solid.smoothed_stress(body.x, body.plastic_strain, tet);
    const ElementMaterial m = stepped_material(body, tet);
    if (!body.solid.law().hooke) return body.solid.law_stress(body.x, tet, m);
    return stress_of(lame(m.young, m.poisson), elastic_strain(body, tet));
}

void elastic_stresses(FemBody& body, std::span<Strain6> out, Threads& threads) {
    const std::size_t tets = body.mesh.tets.size();
    if (body.solid.smoothed()) return body.solid.smoothed_stresses(body.x, body.plastic_strain, out, threads);
    const bool stepped = has_stepped_moduli(body);
    parallel_for(threads, (tets + 7) / 8, 64, [&](std::size_t begin, std::size_t end) {
        if (!body.solid.law().hooke) {
            for (std::size_t t = 8 * begin; t < std::min(8 * end, tets); ++t)
                out[t] = elastic_stress(body, static_cast<int>(t));
            return;
        }
        body.solid.total_strains(body.x, out, static_cast<int>(begin), static_cast<int>(end));
        ElementLame lame_of;
        for (std::size_t t = 8 * begin; t < std::min(8 * end, tets); ++t) {
            if (!body.plastic_strain.empty())
                for (int k = 0; k < 6; ++k) out[t][k] -= body.plastic_strain[t][k];
            const Lame& m = stepped ? lame_of(stepped_material(body, static_cast<int>(t))) : lame_of(body.material[t]);
            out[t] = stress_of(m, out[t]);
        }
    });
}

namespace {

void flow_tet(const void* context, int tet, const double* total, double* plastic) {
    const auto& [body, dt] = *static_cast<const FlowContext*>(context);
    Strain6 e, p;
    std::copy(total, total + 6, e.begin());
    std::copy(plastic, plastic + 6, p.begin());
    const PlasticNumbers& numbers = body->plastic[tet];
    const double softness = softness_before(*body, tet);
    // What sets does so in the shape it has: its stress stays, instead of growing with its stiffness.
    if (softness < 1)
        for (int k = 0; k < 6; ++k) p[k] += (1 - softness) * (e[k] - p[k]);
    if (numbers.rate > 0 || softness < 1) body->plasticity->flow(numbers, e, dt, p);
    std::copy(p.begin(), p.end(), plastic);
}

}  // namespace

namespace {

void set_lane(FlowNumbers& of, int lane, const PlasticityLaw& law, const PlasticNumbers& numbers, double share,
              bool sets) {
    // Below the yield strain: the law decides, this only spares its arithmetic. Volumes are watched more closely.
    const double square = (numbers.keep_volume ? 0.01 : 0.9999) * numbers.yield * numbers.yield;
    of.limit[lane] = sets ? -1 : numbers.rate > 0 ? square : std::numeric_limits<double>::infinity();
    of.yield[lane] = numbers.yield;
    of.share[lane] = sets || numbers.keep_volume || !law.share ? -1 : share;
    of.max[lane] = numbers.max;
}

}  // namespace

void set_flow_numbers(FemBody& body, double dt, Threads& threads) {
    if (!body.flow_numbers.empty() && !body.heat && body.flow_dt == dt) return;
    const std::vector<PlasticNumbers>& plastic = body.plastic;
    const std::size_t tets = plastic.size(), groups = (tets + 7) / 8;
    const bool same = !body.heat && std::ranges::all_of(plastic, [&](const auto& n) { return n == plastic[0]; });
    body.flow_numbers.resize(same ? 1 : groups);
    body.flow_dt = dt;
    const PlasticityLaw& law = *body.plasticity;
    parallel_for(threads, body.flow_numbers.size(), 256, [&](std::size_t begin, std::size_t end) {
        double rate = 0, share = 0;  // of the tet before, which mostly has the same
        for (std::size_t i = 8 * begin; i < 8 * end; ++i) {
            const std::size_t tet = std::min(i, tets - 1);
            if (law.share && plastic[tet].rate != rate) rate = plastic[tet].rate, share = law.share(rate, dt);
            set_lane(body.flow_numbers[i / 8], static_cast<int>(i % 8), law, plastic[tet], share,
                     softness_before(body, static_cast<int>(tet)) < 1);
        }
    });
}

double plastic_strain_norm(const FemBody& body, int tet) {
    if (body.plastic_deformation.empty()) return strain_norm(body.plastic_strain[tet]);
    return signed_svd(body.plastic_deformation[tet]).s.array().log().matrix().norm();
}

namespace {

/// Fe of a tet by its own corners, whatever its element takes strain from.
Mat3 own_elastic(const FemBody& body, std::size_t t) {
    const Tet& tet = body.mesh.tets[t];
    Mat3 now, rest;
    for (int k = 0; k < 3; ++k) {
        now.col(k) = body.x[tet[k + 1]] - body.x[tet[0]];
        rest.col(k) = body.mesh.rest[tet[k + 1]] - body.mesh.rest[tet[0]];
    }
    return now * (body.plastic_deformation[t] * rest).inverse();
}

/// Steps are of another length from now on. Elements take other moduli for that, and strains that leave their stress.
void set_flow_step(FemBody& body, double dt, Threads& threads) {
    parallel_for(threads, body.plastic.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const int tet = static_cast<int>(t);
            const double ratio = stepped_share(body, tet, body.flow_dt) / stepped_share(body, tet, dt);
            if (ratio != 1) keep_share_of_shape(own_elastic(body, t), 1 - ratio, body.plastic_deformation[t]);
        }
    });
    body.flow_dt = dt;
    body.solid.set_material(solid_material(body));
    body.solid.set_shapes(body.mesh, body.plastic_deformation, threads);
}

}  // namespace

void flow_shapes(FemBody& body, double dt, Threads& threads) {
    constexpr std::size_t at_once = 64;
    if (body.plasticity && body.plasticity->maxwell && body.flow_dt != dt) set_flow_step(body, dt, threads);
    std::vector<char>& flowed = body.flowed;
    const MaterialLaw& law = body.solid.law();
    const double* numbers = body.solid.options().law_numbers.data();
    const auto flow_by_stress = [&](std::size_t t, const Mat3& elastic) {
        const double softness = softness_before(body, static_cast<int>(t));
        // What sets does so in the shape it has: its stress stays, instead of growing with its stiffness.
        if (softness < 1) keep_share_of_shape(elastic, 1 - softness, body.plastic_deformation[t]);
        if (!(body.plastic[t].rate > 0)) return;
        const ElementMaterial& m = body.material[t];
        const Mat3 stress = law.stress(lame(m.young, m.poisson), numbers, elastic);
        // A smoothed element yields by the mean of its edges. What flows is each tet's own strain: then the means relax
        // at the same rate, while means of means would leave some of it for ever.
        const bool smoothed = body.solid.smoothed();
        body.plasticity->stress_flow(body.plastic[t], smoothed ? own_elastic(body, t) : elastic, stress, dt,
                                     body.plastic_deformation[t], body.hardened[t]);
    };
    flowed.assign((body.plastic.size() + at_once - 1) / at_once, 0);
    parallel_for(threads, body.plastic.size(), at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Mat3 before = body.plastic_deformation[t];
            const Mat3 elastic = body.solid.deformation_gradient(body.x, static_cast<int>(t));
            if (body.plasticity->stress_flow)
                flow_by_stress(t, elastic);
            else
                body.plasticity->finite_flow(body.plastic[t], elastic, dt, body.plastic_deformation[t]);
            if (body.plastic_deformation[t] != before) flowed[begin / at_once] = 1;
        }
    });
    if (std::ranges::any_of(flowed, [](char some) { return some != 0; }))
        body.solid.set_shapes(body.mesh, body.plastic_deformation, threads);
}

PlasticFlow plastic_flow(FemBody& body, const FlowContext& context) {
    return {.strain = body.plastic_strain,
            .numbers = body.flow_numbers,
            .stops_at_yield = body.plasticity->stops_at_yield,
            .flow = flow_tet,
            .context = &context};
}

}  // namespace pliant
