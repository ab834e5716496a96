#pragma once
// What ParticleForces is made of; for the files of this room and its tests.

#include <algorithm>

#include "pliant/particle/force_kernels.hpp"
#include "pliant/particle/particle_forces.hpp"
#include "pliant/solve/aligned.hpp"
#include "pliant/solve/team.hpp"

namespace pliant {

struct ParticleForces::Parts {
    ParticleModelOptions options;
    int particles = 0, groups = 0;  ///< groups of eight elements: springs, faces or tets
    KernelLevel kernels = best_kernel_level();
    std::vector<double> mass;
    std::vector<char> touched;  ///< scratch of begin_touches()

    AlignedVector<double> x, v, gathered, scale, push;  ///< [particle][4]
    AlignedVector<float> force;                         ///< element forces
    std::vector<double> energy;                         ///< per group, J
    std::vector<int> gather_order;
    std::vector<unsigned> gather_begin;
    std::vector<int> gather_entry;

    std::vector<int> element;  ///< the structure's spring, face or tet of each lane but those that fill the last group
    int element_of(std::size_t lane) const { return element[std::min(lane, element.size() - 1)]; }
    bool is_filler(std::size_t lane) const { return lane >= element.size(); }
    AlignedVector<int> pair, node, row, column;
    std::vector<int> slot_begin;
    AlignedVector<double> constant, gradient;  ///< model 3
    AlignedVector<float> constant_float, weight;
    // Model 1.
    int corners = 0;                                         ///< even
    int corner_pairs_of_two = 0, corner_pairs_of_three = 0;  ///< CornerArgs
    AlignedVector<int> corner_node;
    AlignedVector<float> corner_weight, corner, near;
    alignas(32) double origin[4] = {0, 0, 0, 0};  ///< what `near` and `corner` are relative to: particle 0 at load()
    // Model 3.
    AlignedVector<double> rotation, dilation, kept_rotation;
    std::vector<double> pressure;  ///< per particle, Pa
    std::vector<double> bulk;      ///< per particle: pressure over the sum of V·dilation of its tets, Pa/m³
    std::vector<int> tets;         ///< of each entry of gather_entry

    // Who acts on whom, once; then the numbers that the material gives, as often as it changes.
    void set_springs(const ParticleStructure& s);
    void set_faces(const ParticleStructure& s);
    void add_corner(const Tet& tet, const Vec4& weights);
    void set_tets(const ParticleStructure& s);
    void set_spring_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material);
    void set_face_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material);
    void set_model2_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material);
    void set_model3_numbers(const ParticleStructure& s, std::span<const ParticleMaterial> material);
    /// acts_on[k]: the particle that row 4·rows[k] of `force` acts on.
    void set_gathering(std::span<const Vec3> rest, std::span<const int> acts_on, std::span<const int> rows);
    void set_pair_gathering(std::span<const Vec3> rest, const std::vector<std::array<int, 2>>& pairs);
    void load(std::span<const Vec3> positions);
    /// `near` after something else than the step's own kernel moved x.
    void follow_positions();

    FaceArgs face_args();
    SpringArgs spring_args();
    Model2Args model2_args();
    Model3Args model3_args();
    void move_corners(const Team& team);   ///< model 1
    void set_pressures(const Team& team);  ///< model 3, and rotations
    double dilation_of(int place) const;   ///< model 3: of V·dilation of a particle's tets, m³
    double stored_energy();                ///< at x, J
    /// The forces of all elements at x, cut among the members of a team.
    void element_forces(const Team& team);
    GatherArgs gathering() const {
        return {gather_order.data(), gather_begin.data(), gather_entry.data(), force.data()};
    }
    /// Below this many groups a second thread costs more in waiting than it saves.
    static constexpr int worth_sharing = 2000;
};

inline void set_kernel_level(ParticleForces& forces, KernelLevel level) { forces.parts().kernels = level; }

}  // namespace pliant
