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
             .doc = "Strands thinner than this break. Needs edge; about as long as it. Larger makes more and larger "
                    "drops; below half of edge they become thinner than that before they do. 0: they never break."},
            {.name = "opens",
             .unit = "m",
             .fallback = 0,
             .min = 0,
             .doc = "Films thinner than this get holes. Needs edge; less than half of it. Larger tears sheets and thin "
                    "puddles into a lace. 0: they never tear."},
            {.name = "merges",
             .unit = "m",
             .fallback = 0,
             .min = 0,
             .doc = "Parts of the surface nearer to each other than this merge; more than contact keeps between them, "
                    "half of edge say. Needs edge. 0: parts touch and never merge."},
            {.name = "inlet",
             .holds = Holds::table,
             .doc =
                 "A nozzle that it comes out of: inlet { … }. Needs edge. The body begins as a strand in the nozzle, "
                 "with a flat back."},
        }};
    return schema;
}

const Schema& inlet_schema() {
    static const Schema schema{
        "inlet",
        "A nozzle: what is behind its mouth moves along with a speed, and as much is added at the back.",
        {
            {.name = "at", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "Middle of the mouth."},
            {.name = "along", .holds = Holds::vec3, .required = true, .doc = "Direction in which it comes out."},
            {.name = "radius",
             .unit = "m",
             .required = true,
             .min = 0,
             .open_min = true,
             .doc =
                 "Of the nozzle: nodes behind the mouth and within it are held. A cell more than the strand's, or its "
                 "outermost nodes are free."},
            {.name = "speed",
             .unit = "m/s",
             .required = true,
             .min = 0,
             .open_min = true,
             .doc = "How fast it comes out."},
            {.name = "till",
             .unit = "s",
             .doc = "When it stops; then what is in the nozzle stands still. Left out: never."},
        }};
    return schema;
}

namespace {

Inlet inlet_of(const Value& value) {
    const Params params = inlet_schema().check(value);
    const Vec3 along = params.vec3("along");
    if (!(along.norm() > 0))
        throw UserError("an inlet has no direction", params.where("along"), "Write along = {0, -1, 0}");
    Inlet inlet;
    inlet.at = params.vec3("at"), inlet.along = along.normalized();
    inlet.radius = params.number("radius"), inlet.speed = params.number("speed");
    if (params.has("till")) inlet.till = params.number("till");
    return inlet;
}

}  // namespace

RemeshOptions remesh_of(const Value& value) {
    const Params params = remesh_schema().check(value);
    const double edge = params.number("edge");
    for (const char* key : {"breaks", "opens", "merges"})
        if (params.number(key) > 0 && !(edge > 0))
            throw UserError(std::string(key) + " needs surface upkeep", params.where(key),
                            "Add edge = " + short_number(params.number("cell") / 2.5) + " to remesh");
    if (params.has("inlet") && !(edge > 0))
        throw UserError("inlet needs surface upkeep", params.where("inlet"),
                        "Add edge = " + short_number(params.number("cell") / 2.5) + " to remesh");
    return {.cell = params.number("cell"),
            .least_fill = params.number("least_mass"),
            .condition = params.number("condition"),
            .edge = params.number("edge"),
            .tension = params.number("tension"),
            .inlet = params.has("inlet") ? inlet_of(params.at("inlet")) : Inlet{},
            .breaks = params.number("breaks"),
            .opens = params.number("opens"),
            .merges = params.number("merges")};
}

}  // namespace pliant::script
