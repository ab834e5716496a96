#include "pliant/world/stress_field.hpp"

#include "pliant/body/plastic_flow.hpp"
#include "pliant/core/error.hpp"
#include "pliant/fem/stress_tensor.hpp"
#include "pliant/world/bodies.hpp"

namespace pliant {

void add_stress_fields(const World& w, Frame& frame) {
    for (std::size_t b = 0; b < w.fem.size(); ++b) {  // FEM bodies come first in frames
        const FemBody& body = w.fem[b];
        CHECK(frame.bodies[b].name == body.name, frame.bodies[b].name, body.name);
        const std::size_t tets = body.mesh.tets.size();
        Field stress{"stress", "Pa", Field::On::tet, 6, std::vector<float>(6 * tets)};
        parallel_for(*w.threads, tets, 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t t = begin; t < end; ++t) {
                const auto s =
                    world_stress(body.solid, body.x, static_cast<int>(t), stepped_material(body, static_cast<int>(t)),
                                 body.plastic_strain.empty() ? nullptr : &body.plastic_strain[t]);
                for (std::size_t k = 0; k < 6; ++k) stress.values[6 * t + k] = static_cast<float>(s[k]);
            }
        });
        frame.bodies[b].fields.push_back(std::move(stress));
    }
}

}  // namespace pliant
