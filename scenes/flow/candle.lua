-- A candle melts at its top: the wax softens where it is hot, runs down the side and sets where it is cold.
-- Cold (20 °C) it is elastic with a yield of 2e4 Pa; at 60 °C it flows like honey. One material, one timeline.
-- Look for: a rim that sinks in, a run of wax that slows down on its way; --field temperature in `pliant render`.
-- It neither drips off nor cracks: a body that is remeshed cannot break.
--
--   pliant run scenes/flow/candle.lua

world { dt = args.dt or 0.01, duration = args.duration or 6, fps = 25 }
camera { eye = {0.22, 0.26, 0.42}, target = {0, 0.08, 0}, fov = 30 }

local cell = args.cell or 0.012
local candle = fem_body {
  name = "candle",
  surface = cylinder { radius = 0.03, height = 0.16, at = {0, 0.08, 0} },
  edge = 0.006,
  volume = lattice { cell = cell },
  material = {
    young = 2e5, poisson = 0.45, density = 900, friction = 1,
    plasticity = flow { yield = 2e4, rate = 50 },
    heat = { conductivity = 3, specific_heat = 2000, initial = 20, cooling = 25,
             table = { {20, young = 2e5, yield = 2e4, rate = 50}, {45, young = 1e5, yield = 1e3, rate = 50},
                       {60, young = 6e3, yield = 1, rate = 60} } },
  },
  remesh = { cell = cell, edge = 0.006 },
  color = {0.93, 0.88, 0.75},
}
heat_source { at = {0.02, 0.165, 0.01}, radius = 0.045, temperature = 120, power = args.power or 20000, till = 4 }
ground { height = 0, friction = 1 }

measure("height", function() return candle:height() end)
measure("temperature", function() return candle:max_temperature() end)
measure("remeshes", function() return candle:remeshes() end)
measure("volume_change", function() return candle:volume_change() end)
expect("the volume stays", function()
  return candle:volume_change() <= 0.005, string.format("changed by %.2g", candle:volume_change())
end)
expect("its top runs over the side", function() return candle:remeshes() > 0 and candle:bounds().max[1] > 0.04,
  string.format("%d remeshes, out to %.3f m", candle:remeshes(), candle:bounds().max[1]) end)
