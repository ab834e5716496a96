#include "pliant/material/laws.hpp"

namespace pliant {

const Registry<PlasticityLaw>& plasticity_laws() {
    static const Registry<PlasticityLaw> all{
        "plasticity",
        {
            {"creep", "Flows while strained beyond its yield, at a rate; the same for any time step.", creep,
             creep_share},
            {"creep_step", "The same as one explicit step, as Müller & Gross print it: depends on the time step.",
             creep_step, creep_step_share, false},
            {.name = "finite_creep",
             .doc = "Flows like creep by logarithmic strain: its volume is kept exactly, however far it goes, and it "
                    "works with every elasticity.",
             .finite_flow = finite_creep},
            {.name = "von_mises",
             .doc = "Flows at once where the change of shape exceeds its yield, up to a limit; pressure alone never "
                    "yields. For metals, and for what tears (O'Brien, Bargteil & Hodgins 2002).",
             .flow = von_mises_flow,
             .norm = tensor_norm,
             .instant = true},
            {.name = "finite_von_mises",
             .doc = "The same by logarithmic strain: its volume is kept exactly, however far it goes, and it works "
                    "with every elasticity.",
             .norm = tensor_norm,
             .finite_flow = finite_von_mises_flow,
             .instant = true},
            {.name = "flow",
             .doc = "Flows while its stress exceeds its yield, at a rate, and hardens: from brick to honey. Its volume "
                    "is kept exactly, it works with every elasticity, and a step does what its halves do (Wojtan & "
                    "Turk 2008).",
             .stress_flow = stress_flow,
             .maxwell = true},
            {.name = "flow_step",
             .doc = "The same as Wojtan & Turk print it: its rate is a share per step, so that it depends on the time "
                    "step, and pressure counts as stress.",
             .stress_flow = stress_flow_step},
        }};
    return all;
}

}  // namespace pliant
