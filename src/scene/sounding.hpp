#pragma once
// The bodies of a simulation that have a voice: what their modes are to be computed from.

#include <string>
#include <vector>

#include "pliant/fem/solid.hpp"
#include "pliant/mesh/quadratic_mesh.hpp"
#include "pliant/modal/modal_basis.hpp"
#include "pliant/scene/simulation.hpp"

namespace pliant {

struct SoundingBody {
    std::string name;
    int place = 0;  ///< in Frame::bodies and World::recorded
    SoundDesc sound;
    TetMesh mesh;  ///< in its own frame, m; used when `quadratic` is empty
    QuadraticMesh quadratic;
    std::vector<ElementMaterial> material;  ///< one for all elements, or one per element
    Damping damping;
    Pose pose;  ///< from its own frame to where it lies at the start
};

/// In the order of the scene.
std::vector<SoundingBody> sounding_bodies(Simulation& simulation);

}  // namespace pliant
