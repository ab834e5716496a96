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

Value plasticity(const Params& params) {
    const PlasticNumbers numbers{params.number("yield"), params.number("rate"), params.number("max"),
                                 params.flag("keep_volume")};
    return Value(Handle{"plasticity", PlasticityDesc{params.schema(), numbers, params.where()}}, params.where());
}

}  // namespace

const std::vector<Verb>& plastic_verbs() {
    static const std::vector<Verb> verbs = [] {
        std::vector<Verb> list;
        for (const PlasticityLaw& law : plasticity_laws().entries())
            list.push_back({{law.name, law.doc, creep_keys()},
                            "plasticity = " + law.name + " { yield = 0.01, rate = 100, max = 10 }",
                            [](Loader&, const Params& params) { return plasticity(params); }});
        return list;
    }();
    return verbs;
}

}  // namespace pliant::script
