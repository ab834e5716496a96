#pragma once
// A plasticity law: how the plastic strain or deformation of an element follows its total one during a step.
// To add one: write <law>.cpp with its flow function, declare it in laws.hpp and add its line in register.cpp; scenes
// then know it by name, and the family test checks it.
//
// Strains are small-strain tensors in the rest frame of the element, as six numbers xx yy zz xy yz zx. Shear entries
// are those of the tensor (ε_xy), half of the engineering shear γ_xy that Müller & Gross write.

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "pliant/core/registry.hpp"
#include "pliant/core/types.hpp"

namespace pliant {

using Strain6 = std::array<double, 6>;

/// What an element yields by. The defaults never yield.
struct PlasticNumbers {
    double yield =
        std::numeric_limits<double>::infinity();  ///< c_yield: norm of the elastic strain where flow starts, 1
    double rate = 0;                              ///< c_creep: share of the elastic strain that becomes plastic, 1/s
    double max = 0;                               ///< c_max: largest norm of the plastic strain, 1
    bool keep_volume = false;  ///< only the change of shape flows, and the plastic strain makes up for what the element
                               ///< has lost or gained in volume; false: all of the strain flows, as in the paper
    double hardening = 0;      ///< K: by so much the yield stress grows per unit of lasting strain, Pa; flow by stress
    friend bool operator==(const PlasticNumbers&, const PlasticNumbers&) = default;
};

/// The 2-norm of the six-vector of Müller & Gross 2004, section 3. Their vector holds engineering shear γ = 2ε, so
/// shear weighs four times its tensor entry squared; a pure shear of angle γ has norm γ in every axis plane.
inline double strain_norm(const Strain6& e) {
    return std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 4 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]));
}

/// Updates `plastic` over dt (s) while the total strain is held at `total`. Must not leave `plastic` above numbers.max,
/// nor raise the norm of total − plastic unless keep_volume asks for it.
using FlowRule = void (*)(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic);

/// The same for laws whose plastic part is a factor, F = Fe Fp: updates `plastic` = Fp, which keeps its volume, over dt
/// while the total deformation is held. `elastic`: Fe at the start. Works with every elastic law.
using FiniteFlowRule = void (*)(const PlasticNumbers& numbers, const Mat3& elastic, double dt, Mat3& plastic);

/// The same where stress decides, and numbers.yield is one, Pa. `stress`: first Piola–Kirchhoff stress at `elastic`.
/// `hardened`: lasting strain so far, summed over the way it took, 1. The determinant of `plastic` stays what it is.
using StressFlowRule = void (*)(const PlasticNumbers& numbers, const Mat3& elastic, const Mat3& stress, double dt,
                                Mat3& plastic, double& hardened);

/// One of `flow`, `finite_flow` and `stress_flow`.
struct PlasticityLaw {
    std::string name;         ///< as a scene spells it
    std::string doc;          ///< one line: what it is good for
    FlowRule flow = nullptr;  ///< additive: the state of an element is a strain
    /// Where `flow`, without keep_volume, is plastic += min(share, 1 − yield/‖elastic‖)·elastic above the yield strain,
    /// then limited to max: the share for a rate (1/s) and dt (s). Many elements at a time are then as quick as one.
    /// Null: it is something else.
    double (*share)(double rate, double dt) = nullptr;
    bool stops_at_yield = true;                    ///< false: without the second term of that minimum
    double (*norm)(const Strain6&) = strain_norm;  ///< by which `yield` and `max` are measured
    FiniteFlowRule finite_flow = nullptr;          ///< multiplicative: the state of an element is a deformation
    StressFlowRule stress_flow = nullptr;          ///< multiplicative, by stress
    bool instant = false;                          ///< has no rate, and pressure does not make it flow
    /// Above its yield an element is Maxwell's: its rate is that of its stress, G over the viscosity.
    bool maxwell = false;

    bool multiplicative() const { return finite_flow || stress_flow; }
};

/// Takes this share of an element's elastic change of shape, the logarithms of its stretches, for a lasting one.
void keep_share_of_shape(const Mat3& elastic, double share, Mat3& plastic);

/// Every law there is, in the order of register.cpp.
const Registry<PlasticityLaw>& plasticity_laws();

}  // namespace pliant
