#pragma once
// Energies of an implicit step of a body of tets or of triangles: what Newton's line search makes smaller, and the law
// that keeps steps of any length stable.
//
// w is the velocity of deformation: of a piece that nothing holds, the velocity in the frame that moves along with it
// (moving_frame.hpp); else the velocity itself. With w₀ the one before the step, g what acts from outside (in a frame
// that includes the forces of inertia), α the mass damping, C the stiffness damping and p the impulses of contacts,
// hands and joints, implicit Euler is
//
//     M (w₁ − w₀) = dt (g − ∇ψ(x + dt·w₁) − αM w₁ − C w₁) + Jᵀp.
//
// Its solution is where
//
//     Φ(w) = ½ s (w − ŵ)·M (w − ŵ) + ψ(x + dt·w) + ½ dt w·C w + potential of the rows,   s = 1 + dt·α,  s M ŵ = M w₀ +
//     dt g
//
// is least. And where ψ is convex on the way, the solution, like every iterate of conjugate gradients that started from
// zero, obeys
//
//     ψ₁ + ½ w₁·M w₁ ≤ ψ₀ + ½ w₀·M w₀ + dt g·w₁ + p·J w₁ + work of the grips.
//
// Where ψ is not convex (a snapping arch, an element that turns inside out), even the exact solution of a step has a
// little more than that. Velocities of deformation then give way until the law holds: positions, momentum and angular
// momentum stay.

#include "pliant/body/fem_body.hpp"
#include "pliant/body/shell_body.hpp"

namespace pliant {

/// Newton's method sees to the law for this body: it moves by implicit Euler, and was not asked for a single solve.
inline bool obeys_energy_law(const FemBody& body) {
    return body.solve.newton != 1 && !body.integrator->is_explicit() && !body.integrator->remembers();
}

inline bool obeys_energy_law(const ShellBody& body) { return body.solve.newton != 1; }

/// The elastic energy at the start of the substep. After its system was assembled.
void measure_start(FemBody& body, double dt, Threads& threads);
void measure_start(ShellBody& body, double dt, Threads& threads);
/// The elastic energy where v_next leads, and what moves against the stress there.
void measure_iterate(FemBody& body, double dt, Threads& threads);
void measure_iterate(ShellBody& body, double dt, Threads& threads);

/// Φ of v_next but for the rows, J. After measure_iterate().
double merit(const FemBody& body, double dt, Threads& threads);
double merit(const ShellBody& body, double dt, Threads& threads);

struct EnergyGain {
    double excess = 0;   ///< J: by how much the left side of the energy law exceeds the right one
    double scale = 0;    ///< J: the energies and works that this is a difference of
    double noise = 0;    ///< J: what rounding does to it
    double kinetic = 0;  ///< J: of the deformation at the end, which the excess can be taken from
};
/// Of v_next. `row_work`: Σ p·J w₁ over the rows that act on the body, J. After measure_iterate(). Keeps the sums in
/// body.energy.nodes.
EnergyGain energy_gain(FemBody& body, double dt, double row_work, Threads& threads);
EnergyGain energy_gain(ShellBody& body, double dt, double row_work, Threads& threads);

/// Done on a body in a substep, J.
struct StepWork {
    double outside = 0;  ///< by external forces on free nodes
    double grips = 0;    ///< by grips, against inertia and elasticity
    double damping = 0;  ///< taken by damping
    /// What implicit Euler takes of elasticity, ψ₀ − ψ₁ + dt w·∇ψ₁, and what it takes beside, but for the kinetic
    /// energy of the free nodes at the end and p·J of the motion of the frame (world/ledger.hpp).
    double inertia = 0, elastic = 0;
};
/// Of v_next, the mean velocity of the substep, before it is committed. After energy_gain().
StepWork step_work(const FemBody& body, double dt);

/// Of a body without frames, at the end of its step: free nodes give up energy.excess. Returns what is not there, J.
double slow_free_nodes(FemBody& body, Threads& threads);
double slow_free_nodes(ShellBody& body, Threads& threads);

/// The velocity of deformation of a node that moves with v.
Vec3 deforming_velocity(const FemBody& body, int node, const Vec3& v);
Vec3 deforming_velocity(const ShellBody& body, int node, const Vec3& v);

}  // namespace pliant
