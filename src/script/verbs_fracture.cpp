// What a material breaks by.

#include "pliant/script/verbs.hpp"

namespace pliant::script {

const Schema& fracture_schema() {
    static const Schema schema{
        "fracture",
        "Lets the body break: an element whose largest tensile stress exceeds its strength splits the mesh across it.",
        {{.name = "strength",
          .unit = "Pa",
          .required = true,
          .min = 0,
          .open_min = true,
          .doc = "Largest tensile stress that the material bears. Dough 1e3, jelly 1e4, chocolate 1e6; a strength of "
                 "young / 10 breaks at about 10 % strain. Too small crumbles under its own weight, very large never "
                 "breaks.",
          .remedy = "Write fracture = { strength = 6e4 }"},
         {.name = "noise",
          .unit = "1",
          .fallback = 0,
          .min = 0,
          .max = 1,
          .open_max = true,
          .doc = "Strengths vary by up to this share from element to element, by the seed of the world: flaws. 0 all "
                 "alike, 0.3 rough cracks, 0.9 crumbs."},
         {.name = "propagation",
          .unit = "1",
          .fallback = 1,
          .min = 0,
          .max = 1,
          .open_min = true,
          .doc = "Share of the strength at which a crack that is there runs on. 1 as in Müller & Gross 2004; 0.5 makes "
                 "long clean cracks, since it then takes more to start a second one; very small tears whatever has a "
                 "crack."},
         {.name = "splits",
          .unit = "1",
          .fallback = 4,
          .min = 1,
          .max = 1e6,
          .integer = true,
          .doc = "Nodes that may split in one step, the most overloaded first. Few make cracks run slowly and clean, "
                 "many make them branch and crumble."},
         {.name = "normals",
          .holds = Holds::text,
          .fallback = "flat",
          .choices = {"flat", "smooth"},
          .doc = "How crack faces are shaded: flat shows the facets of a brittle break, smooth a torn one."},
         {.name = "touch",
          .holds = Holds::boolean,
          .fallback = false,
          .doc =
              "true: pieces of the body touch each other like bodies. It costs time, and what is brittle is ground to "
              "crumbs where hands press broken faces together."}}};
    return schema;
}

MaterialFractureDesc fracture_of(const Value& value) {
    const Params params = fracture_schema().check(value);
    return {.strength = params.number("strength"),
            .noise = params.number("noise"),
            .splits = params.integer("splits"),
            .propagation = params.number("propagation"),
            .smooth = params.text("normals") == "smooth",
            .touch = params.flag("touch"),
            .where = value.where()};
}

}  // namespace pliant::script
