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
        }};
    return all;
}

}  // namespace pliant
