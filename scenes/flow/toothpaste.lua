-- Toothpaste is pressed out of a tube by a piston and lies in a strand on the ground, which keeps its shape.
-- Look for: a plug that slides as a whole, a strand that bends where it lands and does not run out.
-- The paste is there from the start: there is no inlet that makes more of it.
--
--   pliant run scenes/flow/toothpaste.lua

world { dt = args.dt or 0.005, duration = args.duration or 1.2, fps = 50 }
camera { eye = {0.3, 0.22, 0.5}, target = {0, 0.1, 0}, fov = 36 }

local cell = args.cell or 0.012
local paste = fem_body {
  name = "paste",
  surface = cylinder { radius = 0.0385, height = 0.09, at = {0, 0.165, 0} },
  edge = 0.005,
  volume = lattice { cell = cell },
  material = { preset = "toothpaste", friction = 0.02 },
  remesh = { cell = cell, edge = 0.005 },
  color = {0.75, 0.9, 0.92},
}
obstacle { name = "tube", shape = difference { cylinder { radius = 0.06, height = 0.16, at = {0, 0.19, 0} },
           cylinder { radius = 0.04, height = 0.16, at = {0, 0.2, 0} }, cylinder { radius = 0.022, height = 0.3, at = {0, 0.19, 0} } },
           friction = 0.02, color = {0.6, 0.62, 0.68} }
obstacle { name = "piston", shape = cylinder { radius = 0.037, height = 0.02 }, friction = 0.02, color = {0.3, 0.3, 0.33},
           motion = function(t) return { at = {0, math.max(0.15, 0.225 - 0.1 * t), 0} } end }
ground { height = 0, friction = 0.8 }

measure("lowest", function() return paste:bounds().min[2] end)
measure("remeshes", function() return paste:remeshes() end)
measure("volume_change", function() return paste:volume_change() end)
expect("the volume stays", function()
  return paste:volume_change() <= 0.005, string.format("changed by %.2g", paste:volume_change())
end)
expect("it comes out", function() return paste:bounds().min[2] < 0.05, string.format("lowest point at %.3f m", paste:bounds().min[2]) end)
