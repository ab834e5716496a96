#pragma once
// The stress of an element as other programs want it: a tensor in the world's frame.

#include <array>
#include <span>

#include "pliant/fem/solid.hpp"

namespace pliant {

/// R S Rᵀ of Biot's stress S = sym(RᵀP) and the rotation R of the element at x, Pa: xx yy zz xy yz zx. It has the
/// principal stresses that Solid::measure_stresses() measures, and is Cauchy's stress where strains are small.
/// `plastic`: strain that is taken off (Hooke's laws); null: none.
std::array<double, 6> world_stress(const Solid& solid, std::span<const Vec3> x, int tet,
                                   const ElementMaterial& material, const std::array<double, 6>* plastic);

}  // namespace pliant
