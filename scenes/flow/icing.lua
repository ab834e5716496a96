-- Icing is pressed out of a nozzle onto a cake: an inlet makes more of it as it goes.
-- Look for: a strand that keeps its thickness, bends where it lands, and heaps up in turns.
--
--   pliant run scenes/flow/icing.lua

world { dt = args.dt or 0.005, duration = args.duration or 1.6, fps = 50 }
camera { eye = {0.16, 0.17, 0.3}, target = {0, 0.06, 0}, fov = 30 }

local cell, edge, radius, speed = args.cell or 0.01, args.edge or 0.005, 0.01, 0.15
local mouth = 0.1
local icing = fem_body {
  name = "icing",
  surface = cylinder { radius = radius, height = 0.04, at = {0, mouth + 0.015, 0} },
  edge = edge,
  volume = lattice { cell = cell },
  material = { young = 6000, poisson = 0.45, density = 1200, friction = 1, plasticity = flow { yield = 40, rate = 60 } },
  remesh = { cell = cell, edge = edge,
             inlet = { at = {0, mouth, 0}, along = {0, -1, 0}, radius = radius + cell, speed = speed } },
  color = {0.95, 0.85, 0.88},
}
ground { height = 0.02, friction = 1 }

local area = math.pi * radius * radius
measure("mass", function() return icing:mass() end)
measure("height", function() return icing:height() end)
measure("remeshes", function() return icing:remeshes() end)
measure("volume_change", function() return icing:volume_change() end)
expect("the volume stays", function()
  return icing:volume_change() <= 0.005, string.format("changed by %.2g", icing:volume_change())
end)
expect("as much comes out as is pressed", function()
  local pressed = 1200 * area * (0.04 + speed * (args.duration or 1.6))
  local off = icing:mass() / pressed - 1
  return math.abs(off) < 0.05, string.format("%.3f kg, off by %.1f %%", icing:mass(), 100 * off)
end)
