// Plasticity laws for materials.

#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

std::vector<Key> creep_keys() {
    return {
        {.name = "yield",
         .unit = "1",
         .fallback = 0.01,
         .min = 0,
         .doc = "Norm of the elastic strain above which it flows. 0.001 metal, 0.01 wax, 0.1 tough rubber; too small "
                "creeps under its own weight, very large never yields."},
        {.name = "rate",
         .unit = "1/s",
         .fallback = 1,
         .min = 0,
         .doc = "How fast the strain above yield becomes lasting: 1 creeps within a second, 100 gives way at once, 0 "
                "never."},
        {.name = "max",
         .unit = "1",
         .fallback = 1,
         .min = 0,
         .doc = "Largest lasting strain; beyond it the material is elastic again. Above 1 elements may fold over."},
        {.name = "keep_volume",
         .holds = Holds::boolean,
         .fallback = false,
         .doc = "true: only the change of shape lasts, and the lasting shape of every element keeps its volume; false: "
                "a squeeze lasts too, so that what melts under its weight shrinks (as in Müller & Gross 2004). "
                "finite_creep always keeps it."},
    };
}

PlasticityDesc creep(const Params& params) {
    return {
        .numbers = {params.number("yield"), params.number("rate"), params.number("max"), params.flag("keep_volume")}};
}

std::vector<Key> von_mises_keys() {
    return {
        {.name = "yield",
         .unit = "1",
         .fallback = 0.001,
         .min = 0,
         .doc = "γ₁: norm of the elastic change of shape above which it flows, at once. 0.001 metal; too small and it "
                "gives way under its own weight, very large never yields. The paper's strain is twice this one: halve "
                "its numbers."},
        {.name = "yield_stress",
         .unit = "Pa",
         .min = 0,
         .open_min = true,
         .doc = "Instead of yield: von Mises' stress at which it flows, as tables of metals give it; steel 2.5e8."},
        {.name = "max",
         .unit = "1",
         .fallback = 0.1,
         .min = 0,
         .doc = "γ₂: largest norm of the lasting strain, beyond which it is elastic again, and breaks if it can. 0: "
                "brittle; 0.003 breaks like hard plastic, 0.2 tears like sheet metal. Halve the paper's numbers."},
    };
}

PlasticityDesc von_mises(const Params& params) {
    PlasticityDesc desc{.numbers = {.yield = params.number("yield"),
                                    .rate = params.number("max") > 0 ? 1.0 : 0.0,
                                    .max = params.number("max")}};
    if (params.has("yield_stress")) desc.yield_stress = params.number("yield_stress");
    return desc;
}

std::vector<Key> flow_keys(bool per_step) {
    return {
        {.name = "yield",
         .unit = "Pa",
         .fallback = 0,
         .min = 0,
         .doc = "Norm of the stress that changes shape above which it flows, √(2/3) of what it bears when pulled. "
                "0 honey, 100 toothpaste, 1e4 clay, 1e6 brick; too small runs away under its weight.",
         .remedy = "Use 0 for what always flows, 100 for toothpaste, 1e4 for clay"},
        {.name = "rate",
         .unit = per_step ? "1" : "1/s",
         .fallback = per_step ? 0.1 : 10.0,
         .min = 0,
         .doc = per_step ? "Share of the elastic change of shape that becomes lasting in a step, far above yield."
                         : "How fast the stress above yield is relieved: the viscosity is the shear modulus over it. 1 "
                           "slime, 100 honey, 1000 nearly water. Large beside 1/dt, and with a yield the time "
                           "step makes it thicker than that."},
        {.name = "hardening",
         .unit = "Pa",
         .fallback = 0,
         .min = 0,
         .doc = "By so much the yield stress grows per unit of lasting strain. 0: not at all."},
    };
}

PlasticityDesc stress_flow(const Params& params) {
    return {.numbers = {.yield = params.number("yield"),
                        .rate = params.number("rate"),
                        .hardening = params.number("hardening")}};
}

/// The verb of a law, with the keys of its kind and those that every law has.
Verb plastic_verb(const PlasticityLaw& law, std::vector<Key> keys, const std::string& example,
                  PlasticityDesc (*read)(const Params&)) {
    keys.push_back({.name = "lasting",
                    .holds = Holds::vec3,
                    .unit = "1",
                    .doc = "Stretches along the body's own x, y and z that last from before the start: what was made "
                           "{1.2, 1, 1} wants to be a fifth longer along x than it is, and pushes until it is."});
    return {{law.name, law.doc, std::move(keys)},
            "plasticity = " + law.name + " { " + example + " }",
            [read](Loader&, const Params& params) {
                PlasticityDesc desc = read(params);
                desc.law = params.schema(), desc.where = params.where();
                if (params.has("lasting")) desc.lasting = params.vec3("lasting");
                if (!(desc.lasting.minCoeff() > 0))
                    throw UserError("stretches that last must be above zero", params.where("lasting"),
                                    "Use 1 where nothing lasts, 1.2 for a fifth longer, 0.8 for a fifth shorter");
                return Value(Handle{"plasticity", desc}, params.where());
            }};
}

Verb plastic_verb(const PlasticityLaw& law) {
    if (law.stress_flow) {
        const bool per_step = law.name == "flow_step";
        return plastic_verb(law, flow_keys(per_step), per_step ? "yield = 100, rate = 0.1" : "yield = 100, rate = 80",
                            stress_flow);
    }
    if (law.instant) return plastic_verb(law, von_mises_keys(), "yield = 0.001, max = 0.1", von_mises);
    return plastic_verb(law, creep_keys(), "yield = 0.01, rate = 100, max = 10", creep);
}

}  // namespace

const std::vector<Verb>& plastic_verbs() {
    static const std::vector<Verb> verbs = [] {
        std::vector<Verb> list;
        for (const PlasticityLaw& law : plasticity_laws().entries()) list.push_back(plastic_verb(law));
        return list;
    }();
    return verbs;
}

}  // namespace pliant::script
