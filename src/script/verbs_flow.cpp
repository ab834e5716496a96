// Bodies that flow: the table `remesh` of a fem_body.

#include "pliant/script/verbs.hpp"

namespace pliant::script {

const Schema& remesh_schema() {
    static const Schema schema{
        "remesh",
        "A new lattice whenever the present one is too distorted, below a surface that stays as it is (Wojtan & Turk "
        "2008). The material's plasticity must be flow { … }, finite_creep { … } or none.",
        {
            {.name = "cell",
             .unit = "m",
             .required = true,
             .min = 0,
             .open_min = true,
             .doc = "Size of the lattice's cells. Sheets and strands may be far thinner; they then move as the cells "
                    "round them do. Half of it makes eight times as many tets."},
            {.name = "least_mass",
             .unit = "1",
             .fallback = 0.05,
             .min = 1e-4,
             .max = 1,
             .doc = "Inertia of a node with hardly any material round it, and stiffness of an element, as a share of "
                    "those amid full elements. Small lets thin strands move as they should and makes steps dearer; "
                    "large makes them sluggish. What it adds has no weight."},
            {.name = "condition",
             .unit = "1",
             .fallback = 3,
             .min = 1,
             .open_min = true,
             .doc = "Remesh when the condition number of some element's deformation since the last time exceeds this. "
                    "Near 1 remeshes in every step, large lets elements become slivers."},
            {.name = "edge",
             .unit = "m",
             .fallback = 0,
             .min = 0,
             .doc = "Length that the edges of the surface are kept near: longer ones are split, shorter ones collapse, "
                    "with the volume kept. 0: its triangles stay as they are."},
            {.name = "tension",
             .unit = "N/m",
             .fallback = 0,
             .min = 0,
             .doc = "Surface tension. Water 0.073, honey 0.05; matters below a centimetre."},
        }};
    return schema;
}

RemeshOptions remesh_of(const Value& value) {
    const Params params = remesh_schema().check(value);
    return {.cell = params.number("cell"),
            .least_fill = params.number("least_mass"),
            .condition = params.number("condition"),
            .edge = params.number("edge"),
            .tension = params.number("tension")};
}

}  // namespace pliant::script
