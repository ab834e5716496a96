#pragma once
// Where the energy of the FEM bodies came from and went to. Work is counted substep by substep as it is done:
//
//     brought + outside + grips + hands + contact − friction − damping − plastic − heat − fracture − numerical
//         = kinetic + elastic,
//
// all in J since the start. Everything but `numerical` is measured by itself; `numerical` is what the step's own errors
// took: implicit Euler's damping of vibration, impacts that three passes make inelastic, and what the energy law of
// body/step_energy.hpp took back. It tends to zero with dt where motion is smooth. Below zero it says that energy came
// from nowhere, or that a solve was cut short: damping is counted at the velocities that such a solve ends with.

namespace pliant {

struct World;
struct StepContext;

struct EnergyLedger {
    double brought = 0;   ///< kinetic and elastic energy of the bodies when they were first counted
    double outside = 0;   ///< work of gravity, pulls and loads
    double grips = 0;     ///< work of nodes whose motion is given
    double hands = 0;     ///< work of hands, joints and supports along one axis
    double contact = 0;   ///< work of what presses: springs and barriers, moving obstacles, bodies of other kinds
    double friction = 0;  ///< taken by friction; with barriers it is part of `contact`
    double damping = 0;   ///< taken by mass and stiffness damping
    double plastic = 0;   ///< taken by plastic flow
    double heat = 0;      ///< by which elastic energy fell because material numbers changed
    double fracture = 0;  ///< taken by cracks: what edits of the mesh changed
};

struct EnergyBalance {
    EnergyLedger ledger;
    double kinetic = 0, elastic = 0;  ///< now
    double numerical = 0;
    double largest() const;  ///< of all terms: what errors are measured against
};

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
