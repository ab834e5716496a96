#include "pliant/body/plastic_flow.hpp"

#include <algorithm>
#include <utility>

#include "pliant/geometry/polar.hpp"
#include "pliant/material/material.hpp"

namespace pliant {

Strain6 total_strain(const FemBody& body, int tet) {
    const Mat3 F = body.solid.deformation_gradient(body.x, tet);
    // Solid tracks its rotations from the last step's; from the same start this finds the one the next assembly will.
    const Mat3 R =
        body.rotates ? tracked_rotation(F, Quat(body.solid.rotation(tet))).toRotationMatrix() : Mat3(Mat3::Identity());
    const Mat3 U = R.transpose() * F;
    return {U(0, 0) - 1,
            U(1, 1) - 1,
            U(2, 2) - 1,
            0.5 * (U(0, 1) + U(1, 0)),
            0.5 * (U(1, 2) + U(2, 1)),
            0.5 * (U(2, 0) + U(0, 2))};
}

Strain6 elastic_strain(const FemBody& body, int tet) {
    Strain6 strain = total_strain(body, tet);
    if (!body.plastic_strain.empty())
        for (int k = 0; k < 6; ++k) strain[k] -= body.plastic_strain[tet][k];
    return strain;
}

Strain6 elastic_stress(const FemBody& body, int tet) {
    const Strain6 e = elastic_strain(body, tet);
    const Lame m = lame(body.material[tet].young, body.material[tet].poisson);
    const double pressure = m.lambda * (e[0] + e[1] + e[2]);
    Strain6 stress;
    for (int k = 0; k < 6; ++k) stress[k] = 2 * m.mu * e[k] + (k < 3 ? pressure : 0);
    return stress;
}

void flow_plastically(FemBody& body, double dt, Threads& threads) {
    if (body.plastic_strain.empty()) return;
    const FlowRule flow = body.plasticity->flow;
    const int tets = body.mesh.tet_count();
    parallel_for(threads, (body.plastic_strain.size() + 7) / 8, 64, [&](std::size_t begin, std::size_t end) {
        // plastic_next holds the total strains until it is its turn.
        body.solid.total_strains(body.x, body.plastic_next, static_cast<int>(begin), static_cast<int>(end));
        for (int t = 8 * static_cast<int>(begin); t < std::min(8 * static_cast<int>(end), tets); ++t) {
            const Strain6 total = std::exchange(body.plastic_next[t], body.plastic_strain[t]);
            const PlasticNumbers& numbers = body.plastic[t];
            const double softness = softness_before(body, t);
            // What sets does so in the shape it has: its stress stays, instead of growing with its stiffness.
            if (softness < 1)
                for (int k = 0; k < 6; ++k)
                    body.plastic_next[t][k] += (1 - softness) * (total[k] - body.plastic_next[t][k]);
            if (numbers.rate > 0 || softness < 1) flow(numbers, total, dt, body.plastic_next[t]);
        }
    });
}

}  // namespace pliant
