#pragma once
// Where the energy of the FEM bodies came from and went to. Work is counted substep by substep as it is done:
//
//     brought + outside + grips + hands + contact − friction − damping − plastic − heat − fracture − numerical
//         = kinetic + elastic + residual,
//
// all in J since the start. Every term is measured by itself, and what is left over is `residual`. `numerical` is what
// implicit Euler takes: with w the velocity of a substep that goes from ψ₀ to ψ₁,
//
//     ½ (w − w₀)·M (w − w₀)  +  ψ₀ − ψ₁ + dt w·∇ψ₁  +  what the energy law of body/step_energy.hpp took back.
//
// Its first part is what makes impacts inelastic; both tend to zero with dt where motion is smooth. The residual is the
// work of what solves left over, of elasticity against its linearisation, and of frames whose inertial forces change
// within a substep: it falls faster than `numerical`. A large one says that something is counted wrongly.

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

/// FEM bodies that move by implicit Euler are counted, unless they ask for a single solve (SolveOptions::newton).
EnergyBalance energy_balance(const World& w);

// Stages of commit.cpp and edit_topology.cpp.

/// Before a substep is committed: the work that was done in it.
void count_work(World& w, const StepContext& c);
/// After it was committed.
void count_energies(World& w);
/// After the mesh of a FEM body was changed; `kinetic`: its kinetic energy before, J.
void count_edit(World& w, int body, double kinetic);

}  // namespace pliant
