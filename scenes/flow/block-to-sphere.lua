-- A block of very soft goo without weight becomes a sphere by surface tension (Wojtan & Turk 2008, figure 7).
-- Look for: edges and corners round off first, then the block, and what is left is round.
--
--   pliant run scenes/flow/block-to-sphere.lua

world { dt = args.dt or 0.01, duration = args.duration or 3, fps = 50, gravity = {0, 0, 0} }
camera { eye = {0.09, 0.07, 0.15}, target = {0, 0, 0}, fov = 26 }

local cell = args.cell or 0.007
local goo = fem_body {
  name = "goo",
  surface = box { size = {0.06, 0.03, 0.03} },
  edge = 0.4 * cell,
  volume = lattice { cell = cell },
  material = { young = 300, poisson = 0.48, density = 1000, plasticity = flow { yield = 0, rate = 60 } },
  remesh = { cell = cell, edge = 0.4 * cell, tension = args.tension or 0.5 },
  color = {0.35, 0.6, 0.85},
}

local function roundness()
  local b = goo:bounds()
  local size = b.max - b.min
  return math.min(size[1], size[2], size[3]) / math.max(size[1], size[2], size[3])
end
measure("roundness", roundness)
measure("remeshes", function() return goo:remeshes() end)
measure("volume_change", function() return goo:volume_change() end)
expect("the volume stays", function()
  return goo:volume_change() <= 0.005, string.format("changed by %.2g", goo:volume_change())
end)
expect("it becomes a sphere", function() return roundness() > 0.95, string.format("roundness %.3f", roundness()) end)
