#pragma once
// Named materials: round handbook numbers for solids, and numbers that look right for the toys.

#include <string>

#include "pliant/core/registry.hpp"
#include "pliant/material/plasticity.hpp"

namespace pliant {

struct MaterialPreset {
    std::string name;
    std::string doc;
    double young;                 ///< Pa
    double poisson;               ///< 1
    double density;               ///< kg/m³
    double mass_damping;          ///< Rayleigh α, 1/s
    double stiffness_damping;     ///< Rayleigh β, s
    PlasticNumbers plastic = {};  ///< of `plasticity`; the default never yields
    std::string plasticity = "creep";
};

const Registry<MaterialPreset>& material_presets();

}  // namespace pliant
