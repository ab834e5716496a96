#pragma once
// The forces of a particle model in the layouts of force_kernels.hpp, and leap-frog steps with them.

#include <memory>
#include <span>
#include <vector>

#include "pliant/core/threads.hpp"
#include "pliant/particle/particle_model.hpp"
#include "pliant/particle/touch.hpp"
#include "pliant/particle/volume_constraint.hpp"

namespace pliant {

/// A run of leap-frog steps: v(n+½) = v(n−½) + h f(x(n))/m, x(n+1) = x(n) + h v(n+½).
struct LeapFrogRun {
    int steps = 1;
    double h = 1e-4;                        ///< s; above about 2/ω of the stiffest mode the motion explodes
    double damping = 1;                     ///< velocities are multiplied by it after each step (GlobalDamping)
    std::span<const Vec3> force = {};       ///< external, N
    std::span<const char> prescribed = {};  ///< per particle: its velocity is given, in `v`
    std::span<const AxisHold> holds = {};
    VolumeConstraint* constraint = nullptr;  ///< corrects positions and velocities after each step (eq. 3.20)
    std::span<ParticleTouch> touches = {};   ///< obstacles that stop the body; their impulses are filled in
};

class ParticleForces {
public:
    /// material: one per tet. Throws UserError when the model needs Voronoi faces and the structure has none.
    ParticleForces(const ParticleStructure& structure, std::span<const ParticleMaterial> material,
                   const ParticleModelOptions& options);
    ~ParticleForces();
    ParticleForces(ParticleForces&&) noexcept;
    ParticleForces& operator=(ParticleForces&&) noexcept;

    /// Other moduli of the same structure; masses and what the model remembers stay. Springs that were given a constant
    /// keep it.
    void set_material(const ParticleStructure& structure, std::span<const ParticleMaterial> material);

    std::span<const double> mass() const;  ///< kg: density times the volume of the cell

    /// Internal forces at x, N.
    void forces(std::span<const Vec3> x, std::span<Vec3> out, Threads& threads);

    /// Energy stored at x, J. Springs and model 3 are made from it; the forces of models 1 and 2 have none, for them it
    /// is the work of elastic and shear strain of each face over the distance of its particles, ½ A d (E ε² + G γ²).
    double energy(std::span<const Vec3> x) const;

    /// Moves x and v on by run.steps steps. Nothing is allocated after the first call.
    void leap_frog(const LeapFrogRun& run, std::span<Vec3> x, std::span<Vec3> v, Threads& threads);

    /// What the model remembers between steps: the rotations that model 3 starts from. Empty for the others.
    std::span<double> memory();
    std::span<const double> memory() const;

    struct Parts;
    Parts& parts() { return *parts_; }

private:
    std::unique_ptr<Parts> parts_;
};

}  // namespace pliant
