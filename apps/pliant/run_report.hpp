#pragma once
// What `pliant run` and `pliant sound` tell of a run alike.

#include <string>
#include <vector>

#include "pliant/io/report.hpp"
#include "pliant/scene/simulation.hpp"

namespace pliant {

/// All but `wall_s`, `series` and `warnings`, which are gathered on the way. Metrics are the last values of the series;
/// what the scene expects is judged only when all of its frames were reached. step_ms: wall times of all steps, ms.
void fill_report(RunReport& report, Simulation& simulation, const std::string& scene, const StepTimeTally& step_times);

}  // namespace pliant
