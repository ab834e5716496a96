// Bodies that flow: the table `remesh` of a fem_body.

#include "pliant/core/text.hpp"
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
            {.name = "breaks",
             .unit = "m",
             .fallback = 0,
             .min = 0,
             .doc = "Strands and films thinner than this break. Needs edge; about as long as it. Larger makes more and "
                    "larger drops, far smaller than edge has no effect on strands. 0: nothing ever breaks."},
            {.name = "merges",
             .unit = "m",
             .fallback = 0,
             .min = 0,
             .doc = "Parts of the surface nearer to each other than this merge; more than contact keeps between them, "
                    "half of edge say. Needs edge. 0: parts touch and never merge."},
        }};
    return schema;
}

RemeshOptions remesh_of(const Value& value) {
    const Params params = remesh_schema().check(value);
    const double edge = params.number("edge");
    for (const char* key : {"breaks", "merges"})
        if (params.number(key) > 0 && !(edge > 0))
            throw UserError(std::string(key) + " needs surface upkeep", params.where(key),
                            "Add edge = " + short_number(params.number("cell") / 2.5) + " to remesh");
    return {.cell = params.number("cell"),
            .least_fill = params.number("least_mass"),
            .condition = params.number("condition"),
            .edge = params.number("edge"),
            .tension = params.number("tension"),
            .breaks = params.number("breaks"),
            .merges = params.number("merges")};
}

}  // namespace pliant::script
