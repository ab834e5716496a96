#pragma once
// What a substep's energies are sums of, and what a body keeps of them (step_energy.hpp has the symbols).

#include "pliant/fem/solid.hpp"

namespace pliant {

/// Sums over the nodes of a body for a substep from v₀ to mean velocities v and velocities of deformation w, J; over
/// those whose motion is not given, unless said otherwise.
struct NodeEnergies {
    double kinetic = 0, kinetic_before = 0;  ///< ½ w·M w and ½ w₀·M w₀
    double outer = 0;                        ///< dt g·w
    double whole = 0;                        ///< ½ v₀·M v₀
    double outside = 0;                      ///< dt f·v of the external forces, nodes of given motion left out
    double drag = 0;                         ///< v·M v
    double given = 0;                        ///< ½ (v·M v − v₀·M v₀) of nodes whose motion is given
    double gained = 0;                       ///< w·M (w − w₀)

    void add(const NodeEnergies& other);
};

/// Of a substep.
struct StepEnergies {
    double start = 0;  ///< elastic, J
    IterateEnergy iterate;
    NodeEnergies nodes;  ///< of the same iterate
    double excess = 0;   ///< J above the energy law, to be taken from the velocities of deformation
};

}  // namespace pliant
