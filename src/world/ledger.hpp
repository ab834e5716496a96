#pragma once
// Where the energy of the FEM bodies came from and went to. Work is counted substep by substep as it is done:
//
//     brought + outside + grips + hands + contact − friction − damping − plastic − heat − fracture − numerical
//         = kinetic + elastic + residual,
//
// all in J since the start. FEM bodies that move by implicit Euler are followed: every term is measured by itself, and
// what is left over is `residual`. `numerical` is what implicit Euler takes: with u the mean velocity of a substep, w
// that of deformation in the frame (moving_frame.hpp; without one w = u), g what acts from outside and inertial forces
// in it, α the mass damping, p the impulses of contacts and hands and T the kinetic energy of the nodes that move
// freely,
//
//     ψ₀ − ψ₁ + dt w·∇ψ₁  +  w·M (w − w₀) − dt g·w  +  dt (f·u − α (u·M u − w·M w)) + p·J (u − w)  −  (T₁ − T₀).
//
// The first three terms are the work that elasticity does not take up, the others what deformation and the motion of
// the frame do not. Without a frame it is ½ (w − w₀)·M (w − w₀), which makes impacts inelastic, and what the law of
// body/step_energy.hpp took back. It tends to zero with dt where motion is smooth. The residual is the work of what
// solves left over, and of elasticity against its linearisation. A large one says that something is counted wrongly.
//
// Bodies with other integrators, particles and shells are pooled: work is counted in the same way, and their energies
// when somebody asks. `numerical` has what is missing, and with it what their plastic flow, heat, inner damping and
// volume constraints take.

#include <cmath>

namespace pliant {

struct World;
struct StepContext;

struct EnergyLedger {
    double brought = 0;    ///< kinetic and elastic energy of the bodies when they were first counted
    double outside = 0;    ///< work of gravity, pulls and loads
    double grips = 0;      ///< work of nodes whose motion is given
    double hands = 0;      ///< work of hands, joints and supports along one axis
    double contact = 0;    ///< work of what presses: springs and barriers, moving obstacles, bodies of other kinds
    double friction = 0;   ///< taken by friction; with barriers it is part of `contact`
    double damping = 0;    ///< taken by mass and stiffness damping
    double plastic = 0;    ///< taken by plastic flow
    double heat = 0;       ///< by which elastic energy fell because material numbers changed
    double fracture = 0;   ///< taken by cracks: what edits of the mesh changed
    double numerical = 0;  ///< taken by implicit Euler
    double pool = 0;       ///< what went into pooled bodies: a part of the terms above, and no term of the balance
};

struct EnergyBalance {
    EnergyLedger ledger;
    double kinetic = 0, elastic = 0;  ///< now
    double residual = 0;
    double largest() const;  ///< of all terms: what errors are measured against
};

/// f(name, joules) for every term.
template <class F>
void for_each_term(const EnergyBalance& b, F&& f) {
    const EnergyLedger& l = b.ledger;
    f("kinetic", b.kinetic), f("elastic", b.elastic), f("brought", l.brought), f("outside", l.outside);
    f("grips", l.grips), f("hands", l.hands), f("contact", l.contact), f("friction", l.friction);
    f("damping", l.damping), f("plastic", l.plastic), f("heat", l.heat), f("fracture", l.fracture);
    f("numerical", l.numerical), f("residual", b.residual);
}

/// Of all bodies but modal and rigid ones. What these do to others is contact.
EnergyBalance energy_balance(const World& w);

// Stages of commit.cpp and edit_topology.cpp.

/// Before a substep is committed: the work that was done in it.
void count_work(World& w, const StepContext& c);
/// After it was committed.
void count_energies(World& w);
/// After the mesh of a FEM body was changed; `kinetic`: its kinetic energy before, J.
void count_edit(World& w, int body, double kinetic);

}  // namespace pliant
