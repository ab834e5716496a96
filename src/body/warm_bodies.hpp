#pragma once
// What heat does to bodies of each kind. Temperatures conduct in all of them alike (body/heat.hpp); Young's modulus
// follows the table:
//
//     FEM        per tet; yield and creep rate follow, too
//     particles  per tet, and with it springs, faces or tets of the model
//     modal      frequencies follow by first-order perturbation; the shapes of the modes stay those of the cold body

#include <algorithm>

#include "pliant/body/fem_body.hpp"
#include "pliant/body/modal_body.hpp"
#include "pliant/body/particle_body.hpp"

namespace pliant {

/// Gives a body without heat a temperature, which is desc.numbers.initial everywhere. At any time, not within a step.
void add_heat(FemBody& body, const HeatDesc& desc);
void add_heat(ParticleBody& body, const HeatDesc& desc);
void add_heat(ModalBody& body, const HeatDesc& desc);

/// Sets the material numbers that belong to these temperatures; they are functions of the temperature alone. A body
/// without heat is left alone.
void set_material_at(FemBody& body, std::span<const double> temperature);
void set_material_at(ParticleBody& body, std::span<const double> temperature);
void set_material_at(ModalBody& body, std::span<const double> temperature);

/// Young's modulus before the step over the one that set_material_at() gave it, below 1 where it sets.
double softness_before(const FemBody& body, int tet);

/// Conduction follows the links of a body that broke.
void relink_heat(FemBody& body);

/// λ_i = λ_i(cold) · Σ_e share_ie · E_e(T)/E_e, with share_ie = φ_iᵀ K_e φ_i / λ_i: Rayleigh's quotient of the cold
/// mode.
std::vector<double> warm_eigenvalues(const ModalBody& body, std::span<const double> temperature);

/// Fills body.temperature_next and sets the material to it. A body without heat is left alone.
template <class Body>
void conduct_heat(Body& body, std::span<const HotSpot> spots, double dt, Threads& threads) {
    if (!body.heat) return;
    body.heat->flow.advance(body.temperature, body.x, spots, dt, body.temperature_next, threads);
    set_material_at(body, body.temperature_next);
}

/// Over the mass, °C; 0 without heat.
template <class Body>
double mean_temperature(const Body& body) {
    const auto mass = node_mass(body);
    double sum = 0, total = 0;
    for (std::size_t i = 0; i < body.temperature.size(); ++i) sum += mass[i] * body.temperature[i], total += mass[i];
    return total > 0 ? sum / total : 0;
}

/// °C; 0 without heat.
template <class Body>
double max_temperature(const Body& body) {
    return body.temperature.empty() ? 0 : *std::max_element(body.temperature.begin(), body.temperature.end());
}

/// After body.temperature was loaded from a checkpoint; false when it belongs to another mesh. A state from before the
/// body was given heat is one at its first temperature.
template <class Body>
bool finish_temperature(Body& body) {
    if (body.heat && body.temperature.empty())
        body.temperature.assign(body.x.size(), body.heat->flow.numbers().initial);
    if (body.temperature.size() != (body.heat ? body.x.size() : 0)) return false;
    body.temperature_next = body.temperature;
    set_material_at(body, body.temperature);
    return true;
}

}  // namespace pliant
