#include "pliant/material/preset.hpp"

namespace pliant {

const Registry<MaterialPreset>& material_presets() {
    // name, doc, young, poisson, density, α, β, { yield, rate, max }
    const auto flow = [](double yield, double rate) { return PlasticNumbers{.yield = yield, .rate = rate}; };
    static const Registry<MaterialPreset> all{
        "material preset",
        {
            {"jelly", "a wobbling dessert", 2e4, 0.45, 1050, 0, 5e-3},
            {"flesh", "soft tissue", 5e4, 0.45, 1060, 0, 1e-2},
            {"gelatin", "ballistic gelatin", 1e5, 0.45, 1060, 0, 5e-3},
            {"foam", "soft polyurethane foam: light, hardly any sideways strain", 1e5, 0.1, 50, 0, 1e-2},
            {"sponge", "open-cell sponge", 3e4, 0.05, 80, 0, 2e-2},
            {"dough", "bread dough: sluggish", 1e4, 0.4, 1200, 0, 5e-2},
            {"brick", "hardly gives way", 1e8, 0.25, 1900, 0, 1e-4, flow(2e6, 50), "flow"},
            {"clay", "modelling clay: keeps the shape it is pressed into", 1e6, 0.45, 1800, 0, 5e-3, flow(8e3, 50),
             "flow"},
            {"gel", "hair gel: wobbles, and stays where it is put", 1e4, 0.48, 1020, 0, 2e-3, flow(150, 10), "flow"},
            {"ooze", "wet mud: heaps that slowly run out", 1e4, 0.48, 1300, 0, 1e-3, flow(40, 20), "flow"},
            {"honey", "honey at 20 °C: 10 Pa·s", 3e3, 0.49, 1420, 0, 0, flow(0, 100), "flow"},
            {"slime", "a toy: bounces, then flows", 3e3, 0.49, 1100, 0, 1e-3, flow(0, 5), "flow"},
            {"toothpaste", "stands by itself, and gives way when pressed", 1.5e4, 0.48, 1300, 0, 1e-3, flow(100, 80),
             "flow"},
            {"batter", "cake batter: 3 Pa·s, and a film that stays", 1.8e3, 0.49, 1100, 0, 0, flow(2, 200), "flow"},
            {"nearly_water", "splashes: thin oil, 0.3 Pa·s", 900, 0.49, 1000, 0, 0, flow(0, 1000), "flow"},
            {"wax",
             "warm wax that flows under its weight (Müller & Gross 2004, table 1)",
             5e4,
             0.33,
             1000,
             0,
             2e-2,
             {0.01, 100, 10}},
            {"rubber", "soft rubber", 1e6, 0.47, 1100, 0, 2e-3},
            {"hard_rubber", "a tyre's tread", 2e7, 0.47, 1200, 0, 5e-4},
            {"silicone", "cast silicone", 5e5, 0.47, 1130, 0, 2e-3},
            {"leather", "thick leather", 1e8, 0.4, 900, 0, 1e-3},
            {"plastic", "ABS", 2.2e9, 0.37, 1050, 0, 1e-5},
            {"nylon", "polyamide 6", 2.8e9, 0.39, 1140, 0, 1e-5},
            {"oak", "oak along the grain, taken as isotropic", 1.1e10, 0.35, 720, 0, 3e-6},
            {"pine", "pine along the grain, taken as isotropic", 9e9, 0.33, 500, 0, 3e-6},
            {"ice", "freshwater ice", 9e9, 0.33, 917, 0, 1e-6},
            {"bone", "cortical bone", 1.8e10, 0.3, 1900, 0, 2e-6},
            {"concrete", "ordinary concrete", 3e10, 0.2, 2400, 0, 1e-6},
            {"stone", "granite", 5e10, 0.25, 2700, 0, 5e-7},
            {"porcelain", "fired porcelain", 7e10, 0.22, 2400, 0, 3e-7},
            {"glass", "soda-lime glass", 7e10, 0.22, 2500, 0, 1e-7},
            {"aluminium", "wrought aluminium", 6.9e10, 0.33, 2700, 0, 1e-7},
            {"brass", "yellow brass", 1.05e11, 0.34, 8500, 0, 1e-7},
            {"copper", "pure copper", 1.2e11, 0.34, 8960, 0, 1e-7},
            {"gold", "pure gold", 7.9e10, 0.42, 19300, 0, 2e-7},
            {"lead", "pure lead: dull", 1.6e10, 0.44, 11340, 0, 3e-6},
            {"paper", "office paper", 3e9, 0.2, 800, 0, 1e-4},
            {"cloth", "cotton, as an isotropic sheet; give it a bending_stiffness of 1e-6 to 1e-5", 5e6, 0.3, 400, 0,
             1e-3},
            {"sheet_metal", "cold-rolled steel sheet", 2.1e11, 0.3, 7850, 0, 1e-6},
            {"eggshell", "a hen's egg", 3e10, 0.3, 2200, 0, 1e-6},
            {"steel", "structural steel", 2.1e11, 0.3, 7850, 0, 5e-8},
        }};
    return all;
}

}  // namespace pliant
