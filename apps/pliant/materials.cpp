// pliant materials: the named materials, with the numbers they stand for.

#include <cstdio>

#include "commands.hpp"
#include "pliant/core/text.hpp"
#include "pliant/material/preset.hpp"

namespace pliant {

namespace {

int list_materials(const Args&) {
    std::printf("%-12s %10s %8s %8s %10s   %s\n", "name", "young", "poisson", "density", "damping", "what it is");
    std::printf("%-12s %10s %8s %9s %10s\n", "", "Pa", "1", "kg/m³", "s");  // one letter of the unit has two bytes
    for (const MaterialPreset& m : material_presets().entries()) {
        std::string flow;
        if (m.plastic.rate > 0)
            flow = "; creeps: yield " + short_number(m.plastic.yield) + ", rate " + short_number(m.plastic.rate) +
                   " 1/s, max " + short_number(m.plastic.max);
        std::printf("%-12s %10s %8s %8s %10s   %s%s\n", m.name.c_str(), number_text(m.young).c_str(),
                    short_number(m.poisson).c_str(), short_number(m.density).c_str(),
                    short_number(m.stiffness_damping).c_str(), m.doc.c_str(), flow.c_str());
    }
    std::puts(
        "\nIn a scene: material = \"rubber\", or material = { preset = \"rubber\", young = 2e6 } to change a number.");
    return 0;
}

}  // namespace

Command materials_command() {
    return {.name = "materials",
            .arguments = "",
            .least_words = 0,
            .most_words = 0,
            .summary = "Lists the named materials with their numbers.",
            .about =
                "young: Young's modulus, the stiffness. poisson: how much it thins when stretched. damping: by\n"
                "stiffness; a vibration of period T falls to a third within about T²/(20 damping) seconds.",
            .flags = {},
            .examples = {{"pliant materials", "Everything from jelly to steel."}},
            .run = list_materials};
}

}  // namespace pliant
