// Heat as a stage of the step.

#include "pliant/world/bodies.hpp"
#include "pliant/world/step_stages.hpp"

namespace pliant {

void conduct_heat(World& w, const StepContext& c) {
    std::vector<HotSpot>& spots = w.scratch->spots;
    spots.clear();
    for (const HeatSource& source : w.heat_sources)
        if (source.when.holds(c.end))
            spots.push_back({source.at(c.end), source.radius, source.temperature, source.power});
    for_each_body(w, [&](auto& body) {
        if (!body.heat) return;
        StageTimer timer(w.times, "heat");
        conduct_heat(body, spots, c.dt, *w.threads);
    });
}

}  // namespace pliant
