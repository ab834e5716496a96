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
        }};
    return all;
}

}  // namespace pliant
