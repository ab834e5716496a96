-- A ribbon of honey falls on a plate, folds and runs out.
-- Look for: the ribbon thins while it falls, and heaps up where it lands before it spreads.
-- The honey is there from the start: there is no inlet that makes more of it.
--
--   pliant run scenes/flow/honey.lua

world { dt = args.dt or 0.005, duration = args.duration or 1.5, fps = 50 }
camera { eye = {0.3, 0.32, 0.75}, target = {0, 0.12, 0}, fov = 34 }

local cell = args.cell or 0.012
local honey = fem_body {
  name = "honey",
  surface = smooth_union { blend = 0.02, capsule { a = {0, 0.06, 0}, b = {0, 0.2, 0}, radius = 0.018 },
                           sphere { radius = 0.045, at = {0, 0.25, 0} } },
  edge = 0.005,
  volume = lattice { cell = cell },
  material = { preset = "honey", friction = 1 },
  remesh = { cell = cell, edge = 0.005 },
  color = {0.85, 0.5, 0.05},
}
obstacle { name = "plate", shape = cylinder { radius = 0.16, height = 0.02, at = {0, 0.01, 0} }, friction = 1, color = {0.85, 0.85, 0.88} }
ground { height = 0 }

measure("height", function() return honey:height() end)
measure("remeshes", function() return honey:remeshes() end)
measure("volume_change", function() return honey:volume_change() end)
expect("the volume stays", function()
  return honey:volume_change() <= 0.005, string.format("changed by %.2g", honey:volume_change())
end)
expect("it runs out on the plate", function() return honey:height() < 0.08, string.format("%.3f m high", honey:height()) end)
