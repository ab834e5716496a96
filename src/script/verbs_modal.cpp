// Bodies that deform by their vibration modes (Hauser, Shen & O'Brien 2003).

#include <algorithm>

#include "pliant/script/body_words.hpp"
#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

Value make_modal_body(Loader& loader, const Params& params) {
    BodyDesc body = read_elastic_body(params, "modal_body");
    if (body.material.plasticity || body.material.fracture)
        throw UserError("a modal body is elastic: it has no plasticity or fracture", body.where,
                        "Use fem_body for those");
    body.kind = "modal";
    body.modal.modes = params.integer("modes");
    body.modal.inertial = params.flag("inertial");
    body.modal.penalty = params.text("contact") == "penalty";
    if (params.has("cluster")) body.modal.cluster = params.number("cluster");
    body.modal.hold = shape_of(params, "hold");
    body.modal.hold_where = params.where("hold");
    return add_body(loader, std::move(body), params);
}

}  // namespace

const std::vector<Verb>& modal_verbs() {
    static const std::vector<Verb> verbs = [] {
        std::vector<Key> keys = body_verbs().at(0).schema.keys;
        // Modes are moved exactly, whatever the step: there is nothing to choose.
        std::erase_if(keys, [](const Key& key) { return key.name == "integrator" || key.name == "volume_constraint"; });
        keys.push_back({.name = "modes",
                        .unit = "1",
                        .fallback = 40,
                        .min = 1,
                        .max = 5000,
                        .integer = true,
                        .doc =
                            "Vibration modes kept, the lowest ones. 10 wobble, 40 show where a hand pushes, hundreds "
                            "follow small dents; time grows with them."});
        keys.push_back({.name = "hold",
                        .holds = Holds::handle,
                        .type = "shape",
                        .doc = "Nodes inside never move: they are taken out before the modes are computed."});
        keys.push_back({.name = "inertial",
                        .holds = Holds::boolean,
                        .fallback = false,
                        .doc = "Centrifugal and Coriolis forces, and an inertia that follows the deformation: for fast "
                               "spins."});
        keys.push_back({.name = "contact",
                        .holds = Holds::text,
                        .fallback = "constraint",
                        .choices = {"constraint", "penalty"},
                        .doc = "constraint: touching points are stopped exactly; penalty: springs, cheaper, but they "
                               "give way and want short steps."});
        keys.push_back({.name = "cluster",
                        .unit = "m",
                        .min = 0,
                        .doc = "Touching points nearer than this act as one; 6 % of the body's size when left out. Too "
                               "large: it rocks on few points; too small: slow."});
        return std::vector<Verb>{
            {{"modal_body",
              "A body that deforms by its vibration modes: a few dozen numbers move any number of "
              "triangles, at any step "
              "size. Small to moderate deformations. It touches scenery, other modal bodies and FEM bodies.",
              keys},
             "modal_body { name = \"jelly\", surface = sphere { radius = 0.5 }, material = { "
             "preset = \"jelly\" }, modes = 30 }",
             make_modal_body}};
    }();
    return verbs;
}

}  // namespace pliant::script
