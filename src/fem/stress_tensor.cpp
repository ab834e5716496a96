#include "pliant/fem/stress_tensor.hpp"

#include "pliant/fem/solid_parts.hpp"
#include "pliant/material/stress.hpp"

namespace pliant {

std::array<double, 6> world_stress(const Solid& solid, std::span<const Vec3> x, int tet,
                                   const ElementMaterial& material, const std::array<double, 6>* plastic) {
    const Solid::Parts& p = solid.parts();
    const Mat3 R = p.rotation_at(x, tet);
    std::array<double, 6> biot;
    if (p.law->hooke) {
        std::array<double, 6> strain;
        small_strain(Mat3(R.transpose() * p.deformation(x, tet)), strain.data());
        for (std::size_t k = 0; k < 6 && plastic; ++k) strain[k] -= (*plastic)[k];
        const auto moduli = lame(material.young, material.poisson);
        hooke_stress(moduli.lambda, moduli.mu, strain.data(), biot.data());
    } else {
        biot = solid.law_stress(x, tet, material);
    }
    const Mat3 s = R * symmetric_matrix(biot) * R.transpose();
    return {s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(1, 2), s(2, 0)};
}

}  // namespace pliant
