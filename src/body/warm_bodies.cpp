#include "pliant/body/warm_bodies.hpp"
#include "pliant/material/hooke.hpp"

#include <Eigen/LU>
#include <cmath>

namespace pliant {

namespace {

template <class Material>
std::vector<double> densities(const std::vector<Material>& material) {
    std::vector<double> list;
    list.reserve(material.size());
    for (const Material& m : material) list.push_back(m.density);
    return list;
}

template <class Body>
void begin_heat(Body& body, const HeatDesc& desc) {
    CHECK(!body.heat && !body.material.empty(), body.name);
    body.heat = Heat{.flow = HeatFlow(body.mesh, densities(body.material), surface_area(body.surface()), desc.numbers),
                     .table = desc.table,
                     .young = desc.young > 0 ? desc.young : body.material[0].young};
    body.temperature.assign(body.x.size(), desc.numbers.initial);
    body.temperature_next = body.temperature;
}

// What each tet holds of the elastic energy of each mode: V (λ tr(ε)² + 2μ ε:ε) over its sum.
void set_energy_shares(ModalBody& body) {
    const int modes = body.basis.mode_count();
    body.energy_share.assign(body.mesh.tets.size() * static_cast<std::size_t>(modes), 0);
    body.energy_shares.assign(static_cast<std::size_t>(modes), 0);
    for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
        const Tet& tet = body.mesh.tets[t];
        Mat3 edges;
        for (int k = 0; k < 3; ++k) edges.col(k) = body.mesh.rest[tet[k + 1]] - body.mesh.rest[tet[0]];
        const Mat3 inverse = edges.inverse();
        const double volume = edges.determinant() / 6;
        const ElasticNumbers& e = body.material[t];
        const auto [lambda, mu] = lame(e.young, e.poisson);
        for (int m = 0; m < modes; ++m) {
            Mat3 moved;
            for (int k = 0; k < 3; ++k)
                moved.col(k) = body.basis.shape_at(tet[k + 1], m) - body.basis.shape_at(tet[0], m);
            const Mat3 gradient = moved * inverse, strain = 0.5 * (gradient + gradient.transpose());
            const double energy = 2 * volume * hooke_energy(lambda, mu, strain.squaredNorm(), strain.trace());
            const auto share = static_cast<float>(energy / body.basis.lambda[m]);
            body.energy_share[t * static_cast<std::size_t>(modes) + static_cast<std::size_t>(m)] = share;
            body.energy_shares[static_cast<std::size_t>(m)] += share;
        }
    }
}

}  // namespace

void add_heat(FemBody& body, const HeatDesc& desc) {
    begin_heat(body, desc);
    for (const ElementMaterial& m : body.material) body.cold_young.push_back(m.young);
    body.cold_plastic = body.plastic;
    set_material_at(body, body.temperature);
}

void add_heat(ParticleBody& body, const HeatDesc& desc) {
    begin_heat(body, desc);
    body.cold = body.material;
    set_material_at(body, body.temperature);
}

void add_heat(ModalBody& body, const HeatDesc& desc) {
    begin_heat(body, desc);
    set_energy_shares(body);
    set_material_at(body, body.temperature);
}

void set_material_at(FemBody& body, std::span<const double> temperature) {
    if (!body.heat || body.heat->table.rows.empty()) return;
    const Heat& heat = *body.heat;
    bool changed = false;
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
        const double warm = element_temperature(temperature, body.mesh.tets[t]);
        const double young = body.cold_young[t] * heat.stepped_softness(warm);
        changed |= young != body.material[t].young;
        body.material[t].young = young;
        if (body.plastic.empty()) continue;
        const HeatRow row = heat.table.at(warm);
        body.plastic[t].yield = row.yield.value_or(body.cold_plastic[t].yield);
        body.plastic[t].rate = row.rate.value_or(body.cold_plastic[t].rate);
    }
    if (changed) body.solid.set_material(solid_material(body));
}

void set_material_at(ParticleBody& body, std::span<const double> temperature) {
    if (!body.heat || body.heat->table.rows.empty()) return;
    bool changed = false;
    for (std::size_t t = 0; t < body.material.size(); ++t) {
        const ParticleMaterial& cold = body.cold[t];
        ParticleMaterial& now = body.material[t];
        const double softness = body.heat->stepped_softness(element_temperature(temperature, body.mesh.tets[t]));
        const double young = cold.young * softness;
        if (young == now.young) continue;
        changed = true;
        now.young = young, now.shear = cold.shear * softness, now.fibre_young = cold.fibre_young * softness;
    }
    if (changed) apply_material(body);
}

std::vector<double> warm_eigenvalues(const ModalBody& body, std::span<const double> temperature) {
    const std::size_t modes = body.basis.lambda.size();
    std::vector<double> change(modes, 0);
    for (std::size_t t = 0; t < body.mesh.tets.size(); ++t) {
        const double less = body.heat->softness(element_temperature(temperature, body.mesh.tets[t])) - 1;
        if (less == 0) continue;
        const float* share = body.energy_share.data() + t * modes;
        for (std::size_t m = 0; m < modes; ++m) change[m] += less * share[m];
    }
    for (std::size_t m = 0; m < modes; ++m) change[m] = body.basis.lambda[m] * (1 + change[m] / body.energy_shares[m]);
    return change;
}

void set_material_at(ModalBody& body, std::span<const double> temperature) {
    if (!body.heat || body.heat->table.rows.empty()) return;
    std::vector<double> lambda = warm_eigenvalues(body, temperature);
    if (lambda == body.oscillators.lambda) return;
    Oscillators& o = body.oscillators;
    o.lambda = std::move(lambda);
    for (std::size_t m = 0; m < o.lambda.size(); ++m) o.damping[m] = body.basis.alpha + body.basis.beta * o.lambda[m];
    o.cached_dt = -1;
}

void relink_heat(FemBody& body) {
    if (!body.heat) return;
    HeatFlow& flow = body.heat->flow;
    flow = HeatFlow(body.mesh, densities(body.material), surface_area(body.surface()), flow.numbers(), body.share);
}

double softness_before(const FemBody& body, int tet) {
    if (!body.heat || body.heat->table.rows.empty()) return 1;
    const double before = element_temperature(body.temperature, body.mesh.tets[tet]);
    return body.cold_young[tet] * body.heat->stepped_softness(before) / body.material[tet].young;
}

}  // namespace pliant
