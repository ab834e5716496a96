// What a material breaks by.

#include "pliant/script/verbs.hpp"

namespace pliant::script {

const Schema& fracture_schema() {
    static const Schema schema{
        "fracture",
        "Lets the body break: along the faces of its elements, where their largest tensile stress exceeds a strength, "
        "or, with through_elements = true, along planes through them, where what pulls at a node exceeds a toughness.",
        {{.name = "strength",
          .unit = "Pa",
          .min = 0,
          .open_min = true,
          .doc = "Largest tensile stress that the material bears. Dough 1e3, jelly 1e4, chocolate 1e6; a strength of "
                 "young / 10 breaks at about 10 % strain. Too small crumbles under its own weight, very large never "
                 "breaks.",
          .remedy = "Write fracture = { strength = 6e4 }"},
         {.name = "through_elements",
          .holds = Holds::boolean,
          .fallback = false,
          .doc = "true: cracks go where the stress sends them and divide elements (O'Brien & Hodgins 1999). What is "
                 "seen is the boundary of the mesh itself: use volume = conforming or tets. It takes toughness instead "
                 "of strength. false: cracks follow element faces, and any surface is cut along them."},
         {.name = "toughness",
          .unit = "Pa",
          .min = 0,
          .open_min = true,
          .doc = "With through_elements: tension that a node bears, a stress. A bar pulled along its axis breaks at "
                 "just this stress on any mesh. Too small crumbles under its own weight, very large never breaks.",
          .remedy = "Write fracture = { through_elements = true, toughness = 6e3 }"},
         {.name = "intensity",
          .unit = "Pa·√m",
          .min = 0,
          .open_min = true,
          .doc = "Instead of toughness: critical stress intensity of a crack's tip, as tables give it; glass 7e5, "
                 "concrete 1e6. What a node bears follows from the length of its edges, so that cracks run on at the "
                 "same load on a finer mesh."},
         {.name = "release",
          .unit = "J/m²",
          .min = 0,
          .open_min = true,
          .doc =
              "Instead of toughness: critical energy release rate, the energy that a new crack takes per area; glass "
              "8, wood 150, steel 1e4. It stands for the intensity √(release · young / (1 − poisson²))."},
         {.name = "speed",
          .unit = "1",
          .fallback = 1,
          .min = 0,
          .max = 1,
          .doc =
              "With through_elements: how fast cracks run at most, as a share of the speed of Rayleigh's waves. In one "
              "step a crack goes as far as that, as long as what it opens loads its tips enough. Small makes slow "
              "cracks. 0: one element in each step, as O'Brien & Hodgins 1999 do."},
         {.name = "planes",
          .unit = "1",
          .fallback = 3,
          .min = 1,
          .max = 100,
          .integer = true,
          .doc = "With through_elements: planes by which one node may be divided in one step, each by what the ones "
                 "before have left. More make cracks branch."},
         {.name = "smallest",
          .unit = "1",
          .fallback = 0.2,
          .min = 0.02,
          .max = 1,
          .doc = "With through_elements: no edge is cut into parts shorter than this share of the edges that the mesh "
                 "had there. It bounds how fine the mesh becomes and the smallest piece; 1 lets cracks follow faces "
                 "alone, 0.02 makes very many elements."},
         {.name = "quality",
          .unit = "1",
          .fallback = 0.1,
          .min = 0.01,
          .max = 0.5,
          .doc = "With through_elements: no element that a crack leaves is worse than this, 1 being a regular tet. "
                 "Large lets cracks follow the mesh, small makes slivers that are hard to solve for."},
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
          .doc = "Nodes that may split, or be opened, in one step, the most overloaded first. Few make cracks run "
                 "slowly and clean, "
                 "many make them branch and crumble."},
         {.name = "grain",
          .unit = "m",
          .min = 0,
          .doc = "With strength: no piece with less material than a cube of this edge comes off. Left out: than a tet "
                 "has in the mean. 0: as in Müller & Gross 2004, with flakes; large, and cracks end where they meet."},
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

namespace {

/// The one of the two numbers that belongs to the kind of cracks.
double bearable_stress(const Params& params, const Where& where) {
    const bool through = params.flag("through_elements");
    const char* given = nullptr;
    for (const char* key : {"toughness", "intensity", "release"}) {
        if (!through || !params.has(key)) continue;
        if (given)
            throw UserError(std::string("fracture has both '") + given + "' and '" + key + "'", params.where(key),
                            "Leave one of them out");
        given = key;
    }
    if (given) return params.number(given);
    const char *wanted = through ? "toughness" : "strength", *other = through ? "strength" : "toughness";
    if (params.has(other))
        throw UserError(
            std::string("fracture with through_elements = ") + (through ? "true" : "false") + " has no '" + other + "'",
            params.where(other),
            std::string("Write ") + wanted + " = … (Pa) instead" + (through ? "" : ", or add through_elements = true"));
    if (!params.has(wanted))
        throw UserError(std::string("fracture needs '") + wanted + "' (a number, Pa)", where,
                        fracture_schema().find(wanted)->doc);
    return params.number(wanted);
}

}  // namespace

MaterialFractureDesc fracture_of(const Value& value) {
    const Params params = fracture_schema().check(value);
    return {.strength = bearable_stress(params, value.where()),
            .noise = params.number("noise"),
            .splits = params.integer("splits"),
            .propagation = params.number("propagation"),
            .grain = optional_number(params, "grain"),
            .smooth = params.text("normals") == "smooth",
            .touch = params.flag("touch"),
            .through_elements = params.flag("through_elements"),
            .cut = {.quality = params.number("quality"), .smallest = params.number("smallest")},
            .planes = params.integer("planes"),
            .crack_speed = params.number("speed"),
            .by_intensity = params.has("intensity"),
            .by_release = params.has("release"),
            .where = value.where()};
}

}  // namespace pliant::script
